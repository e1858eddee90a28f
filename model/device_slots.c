/* Side effects of registers: semaphores, and the slots that run dispatches and transfers. */
#include "model/device.h"
#include "model/cu/dispatcher.h"

/* Details of a fault of the slot; lane details are zero unless a lane is given. */
static void fault_set(struct device *d, unsigned slot, const struct compute_fault *f)
{
	const uint32_t *g = f->group_id, *l = f->local_id;

	d->faults += f->code != FAULT_ABORTED;
	regs_set(d->regs, REG_ID_CP_FAULT_ADDRESS, slot, f->address);
	regs_set(d->regs, REG_ID_CP_FAULT_PC, slot, f->pc);
	regs_set(d->regs, REG_ID_CP_FAULT_INFO, slot, f->unit | REG_PUT(f->access, CP_FAULT_INFO_ACCESS));
	regs_set(d->regs, REG_ID_CP_FAULT_GROUP_XY, slot, g[0] | REG_PUT(g[1], CP_FAULT_GROUP_XY_Y));
	regs_set(d->regs, REG_ID_CP_FAULT_GROUP_Z, slot, g[2]);
	regs_set(d->regs, REG_ID_CP_FAULT_LOCAL, slot,
		 (l[0] & 0xffff) | REG_PUT(l[1] & 0xffff, CP_FAULT_LOCAL_Y) | REG_PUT(l[2] & 0xffff, CP_FAULT_LOCAL_Z));
}

/* ---- semaphores ---- */

/* A wait of the host is over. */
static void host_woken(struct device *d, unsigned slot)
{
	regs_set(d->regs, REG_ID_HOST_HOST_WAIT, slot, 0);
	device_bits_set(d, REG_ID_HOST_HOST_WOKEN, 1u << slot);
	device_irq_raise(d, REG_HOST_IRQ_STATUS_SEM);
	cp_yield(d->cp);
}

void device_sem_woken(void *ctx, const struct sem_woken *w, uint64_t cycle)
{
	struct device *d = ctx;

	if (w->waiter >= SEM_HOST) {
		d->faults += w->fault != FAULT_NONE;
		host_woken(d, w->waiter - SEM_HOST);
		return;
	}
	regs_set(d->regs, REG_ID_CP_SEM_WAIT, w->waiter, 0);
	regs_set(d->regs, REG_ID_CP_SEM_STATUS, w->waiter, w->fault);
	if (w->fault)
		fault_set(d, w->waiter, &(struct compute_fault){ .code = w->fault, .unit = UNIT_SEM, .access = w->access,
								 .address = w->address });
	device_bits_set(d, REG_ID_CP_SEM_WOKEN, 1u << w->waiter);
	device_irq_update(d, cycle);
}

/* A payload that the host names and that is not there is the host's mistake: counted, no more. */
void device_sem_stored(void *ctx, const struct sem_stored *s, uint64_t cycle)
{
	struct device *d = ctx;

	(void)cycle;
	d->faults += s->fault != FAULT_NONE;
	if (!s->host)
		regs_set(d->regs, REG_ID_CP_SEM_STORE_STATUS, 0, s->fault);
}

static void sem_wait_write(struct device *d, unsigned i, uint64_t v)
{
	bool binary = regs_get(d->regs, REG_ID_CP_SEM_WAIT_MODE, i) == SEM_BINARY;

	regs_set(d->regs, REG_ID_CP_SEM_STATUS, i, FAULT_NONE);
	sem_arm(&d->sem, &(struct sem_arm){ .waiter = i, .address = v, .value = regs_get(d->regs, REG_ID_CP_SEM_WAIT_VALUE, i),
					    .mode = binary ? SEM_BINARY : SEM_TIMELINE }, device_time(d));
	device_due_update(d);
}

/* The device is lost: the wait would never end. */
static void host_wait_lost(struct device *d, unsigned slot, uint64_t address)
{
	EVENT_SEND(d->events, .cycle = device_time(d), .kind = EVENT_SEM_WAKE, .unit = UNIT_SEM,
		   .queue = (uint16_t)(EVENT_HOST_WAIT + slot), .a = address, .c = FAULT_LOST);
	host_woken(d, slot);
}

