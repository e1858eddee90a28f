/* The command processor in SystemVerilog beside the model's while a device boots the firmware of the kit and does what examples/bringup.c asks of
 * it: kernels, faults, a copy. The device is the model's; its calls of the hart, and the hart's of memory and of registers, pass through here
 * (the linker's --wrap), so that the Verilated hart has the same inputs in the same cycles, and the answers that the model's had. */
#include "model/cp/cp.h"
#include "rtl/shim/cp_shim.h"
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

int bringup_main(int argc, char **argv); /* testbench/rtl/cp_bringup.c */

enum { LOCAL_BYTES = 0x40000, LINE = 256 };

static struct {
	struct cp *model;
	struct cp_params env;
	struct cp_shim *shim;
	struct cp_shim_in in;
	uint8_t tcm[LOCAL_BYTES + 8];
	uint64_t now, x[32], insns; /* insns: retired by the Verilated one */
	/* what the model's does in the cycle */
	bool ticks, yields, asks_register; /* asks_register: what is called meanwhile is not the hart's */
	struct { bool there, write; uint32_t offset; unsigned bytes; uint64_t value; } reg;
	struct { bool there, fault; uint64_t address, data, at; size_t bytes; } load, store;
	uint32_t version;
	bool held;
	/* what follows for the Verilated one */
	uint64_t ready_at, hold_until, reg_at, atomic_until, drained;
	struct { unsigned size; uint64_t address, data, at; } buffer[CP_SHIM_STORES];
	unsigned buffered;
	bool loads;
	unsigned long accesses, stores, waits;
	char text[LINE];
} hart;

__attribute__((format(printf, 1, 2))) static void differs(const char *format, ...)
{
	va_list args;
	int n;

	if (hart.text[0])
		return;
	n = snprintf(hart.text, sizeof(hart.text), "cycle %" PRIu64 ", instruction %" PRIu64 ": ", hart.now, hart.insns);
	va_start(args, format);
	vsnprintf(hart.text + n, sizeof(hart.text) - (size_t)n, format, args);
	va_end(args);
}

/* ---- a cycle of the Verilated one ---- */

static void inputs(void)
{
	struct cp_shim_in *in = &hart.in;

	in->cycle = hart.now;
	in->hold = hart.now < hart.hold_until;
	for (in->taken = 0; in->taken < hart.buffered && hart.buffer[in->taken].at <= hart.now; in->taken++)
		;
	in->reg.valid = hart.reg_at == hart.now;
	in->reg.data = hart.reg.value;
	in->answer.valid = hart.loads && hart.load.at == hart.now;
	in->answer.data = hart.load.data;
	in->answer.version = hart.version;
	in->answer.held = hart.held;
}

static void buffer_compare(const struct cp_shim_out *out)
{
	if (out->stores != hart.buffered)
		differs("%u stores in the buffer, not %u", out->stores, hart.buffered);
	for (unsigned i = 0; i < hart.buffered; i++)
		if (out->store[i].address != hart.buffer[i].address || out->store[i].data != hart.buffer[i].data)
			differs("store %u of the buffer is to %" PRIx64, i, out->store[i].address);
	hart.buffered -= hart.in.taken;
	memmove(hart.buffer, hart.buffer + hart.in.taken, hart.buffered * sizeof(*hart.buffer));
}

static uint64_t low_bytes(uint64_t value, size_t bytes) { return bytes == 8 ? value : value & ((1ull << 8 * bytes) - 1); }

/* An access outside; whether it is refused. */
static bool outside(const struct cp_shim_out *out)
{
	const bool store = out->mem.op == CP_SHIM_STORE;
	const size_t bytes = (size_t)1 << out->mem.size;

	if (store ? !hart.store.there : !hart.load.there) {
		differs("an access of %" PRIx64 ", of the model none", out->mem.address);
		return false;
	}
	if (store) {
		hart.store.there = false;
		if (out->mem.address != hart.store.address || bytes != hart.store.bytes || low_bytes(out->mem.data, bytes) != hart.store.data)
			differs("a store to %" PRIx64 " of %" PRIx64 ", of the model to %" PRIx64, out->mem.address, out->mem.data, hart.store.address);
		if (hart.store.fault || hart.buffered == CP_SHIM_STORES)
			return true;
		hart.drained = hart.drained < hart.store.at ? hart.store.at : hart.drained;
		hart.buffer[hart.buffered].address = out->mem.address;
		hart.buffer[hart.buffered].data = out->mem.data;
		hart.buffer[hart.buffered++].at = hart.drained;
		hart.stores++;
		return false;
	}
	hart.load.there = false;
	if (out->mem.address != hart.load.address || bytes != hart.load.bytes)
		differs("a load from %" PRIx64 ", of the model from %" PRIx64, out->mem.address, hart.load.address);
	hart.loads = !hart.load.fault;
	if (hart.loads && (out->mem.op == CP_SHIM_TRY || out->mem.op == CP_SHIM_MODIFY))
		hart.atomic_until = hart.load.at;
	return hart.load.fault;
}

