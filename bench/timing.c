/* Measures the timing parameters of the device from outside: kernels written out instruction by
 * instruction, run through driver, firmware and bus, that read the device's own cycle counter. Prints a
 * row a parameter (name, configured, measured, difference) and writes rows and curves for a plot.
 * Exit status 1 when a parameter is off by more than 1 %. */
#define _GNU_SOURCE
#include "abi/address_map.h"
#include "abi/codes.h"
#include "abi/registers.h"
#include "bench/asm.h"
#include "bench/timing.h"
#include <argp.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	CODE_BYTES = 4 << 20,
	LOOPS = 64,         /* how often a loop of copies runs */
	ALL_LOOPS = 4096,   /* the same of many warps */
	ALL_COPIES = 4,     /* times as many: warps that come to the end of the loop at once leave a cycle */
	FEW = 8, MANY = 24, /* copies in a loop: the difference of two runs is free of the loop itself */
	TOLERANCE = 1,      /* percent */
};

struct timing t;

static void die(const char *what)
{
	fprintf(stderr, "timing: %s\n", what);
	exit(2);
}

static struct umd_bo *make(uint64_t size, unsigned flags)
{
	struct umd_bo *bo = NULL;

	if (umd_bo_create(t.space, 0, size, flags, &bo))
		die("no memory for the measurement");
	return bo;
}

/* ---- running ---- */

struct completion submit(const union packet *p)
{
	struct umd_command *c;
	struct completion done;

	if (umd_submit(t.queue, p, 1, 0, NULL, NULL, &c) || umd_wait(c) || !umd_command_ended(c, &done))
		die("the device does not answer");
	if (done.status) {
		const struct fault_record *f = umd_command_fault(c);

		fprintf(stderr, "timing: a command failed: %s at pc 0x%llx, address 0x%llx\n", fault_name(-done.status),
			f ? (unsigned long long)(f->pc - umd_bo_address(t.code)) : 0ull, f ? (unsigned long long)f->address : 0ull);
		exit(2);
	}
	umd_command_release(c);
	return done;
}

uint64_t launch(const struct assembler *a, uint32_t items, uint16_t local, uint32_t local_bytes, uint64_t data,
		       uint64_t extra)
{
	struct kernarg_header *h = umd_bo_cpu(t.args);
	uint64_t *args = (uint64_t *)(h + 1);
	union packet p = { .dispatch = { .head.type = PACKET_CODE_dispatch,
					 .entry = umd_bo_address(t.code) + t.code_used,
					 .kernarg = umd_bo_address(t.args),
					 .global_size = { items, 1, 1 },
					 .local_size = { local, 1, 1 },
					 .local_bytes = local_bytes } };
	struct completion done;

	if (t.code_used + a->count * 4 > CODE_BYTES)
		die("the kernels do not fit");
	memcpy((uint8_t *)umd_bo_cpu(t.code) + t.code_used, a->words, a->count * 4);
	t.code_used += (a->count * 4 + 4095) / 4096 * 4096; /* units keep the pages that they have fetched */
	*h = (struct kernarg_header){ .work_dim = 1, .global_size = { items, 1, 1 }, .local_size = { local, 1, 1 },
				      .num_groups = { (items + local - 1) / local, 1, 1 } };
	args[0] = umd_bo_address(t.out);
	args[1] = data;
	args[2] = extra;
	done = submit(&p);
	return done.end - done.start;
}

void begin(struct assembler *a)
{
	a->count = 0;
	asm_csrr(a, A0, CSR_kernarg);
	asm_ld(a, A1, A0, 128);
	asm_ld(a, A2, A0, 136);
	asm_ld(a, A3, A0, 144);
	asm_add(a, X0, A3, A2); /* arguments are there before anything is timed */
}

void places(struct assembler *a, uint16_t local)
{
	asm_csrr(a, A4, CSR_local_id_x);
	asm_csrr(a, A5, CSR_group_id_x);
	asm_li(a, A6, local);
	asm_mul(a, A5, A5, A6);
	asm_add(a, A4, A4, A5);
	asm_slli(a, A4, A4, 3);
	asm_add(a, A2, A4, A2);
}

static uint64_t reported(void) { return *(volatile uint64_t *)umd_bo_cpu(t.out); }

