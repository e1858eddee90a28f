/* A runtime that has imported buffers of heaps hears of galena_heap_sync. */
#ifndef GALENA_RUNTIME_HEAP_LISTENER_H
#define GALENA_RUNTIME_HEAP_LISTENER_H
#include "include/galena/heap.h"
#include "runtime/heap/heap_buffer.h"
#include <stdbool.h>

/* Static memory: a call may still run when galena_heap_unlisten() has returned. */
struct heap_listener {
	/* The host is about to access the buffer (flags without END), or has. 0 or an errno. Any thread, no lock held. */
	int (*sync)(struct heap_listener *, const struct heap_buffer *, unsigned flags);
};
/* False: there are eight already. */
GALENA_API bool galena_heap_listen(struct heap_listener *);
GALENA_API void galena_heap_unlisten(struct heap_listener *);

#endif