static void register_compare(const struct cp_shim_out *out)
{
	if (out->reg.valid != hart.reg.there) {
		differs("an access of register %x %d, of the model %d", out->reg.offset, out->reg.valid, hart.reg.there);
		return;
	}
	if (!hart.reg.there)
		return;
	hart.reg.there = false;
	hart.accesses++;
	if (out->reg.write != hart.reg.write || out->reg.offset != hart.reg.offset || 1u << out->reg.size != hart.reg.bytes ||
	    (hart.reg.write && low_bytes(out->reg.data, hart.reg.bytes) != hart.reg.value))
		differs("register %x, value %" PRIx64 ", of the model %x, %" PRIx64, out->reg.offset, out->reg.data, hart.reg.offset, hart.reg.value);
	if (!hart.reg.write)
		hart.reg_at = hart.now + 1;
}

static void registers_compare(const struct cp_shim_registers *r)
{
	struct cp_registers m;

	cp_registers(hart.model, &m);
	if (r->pc != m.pc || r->mstatus != m.mstatus || r->mie != m.mie || r->mtvec != m.mtvec || r->mscratch != m.mscratch || r->mepc != m.mepc ||
	    r->mcause != m.mcause || r->mtval != m.mtval || r->minstret != m.minstret || r->offset != m.offset)
		differs("pc %" PRIx64 " cause %" PRIx64 ", of the model %" PRIx64 ", %" PRIx64 ", or another CSR", r->pc, r->mcause, m.pc, m.mcause);
	for (unsigned i = 1; i < 32; i++)
		if (hart.x[i] != m.x[i])
			differs("pc %" PRIx64 ": x%u is %" PRIx64 ", of the model %" PRIx64, m.pc, i, hart.x[i], m.x[i]);
}

static void compare(const struct cp_shim_out *out, const struct cp_shim_registers *r)
{
	hart.insns += out->retires;
	if (out->write.valid)
		hart.x[out->write.rd] = out->write.value;
	if (!hart.in.run)
		memset(hart.x, 0, sizeof(hart.x));
	if (hart.now < hart.atomic_until)
		return;
	if (hart.insns != cp_insns(hart.model))
		differs("the model has retired %" PRIu64, cp_insns(hart.model));
	if (hart.in.run && r->state != (unsigned)cp_state(hart.model) && !hart.text[0])
		differs("state %u, of the model %u", r->state, (unsigned)cp_state(hart.model));
	if (hart.in.run && cp_cycle(hart.model) <= hart.now + 1)
		registers_compare(r);
}

static void cycle(void)
{
	static struct cp_shim_out out;
	static struct cp_shim_registers r;
	const unsigned before = r.state;
	bool refused, ready;

	cp_shim_show(hart.shim, &hart.in, &out);
	buffer_compare(&out);
	ready = hart.now >= hart.ready_at;
	refused = out.mem.valid && outside(&out);
	if (refused || !ready)
		cp_shim_refuse(hart.shim, ready, refused, &out);
	register_compare(&out);
	if (hart.in.answer.valid)
		hart.loads = false;
	cp_shim_end(hart.shim, &r);
	hart.waits += r.state == CP_WAITING && before != CP_WAITING;
	compare(&out, &r);
	hart.now++;
}

/* The Verilated one goes on to a cycle before which the model's does nothing. */
static void catch_up(uint64_t now)
{
	if (hart.ticks)
		return;
	if (cp_next(hart.model) < now)
		now = cp_next(hart.model);
	while (hart.now < now) {
		inputs();
		cycle();
	}
}

/* ---- what the hart of the model calls ---- */

static bool mmio_read(void *ctx, uint32_t offset, unsigned bytes, uint64_t *value, uint64_t *at)
{
	bool ok;

	hart.asks_register = true;
	ok = hart.env.mmio_read(ctx, offset, bytes, value, at);
	hart.asks_register = false;
	hart.ready_at = ok ? 0 : *at;
	hart.reg.there = ok;
	hart.reg.write = false;
	hart.reg.offset = offset;
	hart.reg.bytes = bytes;
	hart.reg.value = *value;
	return ok;
}

static bool mmio_write(void *ctx, uint32_t offset, unsigned bytes, uint64_t value, uint64_t *at)
{
	bool ok;

	hart.asks_register = true;
	ok = hart.env.mmio_write(ctx, offset, bytes, value, at);
	hart.asks_register = false;
	hart.ready_at = ok ? 0 : *at;
	if (ok && *at > hart.now)
		hart.hold_until = *at + 1;
	hart.reg.there = ok;
	hart.reg.write = true;
	hart.reg.offset = offset;
	hart.reg.bytes = bytes;
	hart.reg.value = low_bytes(value, bytes);
	return ok;
}

static bool of_hart(void) { return hart.ticks && !hart.asks_register; }

#define REAL(type, name, ...)             \
	type __real_##name(__VA_ARGS__);  \
	type __wrap_##name(__VA_ARGS__);  \
	type __wrap_##name(__VA_ARGS__)