/* A loop of copies of a body, run by one warp, or by as many as asked for: then it is the whole command that is timed. Returns cycles a copy. */
typedef void body_fn(struct assembler *, unsigned copy);
static double per_copy(body_fn *prepare, body_fn *body, unsigned last, uint32_t items, uint16_t local,
		       uint32_t local_bytes, uint64_t data)
{
	double cycles[2];
	static struct assembler a;
	/* of a whole command, its first fetches must not count */
	const bool all = items > t.config.lanes;
	const unsigned loops = all ? ALL_LOOPS : LOOPS, times = all ? ALL_COPIES : 1;

	for (unsigned run = 0; run < 2; run++) {
		unsigned copies = (run ? MANY : FEW) * times, loop, pass;

		begin(&a);
		if (prepare)
			prepare(&a, 0);
		pass = passes_begin(&a, all ? 1 : 2);
		asm_li(&a, A7, loops);
		clock_start(&a);
		loop = a.count;
		for (unsigned i = 0; i < copies; i++)
			body(&a, i);
		asm_addi(&a, A7, A7, -1);
		asm_bnez(&a, A7, loop);
		clock_read(&a, last);
		passes_end(&a, pass);
		clock_tell(&a);
		const uint64_t whole = launch(&a, items, local, local_bytes, data, 0);
		cycles[run] = (double)(all ? whole : reported());
	}
	return (cycles[1] - cycles[0]) / (loops * times * (MANY - FEW));
}

/* ---- reporting ---- */

void row(const char *name, const char *parameter, double expected, double measured, const char *unit)
{
	double off = expected ? 100 * (measured - expected) / expected : 0;
	bool wrong = expected && fabs(off) > TOLERANCE;

	printf("%-34s %12.3f %12.3f %8.2f %%  %-12s %s%s\n", name, expected, measured, off, unit, parameter,
	       wrong ? "  OFF" : "");
	fprintf(t.rows, "row\t%s\t%s\t%.4f\t%.4f\t%.3f\t%s\n", name, parameter, expected, measured, off, unit);
	t.wrong += wrong;
}

void told(const char *name, double measured, const char *unit, const char *note)
{
	printf("%-34s %12s %12.3f %10s  %-12s %s\n", name, "", measured, "", unit, note);
	fprintf(t.rows, "row\t%s\t%s\t\t%.4f\t\t%s\n", name, note, measured, unit);
}

void point(const char *curve, double x, double y) { fprintf(t.rows, "point\t%s\t%.6g\t%.6g\n", curve, x, y); }
void roof(const char *curve, double x, double y) { fprintf(t.rows, "roof\t%s\t%.6g\t%.6g\n", curve, x, y); }

/* ---- arithmetic ---- */

static void body_add(struct assembler *a, unsigned i) { (void)i, asm_addi(a, A4, A4, 1); }
static void body_mul(struct assembler *a, unsigned i) { (void)i, asm_mul(a, A4, A4, A4); }
static void body_div(struct assembler *a, unsigned i) { (void)i, asm_divu(a, A4, A4, A5); }
static void body_fadd(struct assembler *a, unsigned i) { (void)i, asm_fadd(a, 4, 4, 5); }
static void body_fdiv(struct assembler *a, unsigned i) { (void)i, asm_fdiv(a, 4, 4, 5); }
static void body_independent(struct assembler *a, unsigned i) { asm_addi(a, 18 + i % 8, X0, 1); }
static void prepare_one(struct assembler *a, unsigned i)
{
	(void)i;
	asm_addi(a, A4, X0, 1);
	asm_addi(a, A5, X0, 1);
	asm_fmv_w_x(a, 4, A4);
	asm_fmv_w_x(a, 5, A5);
}



