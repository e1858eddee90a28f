/* Side effects of registers: control, address spaces, protection unit.
 * Interrupts and queues are in device_irq.c, slots and semaphores in device_slots.c, counters in
 * device_counters.c. */
#include "model/device.h"

/* ---- control ---- */

/* RESET goes before CP_RUN of the same write. */
static void ctrl_write(struct device *d, NO_INDEX, uint64_t v)
{
	bool run = v & REG_HOST_CTRL_CP_RUN;

	if (v & REG_HOST_CTRL_RESET) {
		regs_set(d->regs, REG_ID_HOST_CTRL, 0, 0);
		if (d->in_cp) {
			d->reset_asked = true;
			cp_control(d->cp, &(struct cp_control){ .run = false }, device_time(d));
		} else {
			device_reset(d);
		}
		return;
	}
	if (run && !d->cp_run && !d->lost) {
		d->crash_seen = false;
		cp_control(d->cp, &(struct cp_control){ .run = true, .entry = regs_get(d->regs, REG_ID_HOST_CP_ENTRY, 0) }, device_time(d));
	} else if (!run && d->cp_run) {
		cp_control(d->cp, &(struct cp_control){ .run = false }, device_time(d));
	}
	d->cp_run = run;
}

static uint64_t status_read(struct device *d, NO_INDEX)
{
	enum cp_state s = cp_state(d->cp);

	return (s == CP_RUNNING || s == CP_WAITING ? REG_HOST_STATUS_CP_RUNNING : 0) |
	       (s == CP_CRASHED ? REG_HOST_STATUS_CP_CRASHED : 0) |
	       (d->dispatch_busy || dma_busy(d->dma) || d->media_busy || d->fetch.at != UINT64_MAX ? REG_HOST_STATUS_BUSY : 0) |
	       (d->reset_end != UINT64_MAX ? REG_HOST_STATUS_RESETTING : 0) |
	       (d->clear_end != UINT64_MAX ? REG_HOST_STATUS_CLEARING : 0) |
	       (d->lost ? REG_HOST_STATUS_LOST : 0);
}

static uint64_t cycle_read(struct device *d, NO_INDEX) { return device_time(d); }

static uint64_t tcm_read(struct device *d, NO_INDEX)
{
	uint64_t address = regs_get(d->regs, REG_ID_HOST_TCM_ADDR, 0), v = 0;

	cp_tcm_read(d->cp, address, &v, sizeof(v));
	regs_set(d->regs, REG_ID_HOST_TCM_ADDR, 0, (uint32_t)(address + sizeof(v)));
	return v;
}

static void tcm_write(struct device *d, NO_INDEX, uint64_t v)
{
	uint64_t address = regs_get(d->regs, REG_ID_HOST_TCM_ADDR, 0);

	cp_tcm_write(d->cp, address, &v, sizeof(v));
	regs_set(d->regs, REG_ID_HOST_TCM_ADDR, 0, (uint32_t)(address + sizeof(v)));
}

/* ---- address spaces ---- */

/* The write that makes TLBs forget is over when they have been gone through. */
static void invalidation_waits(struct device *d, enum mmu_scope scope)
{
	if (d->timed)
		d->held = device_time(d) + (scope == MMU_PAGE ? 1 : mmu_l2_sets(d->mmu));
}

/* Where a translation goes away, another may come that shows other code at the same address. */
static void ctx_table_write(struct device *d, NO_INDEX, uint64_t v)
{
	mmu_set_time(d->mmu, device_time(d));
	mmu_set_context_table(d->mmu, v);
	compute_forget(d->compute, &(struct compute_forget){ .all = true }, device_time(d));
	compute_flush_code(d->compute, device_time(d));
	invalidation_waits(d, MMU_ALL);
}

static void tlb_inv_write(struct device *d, NO_INDEX, uint64_t v)
{
	uint16_t asid = (uint16_t)(v & REG_HOST_TLB_INV_ASID);
	unsigned scope = (unsigned)(v & REG_HOST_TLB_INV_SCOPE) >> REG_HOST_TLB_INV_SCOPE_LSB;

	mmu_set_time(d->mmu, device_time(d));
	mmu_invalidate(d->mmu, (enum mmu_scope)scope, asid, regs_get(d->regs, REG_ID_HOST_TLB_INV_ADDR, 0));
	if (scope != MMU_PAGE)
		compute_forget(d->compute, &(struct compute_forget){ .all = scope != MMU_ASID, .asid = asid }, device_time(d));
	compute_flush_code(d->compute, device_time(d));
	invalidation_waits(d, (enum mmu_scope)scope);
}

