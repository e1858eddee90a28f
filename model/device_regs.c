/* Side effects of registers: hooks of the register engine, found by the register's id. */
#include "model/device.h"
#include "abi_hash.h"

static struct device *device(void *ctx) { return ctx; }

uint64_t device_time(const struct device *d) { return d->in_cp ? cp_cycle(d->cp) : d->now; }

static void set_bits(struct device *d, enum reg_id id, uint64_t bits)
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
	set_bits(d, REG_ID_HOST_IRQ_STATUS, REG_HOST_IRQ_STATUS_CRASH);
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
	set_bits(ctx, REG_ID_HOST_IRQ_STATUS, v);
	if (device_host_irq(ctx))
		cp_yield(device(ctx)->cp);
}

/* ---- identification and control ---- */

static void identify(struct device *d)
{
	const struct device_config *c = d->config;

	regs_set(d->regs, REG_ID_HOST_ABI_HASH, 0, GALENA_ABI_HASH);
	regs_set(d->regs, REG_ID_HOST_NUM_CU, 0, c->num_cu);
	regs_set(d->regs, REG_ID_HOST_WARPS_PER_CU, 0, c->warps_per_cu);
	regs_set(d->regs, REG_ID_HOST_LANES, 0, c->lanes);
	regs_set(d->regs, REG_ID_HOST_LDS_BYTES, 0, c->lds_bytes);
	regs_set(d->regs, REG_ID_HOST_DRAM_SIZE, 0, (uint64_t)c->dram_mib << 20);
	regs_set(d->regs, REG_ID_HOST_CLOCK_MHZ, 0, c->clock_mhz);
	regs_set(d->regs, REG_ID_HOST_MAX_WG_SIZE, 0, c->max_wg_size);
	regs_set(d->regs, REG_ID_HOST_DEVICE_INDEX, 0, d->index);
	regs_set(d->regs, REG_ID_HOST_LINE_BYTES, 0, c->line_bytes);
	regs_set(d->regs, REG_ID_HOST_L2_BYTES, 0, c->l2_bytes);
	regs_set(d->regs, REG_ID_HOST_NUM_DMA, 0, c->dma_engines);
	regs_set(d->regs, REG_ID_HOST_FEATURES, 0, c->coherent ? REG_HOST_FEATURES_COHERENT : 0);
}

/* Memory and the cycle counter go on as they are. */
void device_reset(struct device *d)
{
	cp_stop(d->cp);
	for (unsigned s = 0; s < COMPUTE_SLOTS; s++)
		compute_abort(d->compute, s, d->now);
	compute_flush_code(d->compute);
	dma_reset(d->dma);
	sem_reset(&d->sem);
	mmu_set_context_table(d->mmu, 0);
	regs_reset(d->regs);
	identify(d);
	d->cp_run = d->crash_seen = d->reset_asked = d->cp_irq = false;
	cp_set_irq(d->cp, false, d->now);
	d->dispatch_busy = 0;
	d->faults = 0;
	d->base = (struct device_base){ .compute = *compute_counters(d->compute),
					.mmu = *mmu_counters(d->mmu),
					.l2 = *l2_counters(d->l2),
					.dma_bytes = dma_bytes(d->dma),
					.cp_insns = cp_insns(d->cp) };
}

/* RESET goes before CP_RUN of the same write. */
static void ctrl_write(void *ctx, unsigned i, uint64_t v)
{
	struct device *d = ctx;
	bool run = v & REG_HOST_CTRL_CP_RUN;

	(void)i;
	if (v & REG_HOST_CTRL_RESET) {
		regs_set(d->regs, REG_ID_HOST_CTRL, 0, 0);
		if (d->in_cp) {
			d->reset_asked = true;
			cp_stop(d->cp);
		} else {
			device_reset(d);
		}
		return;
	}
	if (run && !d->cp_run) {
		d->crash_seen = false;
		cp_start(d->cp, regs_get(d->regs, REG_ID_HOST_CP_ENTRY, 0), device_time(d));
	} else if (!run && d->cp_run) {
		cp_stop(d->cp);
	}
	d->cp_run = run;
}