static void arithmetic(void)
{
	const struct device_config *c = &t.config;
	uint16_t all = (uint16_t)(c->max_wg_size < c->warps_per_cu * c->lanes ? c->max_wg_size : c->warps_per_cu * c->lanes);
	unsigned warps = all / c->lanes;

	row("integer add, dependent", "alu_latency", c->alu_latency, per_copy(prepare_one, body_add, A4, 1, 1, 0, 0), "cycles");
	row("integer multiply, dependent", "mul_latency", c->mul_latency, per_copy(prepare_one, body_mul, A4, 1, 1, 0, 0), "cycles");
	row("integer divide, dependent", "div_latency", c->div_latency, per_copy(prepare_one, body_div, A4, 1, 1, 0, 0), "cycles");
	row("fp32 add, dependent", "fpu_latency", c->fpu_latency, per_copy(prepare_one, body_fadd, A4, 1, 1, 0, 0), "cycles");
	row("fp32 divide, dependent", "div_latency", c->div_latency, per_copy(prepare_one, body_fdiv, A4, 1, 1, 0, 0), "cycles");
	row("independent adds, one warp", "1 instruction a cycle", 1, per_copy(NULL, body_independent, A4, 1, 1, 0, 0), "cycles");
	row("independent adds, all warps", "1 instruction a cycle and unit", warps,
	    per_copy(NULL, body_independent, A4, all, all, 0, 0), "cycles");
}

/* Lanes of a warp go two ways, each as long as the other: both are run, one after the other. */
static void divergence(void)
{
	double cycles[2][2];
	static struct assembler a;

	if (t.config.lanes < 2)
		return;
	for (unsigned run = 0; run < 4; run++) {
		unsigned branch, jump, split = run & 1, side = run < 2 ? 64 : 320;

		begin(&a);
		asm_csrr(&a, A4, CSR_lane_id);
		asm_andi(&a, A4, A4, (int)split); /* 0: all lanes go the same way */
		asm_add(&a, A4, A4, X0);
		clock_start(&a);
		branch = a.count;
		asm_word(&a, 0);
		for (unsigned i = 0; i < side; i++)
			asm_addi(&a, 18 + i % 8, X0, 1);
		jump = a.count;
		asm_word(&a, 0);
		{ /* beqz-like: lanes with a4 != 0 skip the first side */
			struct assembler b = { .count = branch };
			asm_bnez(&b, A4, a.count);
			a.words[branch] = b.words[branch];
		}
		for (unsigned i = 0; i < side; i++)
			asm_addi(&a, 18 + i % 8, X0, 1);
		{
			int32_t d = (int32_t)(a.count - jump) * 4;
			uint32_t i = (uint32_t)d;
			a.words[jump] = (i >> 20 & 1) << 31 | (i >> 1 & 0x3ff) << 21 | (i >> 11 & 1) << 20 | (i >> 12 & 0xff) << 12 | 0x6f;
		}
		clock_stop(&a, A4);
		launch(&a, t.config.lanes, (uint16_t)t.config.lanes, 0, 0, 0);
		cycles[run / 2][split] = (double)reported();
	}
	row("a warp that goes both ways", "both sides are issued", 2,
	    (cycles[1][1] - cycles[0][1]) / (cycles[1][0] - cycles[0][0]), "x");
}

/* ---- local memory ---- */

static void prepare_lds_self(struct assembler *a, unsigned i)
{
	(void)i;
	asm_li(a, A4, (uint32_t)(VA_LOCAL_BASE >> 32));
	asm_slli(a, A4, A4, 32);
	asm_sd(a, A4, A4, 0); /* a pointer to itself */
}
static void body_chase(struct assembler *a, unsigned i) { (void)i, asm_ld(a, A4, A4, 0); }

static unsigned lds_stride;
static void prepare_lds_lanes(struct assembler *a, unsigned i)
{
	(void)i;
	asm_li(a, A4, (uint32_t)(VA_LOCAL_BASE >> 32));
	asm_slli(a, A4, A4, 32);
	asm_csrr(a, A5, CSR_lane_id);
	asm_li(a, A6, lds_stride * 4);
	asm_mul(a, A5, A5, A6);
	asm_add(a, A4, A4, A5);
}
static void body_lds_load(struct assembler *a, unsigned i) { asm_lw(a, 18 + i % 8, A4, 0); }

