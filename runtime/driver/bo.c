/* Buffer objects: memory with an address in one space. */
#define _GNU_SOURCE
#include "abi/events.h"
#include "runtime/driver/internal.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* The page after each object is never mapped, so that running over its end is a fault. */
#define GUARD GALENA_PAGE_SIZE
enum { BO_FLAGS = DRV_BO_PROTECTED | DRV_BO_STRICT | DRV_BO_UNDEFINED | DRV_BO_SVM | DRV_BO_DRAM | DRV_BO_READ_ONLY | DRV_BO_EXECUTE | DRV_BO_UNCACHED |
		DRV_BO_CONSISTENT };
enum { HOST_FLAGS = BO_FLAGS & ~(DRV_BO_DRAM | DRV_BO_SVM | DRV_BO_PROTECTED) }; /* of memory that the host has */

/* ---- device side ---- */
/* Of memory that is mapped, a part: where in the object it begins. */
struct part_of {
	const struct drv_bo *bo;
	uint64_t offset;
	struct pin_cursor pages;
};
static uint64_t system_pa(void *ctx, uint64_t offset)
{
	struct part_of *p = ctx;
	return pin_pa(pin_list_number(&p->pages, (p->offset + offset) / GALENA_PAGE_SIZE));
}

static uint64_t dram_pa(void *ctx, uint64_t offset)
{
	const struct part_of *p = ctx;
	return p->bo->dram + p->offset + offset;
}

/* The devices of a platform are of one configuration. */
static uint64_t pte_bits(const struct driver *d, unsigned flags)
{
	bool uncached = flags & DRV_BO_UNCACHED && !d->devices[0].info.coherent;
	return PTE_V | PTE_R | PTE_U | PTE_A | PTE_D | (flags & DRV_BO_READ_ONLY ? 0 : PTE_W) |
	       (flags & DRV_BO_EXECUTE ? PTE_X : 0) | (uncached ? PTE_UNCACHED : 0) |
	       (flags & DRV_BO_PROTECTED ? PTE_PROTECTED : 0);
}

static void apply_map(struct driver *d, struct post *post)
{
	struct drv_bo *bo = post_owner(post, struct drv_bo, map);
	struct part_of whole = { bo, 0, { .list = &bo->pin } };
	pins_apply(d, bo->host, &bo->pin);
	for (unsigned i = 0; i < bo->num_parts; i++) {
		const struct drv_part *p = &bo->parts[i];
		struct part_of part = { bo, p->offset, { .list = &bo->pin } };
		pagetable_map(bo->space, bo->va + p->offset, page_round(p->size), false, system_pa, &part, pte_bits(d, p->flags));
	}
	if (!bo->num_parts)
		pagetable_map(bo->space, bo->va, bo->va_size, bo->huge, bo->pin.count ? system_pa : dram_pa, &whole, pte_bits(d, bo->flags));
	note_buffer(d, bo, EVENT_BUFFER);
}

static void tlb_invalidate(struct driver *d, const struct drv_bo *bo)
{
	enum { SINGLE_PAGES = 8 }; /* more pages than this: the whole space goes */
	unsigned asid = bo->space->asid;
	for (unsigned i = 0; i < d->num_devices; i++) {
		struct device *dev = &d->devices[i];
		if (!(bo->space->devices >> i & 1) || dev->lost)
			continue;
		if (bo->pages > SINGLE_PAGES) {
			bus_write32(dev->bus, REG_HOST_TLB_INV, 1u << REG_HOST_TLB_INV_SCOPE_LSB | asid);
			continue;
		}
		for (uint64_t p = 0; p < bo->pages; p++) {
			bus_write64(dev->bus, REG_HOST_TLB_INV_ADDR, bo->va + p * GALENA_PAGE_SIZE);
			bus_write32(dev->bus, REG_HOST_TLB_INV, 2u << REG_HOST_TLB_INV_SCOPE_LSB | asid);
		}
	}
}

static bool owns_mapping(const struct drv_bo *bo) { return bo->host && !bo->imported && !(bo->flags & DRV_BO_SVM); }

