#define _GNU_SOURCE /* fallocate */
#include "runtime/kmd/arena.h"
#include "abi/address_map.h"
#include "base/file.h"
#include "base/memory_file.h"
#include "runtime/kmd/pin.h"
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>

/* As much as the pin table has numbers for, or what the process may map, in steps of a half. */
#define ARENA_SIZE ((uint64_t)PIN_WINDOW * GALENA_PAGE_SIZE)
#define ARENA_LEAST ((uint64_t)16 << 20)

static bool arena_map(struct arena *a)
{
	for (a->size = ARENA_SIZE; a->size >= ARENA_LEAST; a->size /= 2) {
		a->base = mmap(NULL, a->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, a->fd, 0);
		if (a->base != MAP_FAILED)
			return true;
	}
	return false;
}

struct arena *arena_open(void)
{
	struct arena *a = calloc(1, sizeof *a);
	if (!a)
		return NULL;
	a->fd = memory_file_sized("galena-arena", 0, ARENA_SIZE);
	if (a->fd < 0)
		goto err_free;
	if (!arena_map(a))
		goto err_file;
	if (!extents_init(&a->room, 0, a->size))
		return a;
	munmap(a->base, a->size);
err_file:
	file_close(a->fd);
err_free:
	free(a);
	return NULL;
}

void arena_close(struct arena *a)
{
	if (!a)
		return;
	munmap(a->base, a->size);
	file_close(a->fd);
	extents_fini(&a->room);
	free(a);
}

uint8_t *arena_take(struct arena *a, uint64_t pages)
{
	const uint64_t at = extents_alloc(&a->room, pages * GALENA_PAGE_SIZE, GALENA_PAGE_SIZE);
	return at == UINT64_MAX ? NULL : a->base + at;
}

void arena_give_back(struct arena *a, uint8_t *host, uint64_t pages)
{
	const uint64_t at = (uint64_t)(host - a->base), bytes = pages * GALENA_PAGE_SIZE;
	if (!fallocate(a->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)at, (off_t)bytes)) /* otherwise the next one would see it */
		extents_free(&a->room, at, bytes);
}

bool arena_show(const struct arena *a, const uint8_t *host, uint64_t pages, uint8_t *at)
{
	return mmap(at, pages * GALENA_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, a->fd, host - a->base) == at;
}

void arena_hide(uint8_t *at, uint64_t pages)
{
	mmap(at, pages * GALENA_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}