static void local_memory(void)
{
	const struct device_config *c = &t.config;

	row("local memory, dependent", "lds_latency", c->lds_latency, per_copy(prepare_lds_self, body_chase, A4, 1, 1, 64, 0),
	    "cycles");
	for (lds_stride = 1; lds_stride <= c->lds_banks; lds_stride *= 2) {
		/* lanes that meet in a bank: stride words apart, all different words */
		unsigned degree = c->lanes * lds_stride > c->lds_banks ? c->lanes * lds_stride / c->lds_banks : 1;
		char name[64];
		uint32_t warps = c->warps_per_cu < 4 ? c->warps_per_cu : 4; /* hide the latency */
		double cycles;

		if (degree > c->lanes)
			degree = c->lanes;
		cycles = per_copy(prepare_lds_lanes, body_lds_load, A4, c->lanes * warps, (uint16_t)(c->lanes * warps),
				  c->lanes * lds_stride * 4, 0) / warps;
		snprintf(name, sizeof(name), "local memory, lanes %u words apart", lds_stride);
		row(name, "lds_banks", degree, cycles, "cycles");
		point("local memory: cycles a load, by stride in words", lds_stride, cycles);
	}
}

/* ---- memory: pointer chases ---- */

/* One lane follows count pointers from data + first, warm times before it is timed. Cycles a step. */
static double chase(uint64_t data, uint64_t first, unsigned count, unsigned warm)
{
	static struct assembler a;
	unsigned loop, pass;

	begin(&a);
	/* before all, 16 steps from a pointer to itself bring in the instructions */
	asm_addi(&a, A4, A1, 8);
	asm_sd(&a, A4, A4, 0);
	asm_li(&a, A7, 1);
	pass = passes_begin(&a, warm + 2);
	clock_start(&a);
	loop = a.count;
	for (unsigned i = 0; i < 16; i++)
		asm_ld(&a, A4, A4, 0);
	asm_addi(&a, A7, A7, -1);
	asm_bnez(&a, A7, loop);
	clock_read(&a, A4);
	asm_li(&a, A4, (uint32_t)first);
	asm_add(&a, A4, A4, A2);
	asm_li(&a, A7, count / 16);
	passes_end(&a, pass);
	clock_tell(&a);
	launch(&a, 1, 1, 0, data, 0);
	return (double)reported() / count;
}

/* Writes pointers into memory: offset(i) leads to offset(i + 1), the last one to the first. */
static void pointers(struct umd_bo *bo, unsigned count, uint64_t (*offset)(unsigned i))
{
	uint8_t *host = umd_bo_cpu(bo) ? umd_bo_cpu(bo) : umd_bo_cpu(t.staging);
	uint64_t base = umd_bo_address(bo), last = 0;

	for (unsigned i = 0; i < count; i++) {
		uint64_t value = base + offset((i + 1) % count), at = offset(i);

		memcpy(host + at, &value, sizeof(value));
		last = at > last ? at : last;
	}
	if (!umd_bo_cpu(bo)) {
		union packet p = { .copy = { .head.type = PACKET_CODE_copy, .src = umd_bo_address(t.staging),
					     .dst = base, .width = (uint32_t)last + 8, .height = 1, .depth = 1 } };
		submit(&p);
	}
}

/* Reads another part of DRAM, larger than the L2, with every lane, so that nothing else is left in it. */
static void flush_l2(void)
{
	static struct assembler a;
	uint32_t lanes = t.config.lanes, bytes = t.config.l2_bytes * 2;
	unsigned loop;

	begin(&a);
	asm_csrr(&a, A4, CSR_lane_id);
	asm_slli(&a, A4, A4, __builtin_ctz(t.config.line_bytes));
	asm_add(&a, A4, A4, A2);
	asm_li(&a, A5, lanes * t.config.line_bytes);
	asm_li(&a, A7, bytes / (lanes * t.config.line_bytes));
	loop = a.count;
	asm_ld(&a, A6, A4, 0);
	asm_add(&a, A4, A4, A5);
	asm_addi(&a, A7, A7, -1);
	asm_bnez(&a, A7, loop);
	asm_exit(&a);
	launch(&a, lanes, (uint16_t)lanes, 0, umd_bo_address(t.dram) + DATA_BYTES / 2, 0);
}

static uint64_t line_bytes, chase_pages;
static uint64_t by_line(unsigned i) { return i * line_bytes; }
/* a line a page, each in another set of the caches */
static uint64_t by_page(unsigned i) { return (uint64_t)i * 4096 + i % (4096 / line_bytes) * line_bytes; }
/* Row i of those of a bank, from the memory's first byte on: the low digit of the row number undoes what the
 * higher digits add to the bank number (the manual tells how rows are dealt to banks). */
