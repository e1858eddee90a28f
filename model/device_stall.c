/* Accesses of registers whose block is not ready, the fetch of packets, and what else the device has to come back to at a cycle that
 * is known. */
#include "model/device.h"
#include "model/mem/access_time.h"

/* ---- registers that wait for their block ---- */

struct stall_range {
	enum device_stall why;
	enum reg_bank bank;
	uint32_t begin, end; /* bytes of the bank */
	bool writes;         /* reads do not wait */
};

#define HOST_REGISTERS(first, last, bytes) REG_BANK_HOST, REG_HOST_##first, REG_HOST_##last + (bytes)
#define CP_REGISTERS(first, last, bytes) REG_BANK_CP, REG_CP_##first, REG_CP_##last + (bytes)
static const struct stall_range stall_ranges[] = {
	{ STALL_SEM, HOST_REGISTERS(SEM_VALUE, HOST_WOKEN, 4), false },
	{ STALL_SEM, HOST_REGISTERS(HOST_WAIT_VALUE, HOST_WAIT, 8 * HOST_WAITS), false },
	{ STALL_SEM, CP_REGISTERS(SEM_WOKEN, SEM_WOKEN, 4), false },
	{ STALL_SEM, CP_REGISTERS(SEM_WAIT_VALUE, SEM_WAIT, 8 * REG_QUEUES), false },
	{ STALL_SEM, CP_REGISTERS(SEM_STORE_VALUE, SEM_STORE_STATUS, 4), false },
	{ STALL_SEM, CP_REGISTERS(SEM_STATUS, SEM_STATUS, 4 * REG_QUEUES), false },
	{ STALL_SEM, CP_REGISTERS(SEM_WAIT_MODE, SEM_WAIT_MODE, 4 * REG_QUEUES), false },
	{ STALL_FETCH, CP_REGISTERS(DISPATCH_START, DMA_START, 4), true },
	{ STALL_FETCH, CP_REGISTERS(MEDIA_START, MEDIA_START, 4), true },
	{ STALL_CLEAR, HOST_REGISTERS(PROT_LIMIT, PROT_LIMIT, 8 * REG_REGIONS), false },
	{ STALL_RESET, REG_BANK_HOST, 0, REG_HOST_STATUS, false },
	{ STALL_RESET, REG_BANK_HOST, REG_HOST_STATUS + 4, REG_BANK_SIZE, false },
};

static uint64_t stall_end(const struct device *d, enum device_stall why)
{
	return why == STALL_SEM ? d->sem.at : why == STALL_FETCH ? d->fetch.at : why == STALL_CLEAR ? d->clear_end : d->reset_end;
}

bool device_stalled(struct device *d, enum reg_bank bank, uint32_t offset, unsigned bytes, bool write, uint64_t *cycle)
{
	for (unsigned i = 0; i < sizeof(stall_ranges) / sizeof(*stall_ranges); i++) {
		const struct stall_range *r = &stall_ranges[i];

		if (!(d->stalls & r->why) || r->bank != bank || offset >= r->end || offset + bytes <= r->begin || (r->writes && !write))
			continue;
		if (*cycle < stall_end(d, r->why))
			*cycle = stall_end(d, r->why);
		cp_yield(d->cp); /* the block may be due in the cycle of the instruction */
		return true;
	}
	return false;
}

/* ---- what is due ---- */

void device_due_update(struct device *d)
{
	uint64_t at = d->sem.at;

	d->stalls = (d->sem.at != UINT64_MAX ? STALL_SEM : 0) | (d->fetch.at != UINT64_MAX ? STALL_FETCH : 0) |
		    (d->clear_end != UINT64_MAX ? STALL_CLEAR : 0) | (d->reset_end != UINT64_MAX ? STALL_RESET : 0);
	at = d->fetch.at < at ? d->fetch.at : at;
	at = d->clear_end < at ? d->clear_end : at;
	at = d->reset_end < at ? d->reset_end : at;
	for (uint32_t late = d->doorbells_late; late; late &= late - 1)
		if (d->doorbell_at[__builtin_ctz(late)] < at)
			at = d->doorbell_at[__builtin_ctz(late)];
	d->due_at = at;
	if (d->in_cp && d->stalls) /* its slice may be longer than that */
		cp_yield(d->cp);
}

/* ---- fetch of packets ---- */

/* Packets lie in local memory or in memory. */
static enum fault packet_read(struct device *d, uint64_t pa, union packet *p)
{
	if (cp_tcm_read(d->cp, pa, p, sizeof(*p)))
		return FAULT_NONE;
	return physmem_load(&d->mem, UNIT_CP, pa, p, sizeof(*p), device_time(d));
}