static void host_wait_write(struct device *d, unsigned i, uint64_t v)
{
	if (v && d->lost) {
		host_wait_lost(d, i, v);
		return;
	}
	sem_arm(&d->sem, &(struct sem_arm){ .waiter = SEM_HOST + i, .address = v, .mode = SEM_TIMELINE,
					    .value = regs_get(d->regs, REG_ID_HOST_HOST_WAIT_VALUE, i) }, device_time(d));
	device_due_update(d);
}

void device_host_waits_end(struct device *d)
{
	for (unsigned i = 0; i < SEM_HOST_SLOTS; i++)
		if (regs_get(d->regs, REG_ID_HOST_HOST_WAIT, i))
			host_wait_lost(d, i, regs_get(d->regs, REG_ID_HOST_HOST_WAIT, i));
}

static void sem_store_write(struct device *d, NO_INDEX, uint64_t v)
{
	sem_store(&d->sem, &(struct sem_store){ .address = v, .value = regs_get(d->regs, REG_ID_CP_SEM_STORE_VALUE, 0) }, device_time(d));
	device_due_update(d);
}

static void sem_signal_write(struct device *d, NO_INDEX, uint64_t v)
{
	if (d->lost)
		return;
	sem_store(&d->sem, &(struct sem_store){ .address = v, .value = regs_get(d->regs, REG_ID_HOST_SEM_VALUE, 0), .host = true },
		  device_time(d));
	device_due_update(d);
}

static void sem_notify_write(struct device *d, NO_INDEX, uint64_t v)
{
	if (d->lost)
		return;
	sem_notify(&d->sem, &(struct sem_notify){ v }, device_time(d));
	device_due_update(d);
}

/* ---- dispatch and DMA slots ---- */

/* The details stay until the next fault of the slot; the status of one that is stalled, until it goes on. */
void device_dispatch_result(void *ctx, const struct compute_result *r, uint64_t cycle)
{
	struct device *d = ctx;

	if (r->fault.code)
		fault_set(d, r->slot, &r->fault);
	regs_set(d->regs, REG_ID_CP_DISPATCH_STATUS, r->slot, r->fault.code);
	if (r->stalled) {
		device_bits_set(d, REG_ID_CP_REPLAY_PENDING, 1u << r->slot);
	} else {
		regs_set(d->regs, REG_ID_CP_DISPATCH_CYCLE, r->slot, d->dispatch_start[r->slot]);
		d->dispatch_busy &= ~(1u << r->slot);
		regs_set(d->regs, REG_ID_CP_REPLAY_PENDING, 0, regs_get(d->regs, REG_ID_CP_REPLAY_PENDING, 0) & ~(1ull << r->slot));
		device_bits_set(d, REG_ID_CP_DISPATCH_DONE, 1u << r->slot);
	}
	device_irq_update(d, cycle);
}

void device_dma_result(void *ctx, const struct dma_result *r, uint64_t cycle)
{
	struct device *d = ctx;

	if (r->code)
		fault_set(d, r->slot, &(struct compute_fault){ .code = r->code, .unit = (uint16_t)r->unit, .access = r->access,
							       .address = r->address });
	regs_set(d->regs, REG_ID_CP_DMA_STATUS, r->slot, r->code);
	regs_set(d->regs, REG_ID_CP_DMA_CYCLE, r->slot, r->start);
	regs_set(d->regs, REG_ID_CP_DMA_PROGRESS, r->slot, r->progress);
	device_bits_set(d, r->stands ? REG_ID_CP_REPLAY_PENDING : REG_ID_CP_DMA_DONE, 1u << r->slot);
	device_irq_update(d, cycle);
}

void device_media_result(void *ctx, const struct media_result *r, uint64_t cycle)
{
	struct device *d = ctx;

	if (r->code)
		fault_set(d, r->slot, &(struct compute_fault){ .code = r->code, .unit = UNIT_MEDIA, .access = r->access,
							       .address = r->address });
	regs_set(d->regs, REG_ID_CP_MEDIA_STATUS, r->slot, r->code);
	regs_set(d->regs, REG_ID_CP_MEDIA_CYCLE, r->slot, r->start);
	regs_set(d->regs, REG_ID_CP_MEDIA_PROGRESS, r->slot, r->progress);
	d->media_busy = media_busy(d->media);
	device_bits_set(d, REG_ID_CP_MEDIA_DONE, 1u << r->slot);
	device_irq_update(d, cycle);
}