static uint64_t status_read(void *ctx, unsigned i)
{
	struct device *d = ctx;
	enum cp_state s = cp_state(d->cp);

	(void)i;
	return (s == CP_RUNNING || s == CP_WAITING ? REG_HOST_STATUS_CP_RUNNING : 0) |
	       (s == CP_CRASHED ? REG_HOST_STATUS_CP_CRASHED : 0) |
	       (d->dispatch_busy || dma_busy(d->dma) ? REG_HOST_STATUS_BUSY : 0);
}

static uint64_t cycle_read(void *ctx, unsigned i)
{
	(void)i;
	return device_time(ctx);
}

static uint64_t tcm_read(void *ctx, unsigned i)
{
	struct device *d = ctx;
	uint64_t address = regs_get(d->regs, REG_ID_HOST_TCM_ADDR, 0), v = 0;

	(void)i;
	cp_tcm_read(d->cp, address, &v, sizeof(v));
	regs_set(d->regs, REG_ID_HOST_TCM_ADDR, 0, (uint32_t)(address + sizeof(v)));
	return v;
}

static void tcm_write(void *ctx, unsigned i, uint64_t v)
{
	struct device *d = ctx;
	uint64_t address = regs_get(d->regs, REG_ID_HOST_TCM_ADDR, 0);

	(void)i;
	cp_tcm_write(d->cp, address, &v, sizeof(v));
	regs_set(d->regs, REG_ID_HOST_TCM_ADDR, 0, (uint32_t)(address + sizeof(v)));
}

/* ---- address spaces ---- */

/* Where a translation goes away, another may come that shows other code at the same address. */
static void ctx_table_write(void *ctx, unsigned i, uint64_t v)
{
	(void)i;
	mmu_set_context_table(device(ctx)->mmu, v);
	compute_flush_code(device(ctx)->compute);
}

static void tlb_inv_write(void *ctx, unsigned i, uint64_t v)
{
	struct device *d = ctx;
	uint16_t asid = (uint16_t)(v & REG_HOST_TLB_INV_ASID);
	unsigned scope = (unsigned)(v & REG_HOST_TLB_INV_SCOPE) >> REG_HOST_TLB_INV_SCOPE_LSB;

	(void)i;
	mmu_invalidate(d->mmu, (enum mmu_scope)scope, asid, regs_get(d->regs, REG_ID_HOST_TLB_INV_ADDR, 0));
	compute_flush_code(d->compute);
}

/* ---- queues ---- */

static void doorbell_write(void *ctx, unsigned i, uint64_t v)
{
	(void)v;
	set_bits(ctx, REG_ID_CP_DOORBELL_PENDING, 1u << i);
	device_irq_update(ctx, device_time(ctx));
}

static void queue_desc_write(void *ctx, unsigned i, uint64_t v)
{
	(void)v;
	set_bits(ctx, REG_ID_CP_QUEUE_PENDING, 1u << i);
	device_irq_update(ctx, device_time(ctx));
}

static void queue_state_write(void *ctx, unsigned i, uint64_t v)
{
	regs_set(device(ctx)->regs, REG_ID_HOST_QUEUE_STATE, i, v);
}

/* ---- semaphores ---- */

void device_sem_woken(void *ctx, unsigned queue, uint64_t address, enum fault f)
{
	struct device *d = ctx;

	regs_set(d->regs, REG_ID_CP_SEM_WAIT, queue, 0);
	regs_set(d->regs, REG_ID_CP_SEM_STATUS, queue, f);
	if (f) {
		d->faults++;
		regs_set(d->regs, REG_ID_CP_FAULT_ADDRESS, queue, address);
		regs_set(d->regs, REG_ID_CP_FAULT_PC, queue, 0);
		regs_set(d->regs, REG_ID_CP_FAULT_INFO, queue, UNIT_SEM | ACCESS_READ << 16);
	}
	set_bits(d, REG_ID_CP_SEM_WOKEN, 1u << queue);
	device_irq_update(d, device_time(d));
}

