/* Buffer objects: memory with an address in one space. */
#define _GNU_SOURCE
#include "abi/events.h"
#include "base/list.h"
#include "base/probe.h"
#include "runtime/kmd/observe.h"
#include "runtime/kmd/unmapped.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { BO_FLAGS = KMD_BO_PROTECTED | KMD_BO_STRICT | KMD_BO_UNDEFINED | KMD_BO_SVM | KMD_BO_DRAM | KMD_BO_READ_ONLY | KMD_BO_EXECUTE | KMD_BO_UNCACHED |
		KMD_BO_CONSISTENT };
enum { HOST_FLAGS = (BO_FLAGS & ~(KMD_BO_DRAM | KMD_BO_SVM | KMD_BO_PROTECTED)) | KMD_BO_SHARED }; /* of memory that the host has */

/* ---- hardware state ---- */
/* Of memory that is mapped, a part: where in the object it begins. */
struct part_of {
	const struct bo *bo;
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
	bool uncached = flags & KMD_BO_UNCACHED && !d->devices[0].info.coherent;
	return PTE_V | PTE_R | PTE_U | PTE_A | PTE_D | (flags & KMD_BO_READ_ONLY ? 0 : PTE_W) |
	       (flags & KMD_BO_EXECUTE ? PTE_X : 0) | (uncached ? PTE_UNCACHED : 0) |
	       (flags & KMD_BO_PROTECTED ? PTE_PROTECTED : 0);
}

static void apply_map(struct driver *d, struct work *work)
{
	struct bo *bo = work_owner(work, struct bo, map);
	struct part_of whole = { bo, 0, { .list = &bo->pin } };
	pins_apply(d, unmapped_watch(d, bo), &bo->pin);
	for (unsigned i = 0; i < bo->num_parts; i++) {
		const struct kmd_part *p = &bo->parts[i];
		struct part_of part = { bo, p->offset, { .list = &bo->pin } };
		pagetable_map(bo->vm, bo->va + p->offset, page_round(p->size), false, system_pa, &part, pte_bits(d, p->flags));
	}
	if (!bo->num_parts)
		pagetable_map(bo->vm, bo->va, bo->va_size, bo->huge, bo->pin.count ? system_pa : dram_pa, &whole, pte_bits(d, bo->flags));
	tracepoint_buffer(d, bo, EVENT_BUFFER);
}