/* The space in which a slot's dispatch or transfer runs. */
static uint32_t slot_space(const struct device *d, unsigned slot)
{
	bool protected_job = regs_get(d->regs, REG_ID_CP_SLOT_FLAGS, slot) & REG_CP_SLOT_FLAGS_PROTECTED;

	return (uint16_t)regs_get(d->regs, REG_ID_CP_DISPATCH_ASID, slot) | (protected_job ? SPACE_PROTECTED : 0);
}

static uint64_t dispatch_busy_read(struct device *d, NO_INDEX) { return d->dispatch_busy; }

static uint64_t dispatch_groups_read(struct device *d, unsigned slot) { return compute_dispatch(d->compute, slot)->done; }

static uint64_t dispatch_last_read(struct device *d, unsigned slot)
{
	const struct dispatch *run = compute_dispatch(d->compute, slot);

	return compute_busy(d->compute, slot) && !run->done ? d->dispatch_start[slot] : run->end;
}

static uint64_t dma_progress_read(struct device *d, unsigned slot)
{
	if (device_fetches(d, FETCH_TRANSFER, slot))
		return 0;
	return dma_busy(d->dma) >> slot & 1 ? dma_progress(d->dma, slot) : regs_get(d->regs, REG_ID_CP_DMA_PROGRESS, slot);
}

static uint64_t media_progress_read(struct device *d, unsigned slot)
{
	if (device_fetches(d, FETCH_JOB, slot))
		return 0;
	return media_busy(d->media) >> slot & 1 ? media_progress(d->media, slot) : regs_get(d->regs, REG_ID_CP_MEDIA_PROGRESS, slot);
}

static uint64_t slot_since_read(struct device *d, unsigned slot)
{
	uint64_t compute = compute_since(d->compute, slot), dma = dma_since(d->dma, slot), media = media_since(d->media, slot);
	uint64_t last = compute > dma ? compute : dma;

	return last > media ? last : media;
}

bool device_progress(struct device *d, unsigned slot, struct bus_progress *p)
{
	const struct dispatch *run = slot < COMPUTE_SLOTS ? compute_dispatch(d->compute, slot) : NULL;

	*p = (struct bus_progress){ 0 };
	if (run && compute_busy(d->compute, slot))
		*p = (struct bus_progress){ .entry = run->packet.entry, .begun = run->start, .done = run->done, .total = run->total };
	else if (slot < DMA_SLOTS && dma_busy(d->dma) >> slot & 1)
		*p = (struct bus_progress){ .begun = dma_begun(d->dma, slot), .done = dma_progress(d->dma, slot) };
	else if (slot < MEDIA_SLOTS && media_busy(d->media) >> slot & 1)
		*p = (struct bus_progress){ .begun = media_begun(d->media, slot), .done = media_progress(d->media, slot) };
	else
		return false;
	return true;
}

/* Starting a slot that is busy, or that does not exist, does nothing. */
static void start(struct device *d, enum fetch_kind kind, unsigned slot, enum reg_id packet)
{
	device_fetch(d, &(struct fetch){ .kind = kind, .slot = slot, .space = slot_space(d, slot),
					 .address = regs_get(d->regs, packet, slot),
					 .flags = regs_get(d->regs, REG_ID_CP_SLOT_FLAGS, slot),
					 .scratch = regs_get(d->regs, REG_ID_CP_DISPATCH_SCRATCH, slot),
					 .scratch_size = regs_get(d->regs, REG_ID_CP_DISPATCH_SCRATCH_SIZE, slot) });
}

static void dispatch_start_write(struct device *d, NO_INDEX, uint64_t slot)
{
	if (slot < COMPUTE_SLOTS && !(d->dispatch_busy >> slot & 1))
		start(d, FETCH_DISPATCH, (unsigned)slot, REG_ID_CP_DISPATCH_PACKET);
}

static void dma_start_write(struct device *d, NO_INDEX, uint64_t slot)
{
	if (slot < DMA_SLOTS && !(dma_busy(d->dma) >> slot & 1))
		start(d, FETCH_TRANSFER, (unsigned)slot, REG_ID_CP_DMA_PACKET);
}

