/* Protected memory: parts of a device's DRAM that regions of its protection unit cover.
 *
 * A region is made when memory is asked for and given up, which clears it, when nothing of it is left. Which regions there
 * are is software state; the registers are written by work items, in between. */
#include "runtime/kmd/driver.h"
#include <stdlib.h>

#define REGION_BYTES (16ull << 20)
#define REGION_ALIGN (1ull << PT_HUGE_SHIFT)

struct region_work {
	struct work work;
	struct device *device;
	unsigned number;
	uint64_t base, limit;
};

static void apply(struct driver *d, struct work *work)
{
	struct region_work *p = work_owner(work, struct region_work, work);
	(void)d;
	if (!p->device->lost) {
		bus_write64(p->device->bus, REG_HOST_PROT_BASE + 8 * p->number, p->base);
		bus_write64(p->device->bus, REG_HOST_PROT_LIMIT + 8 * p->number, p->limit);
		if (p->base == p->limit) /* the read waits until the memory, which has other users next, has been cleared */
			bus_read64(p->device->bus, REG_HOST_PROT_LIMIT + 8 * p->number);
	}
	free(p);
}

static bool region_set(struct driver *d, struct device *dev, unsigned number, uint64_t base, uint64_t limit)
{
	struct region_work *p = malloc(sizeof *p);
	if (!p)
		return false;
	*p = (struct region_work){ .work.apply = apply, .device = dev, .number = number, .base = base, .limit = limit };
	work_queue(d->caller, &p->work);
	return true;
}

static bool region_open(struct driver *d, struct device *dev, unsigned number, uint64_t size)
{
	struct region *r = &dev->regions[number];
	uint64_t base = extents_alloc(&dev->dram, size, REGION_ALIGN);
	if (base == UINT64_MAX)
		return false;
	if (extents_init(&r->room, base, size))
		goto err_dram;
	if (!region_set(d, dev, number, base, base + size))
		goto err_room;
	r->base = base;
	r->size = size;
	return true;
err_room:
	extents_fini(&r->room);
err_dram:
	extents_free(&dev->dram, base, size);
	return false;
}

static uint64_t alloc_once(struct driver *d, struct device *dev, uint64_t size, uint64_t align)
{
	struct region *unused = NULL;
	for (unsigned i = REG_REGIONS; i--;) {
		struct region *r = &dev->regions[i];
		if (!r->size)
			unused = r;
	}
	for (unsigned i = 0; i < REG_REGIONS; i++) {
		uint64_t pa = dev->regions[i].size ? extents_alloc(&dev->regions[i].room, size, align) : UINT64_MAX;
		if (pa != UINT64_MAX)
			return pa;
	}
	const uint64_t least = (size + REGION_ALIGN - 1) & ~(REGION_ALIGN - 1);
	const unsigned number = (unsigned)(unused - dev->regions);
	if (!unused || (!region_open(d, dev, number, least < REGION_BYTES ? REGION_BYTES : least) && !region_open(d, dev, number, least)))
		return UINT64_MAX;
	return extents_alloc(&unused->room, size, align);
}

uint64_t protected_alloc(struct driver *d, struct device *dev, uint64_t size, uint64_t align)
{
	uint64_t pa;
	while ((pa = alloc_once(d, dev, size, align)) == UINT64_MAX && dmabuf_evict(d, 0))
		;
	return pa;
}

void protected_free(struct driver *d, struct device *dev, uint64_t pa, uint64_t size)
{
	unsigned n = 0;
	while (pa < dev->regions[n].base || pa - dev->regions[n].base >= dev->regions[n].size)
		n++;
	struct region *r = &dev->regions[n];
	extents_free(&r->room, pa, size);
	if (r->room.used || !region_set(d, dev, n, 0, 0))
		return;
	extents_fini(&r->room);
	extents_free(&dev->dram, r->base, r->size);
	r->size = 0;
}

void protected_fini(struct device *dev)
{
	for (unsigned i = 0; i < REG_REGIONS; i++)
		if (dev->regions[i].size)
			extents_fini(&dev->regions[i].room);
}
