#include "model/device.h"
#include "base/limit.h"
#include "model/mem/dram_hash.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longest time that blocks which are busy together run apart. */
enum { SLICE_CYCLES = 128 };

/* ---- time ---- */

static uint64_t min(uint64_t a, uint64_t b) { return a < b ? a : b; }
static uint64_t max(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* Cycle at which the timer will wake the command processor, or at which a late doorbell is due;
 * UINT64_MAX when neither will be. */
static uint64_t timer_next(const struct device *d)
{
	uint64_t timer = regs_get(d->regs, REG_ID_CP_TIMER, 0);
	enum cp_state s = cp_state(d->cp);

	if (timer <= d->now || (s != CP_RUNNING && s != CP_WAITING))
		timer = UINT64_MAX;
	return min(timer, d->due_at);
}

/* When the compute units go on by themselves. Asked in every slice, most of which have no dispatch. */
static uint64_t units_next(const struct device *d)
{
	return d->dispatch_busy ? compute_next(d->compute) : UINT64_MAX;
}

/* When a transfer or a media job goes on by itself. */
static uint64_t transfers_next(const struct device *d)
{
	return __builtin_expect(d->media_busy, 0) ? min(dma_next(d->dma), media_next(d->media)) : dma_next(d->dma);
}

/* Blocks that have something to do in this cycle run for one cycle side by side; one alone, until another has. A transfer
 * is never alone here: in the middle of it the command processor may be woken. */
static uint64_t exact_end(const struct device *d, uint64_t end)
{
	const uint64_t cp = cp_next(d->cp), units = units_next(d), transfers = transfers_next(d);

	if (transfers <= d->now || (cp <= d->now && units <= d->now))
		return min(end, d->now + 1);
	return min(min(end, transfers), cp <= d->now ? units : cp);
}

static uint64_t slice_end(const struct device *d, uint64_t target)
{
	uint64_t end = min(min(target, d->crash_at), timer_next(d)), transfers = transfers_next(d);

	if (d->exact)
		return exact_end(d, end);
	if (cp_next(d->cp) == UINT64_MAX) /* asleep: a transfer's end must wake it in time */
		return min(end, max(transfers, d->now + 1));
	if (transfers == UINT64_MAX && units_next(d) == UINT64_MAX)
		return end;
	return min(end, d->now + SLICE_CYCLES);
}

/* Blocks that are woken in the past catch up with events of before now. */
__attribute__((cold, noinline)) static void events_settle(struct device *d)
{
	if (d->events->complete)
		d->events->complete(d->events, min(min(d->now, cp_next(d->cp)), min(transfers_next(d), units_next(d))));
}

/* Time goes on to this cycle. */
static void time_set(struct device *d, uint64_t cycle)
{
	d->now = cycle;
	if (EVENT_WANTED(d->events))
		events_settle(d);
}

/* The host's time from here on is this block's. */
static void block_enter(struct device *d, enum profile_block block)
{
	if (__builtin_expect(d->profile != NULL, 0))
		profile_block_enter(d->profile, block);
}

/* One slice from now to end, or to where it must end early; now moves there. */
static void slice_run(struct device *d, uint64_t end)
{
	if (cp_next(d->cp) < end) {
		uint64_t begin = max(cp_cycle(d->cp), d->now);
		block_enter(d, PROFILE_CP);
		d->in_cp = true;
		cp_tick(d->cp, end);
		d->in_cp = false;
		block_enter(d, PROFILE_BUS);
		if (d->profile && cp_cycle(d->cp) > begin)
			profile_cp_cycles(d->profile, cp_cycle(d->cp) - begin);
		end = min(end, max(cp_cycle(d->cp), d->now));
		device_crash_report(d);
	}
	if (d->reset_asked) {
		time_set(d, end);
		device_reset(d);
		return;
	}
	if (units_next(d) < end) {
		block_enter(d, PROFILE_COMPUTE);
		end = min(end, max(compute_tick(d->compute, end), d->now));
	}
	block_enter(d, PROFILE_DMA);
	dma_tick(d->dma, end);
	if (__builtin_expect(d->media_busy, 0)) {
		block_enter(d, PROFILE_MEDIA);
		media_tick(d->media, end);
	}
	block_enter(d, PROFILE_BUS);
	time_set(d, end);
}

/* Whether DMA engines have the device for themselves until one of them reports. Not when an observer is shown every slice,
 * or an armed fault may have to be told of. */
static bool dma_alone(const struct device *d)
{
	return cp_next(d->cp) == UINT64_MAX && !d->dispatch_busy && !d->media_busy && !EVENT_WANTED(d->events) && !d->inject.armed;
}

static void dma_slices_run(struct device *d, uint64_t end, uint64_t target)
{
	block_enter(d, PROFILE_DMA);
	end = dma_tick_alone(d->dma, end, min(min(target, d->crash_at), timer_next(d)));
	block_enter(d, PROFILE_BUS);
	time_set(d, end);
}

/* Runs to cycle target, or until an enabled interrupt is pending if stop is set. */
static enum bus_wait device_run(struct device *d, uint64_t target, bool stop)
{
	for (;;) {
		uint64_t next;

		if (__builtin_expect(d->now >= min(d->due_at, d->crash_at), 0))
			device_due(d);
		device_memory_errors(d);
		device_irq_update(d, d->now); /* the timer */
		if (stop && device_host_irq(d))
			return BUS_WAIT_IRQ;
		if (d->now >= target)
			return BUS_WAIT_LIMIT;
		next = min(min(cp_next(d->cp), timer_next(d)), min(transfers_next(d), units_next(d)));
		if (next == UINT64_MAX)
			return BUS_WAIT_IDLE;
		next = min(next, d->crash_at);
		if (next >= target) {
			time_set(d, target);
			return BUS_WAIT_LIMIT;
		}
		if (next > d->now) {
			time_set(d, next);
			continue; /* it may be the timer, which wakes the command processor */
		}
		if (dma_alone(d))
			dma_slices_run(d, slice_end(d, target), target);
		else
			slice_run(d, slice_end(d, target));
	}
}

/* ---- the bus ---- */

static struct device *device_of(struct bus *b) { return (struct device *)b; }

static uint64_t later(uint64_t now, uint64_t cycles) { return cycles > UINT64_MAX - now ? UINT64_MAX : now + cycles; }

static void run_to(struct device *d, uint64_t target)
{
	device_run(d, target, false);
	if (d->now < target)
		time_set(d, target);
}

/* Lets the time of one MMIO access pass, and that in which the register's block is not ready. */
static void mmio_begin(struct device *d, uint32_t cycles, uint32_t offset, unsigned bytes, bool write)
{
	uint64_t cycle;

	mmu_check_generation(d->mmu);
	run_to(d, later(max(d->now, d->held), cycles));
	while (__builtin_expect(d->stalls, 0) && device_stalled(d, REG_BANK_HOST, offset, bytes, write, (cycle = d->now, &cycle)))
		run_to(d, cycle);
}

static void access_kept(struct device *d)
{
	if (__builtin_expect(d->profile != NULL, 0))
		profile_stamp(d->profile);
}

static uint64_t host_read(struct bus *b, uint32_t offset, unsigned bytes)
{
	struct device *d = device_of(b);
	uint64_t value;

	mmio_begin(d, d->config->mmio_read_cycles, offset, bytes, false);
	value = regs_read(d->regs, REG_MASTER_HOST, REG_BANK_HOST, offset, bytes);
	EVENT_SEND(d->events, .cycle = d->now, .kind = EVENT_MMIO_READ, .unit = UNIT_HOST, .queue = EVENT_NO_QUEUE,
		   .a = offset, .b = value, .c = bytes);
	access_kept(d);
	return value;
}

static void host_write(struct bus *b, uint32_t offset, unsigned bytes, uint64_t value)
{
	struct device *d = device_of(b);

	mmio_begin(d, d->config->mmio_write_cycles, offset, bytes, true);
	EVENT_SEND(d->events, .cycle = d->now, .kind = EVENT_MMIO_WRITE, .unit = UNIT_HOST, .queue = EVENT_NO_QUEUE,
		   .a = offset, .b = value, .c = bytes);
	regs_write(d->regs, REG_BANK_HOST, offset, bytes, value);
	if (d->write_until > d->now)
		run_to(d, d->write_until);
	access_kept(d);
}

static uint32_t bus_op_read32(struct bus *b, uint32_t offset) { return (uint32_t)host_read(b, offset, 4); }
static uint64_t bus_op_read64(struct bus *b, uint32_t offset) { return host_read(b, offset, 8); }
static void bus_op_write32(struct bus *b, uint32_t offset, uint32_t v) { host_write(b, offset, 4, v); }
static void bus_op_write64(struct bus *b, uint32_t offset, uint64_t v) { host_write(b, offset, 8, v); }

static enum bus_wait bus_op_wait_irq(struct bus *b, uint64_t limit)
{
	struct device *d = device_of(b);

	mmu_check_generation(d->mmu);
	const enum bus_wait why = device_run(d, later(d->now, limit), true);
	access_kept(d);
	return why;
}

static uint64_t bus_op_cycle(struct bus *b) { return device_of(b)->now; }
static bool bus_op_progress(struct bus *b, unsigned slot, struct bus_progress *p) { return device_progress(device_of(b), slot, p); }

static bool bus_op_counters(struct bus *b, struct counter_values *v)
{
	device_counters(device_of(b), v);
	return true;
}

static void bus_op_close(struct bus *b)
{
	struct device *d = device_of(b);

	if (d->profile && d->compute) {
		compute_profile_end(d->compute);
		profile_finish(d->profile);
		profile_stamp(d->profile);
	}
	dram_hash_end(&d->mem);
	compute_destroy(d->compute);
	cp_destroy(d->cp);
	media_destroy(d->media);
	dma_destroy(d->dma);
	mmu_destroy(d->mmu);
	cache_destroy(d->cache);
	l2_destroy(d->l2);
	regs_destroy(d->regs);
	profile_destroy(d->profile);
	physmem_fini(&d->mem);
	free(d);
}

static const struct bus_ops device_ops = {
	.read32 = bus_op_read32,
	.read64 = bus_op_read64,
	.write32 = bus_op_write32,
	.write64 = bus_op_write64,
	.wait_irq = bus_op_wait_irq,
	.cycle = bus_op_cycle,
	.progress = bus_op_progress,
	.counters = bus_op_counters,
	.close = bus_op_close,
};

/* ---- the command processor's view of the registers ---- */

static bool cp_mmio_read(void *ctx, uint32_t offset, unsigned bytes, uint64_t *value, uint64_t *cycle)
{
	struct device *d = ctx;
	enum reg_bank bank = offset < REG_BANK_CP_OFFSET ? REG_BANK_HOST : REG_BANK_CP;

	if (__builtin_expect(d->stalls, 0) && device_stalled(d, bank, offset % REG_BANK_CP_OFFSET, bytes, false, cycle))
		return false;
	*value = regs_read(d->regs, REG_MASTER_CP, bank, offset % REG_BANK_CP_OFFSET, bytes);
	return true;
}

static bool cp_mmio_write(void *ctx, uint32_t offset, unsigned bytes, uint64_t value, uint64_t *cycle)
{
	struct device *d = ctx;
	enum reg_bank bank = offset < REG_BANK_CP_OFFSET ? REG_BANK_HOST : REG_BANK_CP;

	if (__builtin_expect(d->stalls, 0) && device_stalled(d, bank, offset % REG_BANK_CP_OFFSET, bytes, true, cycle))
		return false;
	regs_write(d->regs, bank, offset % REG_BANK_CP_OFFSET, bytes, value);
	if (__builtin_expect(*cycle < d->held, 0))
		*cycle = d->held;
	if (bank == REG_BANK_HOST || d->exact) /* whatever the host, or another block, may be waiting for */
		cp_yield(d->cp);
	return true;
}

/* ---- opening ---- */

/* One table of all the files that know registers. */
static void hooks_gather(struct device *d)
{
	static const struct reg_hook *const tables[] = { device_control_hooks, device_irq_hooks, device_slot_hooks,
							 device_counter_hooks, device_inject_hooks };

	for (unsigned t = 0; t < sizeof(tables) / sizeof(*tables); t++)
		for (unsigned i = 0; i < REG_NUM_IDS; i++)
			if (tables[t][i].read || tables[t][i].write)
				d->hooks[i] = tables[t][i];
}

static void private_memory(void *ctx, uint64_t pa, uint64_t bytes)
{
	dram_hash_private(&((struct device *)ctx)->mem, pa, bytes);
}

static bool blocks_create(struct device *d, const struct bus_params *p)
{
	struct sem_params sem = { .mem = &d->mem, .stored = device_sem_stored, .woken = device_sem_woken, .ctx = d };
	struct cp_params cp = { .mem = &d->mem,
				.speed = p->speed,
				.mmio_read = cp_mmio_read,
				.mmio_write = cp_mmio_write,
				.ctx = d };
	struct dma_params dma = { .config = d->config,
				  .speed = p->speed,
				  .mem = &d->mem,
				  .result = device_dma_result,
				  .ctx = d };
	struct media_params media = { .config = d->config, .speed = p->speed, .mem = &d->mem, .result = device_media_result, .ctx = d };
	struct compute_params compute = { .config = d->config,
					  .speed = p->speed,
					  .simd = SIMD_AUTO,
					  .mem = &d->mem,
					  .result = device_dispatch_result,
					  .private_memory = dram_hash_asked() ? private_memory : NULL,
					  .ctx = d };
	bool failed;

	hooks_gather(d);
	d->regs = regs_create(d->hooks, d, d->config, d->index);
	d->l2 = l2_create(d->config, p->speed);
	if (!d->regs || !d->l2)
		return false;
	l2_observe(d->l2, d->events);
	sem.l2 = p->speed == BUS_TIMED ? d->l2 : NULL;
	sem_init(&d->sem, &sem);
	d->mmu = mmu_create(d->config, &d->mem, d->l2);
	if (!d->mmu)
		return false;
	d->mem.cache = d->cache = cache_create(d->config, &d->mem, d->events, &failed);
	if (failed)
		return false;
	if (d->cache)
		cache_charge(d->cache, d->l2);
	d->timed = d->mem.charged = p->speed == BUS_TIMED;
	if (p->profile) {
		d->profile = profile_create(d->config, p->speed, p->profile);
		if (!d->profile)
			return false;
		profile_of(d->profile, d);
	}
	compute.profile = d->profile;
	cp.l2 = dma.l2 = media.l2 = compute.l2 = d->l2;
	dma.mmu = media.mmu = compute.mmu = d->mmu;
	d->cp = cp_create(&cp);
	d->dma = dma_create(&dma);
	d->media = media_create(&media);
	d->compute = compute_create(&compute);
	return d->cp && d->dma && d->media && d->compute;
}

struct bus *device_open(const struct bus_params *p, const struct device_config *config, const char **error)
{
	struct device *d = calloc(1, sizeof(*d));
	static char message[320];

	if (!d) {
		*error = "no memory for the device model: free some";
		return NULL;
	}
	d->bus.ops = &device_ops;
	d->config_copy = *config;
	device_config_format(config, d->config_name, sizeof(d->config_name));
	d->config_copy.name = d->config_name;
	config = d->config = &d->config_copy;
	d->exact = config->exact && p->speed == BUS_TIMED;
	d->events = p->events;
	d->failed = p->failed;
	inject_init(&d->inject, d->events);
	d->inject.asked = p->injections;
	d->index = p->index;
	d->timed = p->speed == BUS_TIMED;
	d->fetch.at = d->clear_end = UINT64_MAX;
	if (physmem_init(&d->mem, (uint64_t)config->dram_mib << 20, &p->memory)) {
		snprintf(message, sizeof(message),
			 "no %u MiB of address space for the DRAM of device %u: %s%s; fewer devices (GALENA_DEVICES=1) or less "
			 "DRAM (GALENA_CONFIG=full,dram_mib=256) take less",
			 config->dram_mib, p->index, strerror(errno), limit_advice(errno));
		*error = message;
		free(d);
		return NULL;
	}
	reservations_init(&d->mem.reservations, config);
	d->mem.events = d->events;
	d->mem.inject = &d->inject;
	prot_init(&d->prot, &d->mem, d->events);
	d->mem.prot = &d->prot;
	if (!blocks_create(d, p)) {
		*error = "no memory for the blocks of the device model: free some";
		bus_op_close(&d->bus);
		return NULL;
	}
	dram_hash_begin(&d->mem, d->index, &d->now, d->compute);
	device_reset(d);
	d->reset_end = UINT64_MAX; /* power-on takes no time */
	device_due_update(d);
	return &d->bus;
}
