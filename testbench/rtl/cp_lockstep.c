#include "testbench/rtl/cp_lockstep.h"
#include "abi/constants.h"
#include "model/cp/cp.h"
#include "model/prot/protection.h"
#include "rtl/shim/cp_shim.h"
#include "testbench/model/fixture.h"
#include "testbench/rtl/cp_random.h"
#include <inttypes.h>

enum { LOCAL_BYTES = 0x40000, DRAM_BYTES = 16 << 20, DRAM_USED = 0x6000, SYSTEM_PAGES = 8, PROTECTED_AT = 0x3000, PROGRAM_CYCLES = 1500 };
enum side_name { MODEL, RTL, SIDES };

const char *const cp_count_name[CP_TRAPS] = {
	[CP_CYCLES] = "cycles", [CP_PROGRAMS] = "programs", [CP_RETIRED] = "instructions", [CP_INTERRUPTS] = "interrupts", [CP_CRASHES] = "crashes",
	[CP_FAILS] = "hardware errors", [CP_STOPS] = "stops", [CP_RESETS] = "resets", [CP_STARTS_WHILE_UP] = "starts with the line up", [CP_WAITS] = "waits for the line",
	[CP_STORES_WAIT] = "stores that wait", [CP_LOADS_WAIT] = "loads that wait for the buffer", [CP_REGISTERS_WAIT] = "accesses of registers that wait",
	[CP_INTERRUPTS_INSTEAD] = "interrupts in place of what waits", [CP_REGISTER_READS] = "reads of registers", [CP_REGISTER_WRITES] = "writes of registers",
	[CP_HELD] = "writes that hold the hart", [CP_DIVISIONS] = "cycles of long instructions", [CP_OUTSIDE_LOADS] = "loads from outside",
	[CP_OUTSIDE_STORES] = "stores to outside", [CP_OUTSIDE_ATOMICS] = "amos outside", [CP_OUTSIDE_TRIES] = "sc outside", [CP_TRIES_STORE] = "of both store",
	[CP_LATE_FAULTS] = "stores of atomics that are refused",
};

struct side {
	struct host host;
	struct physmem mem;
	struct prot prot;
	struct inject inject;
	struct l2 *l2;
};

struct lockstep {
	uint64_t random, now;
	struct side side[SIDES];
	struct device_config config; /* of the L2 caches */
	struct cp *model;
	struct cp_shim *shim;
	uint8_t tcm[LOCAL_BYTES + 8]; /* of the Verilated one */
	struct cp_shim_in in;
	struct cp_registers seen; /* of the model */
	uint64_t x[32];           /* what the Verilated one has written */
	unsigned long retired, retired_before;
	/* registers: the access of this cycle as the model has it; when those are ready that are not always; the end of a write that holds */
	struct { bool there, write, late; uint32_t offset; unsigned bytes; uint64_t value; } access;
	uint64_t ready_at, hold_until, answer_at, answer;
	/* memory of the Verilated one: the load that is under way, stores in the buffer, when all are taken, the last cycle of an sc or amo */
	struct { bool there; uint64_t at, data; uint32_t version; bool held; } load;
	struct { unsigned size; uint64_t address, data, at; } store[CP_SHIM_STORES];
	unsigned stores;
	uint64_t drained, atomic_until;
	/* what the program is exposed to */
	unsigned busy, lines; /* out of 256 cycles */
	uint64_t ends_at;
	uint64_t began; /* where the last instruction has begun */
	uint32_t began_word;
	bool waits; /* the instruction waits to begin */
	struct cp_lockstep_result *result;
};

static uint64_t below(struct lockstep *l, uint64_t n) { return splitmix64(&l->random) % n; }

__attribute__((format(printf, 2, 3))) static void differs(struct lockstep *l, const char *format, ...)
{
	va_list args;
	int n;

	if (l->result->text[0])
		return;
	n = snprintf(l->result->text, sizeof(l->result->text), "cycle %" PRIu64 ", program %lu, %08x at %" PRIx64 ", behind it the model is at %" PRIx64 ": ", l->now,
		     l->result->count[CP_PROGRAMS], l->began_word, l->began, l->seen.pc);
	va_start(args, format);
	vsnprintf(l->result->text + n, sizeof(l->result->text) - (size_t)n, format, args);
	va_end(args);
}

/* ---- registers, for the model ---- */

/* Some are not ready at times. */
static bool ready(const struct lockstep *l, uint32_t offset, uint64_t cycle) { return (offset >> 3 & 3) != 3 || cycle >= l->ready_at; }

