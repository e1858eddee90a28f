/* Buffer objects, and where their memory comes from: the host, DRAM, dma-bufs, protected regions, shared virtual memory. */
#ifndef GALENA_RUNTIME_KMD_BO_H
#define GALENA_RUNTIME_KMD_BO_H
#include "runtime/kmd/vm.h"

/* ---- devices whose caches are not coherent (caches.c) ---- */
/* Copies a command and puts maintenance of everything around each run of packets that use memory. Returns the number of
 * packets, at most three times as many. */
unsigned caches_around(const union packet *in, unsigned count, union packet *out);
/* Hardware state: maintains the lines of pinned pages in all devices; op as in a cache packet. */
void caches_maintain(struct driver *, const struct pin_list *, unsigned op);

/* ---- buffer objects (bo.c) ---- */
struct bo {
	struct vm *vm;
	struct bo *prev, *next;
	uint64_t va, va_size;    /* first page, without the guard page */
	uint64_t fixed_va;       /* of a binding: where it has to be, without a guard page; 0: anywhere */
	struct bo *of;           /* of a binding: whose memory it is */
	unsigned bindings;       /* of it, that are not reclaimed */
	bool closed;             /* its handle, or the binding */
	uint64_t size, offset;   /* as asked; offset of byte 0 in the first page */
	unsigned flags, device;
	bool huge, imported, fenced;
	bool left;               /* of host memory: later imports of its pages do not share their PFNs */
	uint8_t *host;           /* first page, NULL for DRAM */
	uint8_t *arena;          /* the same memory in the arena of a client in another process, or NULL */
	struct dmabuf *dmabuf;   /* whose memory it is, or NULL */
	bool has_users;          /* its client has had the fence of the dma-buf's users */
	unsigned how;            /* of the pins; enum pin_how */
	uint64_t pages;
	uint64_t dram;           /* physical address */
	unsigned fences;         /* queues whose commands may still use it */
	struct pin_list pin;     /* what its map changes; software state, then constant. Empty for DRAM */
	struct pin_list unpin;   /* what its unmap does */
	struct kmd_part *parts;  /* rights, where they differ within the object */
	unsigned num_parts;
	struct work map, unmap;
	/* of an import of the process' memory: hardware state (unmapped.c) */
	struct bo *import_prev, *import_next; /* those that devices reach */
	uint8_t *own;            /* the driver's own mapping of shared memory, or NULL */
	bool registered;         /* a new mapping in its place is noticed */
	bool lost, accessed, news; /* a page of it is gone; a device has accessed that; it is to be reported */
	uint64_t lost_page;      /* the first that was found */
	bool released;           /* software state; read without the lock */
};
/* Lock held. */
int bo_create(struct vm *, unsigned device, uint64_t size, unsigned flags, const struct kmd_part *, unsigned num_parts, struct bo **);
uint64_t bo_address(const struct bo *); /* device virtual address of byte 0 */
void bo_release_locked(struct bo *);
/* The client's handle is gone: the same when nothing is bound to it any more. */
void bo_close(struct bo *);
void binding_gone(struct bo *owner);
void vm_unbind_all(struct vm *);
/* Pins and maps an object like this one, which has its memory. */
int bo_place(const struct bo *as, struct bo **);
/* What the file has not flushed goes to the devices. */
void flush_all(struct file *);
void bo_reclaim(struct bo *); /* software state: every command that may use it is covered */
void bo_destroy(struct bo *); /* its host memory has been given back */
/* Imports a range of the process' memory. how: pins that are more than the flags say. dmabuf: whose memory it is, whose reference goes to
 * the object; or NULL. retry: the client has waited for released memory. */
