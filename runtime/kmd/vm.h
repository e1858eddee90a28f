/* Address spaces and their page tables. */
#ifndef GALENA_RUNTIME_KMD_VM_H
#define GALENA_RUNTIME_KMD_VM_H
#include "abi/pte.h"
#include "runtime/kmd/extents.h"
#include "runtime/kmd/memory.h"

struct pt_node {
	struct page page;
	bool linked;             /* hardware state: cleared and ready */
	struct pt_node **child;  /* NULL at level 0 */
};
struct vm {
	struct driver *driver;
	struct file *file;          /* whose it is */
	struct vm *prev, *next;
	unsigned refs;           /* the user's, one a buffer object, one a queue */
	uint16_t asid;
	struct extents va;
	struct pt_node *root;
	struct queue *queues; /* by vm_next */
	struct bo *bos;       /* all that are not reclaimed */
	struct work create, destroy;
	uint32_t devices;        /* hardware state: whose queues have used it */
};
void vm_ref(struct vm *);
void vm_unref(struct vm *);  /* lock held */
void vm_close(struct vm *);  /* the same; ranges that the client has bound go */
/* Software state: makes the tables for [va, va + size); huge: with 2 MiB leaves where they fit. */
int pagetable_prepare(struct driver *, struct vm *, uint64_t va, uint64_t size, bool huge);
/* Hardware state. next_pa is called for each leaf in turn; bits without address. */
void pagetable_map(struct vm *, uint64_t va, uint64_t size, bool huge,
		   uint64_t (*pa_of)(void *ctx, uint64_t offset), void *ctx, uint64_t bits);
void pagetable_unmap(struct vm *, uint64_t va, uint64_t size, bool huge);
/* Software state: the pages may be reused by later work items. The nodes stay for those on their way. */
void pagetable_give_back(struct driver *, struct pt_node *, int level);
void pagetable_free(struct pt_node *, int level);

#endif