REAL(enum fault, physmem_load, struct physmem *m, unsigned unit, uint64_t pa, void *dst, size_t len, uint64_t at)
{
	const enum fault f = __real_physmem_load(m, unit, pa, dst, len, at);

	if (of_hart()) {
		hart.load.there = true;
		hart.load.fault = f;
		hart.load.address = pa;
		hart.load.bytes = len;
		hart.load.data = 0;
		memcpy(&hart.load.data, dst, len);
	}
	return f;
}

REAL(enum fault, physmem_store, struct physmem *m, unsigned unit, uint64_t pa, const void *src, size_t len, uint64_t at)
{
	const enum fault f = __real_physmem_store(m, unit, pa, src, len, at);

	if (of_hart()) {
		hart.store.there = true;
		hart.store.fault = f;
		hart.store.address = pa;
		hart.store.bytes = len;
		hart.store.data = 0;
		memcpy(&hart.store.data, src, len);
	}
	return f;
}

REAL(uint64_t, l2_access, struct l2 *l2, uint64_t now, uint64_t pa, uint32_t bytes, bool write)
{
	const uint64_t at = __real_l2_access(l2, now, pa, bytes, write);

	if (of_hart())
		*(write ? &hart.store.at : &hart.load.at) = at;
	return at;
}

REAL(uint32_t, reservations_reserve, struct reservations *r, uint64_t address)
{
	const uint32_t version = __real_reservations_reserve(r, address);

	if (of_hart())
		hart.version = version;
	return version;
}

REAL(bool, reservations_hold, const struct reservations *r, uint64_t address, uint32_t version)
{
	const bool held = __real_reservations_hold(r, address, version);

	if (of_hart())
		hart.held = held;
	return held;
}

/* ---- what the device calls ---- */

REAL(struct cp *, cp_create, const struct cp_params *p)
{
	struct cp_params env = *p;

	hart.env = *p;
	hart.reg_at = UINT64_MAX;
	env.mmio_read = mmio_read;
	env.mmio_write = mmio_write;
	hart.model = __real_cp_create(&env);
	hart.shim = cp_shim_create(hart.tcm);
	assert_non_null(hart.shim);
	cp_shim_reset(hart.shim);
	return hart.model;
}

REAL(void, cp_destroy, struct cp *cp)
{
	catch_up(hart.now + 1000);
	for (uint64_t at = 0, word; at < LOCAL_BYTES; at += 8)
		if (cp_tcm_read(cp, at, &word, 8) && memcmp(&word, hart.tcm + at, 8))
			differs("local memory %" PRIx64 " is not that of the model", at);
	__real_cp_destroy(cp);
	cp_shim_destroy(hart.shim);
}

REAL(void, cp_control, struct cp *cp, const struct cp_control *in, uint64_t now)
{
	catch_up(now);
	hart.in.run = in->run;
	hart.in.entry = in->entry;
	__real_cp_control(cp, in, now);
}

REAL(void, cp_irq, struct cp *cp, const struct cp_irq *in, uint64_t now)
{
	catch_up(now);
	hart.in.irq = in->level;
	__real_cp_irq(cp, in, now);
}

REAL(void, cp_yield, struct cp *cp)
{
	hart.yields = true;
	__real_cp_yield(cp);
}

REAL(bool, cp_tcm_write, struct cp *cp, uint64_t address, const void *src, size_t len)
{
	const bool ok = __real_cp_tcm_write(cp, address, src, len);

	if (ok)
		memcpy(hart.tcm + address, src, len);
	return ok;
}

REAL(void, cp_tick, struct cp *cp, uint64_t until)
{
	hart.yields = false;
	catch_up(cp_next(cp));
	while (hart.now < until && cp_next(cp) != UINT64_MAX && !hart.yields) {
		inputs();
		hart.ticks = true;
		__real_cp_tick(cp, hart.now + 1);
		hart.ticks = false;
		cycle();
	}
}

/* ---- the test ---- */

static char firmware[PATH_MAX];

static void run(const char *config)
{
	char name[] = "bringup", *args[] = { name, firmware, NULL };

	memset(&hart, 0, sizeof(hart));
	setenv("GALENA_CONFIG", config, 1);
	assert_int_equal(bringup_main(2, args), 0);
	assert_string_equal(hart.text, "");
	print_message("# %" PRIu64 " instructions in %" PRIu64 " cycles, %lu accesses of registers, %lu stores to memory, %lu waits for the line\n", hart.insns, hart.now,
		      hart.accesses, hart.stores, hart.waits);
	assert_true(hart.insns > 10000 && hart.accesses > 100 && hart.stores > 100 && hart.waits > 10);
}

static void test_firmware(void **state)
{
	(void)state;
	run("mini,exact=1");
}

/* Packets that maintain caches, and so more of them. */
static void test_not_coherent(void **state)
{
	(void)state;
	run("mini,exact=1,coherent=0");
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_firmware), cmocka_unit_test(test_not_coherent) };

	(void)argc;
	snprintf(firmware, sizeof(firmware), "%s/../../share/galena/firmware.elf", dirname(argv[0]));
	setenv("GALENA_SPEED", "timed", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