static void sem_wait_write(void *ctx, unsigned i, uint64_t v)
{
	struct device *d = ctx;

	regs_set(d->regs, REG_ID_CP_SEM_STATUS, i, FAULT_NONE);
	sem_arm(&d->sem, i, v, regs_get(d->regs, REG_ID_CP_SEM_WAIT_VALUE, i));
}

static void sem_store_write(void *ctx, unsigned i, uint64_t v)
{
	struct device *d = ctx;
	enum fault f = sem_store(&d->sem, v, regs_get(d->regs, REG_ID_CP_SEM_STORE_VALUE, 0));

	(void)i;
	d->faults += f != FAULT_NONE;
	regs_set(d->regs, REG_ID_CP_SEM_STORE_STATUS, 0, f);
}

/* A payload that the host names and that is not there is the host's mistake: counted, no more. */
static void sem_signal_write(void *ctx, unsigned i, uint64_t v)
{
	struct device *d = ctx;

	(void)i;
	d->faults += sem_store(&d->sem, v, regs_get(d->regs, REG_ID_HOST_SEM_VALUE, 0)) != FAULT_NONE;
}

static void sem_notify_write(void *ctx, unsigned i, uint64_t v)
{
	(void)i;
	sem_notify(&device(ctx)->sem, v);
}

/* ---- dispatch and DMA slots ---- */

/* Details of a fault of the slot; lane details are zero unless a lane is given. */
static void fault_set(struct device *d, unsigned slot, const struct compute_fault *f)
{
	const uint32_t *g = f->group_id, *l = f->local_id;

	d->faults += f->code != FAULT_ABORTED;
	regs_set(d->regs, REG_ID_CP_FAULT_ADDRESS, slot, f->address);
	regs_set(d->regs, REG_ID_CP_FAULT_PC, slot, f->pc);
	regs_set(d->regs, REG_ID_CP_FAULT_INFO, slot, f->unit | (uint64_t)f->access << 16);
	regs_set(d->regs, REG_ID_CP_FAULT_GROUP_XY, slot, g[0] | (uint64_t)g[1] << 32);
	regs_set(d->regs, REG_ID_CP_FAULT_GROUP_Z, slot, g[2]);
	regs_set(d->regs, REG_ID_CP_FAULT_LOCAL, slot,
		 (l[0] & 0xffff) | (uint64_t)(l[1] & 0xffff) << 16 | (uint64_t)(l[2] & 0xffff) << 32);
}

void device_dispatch_done(void *ctx, unsigned slot, uint64_t start, uint64_t end, const struct compute_fault *f)
{
	struct device *d = ctx;

	if (f)
		fault_set(d, slot, f);
	regs_set(d->regs, REG_ID_CP_DISPATCH_STATUS, slot, f ? f->code : FAULT_NONE);
	regs_set(d->regs, REG_ID_CP_DISPATCH_CYCLE, slot, start);
	d->dispatch_busy &= ~(1u << slot);
	set_bits(d, REG_ID_CP_DISPATCH_DONE, 1u << slot);
	device_irq_update(d, end);
}

void device_dma_done(void *ctx, unsigned slot, uint64_t start, uint64_t end, const struct dma_fault *f)
{
	struct device *d = ctx;

	if (f) {
		struct compute_fault details = { .code = f->code,
						 .unit = UNIT_DMA,
						 .access = f->access,
						 .address = f->address };

		fault_set(d, slot, &details);
	}
	regs_set(d->regs, REG_ID_CP_DMA_STATUS, slot, f ? f->code : FAULT_NONE);
	regs_set(d->regs, REG_ID_CP_DMA_CYCLE, slot, start);
	set_bits(d, REG_ID_CP_DMA_DONE, 1u << slot);
	device_irq_update(d, end);
}

/* Packets lie in local memory or in memory. */
static enum fault packet_read(struct device *d, uint64_t pa, union packet *p)
{
	if (cp_tcm_read(d->cp, pa, p, sizeof(*p)))
		return FAULT_NONE;
	return physmem_read(&d->mem, pa, p, sizeof(*p));
}

static uint64_t dispatch_busy_read(void *ctx, unsigned i)
{
	(void)i;
	return device(ctx)->dispatch_busy;
}