static uint64_t same_bank(unsigned i)
{
	uint32_t banks = t.config.dram_banks, bits = (uint32_t)__builtin_ctz(banks), low = i ^ i >> bits ^ i >> 2 * bits;
	return ((uint64_t)i * banks + (low & (banks - 1))) * t.config.dram_row_bytes;
}

/* first one line of each row, to bring the translations in, then another line of each */
static uint64_t row_by_row(unsigned i)
{
	return i < chase_pages ? same_bank(i) : same_bank(i - chase_pages) + line_bytes;
}

/* the same lines in few pages and in many */
static void translation(uint64_t dram)
{
	const struct device_config *c = &t.config;
	double near, far;
	unsigned reach = c->l1_tlb_entries * 4; /* every step misses, whatever is replaced */

	for (unsigned pages = 4; pages <= c->l2_tlb_entries * 2 && pages * 4096ull <= DATA_BYTES / 2; pages *= 2) {
		pointers(t.dram, pages, by_page);
		point("translation: cycles a step, one line a page, by pages", pages, chase(dram, 0, pages < 16 ? 16 : pages, 2));
	}
	pointers(t.dram, reach, by_line);
	near = chase(dram, 0, reach, 2);
	pointers(t.dram, reach, by_page);
	far = chase(dram, 0, reach, 2);
	row("L1 TLB miss, L2 TLB hit", "tlb_l2_latency", c->tlb_l2_latency, far - near, "cycles");
}

static void memory(void)
{
	const struct device_config *c = &t.config;
	uint64_t dram = umd_bo_address(t.dram), system = umd_bo_address(t.system);
	double l1, l2, open, closed, near;
	unsigned lines;
	/* a line passes each level at its rate */
	const double from_l2 = ceil((double)c->line_bytes / c->l2_bytes_cycle), from_dram = from_l2 + ceil((double)c->line_bytes / c->dram_bytes_cycle);
	const double from_system = ceil((double)c->line_bytes / c->sys_bytes_cycle);

	line_bytes = c->line_bytes;
	lines = c->l1_bytes / c->line_bytes / 2;
	pointers(t.dram, lines, by_line);
	l1 = chase(dram, 0, lines * 4, 1);
	row("L1 hit", "l1_latency", c->l1_latency, l1, "cycles");

	/* all of the L2's half, again and again: each line has left the L1 before it comes again */
	lines = c->l2_bytes / c->line_bytes / 2;
	if (lines * c->line_bytes > c->l1_tlb_entries * 4096 / 2)
		lines = c->l1_tlb_entries * 4096 / 2 / c->line_bytes;
	pointers(t.dram, lines, by_line);
	l2 = chase(dram, 0, lines, 1);
	row("L1 miss, L2 hit", "l1_latency + l2_latency + a line by l2_bytes_cycle", c->l1_latency + c->l2_latency + from_l2, l2, "cycles");

	/* cold lines, in order: the row is open already, but for the first line of each */
	flush_l2();
	open = chase(dram, 0, lines, 0);
	near = c->l1_latency + c->dram_latency + from_dram + (double)c->dram_row_cycles * c->line_bytes / c->dram_row_bytes;
	row("L2 miss, DRAM row open", "l1_latency + dram_latency + a line by dram_bytes_cycle and l2_bytes_cycle", near, open, "cycles");

	/* more rows than banks: each has been closed by another one when it comes again; translations are there */
	chase_pages = c->dram_banks * 2 < c->l1_tlb_entries ? c->dram_banks * 2 : c->l1_tlb_entries;
	pointers(t.dram, (unsigned)chase_pages * 2, row_by_row);
	flush_l2();
	{
		static struct assembler a;
		unsigned pass;

		begin(&a);
		asm_add(&a, A4, A2, X0);
		pass = passes_begin(&a, 2);
		clock_start(&a);
		for (unsigned i = 0; i < chase_pages; i++)
			asm_ld(&a, A4, A4, 0);
		clock_read(&a, A4);
		passes_end(&a, pass);
		clock_tell(&a);
		launch(&a, 1, 1, 0, dram, 0);
		closed = (double)reported() / (double)chase_pages;
	}
	row("L2 miss, another DRAM row open", "the same + dram_row_cycles",
	    c->l1_latency + c->dram_latency + c->dram_row_cycles + from_dram, closed, "cycles");

	lines = (unsigned)(c->l1_tlb_entries * 4096 / 2 / line_bytes);
	pointers(t.system, lines, by_line);
	chase(system, 0, lines, 0); /* translations */
	row("system memory", "l1_latency + sys_latency + a line by sys_bytes_cycle", c->l1_latency + c->sys_latency + from_system, chase(system, 0, lines, 1), "cycles");

	translation(dram);
	for (uint64_t bytes = 4096; bytes <= 4ull * c->l2_bytes && bytes <= DATA_BYTES / 2; bytes *= 2) {
		lines = (unsigned)(bytes / line_bytes);
		pointers(t.dram, lines, by_line);
		point("latency: cycles a step, by bytes", (double)bytes, chase(dram, 0, lines < 16 ? 16 : lines, 1));
	}
}

