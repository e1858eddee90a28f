/* Side effects of registers: interrupts of both sides, and what the host says about queues. */
#include "model/device.h"
#include "abi/failures.h"

uint64_t device_time(const struct device *d) { return d->in_cp ? cp_cycle(d->cp) : d->now; }

void device_bits_set(struct device *d, enum reg_id id, uint64_t bits)
{
	regs_set(d->regs, id, 0, regs_get(d->regs, id, 0) | bits);
}

static void report_event(struct device *d, enum event_kind kind, unsigned queue, uint64_t a, uint64_t b, uint64_t c)
{
	EVENT_SEND(d->events, .cycle = device_time(d), .kind = (uint16_t)kind,
		   .unit = (uint16_t)(d->in_cp ? UNIT_CP : UNIT_HOST), .queue = (uint16_t)queue,
		   .asid = (uint16_t)(queue < REG_QUEUES ? regs_get(d->regs, REG_ID_CP_DISPATCH_ASID, queue) : 0), .a = a,
		   .b = b, .c = c);
}
/* Its words are made only for an observer. */
#define report(d, ...)                                                                             \
	do {                                                                                       \
		struct device *d_ = (d);                                                           \
		if (EVENT_WANTED(d_->events))                                                      \
			report_event(d_, __VA_ARGS__);                                             \
	} while (0)

void device_failure(const struct device *d, unsigned kind, uint64_t a, uint64_t b, uint64_t c)
{
	enum fault code = d->failed ? event_failure(kind, a, b, c) : FAULT_NONE;

	if (code)
		d->failed(code);
}

/* ---- interrupts of the command processor ---- */

static uint32_t cp_pending(const struct device *d, uint64_t cycle)
{
	static const struct {
		enum reg_id source;
		uint32_t bit;
	} causes[] = {
		{ REG_ID_CP_DOORBELL_PENDING, REG_CP_IRQ_PENDING_DOORBELL },
		{ REG_ID_CP_QUEUE_PENDING, REG_CP_IRQ_PENDING_QUEUE },
		{ REG_ID_CP_DISPATCH_DONE, REG_CP_IRQ_PENDING_DISPATCH },
		{ REG_ID_CP_DMA_DONE, REG_CP_IRQ_PENDING_DMA },
		{ REG_ID_CP_MEDIA_DONE, REG_CP_IRQ_PENDING_MEDIA },
		{ REG_ID_CP_SEM_WOKEN, REG_CP_IRQ_PENDING_SEM },
		{ REG_ID_CP_CTRL_PENDING, REG_CP_IRQ_PENDING_CTRL },
		{ REG_ID_CP_REPLAY_PENDING, REG_CP_IRQ_PENDING_REPLAY },
	};
	uint64_t timer = regs_get(d->regs, REG_ID_CP_TIMER, 0);
	uint32_t p = timer && cycle >= timer ? REG_CP_IRQ_PENDING_TIMER : 0;

	for (unsigned i = 0; i < sizeof(causes) / sizeof(*causes); i++)
		if (regs_get(d->regs, causes[i].source, 0))
			p |= causes[i].bit;
	return p;
}

void device_irq_update(struct device *d, uint64_t cycle)
{
	bool level = cp_pending(d, cycle) != 0;

	if (level == d->cp_irq)
		return;
	d->cp_irq = level;
	cp_irq(d->cp, &(struct cp_irq){ level }, cycle);
}

static uint64_t irq_pending_read(struct device *d, NO_INDEX) { return cp_pending(d, device_time(d)); }

/* A source was cleared at its own register. */
static void source_write(struct device *d, NO_INDEX, NO_VALUE)
{
	device_irq_update(d, device_time(d));
}

static void timer_write(struct device *d, NO_INDEX, NO_VALUE)
{
	device_irq_update(d, device_time(d));
	cp_yield(d->cp); /* the slice may have to end earlier now */
}

/* ---- interrupts of the host ---- */

bool device_host_irq(const struct device *d)
{
	return regs_get(d->regs, REG_ID_HOST_IRQ_STATUS, 0) & regs_get(d->regs, REG_ID_HOST_IRQ_ENABLE, 0) & ~d->irq_hidden;
}

static void irq_set(struct device *d, uint32_t bits)
{
	device_bits_set(d, REG_ID_HOST_IRQ_STATUS, bits);
	report(d, EVENT_IRQ_RAISE, EVENT_NO_QUEUE, bits, regs_get(d->regs, REG_ID_HOST_IRQ_STATUS, 0), device_host_irq(d));
}

/* Those of the bits that an armed fault is about: INJECT_ARG, 0 for all of them. */
static uint32_t irq_injected(struct device *d, enum injection kind, uint32_t bits)
{
	uint64_t arg = inject_arg(&d->inject, kind);
	uint32_t mine = arg ? bits & (uint32_t)arg : bits;

	return mine && inject_fires(&d->inject, kind, UNIT_HOST, 0, device_time(d)) ? mine : 0;
}

void device_irq_raise(struct device *d, uint32_t bits)
{
	uint32_t before = (uint32_t)regs_get(d->regs, REG_ID_HOST_IRQ_STATUS, 0);

	if (!bits)
		return;
	d->irq_hidden = 0; /* whatever was lost shows with the next cause */
	if (d->inject.armed) {
		d->irq_again |= irq_injected(d, INJECT_IRQ_DUPLICATE, bits);
		d->irq_hidden = irq_injected(d, INJECT_IRQ_LOST, bits) & ~before;
	}
	irq_set(d, bits);
}