static bool mmio_access(struct lockstep *l, bool write, uint32_t offset, unsigned bytes, uint64_t value, uint64_t *cycle)
{
	if (*cycle != l->now)
		differs(l, "the model accesses a register in cycle %" PRIu64, *cycle);
	if (!ready(l, offset, *cycle)) {
		*cycle = l->ready_at;
		l->access.late = true;
		return false;
	}
	l->access.there = true;
	l->access.write = write;
	l->access.offset = offset;
	l->access.bytes = bytes;
	l->access.value = value;
	return true;
}

static bool mmio_read(void *ctx, uint32_t offset, unsigned bytes, uint64_t *value, uint64_t *cycle)
{
	struct lockstep *l = ctx;

	*value = splitmix64(&l->random) >> (64 - 8 * bytes);
	return mmio_access(l, false, offset, bytes, *value, cycle);
}

static bool mmio_write(void *ctx, uint32_t offset, unsigned bytes, uint64_t value, uint64_t *cycle)
{
	struct lockstep *l = ctx;

	if (!mmio_access(l, true, offset, bytes, bytes == 4 ? (uint32_t)value : value, cycle))
		return false;
	if (below(l, 8) == 0) {
		*cycle += 1 + below(l, 20);
		l->hold_until = *cycle + 1;
		l->result->count[CP_HELD]++;
	}
	return true;
}

/* ---- what stands around both ---- */

static void side_open(struct side *s)
{
	struct bus_memory sys = host_init(&s->host, true);

	assert_int_equal(physmem_init(&s->mem, DRAM_BYTES, &sys), 0);
	reservations_init(&s->mem.reservations, device_config_find("mini"));
	prot_init(&s->prot, &s->mem, NULL);
	inject_init(&s->inject, NULL);
	s->mem.prot = &s->prot;
	s->mem.inject = &s->inject;
	prot_region_set(&s->prot, 0, DRAM_BASE + PROTECTED_AT, DRAM_BASE + PROTECTED_AT + 0x1000, NULL, 0);
	for (unsigned i = 0; i < 3; i++)
		host_page(&s->host);
	host_pin(&s->host, 2, HOST_READ);
}

static void side_close(struct side *s)
{
	l2_destroy(s->l2);
	physmem_fini(&s->mem);
	host_fini(&s->host);
}

/* Memory is slow or fast, and so deep or shallow are the queues in front of it. */
static void caches(struct lockstep *l)
{
	struct device_config *c = &l->config;

	*c = *device_config_find("mini");
	c->l2_bytes = 1 << 14;
	if (below(l, 8)) {
		c->l2_latency = (uint32_t)below(l, 8);
		c->dram_latency = (uint32_t)below(l, 12);
		c->sys_latency = (uint32_t)below(l, 12);
		c->l2_bytes_cycle = 1u << below(l, 7);
		c->sys_bytes_cycle = 1u << below(l, 6);
	}
	for (unsigned i = 0; i < SIDES; i++) {
		l2_destroy(l->side[i].l2);
		l->side[i].l2 = l2_create(c, BUS_TIMED);
		assert_non_null(l->side[i].l2);
	}
}

static void memories_are_equal(struct lockstep *l)
{
	static uint8_t tcm[LOCAL_BYTES];
	const struct side *m = &l->side[MODEL], *r = &l->side[RTL];

	assert_true(cp_tcm_read(l->model, 0, tcm, sizeof(tcm)));
	for (unsigned i = 0; i < sizeof(tcm) && memcmp(tcm, l->tcm, sizeof(tcm)); i++)
		if (tcm[i] != l->tcm[i])
			differs(l, "local memory %x is %02x, of the model %02x", i, l->tcm[i], tcm[i]);
	for (unsigned i = 0; i < DRAM_USED && memcmp(m->mem.dram, r->mem.dram, DRAM_USED); i++)
		if (m->mem.dram[i] != r->mem.dram[i])
			differs(l, "DRAM %x is %02x, of the model %02x", i, r->mem.dram[i], m->mem.dram[i]);
	if (memcmp(m->mem.dram + DRAM_BYTES - 4096, r->mem.dram + DRAM_BYTES - 4096, 4096))
		differs(l, "the end of DRAM is another");
	for (unsigned i = 0; i < SYSTEM_PAGES << 12 && memcmp(m->host.bytes, r->host.bytes, SYSTEM_PAGES << 12); i++)
		if (m->host.bytes[i] != r->host.bytes[i])
			differs(l, "system memory %x is %02x, of the model %02x", i, r->host.bytes[i], m->host.bytes[i]);
}