/* ---- bandwidth ---- */

/* Every lane of every unit reads (or writes) 8 bytes beside its neighbours', rounds times over bytes. Returns the cycles. */
static uint64_t stream_cycles(uint64_t data, uint64_t bytes, unsigned rounds, bool write)
{
	static struct assembler a;
	const struct device_config *c = &t.config;
	uint16_t local = (uint16_t)(c->max_wg_size / 2);
	uint32_t items = c->num_cu * c->warps_per_cu * c->lanes;
	uint64_t chunk = (uint64_t)items * 8;
	unsigned outer, loop;

	begin(&a);
	places(&a, local);
	asm_li(&a, A5, (uint32_t)chunk);
	asm_li(&a, A6, rounds);
	outer = a.count;
	asm_add(&a, A4, A2, X0);
	asm_li(&a, A7, (uint32_t)(bytes / chunk / 8));
	loop = a.count;
	for (unsigned i = 0; i < 8; i++) {
		if (write)
			asm_sd(&a, X0, A4, 0);
		else
			asm_ld(&a, 18 + i, A4, 0);
		asm_add(&a, A4, A4, A5);
	}
	asm_addi(&a, A7, A7, -1);
	asm_bnez(&a, A7, loop);
	asm_addi(&a, A6, A6, -1);
	asm_bnez(&a, A6, outer);
	asm_exit(&a);
	launch(&a, items, local, 0, data, 0); /* translations */
	return launch(&a, items, local, 0, data, 0);
}

/* Bytes a cycle: what more rounds take more, so that beginning and end of the command do not count. */
static double stream(uint64_t data, uint64_t bytes, unsigned rounds, bool write)
{
	const uint64_t few = stream_cycles(data, bytes, rounds, write), many = stream_cycles(data, bytes, 3 * rounds, write);

	return (double)(bytes * 2 * rounds) / (double)(many - few);
}

static uint64_t dma_cycles(uint64_t dst, uint64_t src, uint32_t bytes)
{
	union packet p = { .copy = { .head.type = PACKET_CODE_copy, .src = src, .dst = dst, .width = bytes, .height = 1,
				     .depth = 1 } };
	struct completion done = submit(&p);

	return done.end - done.start;
}

/* Bytes a cycle, without what a transfer takes to begin and to end. */
static double dma(uint64_t dst, uint64_t src, uint32_t bytes)
{
	const uint64_t half = dma_cycles(dst, src, bytes / 2), whole = dma_cycles(dst, src, bytes);

	return bytes / 2 / (double)(whole - half);
}

