/* Staging memory: chunks that fill up from the bottom and are used again once they are empty. */
#include "runtime/opencl/staging.h"
#include <stdlib.h>

enum { CHUNK_BYTES = 512 << 10, LARGE_BYTES = 128 << 10 };

struct staging_chunk {
	struct staging_chunk *next; /* pool->empty */
	struct drv_bo *bo;
	size_t size, used;
	unsigned live; /* pieces handed out */
	bool large;    /* for one piece, not kept */
};

struct staging_pool {
	struct drv_space *space;
	struct staging_chunk *current, *empty;
};

struct staging_pool *staging_create(struct drv_space *space)
{
	struct staging_pool *pool = calloc(1, sizeof *pool);
	if (pool)
		pool->space = space;
	return pool;
}

static void chunk_free(struct staging_chunk *chunk)
{
	if (!chunk)
		return;
	drv_bo_release(chunk->bo);
	free(chunk);
}

void staging_destroy(struct staging_pool *pool)
{
	if (!pool)
		return;
	chunk_free(pool->current);
	while (pool->empty) {
		struct staging_chunk *chunk = pool->empty;
		pool->empty = chunk->next;
		chunk_free(chunk);
	}
	free(pool);
}

static int chunk_create(struct staging_pool *pool, size_t size, struct staging_chunk **out)
{
	struct staging_chunk *chunk = calloc(1, sizeof *chunk);
	if (!chunk)
		return DRV_NO_MEMORY;
	int error = drv_bo_create(pool->space, 0, size, DRV_BO_SYSTEM | DRV_BO_UNCACHED, &chunk->bo);
	if (error) {
		free(chunk);
		return error;
	}
	chunk->size = size;
	*out = chunk;
	return DRV_OK;
}

static void piece(struct staging_chunk *chunk, size_t offset, struct staging *out)
{
	chunk->live++;
	out->chunk = chunk;
	out->cpu = (char *)drv_bo_cpu(chunk->bo) + offset;
	out->address = drv_bo_address(chunk->bo) + offset;
}

int staging_alloc(struct staging_pool *pool, size_t size, size_t align, struct staging *out)
{
	struct staging_chunk *chunk;
	int error;
	if (size > LARGE_BYTES) {
		error = chunk_create(pool, size, &chunk);
		if (error)
			return error;
		chunk->large = true;
		piece(chunk, 0, out);
		return DRV_OK;
	}
	chunk = pool->current;
	size_t offset = chunk ? (chunk->used + align - 1) & ~(align - 1) : 0;
	if (!chunk || offset + size > chunk->size) {
		struct staging_chunk *fresh = pool->empty;
		if (fresh) {
			pool->empty = fresh->next;
		} else {
			error = chunk_create(pool, CHUNK_BYTES, &fresh);
			if (error)
				return error;
		}
		/* the full one has pieces out, or it would have been emptied; the last one brings it back */
		pool->current = chunk = fresh;
		offset = 0;
	}
	chunk->used = offset + size;
	piece(chunk, offset, out);
	return DRV_OK;
}

void staging_free(struct staging_pool *pool, const struct staging *s)
{
	struct staging_chunk *chunk = s->chunk;
	if (--chunk->live)
		return;
	chunk->used = 0;
	if (chunk->large) {
		chunk_free(chunk);
	} else if (chunk != pool->current) {
		chunk->next = pool->empty;
		pool->empty = chunk;
	}
}