/* ---- caches that are not coherent ---- */

/* A dirty line that memory does not take is dropped, and its event is all that says so. The write takes a cycle for each line that is
 * looked for, and until the bus has accepted what is written back. */
static void cache_write_op(struct device *d, NO_INDEX, uint64_t v)
{
	unsigned op = (unsigned)(v & REG_HOST_CACHE_OP) >> REG_HOST_CACHE_OP_LSB;
	uint64_t pa = regs_get(d->regs, REG_ID_HOST_CACHE_ADDR, 0), size = regs_get(d->regs, REG_ID_HOST_CACHE_SIZE, 0);
	uint64_t line = d->config->line_bytes, most = d->config->l2_bytes / line, end;

	if (!d->cache || !op)
		return;
	EVENT_SEND(d->mem.events, .cycle = device_time(d), .kind = EVENT_MAINTAIN_PAGES, .unit = UNIT_L2, .queue = EVENT_NO_QUEUE,
		   .a = pa, .b = size, .c = op);
	end = device_time(d);
	if (d->timed)
		end += !size || size / line >= most ? most : (pa % line + size - 1) / line + 1;
	cache_maintain(d->cache, pa, size, op, end);
	if (!d->in_cp && d->timed)
		d->write_until = end > cache_written(d->cache) ? end : cache_written(d->cache);
}

/* ---- protection unit ---- */

/* What jobs may touch has changed: translations say so, and decoded instructions come from translations. */
static void rights_changed(struct device *d)
{
	mmu_set_time(d->mmu, device_time(d));
	mmu_invalidate(d->mmu, MMU_ALL, 0, 0);
	compute_flush_code(d->compute, device_time(d));
}

uint64_t device_clear_from(const struct device *d, uint64_t bytes)
{
	const uint64_t from = d->clear_end != UINT64_MAX && d->clear_end > device_time(d) ? d->clear_end : device_time(d);

	if (!d->timed || (!bytes && d->clear_end == UINT64_MAX))
		return UINT64_MAX;
	return from + (bytes + d->config->dram_bytes_cycle - 1) / d->config->dram_bytes_cycle;
}

void device_clear_end(struct device *d)
{
	d->clear_end = UINT64_MAX;
	if (prot_cleared(&d->prot))
		rights_changed(d);
}

/* BASE is held until LIMIT is written; then both take effect, or, locked, neither. */
static void prot_limit_write(struct device *d, unsigned i, uint64_t v)
{
	uint64_t cleared = 0;

	if (prot_region_set(&d->prot, i, regs_get(d->regs, REG_ID_HOST_PROT_BASE, i), v, d->timed ? &cleared : NULL, device_time(d))) {
		rights_changed(d);
		invalidation_waits(d, MMU_ALL);
	}
	regs_set(d->regs, REG_ID_HOST_PROT_BASE, i, d->prot.region[i].base);
	if (!cleared)
		return;
	d->clear_end = device_clear_from(d, cleared);
	device_due_update(d);
}

/* What is in force. */
static uint64_t prot_base_read(struct device *d, unsigned i) { return d->prot.region[i].base; }
static uint64_t prot_limit_read(struct device *d, unsigned i) { return d->prot.region[i].limit; }

static void prot_ctrl_write(struct device *d, NO_INDEX, uint64_t v)
{
	d->prot.locked = v & REG_HOST_PROT_CTRL_LOCK;
}

const struct reg_hook device_control_hooks[REG_NUM_IDS] = {
	[REG_ID_HOST_CTRL] = { .write = ctrl_write },
	[REG_ID_HOST_STATUS] = { .read = status_read },
	[REG_ID_HOST_CYCLE] = { .read = cycle_read },
	[REG_ID_HOST_TCM_DATA] = { .read = tcm_read, .write = tcm_write },
	[REG_ID_HOST_CTX_TABLE] = { .write = ctx_table_write },
	[REG_ID_HOST_TLB_INV] = { .write = tlb_inv_write },
	[REG_ID_HOST_CACHE] = { .write = cache_write_op },
	[REG_ID_HOST_PROT_CTRL] = { .write = prot_ctrl_write },
	[REG_ID_HOST_PROT_BASE] = { .read = prot_base_read },
	[REG_ID_HOST_PROT_LIMIT] = { .read = prot_limit_read, .write = prot_limit_write },
};