static void tlb_invalidate(struct driver *d, const struct bo *bo)
{
	enum { SINGLE_PAGES = 8 }; /* more pages than this: the whole space goes */
	unsigned asid = bo->vm->asid;
	for (unsigned i = 0; i < d->num_devices; i++) {
		struct device *dev = &d->devices[i];
		if (!(bo->vm->devices >> i & 1) || dev->lost)
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

void bo_destroy(struct bo *bo)
{
	if (bo->own)
		munmap(bo->own, bo->pages * GALENA_PAGE_SIZE);
	free(bo->parts);
	pin_list_free(&bo->pin);
	pin_list_free(&bo->unpin);
	free(bo);
}

/* Lines of pages that are about to lose their last pin, and that no maintenance of everything would reach: their numbers will be
 * other pages'. */
static void lines_leave(struct driver *d, const struct bo *bo)
{
	const struct pin_range *r = pin_list_ranges(&bo->unpin);
	for (uint32_t i = 0; i < bo->unpin.count; i++)
		if (!r[i].rights && r[i].number >= PIN_MANUAL)
			caches_maintain(d, &(struct pin_list){ .count = 1, .one = r[i] }, CACHE_CLEAN | CACHE_INVALIDATE);
}

static void apply_unmap(struct driver *d, struct work *work)
{
	struct bo *bo = work_owner(work, struct bo, unmap);
	tracepoint_buffer(d, bo, EVENT_BUFFER_END);
	pagetable_unmap(bo->vm, bo->va, bo->va_size, bo->huge);
	tlb_invalidate(d, bo);
	lines_leave(d, bo);
	pins_apply(d, bo->host, &bo->unpin);
	unmapped_forget(d, bo);
	{
		HOLDING_FILE(bo->vm->file);
		bo_host_give_back(bo);
		if (bo->dmabuf)
			dmabuf_put(d, bo->dmabuf);
	}
	bo_destroy(bo);
}

/* ---- software state ---- */
/* The pages of each 2 MiB of the object have numbers that an entry for 2 MiB can name. */
static bool in_runs(const struct bo *bo)
{
	const struct pin_range *r = pin_list_ranges(&bo->pin);
	uint64_t page = 0;
	for (uint32_t i = 0; page < bo->pages / PIN_RUN * PIN_RUN; page += r[i++].count)
		if (r[i].number % PIN_RUN != page % PIN_RUN || (page % PIN_RUN && r[i].number != r[i - 1].number + r[i - 1].count))
			return false;
	return !bo->num_parts;
}

static int va_take(struct bo *bo)
{
	struct extents *va = &bo->vm->va;
	if (bo->fixed_va) {
		bo->va = bo->fixed_va;
		return extents_take(va, bo->va, bo->va_size) ? 0 : KMD_EXISTS;
	}
	bo->va = bo->flags & KMD_BO_SVM ? (uintptr_t)bo->host :
					  extents_alloc(va, bo->va_size + BO_GUARD, bo->huge ? HUGE_SIZE : GALENA_PAGE_SIZE);
	return bo->va == UINT64_MAX ? KMD_NO_DEVICE_MEMORY : 0;
}

static void va_give_back(const struct bo *bo)
{
	if (!(bo->flags & KMD_BO_SVM))
		extents_free(&bo->vm->va, bo->va, bo->va_size + (bo->fixed_va ? 0 : BO_GUARD));
}

static int bo_map(struct bo *bo)
{
	struct vm *s = bo->vm;
	struct driver *d = s->driver;
	bo->va_size = bo->pages * GALENA_PAGE_SIZE;
	bo->huge = bo->va_size >= HUGE_SIZE && !(bo->fixed_va % HUGE_SIZE) &&
		   (bo->flags & KMD_BO_DRAM ? !(bo->dram % HUGE_SIZE) : in_runs(bo));
	int error = va_take(bo);
	if (error)
		return error;
	if (pagetable_prepare(d, s, bo->va, bo->va_size, bo->huge)) {
		va_give_back(bo);
		return KMD_NO_MEMORY;
	}
	LIST_PUSH(s->bos, bo, prev, next);
	vm_ref(s);
	bo->map = (struct work){ .apply = apply_map, .light = true };
	bo->unmap = (struct work){ .apply = apply_unmap, .light = true };
	work_queue(s->file, &bo->map);
	return 0;
}

static unsigned pin_how(const struct bo *bo)
{
	const uint64_t end = bo->offset + bo->size;
	const bool unaligned = (bo->offset | end) % GALENA_PAGE_SIZE;
	const bool neighbours = bo->imported && !bo->dmabuf; /* other memory of the application may lie beside it */
	const unsigned parts = (bo->offset ? PIN_PART_FIRST : 0) | (end % GALENA_PAGE_SIZE ? PIN_PART_LAST : 0);
	return bo->how | (neighbours ? parts : 0) | (bo->flags & KMD_BO_READ_ONLY ? 0 : PIN_FOR_WRITE) | (bo->flags & KMD_BO_STRICT && unaligned ? PIN_UNALIGNED : 0);
}

static int bo_pin(struct bo *bo)
{
	struct driver *d = bo->vm->driver;
	if (bo->pages > PIN_WINDOW)
		return KMD_NO_MEMORY; /* more than the pin table has numbers */
	if (!pin_list_reserve(&bo->unpin, bo->pages)) /* now: to give back must not fail */
		return KMD_NO_MEMORY;
	return pins_add(&d->pins, bo->host, bo->pages, pin_how(bo), &bo->pin);
}

/* Later imports of the pages do not share its pins. */
static void bo_leave(struct bo *bo)
{
	if (!bo->left)
		pins_leave(&bo->vm->driver->pins, bo->host, bo->pages, pin_how(bo));
	bo->left = true;
}

static void bo_unpin(struct bo *bo)
{
	bo_leave(bo);
	pins_drop(&bo->vm->driver->pins, &bo->pin, pin_how(bo), &bo->unpin);
}

/* Pins and maps an object whose memory is there; if that fails, neither. */
static int bo_enter(struct bo *bo)
{
	const bool pinned = !(bo->flags & KMD_BO_DRAM);
	int error = pinned ? bo_pin(bo) : 0;
	if (error)
		return error;
	error = bo_map(bo);
	if (error && pinned)
		bo_unpin(bo);
	return error;
}

static uint64_t dram_alloc(struct driver *d, struct device *dev, uint64_t bytes, unsigned flags)
{
	const uint64_t align = bytes >= HUGE_SIZE ? HUGE_SIZE : GALENA_PAGE_SIZE;
	return flags & KMD_BO_PROTECTED ? protected_alloc(d, dev, bytes, align) : extents_alloc(&dev->dram, bytes, align);
}

static void dram_free(struct driver *d, const struct bo *bo)
{
	struct device *dev = &d->devices[bo->device];
	const uint64_t bytes = bo->pages * GALENA_PAGE_SIZE;
	if (bo->dmabuf || bo->of)
		return; /* whose memory it is */
	if (bo->flags & KMD_BO_PROTECTED)
		protected_free(d, dev, bo->dram, bytes);
	else
		extents_free(&dev->dram, bo->dram, bytes);
}

int bo_create(struct vm *s, unsigned device, uint64_t size, unsigned flags, const struct kmd_part *parts, unsigned num_parts, struct bo **out)
{
	struct driver *d = s->driver;
	int error = KMD_NO_MEMORY;
	struct bo *bo = calloc(1, sizeof *bo);
	if (!bo)
		return KMD_NO_MEMORY;
	*bo = (struct bo){ .vm = s, .size = size, .flags = flags, .device = device, .num_parts = num_parts };
	if (num_parts) {
		bo->parts = malloc(num_parts * sizeof *parts);
		if (!bo->parts)
			goto err_free;
		memcpy(bo->parts, parts, num_parts * sizeof *parts);
	}
	bo->pages = page_round(size) / GALENA_PAGE_SIZE;
	if (flags & KMD_BO_DRAM) {
		uint64_t bytes = bo->pages * GALENA_PAGE_SIZE;
		bo->dram = dram_alloc(d, &d->devices[device], bytes, flags);
		if (bo->dram == UINT64_MAX) {
			error = KMD_NO_DEVICE_MEMORY;
			goto err_free;
		}
	} else if (!bo_host_take(bo)) {
		goto err_free;
	}
	error = bo_enter(bo);
	if (error)
		goto err_memory;
	*out = bo;
	return 0;

err_memory:
	if (flags & KMD_BO_DRAM)
		dram_free(d, bo);
	bo_svm_give_back(bo);
	bo_host_give_back(bo);
err_free:
	bo_destroy(bo);
	return error;
}

/* The client is about to wait for memory that released objects still have: commands that it has not flushed must not keep it. */
void flush_all(struct file *f)
{
	for (struct queue *q = f->driver->queues; q; q = q->next)
		if (q->vm->file == f)
			queue_flush_locked(q);
}

int bo_pressure(struct file *f, bool retry)
{
	struct driver *d = f->driver;
	if (file_delivers(f))
		return 0;
	if (f->queued - f->applied > MANY_BEHIND)
		return KMD_BEHIND;
	if (d->fenced_bytes < d->fenced_limit)
		return 0;
	if (!retry) {
		flush_all(f);
		return KMD_AGAIN;
	}
	d->fenced_limit = 2 * d->fenced_bytes + THROTTLE_BYTES;
	return 0;
}

int bo_place(const struct bo *as, struct bo **out)
{
	struct bo *bo = calloc(1, sizeof *bo);
	if (!bo)
		return KMD_NO_MEMORY;
	*bo = *as;
	int error = bo_enter(bo);
	if (error)
		bo_destroy(bo);
	else
		*out = bo;
	return error;
}

int bo_import_host(struct vm *s, void *ptr, uint64_t size, unsigned flags, unsigned how, struct dmabuf *dmabuf, bool retry,
		   struct bo **out)
{
	uint8_t *first = (uint8_t *)((uintptr_t)ptr & ~(GALENA_PAGE_SIZE - 1));
	uint64_t offset = (uintptr_t)ptr % GALENA_PAGE_SIZE;
	if (!size || size > VA_HEAP_SIZE || (flags & ~HOST_FLAGS))
		return KMD_INVALID;
	uint64_t pages = page_round(offset + size) / GALENA_PAGE_SIZE;
	bool write = !(flags & KMD_BO_READ_ONLY);
	int error = probe_range(first, pages, write || flags & KMD_BO_STRICT);
	if (error && !write) /* pages that the process cannot write may be there, or come from a file */
		error = probe_range(first, pages, false);
	if (error)
		return KMD_BAD_ADDRESS;
	const struct bo as = { .vm = s, .size = size, .offset = offset, .flags = flags, .how = how, .imported = true, .host = first,
				   .pages = pages, .dmabuf = dmabuf };
	HOLDING_FILE(s->file);
	error = bo_pressure(s->file, retry);
	return error ? error : bo_place(&as, out);
}

int bo_import_dram(struct vm *s, unsigned device, uint64_t pa, uint64_t size, unsigned flags, struct dmabuf *dmabuf, struct bo **out)
{
	const uint64_t offset = pa % GALENA_PAGE_SIZE;
	const struct bo as = { .vm = s, .size = size, .offset = offset, .flags = flags, .device = device, .imported = true, .dram = pa - offset,
			       .pages = page_round(offset + size) / GALENA_PAGE_SIZE, .dmabuf = dmabuf };
	return bo_place(&as, out);
}

uint64_t bo_address(const struct bo *bo) { return bo->va + bo->offset; }

void bo_reclaim(struct bo *bo)
{
	struct vm *s = bo->vm;
	struct driver *d = s->driver;
	bo_svm_give_back(bo);
	va_give_back(bo);
	if (bo->fenced)
		d->fenced_bytes -= bo->pages * GALENA_PAGE_SIZE;
	if (bo->flags & KMD_BO_DRAM)
		dram_free(d, bo);
	else
		bo_unpin(bo);
	if (bo->has_users)
		dmabuf_users_leave(bo->dmabuf);
	LIST_DROP(s->bos, bo, prev, next);
	work_queue(s->file, &bo->unmap);
	if (bo->of)
		binding_gone(bo->of);
	vm_unref(s);
}

void bo_release_locked(struct bo *bo)
{
	struct vm *s = bo->vm;
	__atomic_store_n(&bo->released, true, __ATOMIC_RELEASE);
	for (struct queue *q = s->queues; q; q = q->vm_next) {
		if (q->covered == q->submitted)
			continue;
		struct bo_fence *f = malloc(sizeof *f);
		bo->fences++;
		if (!f)
			continue; /* never counted down: kept until the driver closes */
		*f = (struct bo_fence){ .bo = bo, .ordinal = q->submitted };
		*q->fences_tail = f;
		q->fences_tail = &f->next;
	}
	bo->fenced = bo->fences && !(bo->flags & KMD_BO_DRAM);
	if (bo->fenced && bo->imported && !bo->dmabuf)
		bo_leave(bo); /* the application may put other things there */
	if (bo->fenced)
		s->driver->fenced_bytes += bo->pages * GALENA_PAGE_SIZE;
	if (!bo->fences)
		bo_reclaim(bo);
}

/* ---- requests ---- */
static bool parts_valid(const struct kmd_part *parts, unsigned count, uint64_t size)
{
	if (count > KMD_PARTS_MAX)
		return false;
	for (unsigned i = 0; i < count; i++) {
		const struct kmd_part *p = &parts[i];
		if (!p->size || p->offset % GALENA_PAGE_SIZE || p->offset > size || p->size > size - p->offset || p->flags & ~HOST_FLAGS)
			return false;
		for (unsigned k = 0; k < i; k++)
			if (p->offset < parts[k].offset + page_round(parts[k].size) && parts[k].offset < p->offset + page_round(p->size))
				return false;
	}
	return true;
}

static bool flags_valid(unsigned flags)
{
	return !(flags & ~BO_FLAGS) && !(flags & KMD_BO_DRAM && flags & KMD_BO_SVM) && !(flags & KMD_BO_PROTECTED && !(flags & KMD_BO_DRAM));
}

/* A handle for a new object, which is released when there is none. */
static int bo_hand_out(struct file *f, struct bo *bo, uint32_t *handle, uint64_t *va, uint64_t *cpu)
{
	HOLDING_FILE(f);
	*handle = handle_new(f, HANDLE_BO, bo);
	if (!*handle) {
		bo_release_locked(bo);
		return KMD_NO_MEMORY;
	}
	*va = bo_address(bo);
	if (cpu)
		*cpu = bo->host ? (uintptr_t)bo->host + bo->offset : 0;
	return 0;
}

static int create_shared(struct file *f, struct kmd_bo_create *a)
{
	struct vm *s = vm_of(f, a->vm);
	struct bo *bo;
	if (a->num_parts || !a->size || a->size > VA_HEAP_SIZE || a->flags & ~(uint32_t)(KMD_BO_SHARED | KMD_BO_READ_ONLY | KMD_BO_UNDEFINED))
		return KMD_INVALID;
	int error = s ? bo_create_shared(s, a->size, a->flags & KMD_BO_READ_ONLY, a->retry, &bo) : KMD_BAD_HANDLE;
	return error ? error : bo_hand_out(f, bo, &a->bo, &a->va, &a->cpu);
}

static int create(struct file *f, const struct kmd_bo_create *a, const struct kmd_part *parts, struct bo **bo)
{
	HOLDING_FILE(f);
	struct vm *s = handle_get(f, a->vm, HANDLE_VM);
	int error = s ? bo_pressure(f, a->retry) : KMD_BAD_HANDLE;
	if (!error)
		error = bo_create(s, a->device, a->size, a->flags, parts, a->num_parts, bo);
	if (!a->retry && (error == KMD_NO_MEMORY || error == KMD_NO_DEVICE_MEMORY))
		flush_all(f);
	return error;
}

int ioctl_bo_create(struct file *f, struct kmd_bo_create *a)
{
	const struct kmd_part *parts = (const struct kmd_part *)(uintptr_t)a->parts;
	struct bo *bo;
	if (a->flags & KMD_BO_SHARED)
		return create_shared(f, a);
	if (a->num_parts && !parts)
		return KMD_BAD_ADDRESS;
	if (!a->size || a->size > VA_HEAP_SIZE || !flags_valid(a->flags) || (a->flags & KMD_BO_DRAM && a->device >= f->driver->num_devices) ||
	    !parts_valid(parts, a->num_parts, a->size))
		return KMD_INVALID;
	int error = create(f, a, parts, &bo);
	return error ? error : bo_hand_out(f, bo, &a->bo, &a->va, &a->cpu);
}

/* The address space of a request that takes the lock later; the caller keeps the handle meanwhile. */
struct vm *vm_of(struct file *f, uint32_t handle)
{
	HOLDING_FILE(f);
	return handle_get(f, handle, HANDLE_VM);
}

int ioctl_bo_import_range(struct file *f, struct kmd_bo_import_range *a)
{
	struct bo *bo;
	struct vm *s = vm_of(f, a->vm);
	if (!s)
		return KMD_BAD_HANDLE;
	int error = a->flags & KMD_BO_SHARED ? KMD_INVALID :
					       bo_import_host(s, (void *)(uintptr_t)a->address, a->size, a->flags, 0, NULL, a->retry, &bo);
	return error ? error : bo_hand_out(f, bo, &a->bo, &a->va, NULL);
}

int ioctl_bo_import_fd(struct file *f, struct kmd_bo_import_fd *a)
{
	struct bo *bo;
	bool clear = false;
	struct vm *s = vm_of(f, a->vm);
	if (!s)
		return KMD_BAD_HANDLE;
	int error = a->flags & KMD_BO_PROTECTED ?
		bo_import_protected(s, a->device, a->fd, a->offset, a->size, a->flags & ~(unsigned)KMD_BO_PROTECTED, a->clear ? NULL : &clear, &bo) :
		bo_import_dmabuf(s, a->fd, a->offset, a->size, a->flags, a->retry, &bo);
	if (!error)
		error = bo_hand_out(f, bo, &a->bo, &a->va, &a->cpu);
	a->clear = clear;
	return error;
}

int ioctl_bo_close(struct file *f, struct kmd_bo_close *a)
{
	HOLDING_FILE(f);
	struct bo *bo = handle_take(f, a->bo, HANDLE_BO);
	if (bo)
		bo_close(bo);
	return bo ? 0 : KMD_BAD_HANDLE;
}
