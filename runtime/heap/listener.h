/* Who has imported buffers of heaps hears of galena_heap_sync. */
#ifndef GALENA_RUNTIME_HEAP_LISTENER_H
#define GALENA_RUNTIME_HEAP_LISTENER_H
#include "include/galena/heap.h"
#include "runtime/driver/heap_buffer.h"

struct heap_listener {
	struct heap_listener *next;
	/* The host is about to access the buffer (flags without END), or has. 0 or an errno. One call at a time; none calls
	 * listen or unlisten. */
	int (*sync)(struct heap_listener *, const struct heap_buffer *, unsigned flags);
};
/* From now on until unlisten, which waits for a call that runs. */
GALENA_API void galena_heap_listen(struct heap_listener *);
GALENA_API void galena_heap_unlisten(struct heap_listener *);

#endif