void bo_destroy(struct drv_bo *bo)
{
	if (owns_mapping(bo))
		munmap(bo->host, bo->pages * GALENA_PAGE_SIZE);
	free(bo->parts);
	pin_list_free(&bo->pin);
	pin_list_free(&bo->unpin);
	free(bo);
}

/* Lines of pages that are about to lose their last pin, and that no maintenance of everything would reach: their numbers will be
 * other pages'. */
static void lines_leave(struct driver *d, const struct drv_bo *bo)
{
	const struct pin_range *r = pin_list_ranges(&bo->unpin);
	for (uint32_t i = 0; i < bo->unpin.count; i++)
		if (!r[i].rights && r[i].number >= PIN_MANUAL)
			caches_maintain(d, &(struct pin_list){ .count = 1, .one = r[i] }, CACHE_CLEAN | CACHE_INVALIDATE);
}

static void apply_unmap(struct driver *d, struct post *post)
{
	struct drv_bo *bo = post_owner(post, struct drv_bo, unmap);
	note_buffer(d, bo, EVENT_BUFFER_END);
	pagetable_unmap(bo->space, bo->va, bo->va_size, bo->huge);
	tlb_invalidate(d, bo);
	lines_leave(d, bo);
	pins_apply(d, bo->host, &bo->unpin);
	if (owns_mapping(bo)) {
		driver_lock(d);
		if (spare_keep(&d->spares, bo->host, bo->pages))
			bo->host = NULL;
		pthread_mutex_unlock(&d->lock);
	}
	if (bo->dmabuf) {
		driver_lock(d);
		dmabuf_put(d, bo->dmabuf);
		pthread_mutex_unlock(&d->lock);
	}
	bo_destroy(bo);
}

/* ---- plan ---- */
/* The pages of each 2 MiB of the object have numbers that an entry for 2 MiB can name. */
static bool in_runs(const struct drv_bo *bo)
{
	const struct pin_range *r = pin_list_ranges(&bo->pin);
	uint64_t page = 0;
	for (uint32_t i = 0; page < bo->pages / PIN_RUN * PIN_RUN; page += r[i++].count)
		if (r[i].number % PIN_RUN != page % PIN_RUN || (page % PIN_RUN && r[i].number != r[i - 1].number + r[i - 1].count))
			return false;
	return !bo->num_parts;
}

static int bo_map(struct drv_bo *bo)
{
	struct drv_space *s = bo->space;
	struct driver *d = s->driver;
	bo->va_size = bo->pages * GALENA_PAGE_SIZE;
	bo->huge = bo->va_size >= HUGE_SIZE && (bo->flags & DRV_BO_DRAM ? !(bo->dram % HUGE_SIZE) : in_runs(bo));
	bo->va = bo->flags & DRV_BO_SVM ? (uintptr_t)bo->host :
					  extents_alloc(&s->va, bo->va_size + GUARD, bo->huge ? HUGE_SIZE : GALENA_PAGE_SIZE);
	if (bo->va == UINT64_MAX)
		return DRV_NO_DEVICE_MEMORY;
	if (pagetable_prepare(d, s, bo->va, bo->va_size, bo->huge)) {
		if (!(bo->flags & DRV_BO_SVM))
			extents_free(&s->va, bo->va, bo->va_size + GUARD);
		return DRV_NO_MEMORY;
	}
	bo->next = s->bos;
	if (bo->next)
		bo->next->prev = bo;
	s->bos = bo;
	space_ref(s);
	bo->map = (struct post){ .apply = apply_map, .light = true };
	bo->unmap = (struct post){ .apply = apply_unmap, .light = true };
	pump_post(d, &bo->map, false);
	return 0;
}

static unsigned pin_how(const struct drv_bo *bo)
{
	const uint64_t end = bo->offset + bo->size;
	const bool unaligned = (bo->offset | end) % GALENA_PAGE_SIZE;
	const bool neighbours = bo->imported && !bo->dmabuf; /* other memory of the application may lie beside it */
	const unsigned parts = (bo->offset ? PIN_PART_FIRST : 0) | (end % GALENA_PAGE_SIZE ? PIN_PART_LAST : 0);
	return bo->how | (neighbours ? parts : 0) | (bo->flags & DRV_BO_READ_ONLY ? 0 : PIN_FOR_WRITE) | (bo->flags & DRV_BO_STRICT && unaligned ? PIN_UNALIGNED : 0);
}