/* Several engines at once: a queue each. Bytes a cycle of all together. */
static double dma_all(uint32_t bytes)
{
	unsigned n = t.config.dma_engines;
	struct umd_queue *queues[8];
	struct umd_command *commands[8];
	struct umd_sem *go;
	uint64_t first = UINT64_MAX, last = 0;

	if (umd_sem_create(t.driver, false, &go))
		die("no memory for a semaphore");
	for (unsigned i = 0; i < n; i++) {
		union packet p[2] = { { .head.type = PACKET_CODE_nop },
				      { .copy = { .head.type = PACKET_CODE_copy,
						  .src = umd_bo_address(t.dram) + i * bytes,
						  .dst = umd_bo_address(t.dram) + DATA_BYTES / 2 + i * bytes,
						  .width = bytes, .height = 1, .depth = 1 } } };

		umd_sem_wait_packet(go, &p[0]); /* or the driver would run one after the other */
		if (umd_queue_create(t.space, 0, 1, &queues[i]) || umd_submit(queues[i], p, 2, 0, NULL, NULL, &commands[i]))
			die("no memory for queues");
	}
	for (unsigned i = 0; i < n; i++)
		umd_flush(queues[i]);
	umd_sem_signal(go, 0);
	for (unsigned i = 0; i < n; i++) {
		struct completion done;

		if (umd_wait(commands[i]) || !umd_command_ended(commands[i], &done) || done.status)
			die("a transfer failed");
		first = done.start < first ? done.start : first;
		last = done.end > last ? done.end : last;
		umd_command_release(commands[i]);
		umd_queue_release(queues[i]);
	}
	umd_sem_release(go);
	return (double)n * bytes / (double)(last - first);
}

static double least(double a, double b) { return a < b ? a : b; }

/* A stream: limited by the memory, if the units can do more than it. */
static void stream_row(const char *name, const char *parameter, double rate, double limit, double measured, const char *otherwise)
{
	if (limit > 1.2 * rate)
		row(name, parameter, rate, measured, "bytes/cycle");
	else
		told(name, measured, "bytes/cycle", otherwise);
}

static void bandwidth(void)
{
	const struct device_config *c = &t.config;
	uint64_t dram = umd_bo_address(t.dram), system = umd_bo_address(t.system);
	uint64_t large = c->l2_bytes * 4ull < DATA_BYTES / 2 ? c->l2_bytes * 4ull : DATA_BYTES / 2;
	uint64_t small = (uint64_t)c->num_cu * c->warps_per_cu * c->lanes * 64;
	/* what the warps can have on its way at once: 8 loads each; without enough of it there is no full stream */
	double flying = (double)c->num_cu * c->warps_per_cu * 8 * c->lanes * 8;
	/* 8 stores in 18 instructions */
	double issued = (double)c->num_cu * c->lanes * 8 * 8 / 18;
	/* of small pages, no more than the TLBs hold: this is not about walks */
	uint64_t reach = c->l2_tlb_entries * 1024ull < 1 << 20 ? c->l2_tlb_entries * 1024ull : 1 << 20;
	unsigned again = (unsigned)((4 << 20) / reach);
	static const char by_loads[] = "limited by the loads that the units can have on their way";
	static const char by_issue[] = "limited by the instructions that the units issue";

	if (large < small * 4)
		large = small * 4;
	/* through all units; the L1 is too small for any of it */
	if (c->l2_bytes >= small * 2 && (uint64_t)c->l1_bytes * c->num_cu < c->l2_bytes / 2) {
		stream(dram, c->l2_bytes / 2, 1, false);
		stream_row("L2 read, all units", "l2_bytes_cycle", c->l2_bytes_cycle, flying / (c->l1_latency + c->l2_latency),
			 stream(dram, c->l2_bytes / 2, 16, false), by_loads);
	}
	stream_row("DRAM read, all units", "dram_bytes_cycle", c->dram_bytes_cycle, flying / (c->l1_latency + c->dram_latency),
		 stream(dram, large, 2, false), by_loads);
	stream_row("DRAM write, all units", "dram_bytes_cycle", c->dram_bytes_cycle, issued, stream(dram, large, 4, true), by_issue);
	stream_row("system memory read, all units", "sys_bytes_cycle", c->sys_bytes_cycle, flying / (c->l1_latency + c->sys_latency),
		 stream(system, reach, again, false), by_loads);
	stream_row("system memory write, all units", "sys_bytes_cycle", c->sys_bytes_cycle, issued,
		   stream(system, reach, again, true), by_issue);
	/* a copy within DRAM reads and writes: first what was written before leaves the L2; then as much
	 * of what one engine wrote stays for the others as theirs will */
	flush_l2();
	row("DMA, DRAM to DRAM, one engine", "dma_bytes_cycle", least(c->dma_bytes_cycle, c->dram_bytes_cycle / 2.0),
	    dma(dram + DATA_BYTES / 2, dram, 4 << 20), "bytes/cycle");
	row("DMA, DRAM to DRAM, all engines", "dma_bytes_cycle * dma_engines, dram_bytes_cycle / 2",
	    least((double)c->dma_bytes_cycle * c->dma_engines, c->dram_bytes_cycle / 2.0), dma_all(2 << 20), "bytes/cycle");
	row("DMA, system to DRAM", "sys_bytes_cycle", least(c->dma_bytes_cycle, c->sys_bytes_cycle), dma(dram, system, 1 << 20),
	    "bytes/cycle");
	row("DMA, DRAM to system", "sys_bytes_cycle", least(c->dma_bytes_cycle, c->sys_bytes_cycle), dma(system, dram, 1 << 20),
	    "bytes/cycle");
}