/* Cycle at which the packet is there. */
static uint64_t packet_there(struct device *d, uint64_t pa, uint64_t now)
{
	union packet p;

	if (!d->timed)
		return now;
	if (cp_tcm_read(d->cp, pa, &p, sizeof(p)))
		return now + sizeof(p) / CP_FETCH_BYTES;
	return access_time_read(d->l2, &d->mem, now, pa, sizeof(p), d->config->line_bytes);
}

static void dispatch_begin(struct device *d, const struct fetch *f)
{
	const uint64_t now = device_time(d);
	struct compute_result r = { .slot = f->slot, .start = now, .end = now,
				    .fault = { .unit = UNIT_CP, .access = ACCESS_READ, .address = f->address } };
	union packet p;

	r.fault.code = packet_read(d, f->address, &p);
	if (!r.fault.code && p.head.type != PACKET_CODE_dispatch)
		r.fault.code = FAULT_BAD_PACKET;
	if (r.fault.code)
		device_dispatch_result(d, &r, now);
	else
		compute_start(d->compute, &(struct compute_start){ .slot = f->slot, .address = f->address, .packet = p.dispatch,
			      .scratch = f->scratch, .scratch_size = f->scratch_size, .space = f->space,
			      .replay = f->flags & REG_CP_SLOT_FLAGS_REPLAY }, now);
}

static void transfer_begin(struct device *d, const struct fetch *f)
{
	const uint64_t now = device_time(d);
	struct dma_result r = { .slot = f->slot, .start = f->begun, .end = now, .unit = UNIT_CP, .access = ACCESS_READ,
				.address = f->address };
	union packet p;

	r.code = packet_read(d, f->address, &p);
	if (r.code)
		device_dma_result(d, &r, now);
	else
		dma_start(d->dma, &(struct dma_start){ .slot = f->slot, .packet = p, .space = f->space,
						       .replay = f->flags & REG_CP_SLOT_FLAGS_REPLAY }, now);
}

static void job_begin(struct device *d, const struct fetch *f)
{
	const uint64_t now = device_time(d);
	struct media_result r = { .slot = f->slot, .start = f->begun, .end = now, .access = ACCESS_READ, .address = f->address };
	union packet p;

	r.code = packet_read(d, f->address, &p);
	d->media_busy = true;
	if (r.code)
		device_media_result(d, &r, now);
	else
		media_start(d->media, &(struct media_start){ .slot = f->slot, .packet = p, .space = f->space }, now);
}

/* The packet is there: what it says begins. */
static void fetch_end(struct device *d)
{
	const struct fetch f = d->fetch;

	d->fetch.at = UINT64_MAX;
	if (f.kind == FETCH_DISPATCH)
		dispatch_begin(d, &f);
	else if (f.kind == FETCH_TRANSFER)
		transfer_begin(d, &f);
	else
		job_begin(d, &f);
}

bool device_fetches(const struct device *d, enum fetch_kind kind, unsigned slot)
{
	return d->fetch.at != UINT64_MAX && d->fetch.kind == kind && d->fetch.slot == slot;
}

void device_fetch(struct device *d, const struct fetch *f)
{
	d->fetch = *f;
	d->fetch.begun = device_time(d);
	d->fetch.at = packet_there(d, f->address, d->fetch.begun);
	if (f->kind == FETCH_DISPATCH) {
		d->fetch.at += d->timed ? DISPATCH_CHECK : 0;
		d->dispatch_busy |= 1u << f->slot;
		d->dispatch_start[f->slot] = d->fetch.begun;
	}
	if (d->fetch.at <= d->fetch.begun)
		fetch_end(d);
	device_due_update(d);
	cp_yield(d->cp);
}

bool device_fetch_abort(struct device *d, enum fetch_kind kind, unsigned slot)
{
	const uint64_t now = device_time(d);

	if (!device_fetches(d, kind, slot))
		return false;
	d->fetch.at = UINT64_MAX;
	device_due_update(d);
	if (kind == FETCH_DISPATCH)
		device_dispatch_result(d, &(struct compute_result){ .slot = slot, .start = now, .end = now,
					.fault = { .code = FAULT_ABORTED, .unit = UNIT_CU } }, now);
	else if (kind == FETCH_TRANSFER)
		device_dma_result(d, &(struct dma_result){ .slot = slot, .start = now, .end = now, .code = FAULT_ABORTED,
							   .unit = UNIT_DMA }, now);
	else
		device_media_result(d, &(struct media_result){ .slot = slot, .start = now, .end = now, .code = FAULT_ABORTED }, now);
	return true;
}

/* ---- what comes at its cycle ---- */

void device_blocks_due(struct device *d)
{
	if (d->sem.at <= d->now)
		sem_tick(&d->sem, d->now);
	if (d->fetch.at <= d->now)
		fetch_end(d);
	if (d->clear_end <= d->now)
		device_clear_end(d);
	if (d->reset_end <= d->now)
		d->reset_end = UINT64_MAX;
}
