/* Where host memory of buffer objects comes from: the system, what earlier objects had, the range of shared virtual memory, or the arena of
 * a client in another process. */
#define _GNU_SOURCE
#include "runtime/kmd/driver.h"
#include <string.h>
#include <sys/mman.h>

static uint8_t *system_take(struct driver *d, uint64_t pages, unsigned flags)
{
	uint8_t *host = bo_cache_take(&d->bo_cache, pages);
	if (host && !(flags & KMD_BO_UNDEFINED))
		memset(host, 0, pages * GALENA_PAGE_SIZE);
	if (host)
		return host;
	host = mmap(NULL, pages * GALENA_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (host == MAP_FAILED)
		return NULL;
	if (pages >= HUGE_SIZE / GALENA_PAGE_SIZE)
		madvise(host, pages * GALENA_PAGE_SIZE, MADV_HUGEPAGE); /* large memory is touched as a whole */
	return host;
}

bool bo_host_take(struct bo *bo)
{
	struct driver *d = bo->vm->driver;
	struct arena *arena = bo->vm->file->arena;
	if (arena) {
		bo->arena = arena_take(arena, bo->pages);
		bo->host = bo->arena;
		if (!bo->arena)
			return false;
	}
	if (bo->flags & KMD_BO_SVM)
		bo->host = svm_take(&d->svm, bo->pages * GALENA_PAGE_SIZE + BO_GUARD);
	else if (!arena)
		bo->host = system_take(d, bo->pages, bo->flags);
	if (bo->host && bo->flags & KMD_BO_SVM && arena && !arena_show(arena, bo->arena, bo->pages, bo->host)) {
		svm_give_back(&d->svm, bo->host, bo->pages * GALENA_PAGE_SIZE + BO_GUARD);
		bo->host = NULL;
	}
	if (!bo->host && arena)
		arena_give_back(arena, bo->arena, bo->pages);
	return bo->host;
}

void bo_svm_give_back(struct bo *bo)
{
	if (!(bo->flags & KMD_BO_SVM))
		return;
	if (bo->arena)
		arena_hide(bo->host, bo->pages);
	svm_give_back(&bo->vm->driver->svm, bo->host, bo->pages * GALENA_PAGE_SIZE + BO_GUARD);
}

void bo_host_give_back(struct bo *bo)
{
	if (bo->arena)
		arena_give_back(bo->vm->file->arena, bo->arena, bo->pages);
	else if (bo->host && !bo->imported && !bo->of && !(bo->flags & KMD_BO_SVM) && !bo_cache_keep(&bo->vm->driver->bo_cache, bo->host, bo->pages))
		munmap(bo->host, bo->pages * GALENA_PAGE_SIZE);
	bo->host = bo->arena = NULL;
}
