/* Pinned system memory of a context, handed out in small pieces: kernel arguments, patterns, the
 * staging side of small transfers. Pieces are given back when their command is covered, that is at
 * a wait of the application's, so that addresses do not depend on the speed of anything.
 * context->lock is held for all of these but staging_grow(), which takes it. */
#ifndef GALENA_RUNTIME_OPENCL_STAGING_H
#define GALENA_RUNTIME_OPENCL_STAGING_H
#include "runtime/opencl/objects.h"

struct staging_pool *staging_create(struct _cl_context *);
/* Everything was given back. */
void staging_destroy(struct staging_pool *);
/* align is a power of two, at most 4096. False: staging_grow() first, and ask again. */
bool staging_alloc(struct staging_pool *, size_t size, size_t align, struct staging *out);
/* Gets memory in which a piece of size fits. 0 or a negative kmd_error. No lock is held: the driver may have to wait for
 * commands to end, whose events take it. */
int staging_grow(struct staging_pool *, size_t size);
void staging_free(struct staging_pool *, const struct staging *);

#endif
