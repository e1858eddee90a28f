/* The roofline of the device: what its units compute, by how much they compute on each byte that they load. */
#include "abi/codes.h"
#include "bench/asm.h"
#include "bench/timing.h"

enum { LOADS = 8, MOST = 64 /* operations on what a load brings */ };

static double least(double a, double b) { return a < b ? a : b; }

/* Every lane of every unit loads 8 bytes beside its neighbours', over bytes of data, and does so many operations for each load. Returns the
 * cycles. */
static uint64_t compute_cycles(uint64_t data, uint64_t bytes, unsigned operations, unsigned rounds)
{
	static struct assembler a;
	const struct device_config *c = &t.config;
	const uint16_t local = (uint16_t)(c->max_wg_size / 2);
	const uint32_t items = c->num_cu * c->warps_per_cu * c->lanes, chunk = items * 8;
	unsigned outer, loop;

	begin(&a);
	places(&a, local);
	asm_li(&a, A5, chunk);
	asm_li(&a, A6, rounds);
	outer = a.count;
	asm_add(&a, A4, A2, X0);
	asm_li(&a, A7, (uint32_t)(bytes / chunk / LOADS));
	loop = a.count;
	for (unsigned i = 0; i < LOADS; i++) {
		asm_ld(&a, 18 + i, A4, 0);
		asm_add(&a, A4, A4, A5);
	}
	for (unsigned n = 0; n < operations; n++)
		for (unsigned i = 0; i < LOADS; i++)
			asm_fadd(&a, 4 + i, 4 + i, 12 + i);
	asm_addi(&a, A7, A7, -1);
	asm_bnez(&a, A7, loop);
	asm_addi(&a, A6, A6, -1);
	asm_bnez(&a, A6, outer);
	asm_exit(&a);
	return launch(&a, items, local, 0, data, 0);
}

/* The roof is the rate of the memory, then that of the units. */
static void panel(const char *name, uint64_t bytes, uint64_t rate, unsigned rounds)
{
	const struct device_config *c = &t.config;
	const double units = (double)c->num_cu * c->lanes;
	const uint64_t data = umd_bo_address(t.dram);

	compute_cycles(data, bytes, 1, 1); /* translations */
	for (unsigned operations = 1; operations <= MOST; operations *= 2) {
		const uint64_t few = compute_cycles(data, bytes, operations, rounds), many = compute_cycles(data, bytes, operations, 2 * rounds);
		const double intensity = operations / 8.0, done = (double)(bytes / 8 * operations * rounds) / (double)(many - few);

		point(name, intensity, done);
		roof(name, intensity, least(units, intensity * (double)rate));
	}
}

void roofline(void)
{
	const struct device_config *c = &t.config;
	const uint64_t small = (uint64_t)c->num_cu * c->warps_per_cu * c->lanes * 64;
	const uint64_t large = c->l2_bytes * 4ull > small * 4 ? c->l2_bytes * 4ull : small * 4;

	panel("roofline, DRAM: operations a cycle, by operations a byte", large, c->dram_bytes_cycle, 1);
	if (c->l2_bytes >= small * 2 && (uint64_t)c->l1_bytes * c->num_cu < c->l2_bytes / 2)
		panel("roofline, L2: operations a cycle, by operations a byte", c->l2_bytes / 2, c->l2_bytes_cycle, 4);
}