/* Starting a slot that is busy, or that does not exist, does nothing. */
static void dispatch_start_write(void *ctx, unsigned i, uint64_t slot)
{
	struct device *d = ctx;
	struct compute_fault fault = { .unit = UNIT_CP, .access = ACCESS_READ };
	uint64_t now = device_time(d);
	union packet p;

	(void)i;
	if (slot >= COMPUTE_SLOTS || d->dispatch_busy >> slot & 1)
		return;
	fault.address = regs_get(d->regs, REG_ID_CP_DISPATCH_PACKET, (unsigned)slot);
	fault.code = packet_read(d, fault.address, &p);
	if (!fault.code && p.head.type != PACKET_CODE_dispatch)
		fault.code = FAULT_BAD_PACKET;
	if (!fault.code)
		fault.code = compute_start(d->compute, (unsigned)slot, &p.dispatch,
					   regs_get(d->regs, REG_ID_CP_DISPATCH_SCRATCH, (unsigned)slot),
					   regs_get(d->regs, REG_ID_CP_DISPATCH_SCRATCH_SIZE, (unsigned)slot),
					   (uint16_t)regs_get(d->regs, REG_ID_CP_DISPATCH_ASID, (unsigned)slot), now);
	if (fault.code)
		device_dispatch_done(d, (unsigned)slot, now, now, &fault);
	else
		d->dispatch_busy |= 1u << slot;
	cp_yield(d->cp);
}

static void dispatch_abort_write(void *ctx, unsigned i, uint64_t slot)
{
	struct device *d = ctx;

	(void)i;
	if (slot < COMPUTE_SLOTS && d->dispatch_busy >> slot & 1)
		compute_abort(d->compute, (unsigned)slot, device_time(d));
}

static void dma_start_write(void *ctx, unsigned i, uint64_t slot)
{
	struct device *d = ctx;
	uint64_t now = device_time(d), pa;
	union packet p;
	enum fault f;

	(void)i;
	if (slot >= DMA_SLOTS || dma_busy(d->dma) >> slot & 1)
		return;
	pa = regs_get(d->regs, REG_ID_CP_DMA_PACKET, (unsigned)slot);
	f = packet_read(d, pa, &p);
	if (f) {
		struct dma_fault fault = { .code = f, .access = ACCESS_READ, .address = pa };

		device_dma_done(d, (unsigned)slot, now, now, &fault);
		return;
	}
	dma_start(d->dma, (unsigned)slot, &p,
		  (uint16_t)regs_get(d->regs, REG_ID_CP_DISPATCH_ASID, (unsigned)slot), now);
	cp_yield(d->cp);
}

/* ---- counters ---- */

#define COUNTER(name, value)                                                                       \
	static uint64_t name##_read(void *ctx, unsigned i)                                         \
	{                                                                                          \
		const struct device *d = ctx;                                                      \
		(void)i;                                                                           \
		return (value);                                                                    \
	}
COUNTER(lane_insns, compute_counters(d->compute)->lane_insns - d->base.compute.lane_insns)
COUNTER(warp_insns, compute_counters(d->compute)->warp_insns - d->base.compute.warp_insns)
COUNTER(cu_busy, compute_counters(d->compute)->busy_cycles - d->base.compute.busy_cycles)
COUNTER(l1_hit, compute_counters(d->compute)->l1_hit - d->base.compute.l1_hit)
COUNTER(l1_miss, compute_counters(d->compute)->l1_miss - d->base.compute.l1_miss)
COUNTER(dispatches, compute_counters(d->compute)->dispatches - d->base.compute.dispatches)
COUNTER(work_groups, compute_counters(d->compute)->work_groups - d->base.compute.work_groups)
COUNTER(tlb_l1_miss, mmu_counters(d->mmu)->l1_miss - d->base.mmu.l1_miss)
COUNTER(tlb_l2_miss, mmu_counters(d->mmu)->l2_miss - d->base.mmu.l2_miss)
COUNTER(l2_hit, l2_counters(d->l2)->hit - d->base.l2.hit)
COUNTER(l2_miss, l2_counters(d->l2)->miss - d->base.l2.miss)
COUNTER(dma_byte, dma_bytes(d->dma) - d->base.dma_bytes)
COUNTER(cp_insn, cp_insns(d->cp) - d->base.cp_insns)
COUNTER(fault_count, d->faults)
COUNTER(sys_reads, l2_counters(d->l2)->sys_read - d->base.l2.sys_read)
COUNTER(sys_writes, l2_counters(d->l2)->sys_written - d->base.l2.sys_written)