static void media_start_write(struct device *d, NO_INDEX, uint64_t slot)
{
	if (slot < MEDIA_SLOTS && !(media_busy(d->media) >> slot & 1))
		start(d, FETCH_JOB, (unsigned)slot, REG_ID_CP_MEDIA_PACKET);
}

static void dispatch_abort_write(struct device *d, NO_INDEX, uint64_t slot)
{
	if (slot < COMPUTE_SLOTS && d->dispatch_busy >> slot & 1 && !device_fetch_abort(d, FETCH_DISPATCH, (unsigned)slot))
		compute_abort(d->compute, &(struct compute_abort){ (uint32_t)slot }, device_time(d));
}

static void dma_abort_write(struct device *d, NO_INDEX, uint64_t slot)
{
	if (slot < DMA_SLOTS && !device_fetch_abort(d, FETCH_TRANSFER, (unsigned)slot))
		dma_abort(d->dma, &(struct dma_abort){ (uint32_t)slot }, device_time(d));
	cp_yield(d->cp);
}

static void media_abort_write(struct device *d, NO_INDEX, uint64_t slot)
{
	if (slot < MEDIA_SLOTS && !device_fetch_abort(d, FETCH_JOB, (unsigned)slot))
		media_abort(d->media, &(struct media_abort){ (uint32_t)slot }, device_time(d));
	cp_yield(d->cp);
}

/* A slot that does not stand at a fault goes on as it does. */
static void replay_write(struct device *d, NO_INDEX, uint64_t slot)
{
	if (slot >= DMA_SLOTS)
		return;
	EVENT_SEND(d->events, .cycle = device_time(d), .kind = EVENT_REPLAY, .unit = UNIT_CP, .queue = (uint16_t)slot,
		   .asid = (uint16_t)regs_get(d->regs, REG_ID_CP_DISPATCH_ASID, (unsigned)slot));
	if (d->dispatch_busy >> slot & 1) {
		regs_set(d->regs, REG_ID_CP_DISPATCH_STATUS, (unsigned)slot, FAULT_NONE);
		compute_replay(d->compute, &(struct compute_replay){ (uint32_t)slot }, device_time(d));
	}
	if (dma_stands(d->dma, (unsigned)slot)) {
		regs_set(d->regs, REG_ID_CP_DMA_STATUS, (unsigned)slot, FAULT_NONE);
		dma_replay(d->dma, &(struct dma_replay){ (uint32_t)slot }, device_time(d));
	}
	cp_yield(d->cp);
}

const struct reg_hook device_slot_hooks[REG_NUM_IDS] = {
	[REG_ID_HOST_SEM_SIGNAL] = { .write = sem_signal_write },
	[REG_ID_HOST_SEM_NOTIFY] = { .write = sem_notify_write },
	[REG_ID_HOST_HOST_WAIT] = { .write = host_wait_write },
	[REG_ID_CP_DISPATCH_BUSY] = { .read = dispatch_busy_read },
	[REG_ID_CP_DISPATCH_START] = { .write = dispatch_start_write },
	[REG_ID_CP_DISPATCH_ABORT] = { .write = dispatch_abort_write },
	[REG_ID_CP_DISPATCH_GROUPS] = { .read = dispatch_groups_read },
	[REG_ID_CP_DISPATCH_LAST] = { .read = dispatch_last_read },
	[REG_ID_CP_DMA_PROGRESS] = { .read = dma_progress_read },
	[REG_ID_CP_DMA_START] = { .write = dma_start_write },
	[REG_ID_CP_DMA_ABORT] = { .write = dma_abort_write },
	[REG_ID_CP_MEDIA_PROGRESS] = { .read = media_progress_read },
	[REG_ID_CP_MEDIA_START] = { .write = media_start_write },
	[REG_ID_CP_MEDIA_ABORT] = { .write = media_abort_write },
	[REG_ID_CP_SLOT_SINCE] = { .read = slot_since_read },
	[REG_ID_CP_REPLAY] = { .write = replay_write },
	[REG_ID_CP_SEM_WAIT] = { .write = sem_wait_write },
	[REG_ID_CP_SEM_STORE] = { .write = sem_store_write },
};
