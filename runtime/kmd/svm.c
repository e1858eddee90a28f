/* Shared virtual memory: host memory whose addresses are device addresses, too.
 *
 * A range of host addresses is reserved at the same place in every process, so that address-space randomisation shows
 * nowhere; objects of all address spaces are parts of it, and no two that live share an address. Pages of it are the
 * process' own from the first use on and go back to the system, empty, when their object goes. */
#define _GNU_SOURCE
#include "base/log.h"
#include "runtime/kmd/observe.h"
#include "base/limit.h"
#include <sys/mman.h>

/* As much as the pin table has numbers for. Where address space is limited the range is smaller, down to this. */
#define RANGE_SIZE ((uint64_t)PIN_WINDOW * GALENA_PAGE_SIZE)
#define RANGE_LEAST ((uint64_t)16 << 20)
/* Beyond it the device has no virtual addresses. */
#define VA_END (1ull << PT_ADDRESS_BITS)

static bool overlaps(uint64_t at, uint64_t base, uint64_t size) { return at < base + size && base < at + RANGE_SIZE; }

/* Whether the range can be addresses of the device: they mean nothing else there. */
static bool usable(uint64_t at)
{
	return at + RANGE_SIZE <= VA_END && !overlaps(at, VA_HEAP_BASE, VA_HEAP_SIZE) &&
	       !overlaps(at, VA_LOCAL_BASE, VA_LOCAL_SIZE) && !overlaps(at, VA_PRIVATE_BASE, VA_PRIVATE_SIZE);
}

static void *reserve(uint64_t at, uint64_t size, int flags)
{
	void *p = mmap((void *)(uintptr_t)at, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
	return p == MAP_FAILED ? NULL : p;
}

static void *reserve_at(uint64_t at, uint64_t size)
{
	void *p = reserve(at, size, MAP_FIXED_NOREPLACE);
	if (!p || (uintptr_t)p == at)
		return p;
	munmap(p, size); /* kernels before 4.17 take the address as a hint */
	return NULL;
}

/* What the process may still reserve, in steps of an eighth; of that a fifth is left to others. */
static uint64_t range_size(void)
{
	for (uint64_t size = RANGE_SIZE; size >= RANGE_LEAST; size = (size - size / 8) & ~(uint64_t)(HUGE_SIZE - 1)) {
		void *p = reserve(0, size + size / 4, 0);
		if (p) {
			munmap(p, size + size / 4);
			return size;
		}
	}
	return 0;
}

static int range_open(struct svm_range *r)
{
	if (r->base)
		return 0;
	r->size = range_size();
	/* another mapping has it: the next that is free, where nothing is placed at random */
	for (uint64_t at = SVM_BASE; r->size && !r->base && usable(at); at += RANGE_SIZE)
		r->base = reserve_at(at, r->size);
	if (!r->base) {
		if (!r->told)
			log_write(LOG_ERROR, "from 0x%llx on, no %llu MiB of addresses are free for shared virtual memory%s",
				    (unsigned long long)SVM_BASE, (unsigned long long)((r->size ? r->size : RANGE_LEAST) >> 20),
				    limit_advice(ENOMEM));
		r->told = true;
		return KMD_NO_MEMORY;
	}
	if (!extents_init(&r->va, (uintptr_t)r->base, r->size))
		return 0;
	munmap(r->base, r->size);
	r->base = NULL;
	return KMD_NO_MEMORY;
}

uint8_t *svm_take(struct svm_range *r, uint64_t bytes)
{
	if (range_open(r))
		return NULL;
	uint64_t va = extents_alloc(&r->va, bytes, bytes >= HUGE_SIZE ? HUGE_SIZE : GALENA_PAGE_SIZE);
	if (va == UINT64_MAX) {
		if (r->size < RANGE_SIZE && !r->told)
			log_write(LOG_ERROR, "shared virtual memory has only %llu MiB of addresses in all, and no %llu KiB of them are free%s",
				    (unsigned long long)(r->size >> 20), (unsigned long long)(bytes >> 10), limit_advice(ENOMEM));
		r->told = true;
		return NULL;
	}
	/* what has once been used stays accessible: one mapping, however many objects */
	uint64_t end = va - (uintptr_t)r->base + bytes;
	if (end > r->open && mprotect(r->base + r->open, end - r->open, PROT_READ | PROT_WRITE)) {
		extents_free(&r->va, va, bytes);
		return NULL;
	}
	if (end > r->open)
		r->open = end;
	return (uint8_t *)(uintptr_t)va;
}

void svm_give_back(struct svm_range *r, uint8_t *host, uint64_t bytes)
{
	madvise(host, bytes, MADV_DONTNEED); /* the next one finds zeros */
	extents_free(&r->va, (uintptr_t)host, bytes);
}

void svm_close(struct svm_range *r)
{
	if (!r->base)
		return;
	munmap(r->base, r->size);
	extents_fini(&r->va);
}
