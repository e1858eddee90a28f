/* dma-bufs, by their descriptors: those of galena/heap.h and the kernel's own.
 *
 * A buffer of a heap is a memory file of a certain name, sealed so that its size cannot change: it is known in this process
 * and in any that it is handed to, and no process can take pages away from under its mapping. A protected one is sealed against
 * writing, too: it holds no data. */
#ifndef GALENA_RUNTIME_DRIVER_HEAP_BUFFER_H
#define GALENA_RUNTIME_DRIVER_HEAP_BUFFER_H
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define HEAP_FILE_NAME "galena-heap-" /* and the heap's name */
enum heap_kind { HEAP_SYSTEM, HEAP_CMA, HEAP_PROTECTED, HEAP_KINDS, HEAP_DMA_BUF = HEAP_KINDS /* the kernel's */ };
extern const char *const heap_names[HEAP_KINDS];
/* F_SEAL_... of a buffer */
int heap_seals(enum heap_kind);

struct heap_buffer {
	enum heap_kind kind;
	dev_t device;  /* with inode: the same for every descriptor of the buffer */
	ino_t inode;
	uint64_t size; /* bytes, whole pages */
	bool writable; /* through this descriptor */
};
/* The buffer of a descriptor that may be anything. 0, or -1 with errno: EBADF no descriptor, ENOTTY one of something else. */
int heap_buffer_of(int fd, struct heap_buffer *);

#endif