static int bo_pin(struct drv_bo *bo)
{
	struct driver *d = bo->space->driver;
	if (bo->pages > PIN_WINDOW)
		return DRV_NO_MEMORY; /* more than the pin table has numbers */
	if (!pin_list_reserve(&bo->unpin, bo->pages)) /* now: to give back must not fail */
		return DRV_NO_MEMORY;
	return pins_add(&d->pins, bo->host, bo->pages, pin_how(bo), &bo->pin);
}

/* From now on nobody shares its pins. */
static void bo_leave(struct drv_bo *bo)
{
	if (!bo->left)
		pins_leave(&bo->space->driver->pins, bo->host, bo->pages, pin_how(bo));
	bo->left = true;
}

static void bo_unpin(struct drv_bo *bo)
{
	bo_leave(bo);
	pins_drop(&bo->space->driver->pins, &bo->pin, pin_how(bo), &bo->unpin);
}

static uint8_t *host_memory(struct driver *d, uint64_t pages, unsigned flags)
{
	if (flags & DRV_BO_SVM)
		return svm_take(&d->svm, pages * GALENA_PAGE_SIZE + GUARD);
	uint8_t *host = spare_take(&d->spares, pages);
	if (host && !(flags & DRV_BO_UNDEFINED))
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

static uint64_t dram_alloc(struct driver *d, struct device *dev, uint64_t bytes, unsigned flags)
{
	const uint64_t align = bytes >= HUGE_SIZE ? HUGE_SIZE : GALENA_PAGE_SIZE;
	return flags & DRV_BO_PROTECTED ? protected_alloc(d, dev, bytes, align) : extents_alloc(&dev->dram, bytes, align);
}

static void dram_free(struct driver *d, const struct drv_bo *bo)
{
	struct device *dev = &d->devices[bo->device];
	const uint64_t bytes = bo->pages * GALENA_PAGE_SIZE;
	if (bo->dmabuf)
		return; /* whose memory it is */
	if (bo->flags & DRV_BO_PROTECTED)
		protected_free(d, dev, bo->dram, bytes);
	else
		extents_free(&dev->dram, bo->dram, bytes);
}

static int bo_create_once(struct drv_space *s, unsigned device, uint64_t size, unsigned flags, const struct drv_part *parts,
			  unsigned num_parts, struct drv_bo **out)
{
	struct driver *d = s->driver;
	int error = DRV_NO_MEMORY;
	struct drv_bo *bo = calloc(1, sizeof *bo);
	if (!bo)
		return DRV_NO_MEMORY;
	*bo = (struct drv_bo){ .space = s, .size = size, .flags = flags, .device = device, .num_parts = num_parts };
	if (num_parts) {
		bo->parts = malloc(num_parts * sizeof *parts);
		if (!bo->parts)
			goto err_free;
		memcpy(bo->parts, parts, num_parts * sizeof *parts);
	}
	bo->pages = page_round(size) / GALENA_PAGE_SIZE;
	if (flags & DRV_BO_DRAM) {
		uint64_t bytes = bo->pages * GALENA_PAGE_SIZE;
		bo->dram = dram_alloc(d, &d->devices[device], bytes, flags);
		if (bo->dram == UINT64_MAX) {
			error = DRV_NO_DEVICE_MEMORY;
			goto err_free;
		}
		error = bo_map(bo);
		if (error) {
			dram_free(d, bo);
			goto err_free;
		}
	} else {
		bo->host = host_memory(d, bo->pages, flags);
		if (!bo->host)
			goto err_free;
		error = bo_pin(bo);
		if (error)
			goto err_host;
		error = bo_map(bo);
		if (error) {
			bo_unpin(bo);
			goto err_host;
		}
	}
	*out = bo;
	return 0;
err_host:
	if (flags & DRV_BO_SVM)
		svm_give_back(&d->svm, bo->host, bo->pages * GALENA_PAGE_SIZE + GUARD);
err_free:
	bo_destroy(bo);
	return error;
}

/* Host memory that waits for commands to be seen ended, of an application that never looks: it gets a look before it gets more.
 * Threads that make objects faster than they reach the devices wait for these. */
static void release_pressure(struct driver *d)
{
	enum { MANY_BEHIND = 4096 };
	while (!pump_is_mine(d) && d->posted - d->applied > MANY_BEHIND)
		pump_step(d);
	if (d->fenced_bytes < d->fenced_limit || pump_is_mine(d))
		return;
	pump_sync_locked(d);
	d->fenced_limit = 2 * d->fenced_bytes + THROTTLE_BYTES;
}

static int bo_create(struct drv_space *s, unsigned device, uint64_t size, unsigned flags, const struct drv_part *parts,
		     unsigned num_parts, struct drv_bo **out)
{
	struct driver *d = s->driver;
	if (!size || size > VA_HEAP_SIZE || (flags & ~BO_FLAGS) ||
	    (flags & DRV_BO_DRAM && flags & DRV_BO_SVM) || (flags & DRV_BO_PROTECTED && !(flags & DRV_BO_DRAM)) ||
	    ((flags & DRV_BO_DRAM) && device >= d->num_devices))
		return DRV_INVALID;
	release_pressure(d);
	int error = bo_create_once(s, device, size, flags, parts, num_parts, out);
	if (error && !pump_is_mine(d)) {
		/* released objects may only wait for their commands to be seen ended */
		pump_sync_locked(d);
		error = bo_create_once(s, device, size, flags, parts, num_parts, out);
	}
	return error;
}

int bo_create_locked(struct drv_space *s, unsigned device, uint64_t size, unsigned flags, struct drv_bo **out)
{
	return bo_create_once(s, device, size, flags, NULL, 0, out);
}

int drv_bo_create_parts(struct drv_space *s, uint64_t size, const struct drv_part *parts, unsigned num_parts,
			struct drv_bo **out)
{
	if (!num_parts || num_parts > DRV_PARTS_MAX)
		return DRV_INVALID;
	for (unsigned i = 0; i < num_parts; i++)
		if (!parts[i].size || parts[i].offset % GALENA_PAGE_SIZE || parts[i].offset > size ||
		    parts[i].size > size - parts[i].offset || (parts[i].flags & ~HOST_FLAGS))
			return DRV_INVALID;
	COMPLETIONS_MAY_RUN(s->driver);
	driver_lock(s->driver);
	int error = bo_create(s, 0, size, DRV_BO_SYSTEM, parts, num_parts, out);
	pthread_mutex_unlock(&s->driver->lock);
	return error;
}

int drv_bo_create(struct drv_space *s, unsigned device, uint64_t size, unsigned flags, struct drv_bo **out)
{
	COMPLETIONS_MAY_RUN(s->driver);
	driver_lock(s->driver);
	int error = bo_create(s, device, size, flags, NULL, 0, out);
	pthread_mutex_unlock(&s->driver->lock);
	return error;
}

static int import_once(const struct drv_bo *as, struct drv_bo **out)
{
	struct drv_bo *bo = calloc(1, sizeof *bo);
	if (!bo)
		return DRV_NO_MEMORY;
	*bo = *as;
	int error = bo_pin(bo);
	if (error) {
		bo_destroy(bo);
		return error;
	}
	error = bo_map(bo);
	if (error) {
		bo_unpin(bo);
		bo_destroy(bo);
		return error;
	}
	*out = bo;
	return 0;
}

int bo_import_host(struct drv_space *s, void *ptr, uint64_t size, unsigned flags, unsigned how, struct dmabuf *dmabuf,
		   struct drv_bo **out)
{
	struct driver *d = s->driver;
	uint8_t *first = (uint8_t *)((uintptr_t)ptr & ~(GALENA_PAGE_SIZE - 1));
	uint64_t offset = (uintptr_t)ptr % GALENA_PAGE_SIZE;
	if (!size || size > VA_HEAP_SIZE || (flags & ~HOST_FLAGS))
		return DRV_INVALID;
	uint64_t pages = page_round(offset + size) / GALENA_PAGE_SIZE;
	bool write = !(flags & DRV_BO_READ_ONLY);
	int error = probe_range(first, pages, write || flags & DRV_BO_STRICT);
	if (error && !write) /* pages that nobody can write are there, or come from a file */
		error = probe_range(first, pages, false);
	if (error)
		return error;
	const struct drv_bo as = { .space = s, .size = size, .offset = offset, .flags = flags, .how = how, .imported = true, .host = first,
				   .pages = pages, .dmabuf = dmabuf };
	COMPLETIONS_MAY_RUN(d);
	driver_lock(d);
	release_pressure(d);
	error = import_once(&as, out);
	if (error && !pump_is_mine(d)) {
		/* released objects may only wait for their commands to be seen ended */
		pump_sync_locked(d);
		error = import_once(&as, out);
	}
	pump_look_ahead(d);
	pthread_mutex_unlock(&d->lock);
	return error;
}

int bo_import_dram(struct drv_space *s, unsigned device, uint64_t pa, uint64_t size, unsigned flags, struct dmabuf *dmabuf, struct drv_bo **out)
{
	const uint64_t offset = pa % GALENA_PAGE_SIZE;
	struct drv_bo *bo = malloc(sizeof *bo);
	if (!bo)
		return DRV_NO_MEMORY;
	*bo = (struct drv_bo){ .space = s, .size = size, .offset = offset, .flags = flags, .device = device, .imported = true, .dram = pa - offset,
			       .pages = page_round(offset + size) / GALENA_PAGE_SIZE, .dmabuf = dmabuf };
	int error = bo_map(bo);
	if (error)
		bo_destroy(bo);
	else
		*out = bo;
	return error;
}

int drv_bo_import(struct drv_space *s, void *ptr, uint64_t size, unsigned flags, struct drv_bo **out)
{
	return bo_import_host(s, ptr, size, flags, 0, NULL, out);
}

uint64_t drv_bo_address(const struct drv_bo *bo) { return bo->va + bo->offset; }
uint64_t drv_bo_size(const struct drv_bo *bo) { return bo->size; }
void *drv_bo_cpu(const struct drv_bo *bo) { return bo->host ? bo->host + bo->offset : NULL; }

void bo_reclaim(struct drv_bo *bo)
{
	struct drv_space *s = bo->space;
	struct driver *d = s->driver;
	if (bo->flags & DRV_BO_SVM)
		svm_give_back(&d->svm, bo->host, bo->va_size + GUARD);
	else
		extents_free(&s->va, bo->va, bo->va_size + GUARD);
	if (bo->fenced)
		d->fenced_bytes -= bo->pages * GALENA_PAGE_SIZE;
	if (bo->flags & DRV_BO_DRAM)
		dram_free(d, bo);
	else
		bo_unpin(bo);
	if (bo->prev)
		bo->prev->next = bo->next;
	else
		s->bos = bo->next;
	if (bo->next)
		bo->next->prev = bo->prev;
	pump_post(d, &bo->unmap, false);
	space_unref(s);
}

void bo_release_locked(struct drv_bo *bo)
{
	struct drv_space *s = bo->space;
	for (struct drv_queue *q = s->queues; q; q = q->space_next) {
		if (q->covered == q->submitted)
			continue;
		struct fence *f = malloc(sizeof *f);
		bo->fences++;
		if (!f)
			continue; /* never counted down: kept until the driver closes */
		*f = (struct fence){ .bo = bo, .ordinal = q->submitted };
		*q->fences_tail = f;
		q->fences_tail = &f->next;
	}
	bo->fenced = bo->fences && !(bo->flags & DRV_BO_DRAM);
	if (bo->fenced && bo->imported && !bo->dmabuf)
		bo_leave(bo); /* the application may put other things there */
	if (bo->fenced)
		s->driver->fenced_bytes += bo->pages * GALENA_PAGE_SIZE;
	if (!bo->fences)
		bo_reclaim(bo);
}

void drv_bo_release(struct drv_bo *bo)
{
	if (!bo)
		return;
	struct driver *d = bo->space->driver;
	driver_lock(d);
	bo_release_locked(bo);
	pthread_mutex_unlock(&d->lock);
}
