/* Devices whose caches are not coherent with the host's: what the driver maintains around commands, and what it maintains by
 * address, through registers. */
#include "runtime/kmd/driver.h"

static bool uses_memory(const union packet *p)
{
	return p->head.type == PACKET_CODE_dispatch || p->head.type == PACKET_CODE_copy || p->head.type == PACKET_CODE_fill ||
	       p->head.type == PACKET_CODE_process || p->head.type == PACKET_CODE_jpeg;
}

static union packet maintenance(unsigned op)
{
	return (union packet){ .cache = { .head.type = PACKET_CODE_cache, .op = op } };
}

/* Before a run of packets that use memory lines go, so that what the host wrote is read; dirty ones are written first, for they
 * may be those of another queue's command that runs just now. After it dirty lines are written, so that
 * the host for the command reads them. Firmware does maintenance even in a command that has
 * failed: what it wrote before must not be written over what the host puts there later. */
unsigned caches_around(const union packet *in, unsigned count, union packet *out)
{
	unsigned n = 0;
	for (unsigned i = 0; i < count; i++) {
		if (uses_memory(&in[i]) && !(i && uses_memory(&in[i - 1])))
			out[n++] = maintenance(CACHE_CLEAN | CACHE_INVALIDATE);
		out[n++] = in[i];
		if (uses_memory(&in[i]) && !(i + 1 < count && uses_memory(&in[i + 1])))
			out[n++] = maintenance(CACHE_CLEAN);
	}
	return n;
}

/* One device, contiguous pages. */
static void run_maintain(struct device *dev, uint32_t number, uint64_t pages, unsigned op)
{
	bus_write64(dev->bus, REG_HOST_CACHE_ADDR, pin_pa(number));
	bus_write64(dev->bus, REG_HOST_CACHE_SIZE, pages * GALENA_PAGE_SIZE);
	bus_write32(dev->bus, REG_HOST_CACHE, op << REG_HOST_CACHE_OP_LSB);
}

void caches_maintain(struct driver *d, const struct pin_list *list, unsigned op)
{
	const struct pin_range *r = pin_list_ranges(list);
	for (uint32_t i = 0; i < list->count; i++)
		for (unsigned n = 0; n < d->num_devices; n++)
			if (!d->devices[n].lost && !d->devices[n].info.coherent)
				run_maintain(&d->devices[n], r[i].number, r[i].count, op);
}
