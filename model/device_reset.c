/* Reset, loss of the device, and the faults that it injects into itself at a given time. */
#include "model/device.h"

/* mcause of the trap that an injected crash is: hardware error. */
enum { TRAP_HARDWARE_ERROR = 19 };

static uint64_t later(uint64_t now, uint64_t cycles) { return cycles > UINT64_MAX - now ? UINT64_MAX : now + cycles; }

/* Cycle at which a reset of now is over. Memory that was protected is cleared meanwhile. */
static uint64_t reset_takes(const struct device *d)
{
	uint64_t end = d->now + mmu_l2_sets(d->mmu);

	return d->clear_end != UINT64_MAX && d->clear_end > end ? d->clear_end : end;
}

/* Memory and the cycle counter go on as they are. */
void device_reset(struct device *d)
{
	EVENT_SEND(d->events, .cycle = d->now, .kind = EVENT_RESET, .unit = UNIT_HOST, .queue = EVENT_NO_QUEUE);
	cp_control(d->cp, &(struct cp_control){ .run = false }, device_time(d));
	compute_reset(d->compute, d->now);
	dma_reset(d->dma);
	media_reset(d->media);
	d->media_busy = false;
	if (d->cache)
		cache_reset(d->cache);
	reservations_reset(&d->mem.reservations);
	sem_reset(&d->sem);
	d->clear_end = device_clear_from(d, prot_reset(&d->prot, d->now));
	mmu_set_time(d->mmu, d->now);
	mmu_set_context_table(d->mmu, 0);
	inject_reset(&d->inject);
	regs_reset(d->regs);
	d->cp_run = d->crash_seen = d->reset_asked = d->cp_irq = d->lost = false;
	d->irq_hidden = d->irq_again = d->doorbells_late = 0;
	d->crash_at = d->fetch.at = UINT64_MAX;
	if (d->timed) /* a set of the L2 TLB a cycle */
		d->reset_end = reset_takes(d);
	device_due_update(d);
	cp_irq(d->cp, &(struct cp_irq){ false }, d->now);
	d->dispatch_busy = 0;
	d->faults = 0;
	d->mem.ecc_corrected = d->mem.ecc_uncorrected = d->mem.ecc_fatal = d->ecc_seen = 0;
	d->base = (struct device_base){ .compute = *compute_counters(d->compute),
					.mmu = *mmu_counters(d->mmu),
					.l2 = *l2_counters(d->l2),
					.dma_bytes = dma_bytes(d->dma),
					.dma_busy = dma_busy_cycles(d->dma, d->now),
					.media_bytes = media_bytes(d->media),
					.media_busy = media_busy_cycles(d->media, d->now),
					.cp_insns = cp_insns(d->cp) };
}

void device_lose(struct device *d, enum fault cause)
{
	if (d->lost)
		return;
	d->lost = true;
	device_failure(d, EVENT_LOST, cause, 0, 0);
	EVENT_SEND(d->events, .cycle = device_time(d), .kind = EVENT_LOST, .unit = UNIT_HOST, .queue = EVENT_NO_QUEUE,
		   .a = cause);
	if (cp_state(d->cp) != CP_CRASHED)
		cp_control(d->cp, &(struct cp_control){ .run = false }, device_time(d));
	for (unsigned s = 0; s < COMPUTE_SLOTS; s++)
		if (!device_fetch_abort(d, FETCH_DISPATCH, s))
			compute_abort(d->compute, &(struct compute_abort){ s }, device_time(d));
	for (unsigned s = 0; s < DMA_SLOTS; s++)
		if (!device_fetch_abort(d, FETCH_TRANSFER, s))
			dma_abort(d->dma, &(struct dma_abort){ s }, device_time(d));
	for (unsigned s = 0; s < MEDIA_SLOTS; s++)
		if (!device_fetch_abort(d, FETCH_JOB, s))
			media_abort(d->media, &(struct media_abort){ s }, device_time(d));
	sem_reset(&d->sem);
	device_due_update(d);
	device_host_waits_end(d);
}

void device_memory_errors(struct device *d)
{
	uint64_t seen = d->mem.ecc_corrected + d->mem.ecc_uncorrected;

	if (seen == d->ecc_seen)
		return;
	d->ecc_seen = seen;
	if (d->mem.ecc_fatal)
		device_lose(d, FAULT_ECC);
	device_irq_raise(d, REG_HOST_IRQ_STATUS_ECC);
}

void device_crash_report(struct device *d)
{
	const struct cp_crash *c = cp_crash(d->cp);

	if (d->crash_seen || cp_state(d->cp) != CP_CRASHED)
		return;
	d->crash_seen = true;
	regs_set(d->regs, REG_ID_HOST_CRASH_CAUSE, 0, c->cause);
	regs_set(d->regs, REG_ID_HOST_CRASH_PC, 0, c->pc);
	regs_set(d->regs, REG_ID_HOST_CRASH_ADDRESS, 0, c->address);
	device_lose(d, d->mem.ecc_fatal ? FAULT_ECC : FAULT_FIRMWARE);
	device_irq_raise(d, REG_HOST_IRQ_STATUS_CRASH);
}

/* ---- what happens at a time of its own ---- */

void device_bell_delay(struct device *d, unsigned queue, uint64_t cycles)
{
	d->doorbells_late |= 1u << queue;
	d->doorbell_at[queue] = later(device_time(d), cycles);
	device_due_update(d);
}

void device_due(struct device *d)
{
	for (uint32_t late = d->doorbells_late; late; late &= late - 1) {
		unsigned queue = (unsigned)__builtin_ctz(late);

		if (d->doorbell_at[queue] > d->now)
			continue;
		d->doorbells_late &= ~(1u << queue);
		if (!d->lost)
			device_bits_set(d, REG_ID_CP_DOORBELL_PENDING, 1u << queue);
	}
	device_blocks_due(d);
	if (d->crash_at <= d->now) {
		d->crash_at = UINT64_MAX;
		inject_now(&d->inject, INJECT_CP_CRASH, UNIT_CP, 0, d->now);
		cp_fail(d->cp, &(struct cp_fail){ TRAP_HARDWARE_ERROR }, d->now);
		device_crash_report(d);
	}
	device_due_update(d);
}

/* ---- injection ---- */

static void inject_write(struct device *d, NO_INDEX, uint64_t kind)
{
	uint32_t nth = (uint32_t)regs_get(d->regs, REG_ID_HOST_INJECT_NTH, 0);
	uint64_t arg = regs_get(d->regs, REG_ID_HOST_INJECT_ARG, 0), now = device_time(d);

	inject_arm(&d->inject, (uint32_t)kind, nth, (uint32_t)regs_get(d->regs, REG_ID_HOST_INJECT_UNIT, 0), arg, now);
	mmu_refresh(d->mmu); /* what units keep of translations would pass the fault by */
	if (kind == INJECT_CP_CRASH) /* every cycle after the delay is an occasion */
		d->crash_at = later(later(now, arg), nth ? nth - 1 : 0);
	if (!(d->inject.armed >> INJECT_CP_CRASH & 1))
		d->crash_at = UINT64_MAX;
}

static uint64_t injected_read(struct device *d, NO_INDEX) { return d->inject.happened; }

const struct reg_hook device_inject_hooks[REG_NUM_IDS] = {
	[REG_ID_HOST_INJECT] = { .write = inject_write },
	[REG_ID_HOST_INJECTED] = { .read = injected_read },
};