/* Others write memory and use the L2 cache and the bus; rights of pages, regions and armed errors change; the host writes local memory. */
static void environment(struct lockstep *l)
{
	const uint64_t place = cp_random_place[below(l, 13)] & ~7ull, value = splitmix64(&l->random), what = below(l, 1024), arg = below(l, 3);
	const uint64_t address = (arg ? 0x8000 : CP_RANDOM_ENTRY) + value % 0x400;

	if (what >= 96 && what < 112 && l->now > l->ready_at)
		l->ready_at = l->now + below(l, 40);
	if (what == 81 && (l->seen.pc + 8 <= address || address + 8 <= l->seen.pc || !l->waits)) {
		assert_true(cp_tcm_write(l->model, address, &value, 8));
		memcpy(l->tcm + address, &value, 8);
	}
	if (l->now <= l->atomic_until) /* an sc or amo has the memory */
		return;
	for (unsigned i = 0; i < SIDES; i++) {
		struct side *s = &l->side[i];

		if (what < 8 && place >= SYSTEM_BASE)
			memcpy(s->host.bytes + (place - SYSTEM_BASE), &value, 8);
		else if (what < 8)
			physmem_write(&s->mem, place, &value, 8);
		else if (what < 8 + l->busy / 4)
			l2_access(s->l2, l->now, (arg ? DRAM_BASE : SYSTEM_BASE) + value % 64 * 64 + place % 4096 / 64 * 64, 64, value >> 63);
		else if (what == 90)
			host_pin(&s->host, 3, (enum host_rights)arg);
		else if (what == 91)
			prot_region_set(&s->prot, 1, DRAM_BASE + 0x2000, DRAM_BASE + 0x2000 + (value & 1 ? 0x1000 : 0), NULL, l->now);
		else if (what == 92)
			inject_arm(&s->inject, arg ? INJECT_ECC_DOUBLE : INJECT_BUS_ERROR, (uint32_t)(1 + value % 4), INJECT_ANY_UNIT, 0, l->now);
	}
}

/* ---- the memory of the Verilated one ---- */

/* An access begins; whether it is refused. */
static bool outside(struct lockstep *l, const struct cp_shim_out *out)
{
	struct side *s = &l->side[RTL];
	const bool store = out->mem.op == CP_SHIM_STORE;
	const uint64_t address = out->mem.address;
	const unsigned bytes = 1u << out->mem.size;
	unsigned long *count = l->result->count;
	uint64_t data = out->mem.data, at;

	if (store ? physmem_store(&s->mem, UNIT_CP, address, &data, bytes, l->now) : physmem_load(&s->mem, UNIT_CP, address, memset(&data, 0, 8), bytes, l->now)) {
		count[CP_LATE_FAULTS] += store && l->load.there;
		return true;
	}
	at = l2_access(s->l2, l->now, address, bytes, store);
	count[CP_OUTSIDE_LOADS] += out->mem.op == CP_SHIM_LOAD;
	count[CP_OUTSIDE_STORES] += store;
	count[CP_OUTSIDE_ATOMICS] += out->mem.op == CP_SHIM_MODIFY;
	count[CP_OUTSIDE_TRIES] += out->mem.op == CP_SHIM_TRY;
	if (store) {
		if (l->drained < at)
			l->drained = at;
		if (l->stores == CP_SHIM_STORES) {
			differs(l, "a ninth store");
			return false;
		}
		l->store[l->stores].size = out->mem.size;
		l->store[l->stores].address = address;
		l->store[l->stores].data = out->mem.data;
		l->store[l->stores++].at = l->drained;
		return false;
	}
	if (l->load.there)
		differs(l, "a load before the answer to another one");
	l->load.there = true;
	l->load.at = at;
	l->load.data = data;
	l->load.version = (uint32_t)splitmix64(&l->random);
	l->load.held = below(l, 2);
	if (out->mem.op == CP_SHIM_RESERVE)
		l->load.version = reservations_reserve(&s->mem.reservations, address);
	if (out->mem.op == CP_SHIM_TRY)
		l->load.held = reservations_hold(&s->mem.reservations, address, out->mem.version);
	if (out->mem.op == CP_SHIM_TRY || out->mem.op == CP_SHIM_MODIFY)
		l->atomic_until = at;
	return false;
}

