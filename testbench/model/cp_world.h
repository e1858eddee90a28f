/* The command processor alone, for its unit tests: a world with memory of a pretended host, an L2, registers that are plain words,
 * and programs of single instructions. The hart runs without the device, so that a test holds its clock and its line. */
#ifndef GALENA_TESTBENCH_MODEL_CP_WORLD_H
#define GALENA_TESTBENCH_MODEL_CP_WORLD_H
#include "model/cp/cp.h"
#include "testbench/model/encode.h"
#include "testbench/model/fixture.h"

/* Registers that are not what they seem: one that is not ready before a given cycle, one whose writes take 30 cycles more. */
enum { NOT_READY = 0x90, SLOW = 0x98 };

struct world {
	struct host h;
	struct physmem m;
	struct l2 *l2;
	struct cp *cp;
	uint64_t mmio[0x20000 / 8];
	unsigned mmio_writes;
	uint32_t mmio_offset;
	uint64_t ready_at;
	unsigned at; /* words of program so far */
};

__attribute__((unused)) static bool not_ready(struct world *w, uint32_t offset, uint64_t *cycle)
{
	if (offset != NOT_READY || *cycle >= w->ready_at)
		return false;
	*cycle = w->ready_at;
	return true;
}

__attribute__((unused)) static bool mmio_read(void *ctx, uint32_t offset, unsigned bytes, uint64_t *value, uint64_t *cycle)
{
	struct world *w = ctx;

	if (not_ready(w, offset, cycle))
		return false;
	*value = 0;
	memcpy(value, (uint8_t *)w->mmio + offset, bytes);
	return true;
}

__attribute__((unused)) static bool mmio_write(void *ctx, uint32_t offset, unsigned bytes, uint64_t value, uint64_t *cycle)
{
	struct world *w = ctx;

	if (not_ready(w, offset, cycle))
		return false;
	memcpy((uint8_t *)w->mmio + offset, &value, bytes);
	w->mmio_writes++;
	w->mmio_offset = offset;
	if (offset == 0x80)
		cp_yield(w->cp);
	if (offset == SLOW)
		*cycle += 30;
	return true;
}

__attribute__((unused)) static struct world *world_create_as(enum bus_speed speed, const struct device_config *config)
{
	struct world *w = calloc(1, sizeof(*w));
	struct bus_memory sys = host_init(&w->h, false);

	assert_int_equal(physmem_init(&w->m, 16 << 20, &sys), 0);
	reservations_init(&w->m.reservations, config);
	w->l2 = l2_create(config, speed);
	w->cp = cp_create(&(struct cp_params){ .mem = &w->m,
					       .l2 = w->l2,
					       .speed = speed,
					       .mmio_read = mmio_read,
					       .mmio_write = mmio_write,
					       .ctx = w });
	assert_non_null(w->cp);
	return w;
}

__attribute__((unused)) static struct world *world_create(enum bus_speed speed)
{
	return world_create_as(speed, device_config_find("mini"));
}

__attribute__((unused)) static int setup(void **state)
{
	*state = world_create(BUS_FUNCTIONAL);
	return 0;
}

__attribute__((unused)) static int teardown(void **state)
{
	struct world *w = *state;

	cp_destroy(w->cp);
	l2_destroy(w->l2);
	physmem_fini(&w->m);
	host_fini(&w->h);
	free(w);
	return 0;
}

__attribute__((unused)) static void put(struct world *w, uint32_t word)
{
	assert_true(cp_tcm_write(w->cp, w->at * 4ull, &word, 4));
	w->at++;
}

__attribute__((unused)) static void put_li(struct world *w, unsigned rd, uint64_t value)
{
	uint32_t words[16];
	unsigned n = enc_li(words, rd, value);

	for (unsigned i = 0; i < n; i++)
		put(w, words[i]);
}

/* Results go to 0x8000 and up, S0 points there. */
enum { RESULTS = 0x8000 };
__attribute__((unused)) static uint64_t result(struct world *w, unsigned i)
{
	uint64_t v = 0;

	assert_true(cp_tcm_read(w->cp, RESULTS + 8 * i, &v, 8));
	return v;
}

__attribute__((unused)) static void program_begin(struct world *w)
{
	w->at = 0;
	put_li(w, S0, RESULTS);
}

/* Runs until the ebreak that ends the program. */
__attribute__((unused)) static void program_end(struct world *w)
{
	put(w, ENC_EBREAK);
	cp_control(w->cp, &(struct cp_control){ .run = true, .entry = 0 }, 0);
	cp_tick(w->cp, cp_cycle(w->cp) + 100000);
	assert_int_equal(cp_state(w->cp), CP_CRASHED);
	assert_int_equal(cp_crash(w->cp)->cause, 3);
	assert_int_equal(cp_crash(w->cp)->pc, (w->at - 1) * 4);
}

/* mtvec -> a handler that stores mcause, mtval, mepc and goes on 4 bytes later. */
__attribute__((unused)) static void put_handler(struct world *w)
{
	unsigned jump = w->at, handler;
	uint32_t word;

	put(w, ENC_NOP); /* becomes a jump over the handler */
	handler = w->at;
	put(w, enc_csrrs(T1, 0x342, 0));
	put(w, enc_sd(T1, S0, 0));
	put(w, enc_csrrs(T1, 0x343, 0));
	put(w, enc_sd(T1, S0, 8));
	put(w, enc_csrrs(T1, 0x341, 0));
	put(w, enc_sd(T1, S0, 16));
	put(w, enc_addi(S0, S0, 24));
	put(w, enc_addi(T1, T1, 4));
	put(w, enc_csrrw(0, 0x341, T1));
	put(w, ENC_MRET);
	word = enc_jal(0, (int)(w->at - jump) * 4);
	assert_true(cp_tcm_write(w->cp, jump * 4, &word, 4));
	put(w, enc_addi(T0, 0, (int)handler * 4));
	put(w, enc_csrrw(0, 0x305, T0));
}

#endif