const struct reg_hook device_reg_hooks[REG_NUM_IDS] = {
	[REG_ID_HOST_CTRL] = { .write = ctrl_write },
	[REG_ID_HOST_STATUS] = { .read = status_read },
	[REG_ID_HOST_CYCLE] = { .read = cycle_read },
	[REG_ID_HOST_TCM_DATA] = { .read = tcm_read, .write = tcm_write },
	[REG_ID_HOST_CTX_TABLE] = { .write = ctx_table_write },
	[REG_ID_HOST_TLB_INV] = { .write = tlb_inv_write },
	[REG_ID_HOST_SEM_SIGNAL] = { .write = sem_signal_write },
	[REG_ID_HOST_SEM_NOTIFY] = { .write = sem_notify_write },
	[REG_ID_HOST_DOORBELL] = { .write = doorbell_write },
	[REG_ID_HOST_QUEUE_DESC] = { .write = queue_desc_write },
	[REG_ID_HOST_CNT_LANE_INSNS] = { .read = lane_insns_read },
	[REG_ID_HOST_CNT_WARP_INSNS] = { .read = warp_insns_read },
	[REG_ID_HOST_CNT_CU_BUSY] = { .read = cu_busy_read },
	[REG_ID_HOST_CNT_DMA_BYTES] = { .read = dma_byte_read },
	[REG_ID_HOST_CNT_TLB_L1_MISS] = { .read = tlb_l1_miss_read },
	[REG_ID_HOST_CNT_TLB_L2_MISS] = { .read = tlb_l2_miss_read },
	[REG_ID_HOST_CNT_L1_HIT] = { .read = l1_hit_read },
	[REG_ID_HOST_CNT_L1_MISS] = { .read = l1_miss_read },
	[REG_ID_HOST_CNT_L2_HIT] = { .read = l2_hit_read },
	[REG_ID_HOST_CNT_L2_MISS] = { .read = l2_miss_read },
	[REG_ID_HOST_CNT_DISPATCHES] = { .read = dispatches_read },
	[REG_ID_HOST_CNT_WORK_GROUPS] = { .read = work_groups_read },
	[REG_ID_HOST_CNT_CP_INSNS] = { .read = cp_insn_read },
	[REG_ID_HOST_CNT_FAULTS] = { .read = fault_count_read },
	[REG_ID_HOST_CNT_SYS_READ] = { .read = sys_reads_read },
	[REG_ID_HOST_CNT_SYS_WRITE] = { .read = sys_writes_read },
	[REG_ID_CP_IRQ_PENDING] = { .read = irq_pending_read },
	[REG_ID_CP_HOST_IRQ] = { .write = host_irq_write },
	[REG_ID_CP_TIMER] = { .write = timer_write },
	[REG_ID_CP_DOORBELL_PENDING] = { .write = source_write },
	[REG_ID_CP_QUEUE_PENDING] = { .write = source_write },
	[REG_ID_CP_DISPATCH_DONE] = { .write = source_write },
	[REG_ID_CP_DMA_DONE] = { .write = source_write },
	[REG_ID_CP_SEM_WOKEN] = { .write = source_write },
	[REG_ID_CP_QUEUE_STATE_SET] = { .write = queue_state_write },
	[REG_ID_CP_DISPATCH_BUSY] = { .read = dispatch_busy_read },
	[REG_ID_CP_DISPATCH_START] = { .write = dispatch_start_write },
	[REG_ID_CP_DISPATCH_ABORT] = { .write = dispatch_abort_write },
	[REG_ID_CP_DMA_START] = { .write = dma_start_write },
	[REG_ID_CP_SEM_WAIT] = { .write = sem_wait_write },
	[REG_ID_CP_SEM_STORE] = { .write = sem_store_write },
};