/* How many of the stores in the buffer, which has to hold those, the port takes in this cycle. */
static unsigned taken(const struct lockstep *l)
{
	unsigned n = 0;

	while (n < l->stores && l->store[n].at <= l->now)
		n++;
	return n;
}

static void buffer_is_equal(struct lockstep *l, const struct cp_shim_out *out, unsigned gone)
{
	if (out->stores != l->stores)
		differs(l, "%u stores in the buffer, not %u", out->stores, l->stores);
	for (unsigned i = 0; i < l->stores; i++)
		if (out->store[i].size != l->store[i].size || out->store[i].address != l->store[i].address || out->store[i].data != l->store[i].data)
			differs(l, "store %u of the buffer is to %" PRIx64, i, out->store[i].address);
	l->stores -= gone;
	memmove(l->store, l->store + gone, l->stores * sizeof(*l->store));
}

/* ---- a cycle ---- */

/* What the cycle brings to both: run, a hardware error, the line. */
static void inputs(struct lockstep *l)
{
	struct cp_shim_in *in = &l->in;
	unsigned long *count = l->result->count;
	const bool was_up = in->irq, ran = in->run, atomic = l->now <= l->atomic_until;

	in->fail = false;
	in->cycle = l->now;
	if (below(l, 256) < (in->irq ? 32 : l->lines))
		in->irq = !in->irq;
	if (in->run && !atomic && (l->now >= l->ends_at || below(l, 4096) == 0)) {
		in->run = false;
		cp_control(l->model, &(struct cp_control){ .run = false }, l->now);
		count[CP_STOPS]++;
	} else if (!in->run && l->now < l->ends_at && cp_cycle(l->model) <= l->now && below(l, 2)) {
		in->run = true;
		in->entry = below(l, 32) ? CP_RANDOM_ENTRY + below(l, 2) : LOCAL_BYTES - below(l, 16);
		cp_control(l->model, &(struct cp_control){ .run = true, .entry = in->entry }, l->now);
		count[CP_STARTS_WHILE_UP] += in->irq;
	}
	if (ran && below(l, 2)) /* nothing looks at it */
		in->entry = splitmix64(&l->random);
	if (!atomic && below(l, 4096) == 0) {
		in->fail = true;
		in->cause = 16 + below(l, 16);
		count[CP_FAILS] += cp_state(l->model) == CP_RUNNING || cp_state(l->model) == CP_WAITING;
		cp_fail(l->model, &(struct cp_fail){ .cause = in->cause }, l->now);
	}
	if (in->irq != was_up)
		cp_irq(l->model, &(struct cp_irq){ .level = in->irq }, l->now);
	in->hold = l->now < l->hold_until;
	in->taken = taken(l);
	in->reg.valid = l->answer_at == l->now;
	in->reg.data = in->reg.valid ? l->answer : splitmix64(&l->random);
	in->answer.valid = l->load.there && l->load.at == l->now;
	in->answer.data = in->answer.valid ? l->load.data : splitmix64(&l->random);
	in->answer.version = l->load.version;
	in->answer.held = l->load.held;
}

static void register_is_equal(struct lockstep *l, const struct cp_shim_out *out)
{
	const uint64_t data = out->reg.size == 2 ? (uint32_t)out->reg.data : out->reg.data;

	if (out->reg.valid != l->access.there)
		differs(l, "an access of a register %d, of the model %d", out->reg.valid, l->access.there);
	if (!out->reg.valid || !l->access.there)
		return;
	if (out->reg.write != l->access.write || out->reg.offset != l->access.offset || 1u << out->reg.size != l->access.bytes)
		differs(l, "register %x, write %d, size %u, of the model %x, %d, %u bytes", out->reg.offset, out->reg.write, out->reg.size, l->access.offset,
			l->access.write, l->access.bytes);
	else if (out->reg.write && data != l->access.value)
		differs(l, "register %x becomes %" PRIx64 ", of the model %" PRIx64, out->reg.offset, data, l->access.value);
	if (!l->access.write) {
		l->answer_at = l->now + 1 + below(l, 4);
		l->answer = l->access.value;
	}
	l->result->count[l->access.write ? CP_REGISTER_WRITES : CP_REGISTER_READS]++;
}

