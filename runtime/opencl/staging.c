/* Staging memory: chunks that fill up from the bottom and are used again once they are empty. */
#include "runtime/opencl/staging.h"
#include <stdlib.h>

enum { CHUNK_BYTES = 512 << 10, LARGE_BYTES = 128 << 10 };

struct staging_chunk {
	struct staging_chunk *next; /* pool->empty */
	struct umd_bo *bo;
	size_t size, used;
	unsigned live; /* pieces handed out */
	bool large;    /* for one piece, not kept */
};

struct staging_pool {
	struct _cl_context *context;
	struct staging_chunk *current, *empty, *large; /* large: for who asks next */
};

struct staging_pool *staging_create(struct _cl_context *context)
{
	struct staging_pool *pool = calloc(1, sizeof *pool);
	if (pool)
		pool->context = context;
	return pool;
}

static void chunk_free(struct staging_chunk *chunk)
{
	if (!chunk)
		return;
	umd_bo_release(chunk->bo);
	free(chunk);
}

static struct staging_chunk *chunk_take(struct staging_chunk **list, size_t size)
{
	while (*list && (*list)->size < size)
		list = &(*list)->next;
	struct staging_chunk *chunk = *list;
	if (chunk)
		*list = chunk->next;
	return chunk;
}

static void chunk_add(struct staging_chunk **list, struct staging_chunk *chunk)
{
	chunk->next = *list;
	*list = chunk;
}

void staging_destroy(struct staging_pool *pool)
{
	if (!pool)
		return;
	chunk_free(pool->current);
	for (struct staging_chunk *chunk; (chunk = chunk_take(&pool->empty, 0));)
		chunk_free(chunk);
	for (struct staging_chunk *chunk; (chunk = chunk_take(&pool->large, 0));)
		chunk_free(chunk);
	free(pool);
}

int staging_grow(struct staging_pool *pool, size_t size)
{
	struct staging_chunk *chunk = calloc(1, sizeof *chunk);
	if (!chunk)
		return KMD_NO_MEMORY;
	chunk->large = size > LARGE_BYTES;
	chunk->size = chunk->large ? size : CHUNK_BYTES;
	int error = umd_bo_create(pool->context->space, 0, chunk->size, KMD_BO_SYSTEM | KMD_BO_UNCACHED, &chunk->bo);
	if (error) {
		free(chunk);
		return error;
	}
	HOLDING(&pool->context->lock);
	chunk_add(chunk->large ? &pool->large : &pool->empty, chunk);
	return KMD_OK;
}

static void piece(struct staging_chunk *chunk, size_t offset, struct staging *out)
{
	chunk->live++;
	out->chunk = chunk;
	out->cpu = (char *)umd_bo_cpu(chunk->bo) + offset;
	out->address = umd_bo_address(chunk->bo) + offset;
}

bool staging_alloc(struct staging_pool *pool, size_t size, size_t align, struct staging *out)
{
	struct staging_chunk *chunk;
	if (size > LARGE_BYTES) {
		chunk = chunk_take(&pool->large, size);
		if (chunk)
			piece(chunk, 0, out);
		return chunk != NULL;
	}
	chunk = pool->current;
	size_t offset = chunk ? (chunk->used + align - 1) & ~(align - 1) : 0;
	if (!chunk || offset + size > chunk->size) {
		chunk = chunk_take(&pool->empty, size);
		if (!chunk)
			return false;
		/* the full one has pieces out, or it would have been emptied; the last one brings it back */
		pool->current = chunk;
		offset = 0;
	}
	chunk->used = offset + size;
	piece(chunk, offset, out);
	return true;
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
		chunk_add(&pool->empty, chunk);
	}
}
