/* Side effects of registers: interrupts of both sides, and what the host says about queues. */
#include "model/device.h"

static struct device *device(void *ctx) { return ctx; }

uint64_t device_time(const struct device *d) { return d->in_cp ? cp_cycle(d->cp) : d->now; }

void device_bits_set(struct device *d, enum reg_id id, uint64_t bits)
{
	regs_set(d->regs, id, 0, regs_get(d->regs, id, 0) | bits);
}

/* ---- interrupts ---- */

static uint32_t cp_pending(const struct device *d, uint64_t cycle)
{
	uint64_t timer = regs_get(d->regs, REG_ID_CP_TIMER, 0);
	uint32_t p = 0;

	if (regs_get(d->regs, REG_ID_CP_DOORBELL_PENDING, 0))
		p |= REG_CP_IRQ_PENDING_DOORBELL;
	if (regs_get(d->regs, REG_ID_CP_QUEUE_PENDING, 0))
		p |= REG_CP_IRQ_PENDING_QUEUE;
	if (regs_get(d->regs, REG_ID_CP_DISPATCH_DONE, 0))
		p |= REG_CP_IRQ_PENDING_DISPATCH;
	if (regs_get(d->regs, REG_ID_CP_DMA_DONE, 0))
		p |= REG_CP_IRQ_PENDING_DMA;
	if (regs_get(d->regs, REG_ID_CP_SEM_WOKEN, 0))
		p |= REG_CP_IRQ_PENDING_SEM;
	if (timer && cycle >= timer)
		p |= REG_CP_IRQ_PENDING_TIMER;
	return p;
}

void device_irq_update(struct device *d, uint64_t cycle)
{
	bool level = cp_pending(d, cycle) != 0;

	if (level == d->cp_irq)
		return;
	d->cp_irq = level;
	cp_set_irq(d->cp, level, cycle);
}

bool device_host_irq(const struct device *d)
{
	return regs_get(d->regs, REG_ID_HOST_IRQ_STATUS, 0) & regs_get(d->regs, REG_ID_HOST_IRQ_ENABLE, 0);
}

void device_crash_report(struct device *d)
{
	const struct cp_crash *c = cp_crash(d->cp);

	if (d->crash_seen || cp_state(d->cp) != CP_CRASHED)
		return;
	d->crash_seen = true;
	regs_set(d->regs, REG_ID_HOST_CRASH_CAUSE, 0, (uint32_t)c->cause);
	regs_set(d->regs, REG_ID_HOST_CRASH_PC, 0, c->pc);
	regs_set(d->regs, REG_ID_HOST_CRASH_ADDRESS, 0, c->address);
	device_bits_set(d, REG_ID_HOST_IRQ_STATUS, REG_HOST_IRQ_STATUS_CRASH);
}

static uint64_t irq_pending_read(void *ctx, unsigned i)
{
	(void)i;
	return cp_pending(ctx, device_time(ctx));
}

/* A source was cleared at its own register. */
static void source_write(void *ctx, unsigned i, uint64_t v)
{
	(void)i, (void)v;
	device_irq_update(ctx, device_time(ctx));
}

static void timer_write(void *ctx, unsigned i, uint64_t v)
{
	(void)i, (void)v;
	device_irq_update(ctx, device_time(ctx));
	cp_yield(device(ctx)->cp); /* the slice may have to end earlier now */
}

static void host_irq_write(void *ctx, unsigned i, uint64_t v)
{
	(void)i;
	device_bits_set(ctx, REG_ID_HOST_IRQ_STATUS, v);
	if (device_host_irq(ctx))
		cp_yield(device(ctx)->cp);
}

/* ---- queues ---- */

static void doorbell_write(void *ctx, unsigned i, uint64_t v)
{
	(void)v;
	device_bits_set(ctx, REG_ID_CP_DOORBELL_PENDING, 1u << i);
	device_irq_update(ctx, device_time(ctx));
}

static void queue_desc_write(void *ctx, unsigned i, uint64_t v)
{
	(void)v;
	device_bits_set(ctx, REG_ID_CP_QUEUE_PENDING, 1u << i);
	device_irq_update(ctx, device_time(ctx));
}

static void queue_state_write(void *ctx, unsigned i, uint64_t v)
{
	regs_set(device(ctx)->regs, REG_ID_HOST_QUEUE_STATE, i, v);
}

const struct reg_hook device_irq_hooks[REG_NUM_IDS] = {
	[REG_ID_HOST_DOORBELL] = { .write = doorbell_write },
	[REG_ID_HOST_QUEUE_DESC] = { .write = queue_desc_write },
	[REG_ID_CP_IRQ_PENDING] = { .read = irq_pending_read },
	[REG_ID_CP_HOST_IRQ] = { .write = host_irq_write },
	[REG_ID_CP_TIMER] = { .write = timer_write },
	[REG_ID_CP_DOORBELL_PENDING] = { .write = source_write },
	[REG_ID_CP_QUEUE_PENDING] = { .write = source_write },
	[REG_ID_CP_DISPATCH_DONE] = { .write = source_write },
	[REG_ID_CP_DMA_DONE] = { .write = source_write },
	[REG_ID_CP_SEM_WOKEN] = { .write = source_write },
	[REG_ID_CP_QUEUE_STATE_SET] = { .write = queue_state_write },
};