#define SAME(field)                                                                                                          \
	if (r->field != l->seen.field)                                                                                       \
	differs(l, #field " is %" PRIx64 ", of the model %" PRIx64, r->field, l->seen.field)

static void registers_are_equal(struct lockstep *l, const struct cp_shim_registers *r)
{
	SAME(pc);
	SAME(mstatus);
	SAME(mie);
	SAME(mtvec);
	SAME(mscratch);
	SAME(mepc);
	SAME(mcause);
	SAME(mtval);
	SAME(minstret);
	SAME(offset);
	for (unsigned i = 1; i < 32; i++)
		if (l->x[i] != l->seen.x[i])
			differs(l, "x%u is %" PRIx64 ", of the model %" PRIx64, i, l->x[i], l->seen.x[i]);
}

static void count_what_happened(struct lockstep *l, const struct cp_registers *before, bool retired, enum cp_state state)
{
	unsigned long *count = l->result->count;

	count[CP_RETIRED] += retired;
	count[CP_WAITS] += state == CP_RUNNING && cp_state(l->model) == CP_WAITING;
	count[CP_CRASHES] += state == CP_RUNNING && cp_state(l->model) == CP_CRASHED;
	if (retired || cp_state(l->model) != CP_RUNNING || (l->seen.pc == before->pc && l->seen.mcause == before->mcause) || state != CP_RUNNING)
		return;
	if (l->seen.mcause >> 63) {
		count[CP_INTERRUPTS]++;
		count[CP_INTERRUPTS_INSTEAD] += l->waits;
	} else {
		count[CP_TRAPS + (l->seen.mcause < 12 ? l->seen.mcause : 0)]++;
	}
}

/* The model's, up to the end of this cycle. */
static void model_goes_on(struct lockstep *l)
{
	const struct cp_registers before = l->seen;
	const uint64_t insns = cp_insns(l->model), cycle = cp_cycle(l->model);
	const enum cp_state state = cp_state(l->model);
	unsigned long *count = l->result->count;

	if (cycle <= l->now) {
		l->began = before.pc;
		memcpy(&l->began_word, l->tcm + before.pc % LOCAL_BYTES, 4);
	}
	l->access.there = l->access.late = false;
	cp_tick(l->model, l->now + 1);
	cp_registers(l->model, &l->seen);
	l->retired += cp_insns(l->model) - insns;
	if (state == CP_RUNNING && cp_state(l->model) == CP_CRASHED)
		l->ends_at = l->now + below(l, 40);
	count_what_happened(l, &before, cp_insns(l->model) != insns, state);
	if (cycle > l->now || cp_state(l->model) != CP_RUNNING)
		return;
	l->waits = cp_insns(l->model) == insns && l->seen.pc == before.pc && l->seen.mcause == before.mcause;
	count[CP_REGISTERS_WAIT] += l->access.late;
	if (l->waits && !l->access.late)
		count[l->stores == CP_SHIM_STORES ? CP_STORES_WAIT : CP_LOADS_WAIT]++;
	count[CP_DIVISIONS] += cp_cycle(l->model) - l->now > 1;
}

static void compare(struct lockstep *l, const struct cp_shim_out *out, const struct cp_shim_registers *r)
{
	const struct cp_crash *crash = cp_crash(l->model);

	l->retired_before += out->retires;
	if (out->write.valid)
		l->x[out->write.rd] = out->write.value;
	if (!l->in.run)
		memset(l->x, 0, sizeof(l->x));
	if (l->now < l->atomic_until)
		return;
	if (l->retired != l->retired_before)
		differs(l, "%lu instructions have retired, of the model %lu", l->retired_before, l->retired);
	if (r->state != (unsigned)cp_state(l->model))
		differs(l, "state %u, of the model %u", r->state, (unsigned)cp_state(l->model));
	if (r->crash_cause != crash->cause || r->crash_pc != crash->pc || r->crash_address != crash->address)
		differs(l, "a crash of cause %" PRIx64 " at %" PRIx64 " address %" PRIx64 ", of the model %" PRIx64 ", %" PRIx64 ", %" PRIx64, r->crash_cause,
			r->crash_pc, r->crash_address, crash->cause, crash->pc, crash->address);
	if (l->in.run && cp_cycle(l->model) <= l->now + 1)
		registers_are_equal(l, r);
	if (l->now % 512 == 0)
		memories_are_equal(l);
}

static void cycle(struct lockstep *l)
{
	static struct cp_shim_out out;
	static struct cp_shim_registers r;
	bool not_ready, refused;

	model_goes_on(l);
	cp_shim_show(l->shim, &l->in, &out);
	buffer_is_equal(l, &out, l->in.taken);
	not_ready = !ready(l, out.reg.offset, l->now);
	refused = out.mem.valid && outside(l, &out);
	if (not_ready || refused)
		cp_shim_refuse(l->shim, !not_ready, refused, &out);
	l->result->count[CP_TRIES_STORE] += l->in.answer.valid && out.mem.valid && !refused;
	if (l->in.answer.valid)
		l->load.there = false;
	register_is_equal(l, &out);
	cp_shim_end(l->shim, &r);
	compare(l, &out, &r);
	l->now++;
	l->result->count[CP_CYCLES]++;
}

/* ---- runs ---- */

static struct lockstep *lockstep_create(uint64_t seed, struct cp_lockstep_result *r)
{
	struct lockstep *l = calloc(1, sizeof(*l));

	assert_non_null(l);
	*r = (struct cp_lockstep_result){ 0 };
	l->random = seed;
	l->result = r;
	l->answer_at = UINT64_MAX;
	l->now = 1;
	for (unsigned i = 0; i < SIDES; i++)
		side_open(&l->side[i]);
	l->side[MODEL].l2 = l2_create(device_config_find("mini"), BUS_TIMED);
	l->side[RTL].l2 = l2_create(device_config_find("mini"), BUS_TIMED);
	l->shim = cp_shim_create(l->tcm);
	assert_non_null(l->shim);
	cp_shim_reset(l->shim);
	return l;
}

static void model_create(struct lockstep *l)
{
	l->model = cp_create(&(struct cp_params){ .mem = &l->side[MODEL].mem, .l2 = l->side[MODEL].l2, .speed = BUS_TIMED, .mmio_read = mmio_read,
						  .mmio_write = mmio_write, .ctx = l });
	assert_non_null(l->model);
}

static void lockstep_destroy(struct lockstep *l)
{
	cp_destroy(l->model);
	cp_shim_destroy(l->shim);
	for (unsigned i = 0; i < SIDES; i++)
		side_close(&l->side[i]);
	free(l);
}

/* Both are reset, and have other caches. */
static void reset(struct lockstep *l)
{
	cp_destroy(l->model);
	caches(l);
	model_create(l);
	assert_true(cp_tcm_write(l->model, 0, l->tcm, LOCAL_BYTES));
	cp_irq(l->model, &(struct cp_irq){ .level = l->in.irq }, l->now);
	cp_shim_reset(l->shim);
	l->drained = 0;
	l->result->count[CP_RESETS]++;
}

/* Both are stopped, with nothing under way; they get another program. */
static void program(struct lockstep *l)
{
	memories_are_equal(l);
	if (below(l, 3) == 0)
		reset(l);
	cp_random_program(&l->random, l->tcm);
	assert_true(cp_tcm_write(l->model, 0, l->tcm, LOCAL_BYTES));
	l->busy = (unsigned)below(l, 4) * (unsigned)below(l, 64);
	l->lines = (unsigned)below(l, 3) * (unsigned)below(l, 12);
	l->ends_at = l->now + 100 + below(l, PROGRAM_CYCLES);
	l->result->count[CP_PROGRAMS]++;
}

void cp_lockstep_run(uint64_t seed, unsigned long cycles, struct cp_lockstep_result *r)
{
	struct lockstep *l = lockstep_create(seed, r);

	model_create(l);
	while (r->count[CP_CYCLES] < cycles && !r->text[0]) {
		if (l->now >= l->ends_at && !l->in.run && cp_cycle(l->model) <= l->now && !l->load.there && !l->stores)
			program(l);
		environment(l);
		inputs(l);
		cycle(l);
	}
	lockstep_destroy(l);
}

void cp_lockstep_image(const void *image, size_t bytes, uint64_t block, uint64_t word, uint64_t results, const void *expected, size_t expected_bytes,
		       struct cp_lockstep_result *r)
{
	struct lockstep *l = lockstep_create(1, r);

	model_create(l);
	memcpy(l->tcm, image, bytes);
	memcpy(l->tcm + block, &word, 8);
	assert_true(cp_tcm_write(l->model, 0, l->tcm, LOCAL_BYTES));
	l->in.run = true;
	cp_control(l->model, &(struct cp_control){ .run = true }, l->now);
	while (cp_state(l->model) == CP_RUNNING && !r->text[0]) {
		l->in.cycle = l->now;
		l->in.taken = taken(l);
		l->in.hold = false;
		cycle(l);
	}
	memories_are_equal(l);
	if (cp_crash(l->model)->cause != 3 || memcmp(l->tcm + results, expected, expected_bytes))
		differs(l, "the program gives something else");
	lockstep_destroy(l);
}