int bo_import_host(struct vm *, void *ptr, uint64_t size, unsigned flags, unsigned how, struct dmabuf *, bool retry, struct bo **);
/* 0, or what the client has to wait for before it gets more memory: KMD_BEHIND, KMD_AGAIN. Lock held. */
enum { MANY_BEHIND = 4096 };
int bo_pressure(struct file *, bool retry);
/* The address space of a handle, or NULL. The caller of the request keeps the handle. */
struct vm *vm_of(struct file *, uint32_t handle);
/* The same for DRAM that is a dma-buf's, from a physical address on. Lock held. */
int bo_import_dram(struct vm *, unsigned device, uint64_t pa, uint64_t size, unsigned flags, struct dmabuf *, struct bo **);

/* ---- dma-bufs (dmabuf.c); driver.lock ---- */
/* The requests, without a handle; the lock is not held. */
int bo_import_dmabuf(struct vm *, int fd, uint64_t offset, uint64_t size, unsigned flags, bool retry, struct bo **);
int bo_import_protected(struct vm *, unsigned device, int fd, uint64_t offset, uint64_t size, unsigned flags, bool *clear, struct bo **);
/* A dma-buf of its own. */
int bo_create_shared(struct vm *, uint64_t size, unsigned flags, bool retry, struct bo **);
void dmabuf_put(struct driver *, struct dmabuf *);
/* An object that has had the fence of the users is reclaimed: software state, so that the fence's page goes at a place of the calls alone. */
void dmabuf_users_leave(struct dmabuf *);
/* Of protected buffers without imports, which are kept, gives up the oldest if they are more than most. False: they are not. */
bool dmabuf_evict(struct driver *, unsigned most);
void dmabufs_fini(struct driver *); /* at close */

/* ---- protected memory (protected.c); driver.lock ---- */
struct region { /* software state */
	uint64_t base, size; /* size 0: none */
	struct extents room;
};
/* The physical address of so many bytes, whole pages; UINT64_MAX: there are none. What they hold is undefined. */
uint64_t protected_alloc(struct driver *, struct device *, uint64_t size, uint64_t align);
void protected_free(struct driver *, struct device *, uint64_t pa, uint64_t size);
void protected_fini(struct device *);

/* ---- host memory (bo_host.c); driver.lock ---- */
/* The page after each object is never mapped, so that running over its end is a fault. */
#define BO_GUARD GALENA_PAGE_SIZE
/* Gives a new object its host memory. False: there is none. */
bool bo_host_take(struct bo *);
/* The address of shared virtual memory may be another's. */
void bo_svm_give_back(struct bo *);
/* At close, or as its unmapping is applied: takes its memory, if it has any of its own. */
void bo_host_give_back(struct bo *);

/* ---- host memory without an object (bo_cache.c); driver.lock ---- */
enum { BO_CACHE_MAX = 16 };
struct bo_cache {
	uint8_t *host[BO_CACHE_MAX]; /* the oldest first */
	uint64_t pages[BO_CACHE_MAX], bytes;
	unsigned count;
};
/* Memory of that many pages with whatever it last held, or NULL. */
uint8_t *bo_cache_take(struct bo_cache *, uint64_t pages);
/* Takes the memory over; false: it is not worth it. */
bool bo_cache_keep(struct bo_cache *, uint8_t *host, uint64_t pages);
void bo_cache_fini(struct bo_cache *);

/* ---- shared virtual memory (svm.c); driver.lock ---- */
/* Where its addresses begin. ThreadSanitizer leaves a process a few windows of them; one begins where no program is loaded. */
#ifdef __SANITIZE_THREAD__
#define SVM_BASE 0x550000000000ull
#else
#define SVM_BASE VA_SVM_BASE
#endif
struct svm_range {
	uint8_t *base;     /* NULL until it is first needed */
	uint64_t size;     /* of the range, bytes */
	bool told;         /* that there are no more addresses */
	uint64_t open;     /* bytes from base on that the process can access */
	struct extents va; /* free addresses */
};
/* Zeroed memory of whole pages at an address that means the same to host and devices; NULL: none left. */
uint8_t *svm_take(struct svm_range *, uint64_t bytes);
/* Neither a device nor the host uses it any more. */
void svm_give_back(struct svm_range *, uint8_t *host, uint64_t bytes);
void svm_close(struct svm_range *);

#endif