static void host_irq_write(struct device *d, NO_INDEX, uint64_t v)
{
	device_irq_raise(d, (uint32_t)v);
	if (device_host_irq(d))
		cp_yield(d->cp);
}

static uint64_t irq_status_read(struct device *d, NO_INDEX)
{
	if (!d->in_cp)
		d->irq_hidden = 0;
	return regs_get(d->regs, REG_ID_HOST_IRQ_STATUS, 0);
}

static void irq_status_write(struct device *d, NO_INDEX, uint64_t cleared)
{
	uint32_t again = d->irq_again & (uint32_t)cleared;

	if (cleared)
		report(d, EVENT_IRQ_CLEAR, EVENT_NO_QUEUE, cleared, regs_get(d->regs, REG_ID_HOST_IRQ_STATUS, 0),
		       device_host_irq(d));
	d->irq_again &= ~again;
	if (again)
		irq_set(d, again);
}

/* ---- queues ---- */

static void cause_set(struct device *d, enum reg_id source, unsigned queue)
{
	device_bits_set(d, source, 1u << queue);
	device_irq_update(d, device_time(d));
}

static void doorbell_write(struct device *d, unsigned i, uint64_t v)
{
	if (d->lost)
		return;
	report(d, EVENT_DOORBELL, i, v, 0, 0);
	if (inject_fires(&d->inject, INJECT_DOORBELL_LATE, i, 0, device_time(d)))
		device_bell_delay(d, i, inject_arg(&d->inject, INJECT_DOORBELL_LATE));
	else
		cause_set(d, REG_ID_CP_DOORBELL_PENDING, i);
}

static void queue_desc_write(struct device *d, unsigned i, uint64_t v)
{
	(void)v;
	if (!d->lost)
		cause_set(d, REG_ID_CP_QUEUE_PENDING, i);
}

/* Writing 0 is how the firmware says that a request has been carried out. */
static void queue_ctrl_write(struct device *d, unsigned i, uint64_t v)
{
	if (v && !d->lost)
		cause_set(d, REG_ID_CP_CTRL_PENDING, i);
}

static void queue_state_write(struct device *d, unsigned i, uint64_t v)
{
	if (regs_get(d->regs, REG_ID_HOST_QUEUE_STATE, i) != v) {
		device_failure(d, EVENT_QUEUE_STATE, v, 0, 0);
		report(d, EVENT_QUEUE_STATE, i, v, 0, 0);
	}
	regs_set(d->regs, REG_ID_HOST_QUEUE_STATE, i, v);
}

/* ---- what the firmware shows to observers ---- */

static uint64_t packet_flags(uint64_t packet) { return REG_GET(packet, CP_PACKET_INDEX_FLAGS); }
static uint64_t packet_index(uint64_t packet) { return REG_GET(packet, CP_PACKET_INDEX_INDEX); }

static void packet_index_write(struct device *d, unsigned i, uint64_t v)
{
	report(d, EVENT_PACKET, i, packet_index(v), REG_GET(v, CP_PACKET_INDEX_TYPE), packet_flags(v));
}

static void packet_result_write(struct device *d, unsigned i, uint64_t v)
{
	uint64_t packet = regs_get(d->regs, REG_ID_CP_PACKET_INDEX, i);

	if (v)
		device_failure(d, EVENT_PACKET_END, packet_index(packet), v, packet_flags(packet));
	report(d, EVENT_PACKET_END, i, packet_index(packet), v, packet_flags(packet));
}

static void fw_state_write(struct device *d, NO_INDEX, uint64_t v)
{
	report(d, EVENT_FW_STATE, EVENT_NO_QUEUE, v, 0, 0);
}

const struct reg_hook device_irq_hooks[REG_NUM_IDS] = {
	[REG_ID_HOST_IRQ_STATUS] = { .read = irq_status_read, .write = irq_status_write },
	[REG_ID_HOST_FW_STATE] = { .write = fw_state_write },
	[REG_ID_HOST_DOORBELL] = { .write = doorbell_write },
	[REG_ID_HOST_QUEUE_DESC] = { .write = queue_desc_write },
	[REG_ID_HOST_QUEUE_CTRL] = { .write = queue_ctrl_write },
	[REG_ID_CP_IRQ_PENDING] = { .read = irq_pending_read },
	[REG_ID_CP_HOST_IRQ] = { .write = host_irq_write },
	[REG_ID_CP_TIMER] = { .write = timer_write },
	[REG_ID_CP_DOORBELL_PENDING] = { .write = source_write },
	[REG_ID_CP_QUEUE_PENDING] = { .write = source_write },
	[REG_ID_CP_CTRL_PENDING] = { .write = source_write },
	[REG_ID_CP_REPLAY_PENDING] = { .write = source_write },
	[REG_ID_CP_DISPATCH_DONE] = { .write = source_write },
	[REG_ID_CP_DMA_DONE] = { .write = source_write },
	[REG_ID_CP_MEDIA_DONE] = { .write = source_write },
	[REG_ID_CP_SEM_WOKEN] = { .write = source_write },
	[REG_ID_CP_QUEUE_STATE_SET] = { .write = queue_state_write },
	[REG_ID_CP_PACKET_INDEX] = { .write = packet_index_write },
	[REG_ID_CP_PACKET_RESULT] = { .write = packet_result_write },
};
