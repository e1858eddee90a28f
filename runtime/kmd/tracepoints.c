/* What the driver tells those who look at the events (abi/events.def, block driver). All of it is
 * hardware state; every device hears what concerns them all. */
#include "abi/events.h"
#include "runtime/kmd/observe.h"

bool tracepoints_wanted(const struct driver *d) { return d->num_devices && d->devices[0].bus->ops->note; }

void tracepoint_all(const struct driver *d, unsigned kind, uint16_t asid, uint64_t a, uint64_t b, uint64_t c)
{
	for (unsigned i = 0; i < d->num_devices; i++)
		bus_note(d->devices[i].bus, &(struct event){ .kind = (uint16_t)kind, .queue = EVENT_NO_QUEUE, .asid = asid,
							     .a = a, .b = b, .c = c });
}

/* An import that lasts, as opposed to one for a command. What the driver maintains along with every command is consistent. */
static uint64_t buffer_flags(const struct bo *bo)
{
	const bool import = bo->imported && bo->host && !(bo->flags & KMD_BO_SHARED) && (bo->flags & KMD_BO_STRICT || bo->dmabuf);
	const bool consistent = import && (!bo->dmabuf || bo->flags & KMD_BO_CONSISTENT);
	return (bo->flags & ~(unsigned)KMD_BO_SHARED) | (import ? BUFFER_IMPORTED : 0) | (consistent ? BUFFER_CONSISTENT : 0);
}

/* What is in memory that a device has not had yet, the host has written. What a dma-buf holds may be anybody's. */
static void tracepoint_written(const struct driver *d, const struct bo *bo)
{
	const struct pin_range *r = pin_list_ranges(&bo->pin);
	for (uint32_t i = 0; i < bo->pin.count; i++)
		tracepoint_all(d, EVENT_HOST_WRITE, 0, pin_pa(r[i].number), (uint64_t)r[i].count * GALENA_PAGE_SIZE, 0);
}

void tracepoint_buffer(const struct driver *d, const struct bo *bo, unsigned kind)
{
	if (!tracepoints_wanted(d))
		return;
	tracepoint_all(d, kind, bo->vm->asid, bo->va + bo->offset, bo->size, kind == EVENT_BUFFER ? buffer_flags(bo) : 0);
	if (kind == EVENT_BUFFER && bo->host && !bo->dmabuf && !d->devices[0].info.coherent)
		tracepoint_written(d, bo);
}

void tracepoint_bind(const struct device *dev, int slot, const struct queue *q)
{
	if (!dev->bus->ops->note)
		return;
	struct event e = { .kind = EVENT_QUEUE_BIND, .queue = (uint16_t)slot };
	if (q) {
		e.asid = q->vm->asid;
		e.a = queue_block_desc(q->block);
		e.b = q->desc->read_index;
		e.c = q->desc->ring_size;
	}
	bus_note(dev->bus, &e);
}

void tracepoint_pin(const struct driver *d, uint32_t number, uint8_t rights)
{
	if (rights)
		tracepoint_all(d, EVENT_PIN, 0, pin_pa(number), (rights & PIN_WRITE) != 0, 0);
	else
		tracepoint_all(d, EVENT_UNPIN, 0, pin_pa(number), 0, 0);
}

void tracepoint_pinned(const struct driver *d, const struct device *dev)
{
	if (!dev->bus->ops->note)
		return;
	for (uint32_t n = 0; n < PIN_BLOCKS; n++)
		for (uint32_t i = 0; d->pins.blocks[n] && i < PIN_BLOCK; i++) {
			uint8_t rights = pin_rights(d->pins.blocks[n]->pin[i]);
			if (rights)
				bus_note(dev->bus, &(struct event){ .kind = EVENT_PIN, .queue = EVENT_NO_QUEUE,
								    .a = pin_pa(n * PIN_BLOCK + i),
								    .b = (rights & PIN_WRITE) != 0 });
		}
}
