/* Memory that is handed on by descriptor, in the manner of Linux's dma-buf heaps: what a camera's driver, a decoder or a
 * compositor would export. Devices import it (clImportMemoryARM, CL_IMPORT_TYPE_DMA_BUF_ARM) without a copy.
 *
 *   int fd = galena_heap_alloc("system", width * height, 0);
 *   void *frame = mmap(NULL, width * height, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
 *
 *   cc program.c $(pkg-config --cflags --libs galena-heap)
 *
 * A descriptor is one like any other: close(2) gives it back, dup(2) and SCM_RIGHTS hand it on, fstat(2) and lseek(2) tell
 * its size, mmap(2) maps it. The memory is there until the last descriptor, mapping and import of it is gone. Its size
 * never changes.
 *
 * Threads: every function may be called from any thread. Errors: -1, and errno says which. */
#ifndef GALENA_HEAP_H
#define GALENA_HEAP_H
#include "api.h"
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum galena_heap_flags {
	GALENA_HEAP_RDONLY = 1, /* the descriptor is one for reading: it cannot be mapped for writing, and devices that
	                         * import it cannot write. Opened anew for writing (/proc/self/fd/N), it can. */
};

/* Memory of a heap: "system" (pages), "cma" (pages that lie in a row for the device) or "protected" (the host never sees
 * what is in it: no mapping, no reading, no writing; devices that import it as protected do). size in bytes, rounded up to
 * whole pages, which are 0; flags of enum galena_heap_flags. Returns a descriptor that is closed on exec.
 * ENOENT: there is no such heap. EINVAL: no name, size 0, unknown flags, or a protected buffer for reading alone.
 * ENOMEM: more than the machine's memory. EMFILE, ENFILE: too many descriptors. EFBIG: larger than files may be (ulimit -f).
 * ENOSYS: the system has no memory files (memfd_create), or no /proc for a buffer that is protected or for reading alone. */
GALENA_API int galena_heap_alloc(const char *heap, size_t size, unsigned flags);

enum galena_heap_sync {
	GALENA_HEAP_SYNC_READ = 1,  /* the host reads */
	GALENA_HEAP_SYNC_WRITE = 2, /* the host writes */
	GALENA_HEAP_SYNC_END = 4,   /* it has; without this flag: it is about to */
};

/* Says that the host is about to access the memory through a mapping, or has done so: DMA_BUF_IOCTL_SYNC of a real dma-buf.
 * For memory whose data consistency is the application's responsibility (cl_arm_import_memory,
 * CL_IMPORT_DMA_BUF_DATA_CONSISTENCY_WITH_HOST_ARM), on devices whose caches are not coherent: before, what devices of this
 * process have written is made visible to the host; after, what the host has written is made visible to them. The devices'
 * commands that use the memory must have ended. flags: READ, WRITE or both, with END or without.
 * EBADF: not a descriptor. ENOTTY: not one of a heap, or of a dma-buf. EINVAL: flags. EIO: a device that has the memory is lost. */
GALENA_API int galena_heap_sync(int fd, unsigned flags);

#ifdef __cplusplus
}
#endif
#endif
