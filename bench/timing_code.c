/* Instructions: lines that are there, and lines that are not. */
#include "bench/timing.h"
#include <math.h>

/* Jumps from line to line of one page, which is in system memory: first to lines that are not there, then to the same ones. */
void instructions(void)
{
	static struct assembler a;
	const struct device_config *c = &t.config;
	const unsigned words = c->line_bytes / 4, bytes = c->icache_bytes / 2 < 4096 ? c->icache_bytes / 2 : 4096, lines = bytes / c->line_bytes - 2;
	const double from_system = ceil((double)c->line_bytes / c->sys_bytes_cycle);
	const uint64_t *out = umd_bo_cpu(t.out);
	unsigned pass;

	begin(&a);
	pass = passes_begin(&a, 2);
	clock_start(&a);
	for (unsigned i = 1; i <= lines; i++) {
		const unsigned to = i * words * 4 - a.count * 4;

		asm_word(&a, (to >> 1 & 0x3ff) << 21 | 0x6f);
		while (a.count < i * words)
			asm_addi(&a, X0, X0, 0);
	}
	clock_read(&a, X0);
	asm_sub(&a, T0, T1, T0);
	asm_sd(&a, T0, A1, 0);
	asm_addi(&a, A1, A1, 8);
	passes_end(&a, pass);
	asm_exit(&a);
	launch(&a, 1, 1, 0, 0, 0);
	row("instructions, a line that is not there", "1 + l1_latency + sys_latency + a line by sys_bytes_cycle",
	    1 + c->l1_latency + c->sys_latency + from_system, (double)(out[0] - 2) / lines, "cycles");
	row("instructions, a line that is there", "alu_latency of the jump to it", c->alu_latency, (double)(out[1] - 2) / lines, "cycles");
}