/* ---- latencies of the command path ---- */

static void commands(void)
{
	static struct assembler a;
	union packet nop = { .head.type = PACKET_CODE_nop };
	struct completion done;
	uint64_t before, after;

	asm_exit((a.count = 0, &a));
	launch(&a, 1, 1, 0, 0, 0);
	told("kernel that does nothing", (double)launch(&a, 1, 1, 0, 0, 0), "cycles", "first warp to completion record");
	done = submit(&nop);
	told("marker", (double)(done.end - done.submit), "cycles", "packet seen to completion record");
	told("copy of 8 bytes", (done = submit(&(union packet){ .copy = { .head.type = PACKET_CODE_copy,
									 .src = umd_bo_address(t.dram),
									 .dst = umd_bo_address(t.dram) + 4096,
									 .width = 8, .height = 1, .depth = 1 } }),
				 (double)(done.end - done.start)),
	     "cycles", "start of the transfer to completion record");
	before = umd_read_register(t.driver, 0, REG_HOST_CYCLE, 64);
	after = umd_read_register(t.driver, 0, REG_HOST_CYCLE, 64);
	row("MMIO read by the host", "mmio_read_cycles", t.config.mmio_read_cycles, (double)(after - before), "cycles");
}

/* ---- program ---- */

static int parse(int key, char *arg, struct argp_state *state)
{
	if (key == ARGP_KEY_ARG && state->arg_num == 0)
		*(const char **)state->input = arg;
	else if (key == ARGP_KEY_ARG)
		argp_usage(state);
	else
		return ARGP_ERR_UNKNOWN;
	return 0;
}

int main(int argc, char **argv)
{
	static const struct argp argp = { NULL, parse, "FILE",
		"Measures the device's timing parameters from outside and compares them with its configuration "
		"(GALENA_CONFIG); rows and curves go to FILE.", NULL, NULL, NULL };
	const char *file = NULL, *error = NULL, *config = getenv("GALENA_CONFIG");
	char message[DEVICE_CONFIG_SPEC_MAX + 256];

	argp_parse(&argp, argc, argv, 0, NULL, &file);
	if (device_config_parse(config && *config ? config : "full", &t.config, message, sizeof(message)))
		die(message);
	setenv("GALENA_SPEED", "timed", 1);
	t.rows = fopen(file ? file : "/dev/null", "w");
	if (!t.rows)
		die("cannot write the file");
	t.driver = umd_open(&error);
	if (!t.driver)
		die(error);
	if (umd_space_create(t.driver, &t.space) || umd_queue_create(t.space, 0, 1, &t.queue))
		die("no memory for a queue");
	t.code = make(CODE_BYTES, KMD_BO_EXECUTE);
	t.args = make(4096, 0);
	t.out = make(4096, 0);
	t.system = make(2 << 20, 0);
	t.staging = make(DATA_BYTES, 0);
	t.dram = make(DATA_BYTES, KMD_BO_DRAM);
	printf("%-34s %12s %12s %10s\n", "measurement", "configured", "measured", "off");
	arithmetic();
	divergence();
	local_memory();
	instructions();
	memory();
	bandwidth();
	roofline();
	commands();
	media();
	if (fclose(t.rows))
		die("cannot write the file");
	if (t.wrong)
		fprintf(stderr, "timing: %u of the parameters are off by more than %d %%\n", t.wrong, TOLERANCE);
	umd_close(t.driver);
	return t.wrong != 0;
}
