/* The dispatcher and the compute units: work-group ids, divergence, calls, barriers, local and
 * private memory, atomics, faults, several dispatches at once. Each test runs functional and timed,
 * on the full and on the mini configuration. */
#include "testbench/model/kernel.h"

/* ---- ids ---- */

static void work_item_ids(void **state)
{
	(void)state;
	static const struct { uint32_t global[3]; uint16_t local[3]; } shapes[] = {
		{ { 64, 1, 1 }, { 16, 1, 1 } }, { { 10, 7, 3 }, { 4, 2, 2 } }, { { 13, 5, 1 }, { 3, 5, 1 } },
		{ { 1, 1, 9 }, { 1, 1, 4 } },   { { 100, 3, 1 }, { 8, 2, 1 } }, { { 7, 1, 1 }, { 16, 1, 1 } },
	};
	FOR_SETUPS for (unsigned s = 0; s < 6; s++) {
		struct bench b = open_bench(setup);
		const uint32_t *g = shapes[s].global;
		const uint16_t *l = shapes[s].local;
		struct rig_range range = { .global = { g[0], g[1], g[2] }, .local = { l[0], l[1], l[2] } };
		b.arg[1] = (uint64_t)l[0] | (uint64_t)l[1] << 16 | (uint64_t)l[2] << 32;
		b.arg[2] = g[0];
		b.arg[3] = g[1];
		/* record = out + (gx + GX * (gy + GY * gz)) * 64 */
		run_well(&b, "csrr a0, 0xcc9\n ld a1, 0(a0)\n"
			     "lhu t0, 8(a0)\n csrr t1, 0xcc3\n mul t0, t0, t1\n csrr t1, 0xcc0\n add t0, t0, t1\n"
			     "lhu t2, 10(a0)\n csrr t1, 0xcc4\n mul t2, t2, t1\n csrr t1, 0xcc1\n add t2, t2, t1\n"
			     "lhu t3, 12(a0)\n csrr t1, 0xcc5\n mul t3, t3, t1\n csrr t1, 0xcc2\n add t3, t3, t1\n"
			     "ld t4, 24(a0)\n mul t3, t3, t4\n add t3, t3, t2\n ld t4, 16(a0)\n mul t3, t3, t4\n"
			     "add t3, t3, t0\n slli t3, t3, 6\n add a1, a1, t3\n"
			     "csrr t0, 0xcc0\n sw t0, 0(a1)\n csrr t0, 0xcc1\n sw t0, 4(a1)\n csrr t0, 0xcc2\n sw t0, 8(a1)\n"
			     "csrr t0, 0xcc3\n sw t0, 12(a1)\n csrr t0, 0xcc4\n sw t0, 16(a1)\n csrr t0, 0xcc5\n sw t0, 20(a1)\n"
			     "csrr t0, 0xcc6\n sw t0, 24(a1)\n csrr t0, 0xcc7\n sw t0, 28(a1)\n csrr t0, 0xcc8\n sw t0, 32(a1)\n"
			     "csrr t0, 0xcca\n sw t0, 36(a1)\n csrr t0, 0xccb\n sw t0, 40(a1)\n csrr t0, 0xccc\n sw t0, 44(a1)\n"
			     "csrr t0, 0xccd\n sw t0, 48(a1)\n csrr t0, 0xcce\n sw t0, 52(a1)\n li t0, 1\n sw t0, 56(a1)\n" EXIT,
			 range);
		unsigned width = b.r->config->lanes;
		for (uint32_t z = 0; z < g[2]; z++)
			for (uint32_t y = 0; y < g[1]; y++)
				for (uint32_t x = 0; x < g[0]; x++) {
					const uint32_t *rec = b.out + (x + g[0] * (y + g[1] * z)) * 16;
					const uint32_t at[3] = { x, y, z };
					uint32_t size[3], lid[3];
					for (unsigned d = 0; d < 3; d++) {
						uint32_t first = at[d] / l[d] * l[d];
						lid[d] = at[d] - first;
						size[d] = g[d] - first < l[d] ? g[d] - first : l[d];
						assert_int_equal(rec[d], lid[d]);
						assert_int_equal(rec[3 + d], at[d] / l[d]);
						assert_int_equal(rec[6 + d], size[d]);
					}
					uint32_t linear = lid[0] + size[0] * (lid[1] + size[1] * lid[2]);
					uint32_t items = size[0] * size[1] * size[2], left = items - linear / width * width;
					assert_int_equal(rec[9], linear % width);
					assert_int_equal(rec[10], linear / width);
					assert_int_equal(rec[11], left < width ? left : width);
					assert_true(rec[12] < b.r->config->num_cu);
					assert_int_equal(rec[13], (items + width - 1) / width);
					assert_int_equal(rec[14], 1);
				}
		uint64_t groups = 1;
		for (unsigned d = 0; d < 3; d++)
			groups *= (g[d] + l[d] - 1) / l[d];
		assert_int_equal(compute_counters(b.r->compute)->work_groups, groups);
		rig_destroy(b.r);
	}
}

/* ---- divergence ---- */

/* for i in 0..id%7: for j in 0..i: n += (j odd ? 3 : 5); */
static void nested_loops(void **state)
{
	(void)state;
	FOR_SETUPS {
		struct bench b = open_bench(setup);
		run_well(&b, ITEM "ld a1, 0(a0)\n li t0, 7\n remuw t1, s0, t0\n li t2, 0\n li t5, 0\n"
				  "1: bge t2, t1, 4f\n li t3, 0\n"
				  "2: bge t3, t2, 3f\n andi t4, t3, 1\n beqz t4, 5f\n addi t5, t5, 3\n j 6f\n"
				  "5: addi t5, t5, 5\n 6: addi t3, t3, 1\n j 2b\n"
				  "3: addi t2, t2, 1\n j 1b\n"
				  "4: sh2add a1, s0, a1\n sw t5, 0(a1)\n" EXIT,
			 (struct rig_range){ .global = { 96 }, .local = { 16 } });
		for (unsigned id = 0; id < 96; id++) {
			unsigned n = 0;
			for (unsigned i = 0; i < id % 7; i++)
				for (unsigned j = 0; j < i; j++)
					n += j & 1 ? 3 : 5;
			assert_int_equal(b.out[id], n);
		}
		rig_destroy(b.r);
	}
}

static uint32_t fib(uint32_t n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

/* Recursion with a stack in private memory, to a depth that differs from lane to lane. */
static void recursion(void **state)
{
	(void)state;
	FOR_SETUPS {
		struct bench b = open_bench(setup);
		run_well(&b, ITEM "ld s2, 0(a0)\n andi a0, s0, 7\n call fib\n sh2add s2, s0, s2\n sw a0, 0(s2)\n" EXIT
				  "fib: li t0, 2\n bltu a0, t0, 1f\n addi sp, sp, -32\n sd ra, 0(sp)\n sd a0, 8(sp)\n"
				  "addi a0, a0, -1\n call fib\n sd a0, 16(sp)\n ld a0, 8(sp)\n addi a0, a0, -2\n call fib\n"
				  "ld t0, 16(sp)\n addw a0, a0, t0\n ld ra, 0(sp)\n addi sp, sp, 32\n 1: ret\n",
			 (struct rig_range){ .global = { 40 }, .local = { 8 }, .private_bytes = 512 });
		for (unsigned id = 0; id < 40; id++)
			assert_int_equal(b.out[id], fib(id & 7));
		rig_destroy(b.r);
	}
}

/* A jump table: each lane calls another function; they come together again after the call. */
static void indirect_calls(void **state)
{
	(void)state;
	FOR_SETUPS {
		struct bench b = open_bench(setup);
		run_well(&b, ITEM "ld a1, 0(a0)\n andi t0, s0, 3\n la t1, functions\n slli t0, t0, 4\n add t1, t1, t0\n"
				  "csrr s3, 0xc02\n jalr t1\n csrr s4, 0xc02\n sh3add a1, s0, a1\n sw a2, 0(a1)\n"
				  "sub s4, s4, s3\n sw s4, 4(a1)\n" EXIT
				  "functions: li a2, 10\n addw a2, a2, s0\n ret\n nop\n"
				  "li a2, 20\n mulw a2, a2, s0\n ret\n nop\n li a2, 30\n subw a2, a2, s0\n ret\n nop\n"
				  "li a2, 40\n xor a2, a2, s0\n ret\n nop\n",
			 (struct rig_range){ .global = { 64 }, .local = { 16 } });
		for (uint32_t id = 0; id < 64; id++) {
			const uint32_t want[4] = { 10 + id, 20 * id, 30 - id, 40 ^ id };
			assert_int_equal(b.out[id * 2], want[id & 3]);
			/* all lanes stand together at the second read: four functions of three, and jalr, csrr */
			assert_int_equal(b.out[id * 2 + 1], 4 * 3 + 2);
		}
		rig_destroy(b.r);
	}
}

/* Branches and falling through across pages. */
static void code_across_pages(void **state)
{
	(void)state;
	FOR_SETUPS {
		struct bench b = open_bench(setup);
		run_well(&b, ITEM "ld a1, 0(a0)\n li t0, 0\n andi t1, s0, 3\n addi t1, t1, 1\n"
				  "1: addi t0, t0, 1\n .rept 1100\n addi t0, t0, 1\n .endr\n j 2f\n 3: sh2add a1, s0, a1\n sw t0, 0(a1)\n"
				  EXIT " .zero 3500\n 2: addi t1, t1, -1\n beqz t1, 3b\n j 1b\n",
			 (struct rig_range){ .global = { 48 }, .local = { 16 } });
		for (uint32_t id = 0; id < 48; id++)
			assert_int_equal(b.out[id], 1101 * ((id & 3) + 1));
		rig_destroy(b.r);
	}
}

/* ---- barriers, local memory ---- */

/* Each item puts its id into local memory; after the barrier it reads its neighbour's, twice. */
static void barrier_and_local_memory(void **state)
{
	(void)state;
	FOR_SETUPS {
		struct bench b = open_bench(setup);
		run_well(&b, ITEM "ld a1, 0(a0)\n csrr t0, 0xcc0\n csrr t1, 0xcc6\n li a2, 0x5\n slli a2, a2, 44\n li t5, 50\n li t6, 0\n"
				  "1: sh2add t2, t0, a2\n add t4, s0, t5\n sw t4, 0(t2)\n" BARRIER
				  "addi t3, t0, 1\n remu t3, t3, t1\n sh2add t3, t3, a2\n lw t3, 0(t3)\n addw t6, t6, t3\n" BARRIER
				  "addi t5, t5, -1\n bnez t5, 1b\n sh2add a1, s0, a1\n sw t6, 0(a1)\n" EXIT,
			 (struct rig_range){ .global = { 160 }, .local = { 16 }, .local_bytes = 64 });
		for (uint32_t id = 0; id < 160; id++) {
			uint32_t next = id / 16 * 16 + (id + 1) % 16;
			assert_int_equal(b.out[id], next * 50 + 50 * 51 / 2);
		}
		rig_destroy(b.r);
	}
}

/* Work-items arrive at barriers that stand at different places, and some have already ended. */
static void divergent_barriers(void **state)
{
	(void)state;
	FOR_SETUPS {
		struct bench b = open_bench(setup);
		run_well(&b, ITEM "ld a1, 0(a0)\n csrr t0, 0xcc0\n li a2, 0x5\n slli a2, a2, 44\n andi t1, s0, 3\n li t2, 3\n"
				  "beq t1, t2, 9f\n" /* a quarter ends at once */
				  "sh2add t3, t0, a2\n andi t1, s0, 1\n bnez t1, 1f\n"
				  "li t4, 100\n sw t4, 0(t3)\n" BARRIER "xori t3, t3, 4\n lw t5, 0(t3)\n j 2f\n"
				  "1: li t4, 200\n sw t4, 0(t3)\n" BARRIER "xori t3, t3, 4\n lw t5, 0(t3)\n"
				  "2: sh2add a1, s0, a1\n sw t5, 0(a1)\n 9:" EXIT,
			 (struct rig_range){ .global = { 128 }, .local = { 16 }, .local_bytes = 64 });
		for (uint32_t id = 0; id < 128; id++) {
			if ((id & 3) == 3)
				assert_int_equal(b.out[id], 0);
			else if ((id & 3) != 2) /* the neighbour of 2 has ended */
				assert_int_equal(b.out[id], id & 1 ? 100 : 200);
		}
		rig_destroy(b.r);
	}
}

/* ---- atomics ---- */

static void atomics_add_up(void **state)
{
	(void)state;
	FOR_SETUPS {
		struct bench b = open_bench(setup);
		b.arg[1] = out_va + 65536;
		/* one counter by amoadd, one by compare-and-swap, one by lr/sc, one in local memory */
		run_well(&b, ITEM "ld a1, 0(a0)\n ld a2, 8(a0)\n addi t0, s0, 1\n amoadd.w t1, t0, (a1)\n sh2add t2, s0, a2\n sw t1, 0(t2)\n"
				  "addi a3, a1, 8\n ld t3, 0(a3)\n 1: mv t4, t3\n add t5, t3, t0\n amocas.d t3, t5, (a3)\n bne t3, t4, 1b\n"
				  "addi a3, a1, 16\n 2: lr.w t3, (a3)\n addw t4, t3, t0\n sc.w t5, t4, (a3)\n bnez t5, 2b\n"
				  "li a4, 0x5\n slli a4, a4, 44\n csrr t1, 0xcc0\n bnez t1, 3f\n sw zero, 0(a4)\n 3:" BARRIER
				  "amoadd.w zero, t0, (a4)\n" BARRIER "lw t4, 0(a4)\n addi a3, a1, 24\n amomax.w zero, t4, (a3)\n" EXIT,
			 (struct rig_range){ .global = { 256 }, .local = { 16 }, .local_bytes = 16 });
		assert_int_equal(b.out[0], 256 * 257 / 2);
		assert_int_equal(b.out[2], 256 * 257 / 2);
		assert_int_equal(b.out[4], 256 * 257 / 2);
		assert_int_equal(b.out[6], 16 * (240 + 256 + 1) / 2); /* the last group's sum is the largest */
		/* what amoadd returned: all different, each the sum of what came before */
		uint32_t seen = 0;
		for (uint32_t i = 0; i < 256; i++)
			seen += b.out[16384 + i] == 0;
		assert_int_equal(seen, 1);
		rig_destroy(b.r);
	}
}

/* What an operation makes of the old value: words as they are in registers. */
enum { AMO_FIRST = 29 }; /* what is there at first */
enum { AMO_SWAP, AMO_ADD, AMO_XOR, AMO_AND, AMO_OR, AMO_MIN, AMO_MAX, AMO_MINU, AMO_MAXU, AMO_CAS, AMOS };
static uint64_t amo(unsigned op, uint64_t old, uint64_t x, uint64_t expected, bool word)
{
	const int64_t a = word ? (int32_t)old : (int64_t)old, b = word ? (int32_t)x : (int64_t)x;
	const uint64_t u = word ? (uint32_t)old : old, v = word ? (uint32_t)x : x;
	switch (op) {
	case AMO_SWAP: return x;
	case AMO_ADD: return old + x;
	case AMO_XOR: return old ^ x;
	case AMO_AND: return old & x;
	case AMO_OR: return old | x;
	case AMO_MIN: return a < b ? old : x;
	case AMO_MAX: return a > b ? old : x;
	case AMO_MINU: return u < v ? old : x;
	case AMO_MAXU: return u > v ? old : x;
	default: return u == (word ? (uint32_t)expected : expected) ? x : old;
	}
}

/* Lanes that all operate on one place at va: as if one after the other, each with its own result. */
static void at_one_address(struct bench *b, uint64_t entry, unsigned op, bool word, uint64_t va, unsigned lanes)
{
	const struct rig_range range = { .global = { lanes }, .local = { (uint16_t)lanes }, .local_bytes = 64, .kernarg = arg_va };
	uint64_t *out = (uint64_t *)(void *)b->out, memory = AMO_FIRST;
	b->arg[1] = va;
	memset(out, 0, 8192);
	assert_false(rig_run(b->r, entry, &range)->faulted);
	for (unsigned i = 0; i < lanes; i++) {
		uint64_t x = 100 - 7 * (uint64_t)i, expected = i ? x + 7 : AMO_FIRST;
		assert_int_equal(out[512 + i], memory);
		memory = amo(op, memory, x, expected, word);
		memory = word ? (uint64_t)(int64_t)(int32_t)memory : memory;
	}
	assert_int_equal(word ? (uint32_t)out[1] : out[1], word ? (uint32_t)memory : memory);
}

/* In DRAM, in local and in system memory, by one lane, some, and all; the address is one value, or each lane has it. */
static void atomics_at_one_address(void **state)
{
	(void)state;
	static const uint64_t places[] = { out_va + 64, 0x500000000000, 0x3000000000 };
	static const char *const names[AMOS] = { "swap", "add", "xor", "and", "or", "min", "max", "minu", "maxu", "cas" };
	FOR_SETUPS {
		struct bench b = open_bench(setup);
		const unsigned all = b.r->config->lanes;
		rig_map(b.r, places[2], SYSTEM_BASE, 4096, PTE_R | PTE_W);
		for (unsigned op = 0; op < AMOS; op++)
			for (unsigned way = 0; way < 4; way++) {
				const bool word = way & 1;
				const char *own = way & 2 ? "li t2, 4096\n add a3, a1, t2\n sh3add a3, s0, a3\n sd a2, 0(a3)\n ld a2, 0(a3)\n" : "";
				char text[1024];
				/* operands of both signs; compares hold as the value goes from one lane to the next */
				snprintf(text, sizeof(text),
					 ITEM "ld a1, 0(a0)\n ld a2, 8(a0)\n li t2, -7\n mul t0, s0, t2\n addi t0, t0, 100\n addi t1, t0, 7\n"
					      "bnez s0, 1f\n li t1, %d\n sd t1, 0(a2)\n 1: %s" BARRIER
					      "amo%s.%s t1, t0, (a2)\n li t2, 4096\n add a3, a1, t2\n sh3add a3, s0, a3\n sd t1, 0(a3)\n" BARRIER
					      "ld t3, 0(a2)\n sd t3, 8(a1)\n" EXIT, AMO_FIRST, own, names[op], word ? "w" : "d");
				uint64_t entry = rig_load_text(b.r, text);
				for (unsigned k = 0; k < 9; k++)
					at_one_address(&b, entry, op, word, places[k % 3], k < 3 ? 1 : k < 6 ? all - 3 : all);
			}
		rig_destroy(b.r);
	}
}

/* A spin lock that all lanes of all resident warps want, held over several instructions. */
static void spin_lock(void **state)
{
	(void)state;
	FOR_SETUPS {
		struct bench b = open_bench(setup);
		run_well(&b, ITEM "ld a1, 0(a0)\n li t0, 1\n"
				  "1: amoswap.w.aq t1, t0, (a1)\n bnez t1, 1b\n"
				  "lw t2, 4(a1)\n addiw t2, t2, 1\n nop\n sw t2, 4(a1)\n amoswap.w.rl zero, zero, (a1)\n" EXIT,
			 (struct rig_range){ .global = { 64 }, .local = { 16 } });
		assert_int_equal(b.out[0], 0);
		assert_int_equal(b.out[1], 64);
		rig_destroy(b.r);
	}
}

/* One lane waits, with plain loads, for a flag that another lane of its warp sets later. */
static void waiting_for_a_lane(void **state)
{
	(void)state;
	FOR_SETUPS {
		struct bench b = open_bench(setup);
		run_well(&b, ITEM "ld a1, 0(a0)\n bnez s0, 2f\n 1: lw t0, 0(a1)\n beqz t0, 1b\n sw t0, 4(a1)\n" EXIT
				  "2: li t0, 42\n li t1, 3\n bne s0, t1, 3f\n sw t0, 0(a1)\n 3:" EXIT,
			 (struct rig_range){ .global = { 4 }, .local = { 4 } });
		assert_int_equal(b.out[1], 42);
		rig_destroy(b.r);
	}
}

/* ---- memory forms ---- */

/* Every size at every alignment, also across pages, side by side and scattered. */
static void misaligned_accesses(void **state)
{
	(void)state;
	FOR_SETUPS {
		struct bench b = open_bench(setup);
		uint8_t *bytes = (uint8_t *)b.out;
		for (unsigned stride = 1; stride <= 517; stride = stride < 16 ? stride + 3 : stride * 2 + 5) {
			for (unsigned i = 0; i < OUT_BYTES; i++)
				bytes[i] = (uint8_t)(i * 7 + i / 251);
			b.arg[1] = out_va + 4096 - 16 + stride % 5;
			b.arg[2] = stride;
			b.arg[3] = out_va + 0x40000 + stride % 3;
			run_well(&b, ITEM "ld a1, 8(a0)\n ld a2, 16(a0)\n mul a2, a2, s0\n add a1, a1, a2\n ld a3, 24(a0)\n"
					  "slli t0, s0, 5\n add a3, a3, t0\n"
					  "ld t0, 1(a1)\n sd t0, 0(a3)\n lw t0, 3(a1)\n sw t0, 8(a3)\n lhu t0, 5(a1)\n sh t0, 12(a3)\n"
					  "lb t0, 0(a1)\n sb t0, 14(a3)\n lwu t0, 2(a1)\n sd t0, 16(a3)\n lh t0, 1(a1)\n sd t0, 24(a3)\n" EXIT,
				 (struct rig_range){ .global = { 24 }, .local = { 8 } });
			for (unsigned i = 0; i < 24; i++) {
				const uint8_t *p = bytes + 4096 - 16 + stride % 5 + i * stride;
				uint8_t want[32];
				memcpy(want, p + 1, 8);
				memcpy(want + 8, p + 3, 4);
				memcpy(want + 12, p + 5, 2);
				want[14] = p[0];
				want[15] = bytes[0x40000 + stride % 3 + i * 32 + 15];
				memcpy(want + 16, p + 2, 4);
				memset(want + 20, 0, 4);
				memcpy(want + 24, p + 1, 2);
				memset(want + 26, p[2] & 0x80 ? 0xff : 0, 6);
				assert_memory_equal(bytes + 0x40000 + stride % 3 + i * 32, want, 32);
			}
		}
		rig_destroy(b.r);
	}
}

/* Observed system memory: read and written through the bus, exactly the bytes that were accessed. */
static void observed_system_memory(void **state)
{
	(void)state;
	for (unsigned setup = 0; setup < 4; setup++) {
		struct rig *r = rig_create(setups[setup].config, setups[setup].speed, SIMD_AUTO, true);
		uint64_t *arg = rig_buffer(r, arg_va, 4096);
		rig_map(r, out_va, SYSTEM_BASE, RIG_SYSTEM_PAGES * 4096, PTE_R | PTE_W);
		struct bench b = { r, NULL, arg };
		arg[0] = out_va;
		uint32_t *words = (uint32_t *)r->system;
		for (uint32_t i = 0; i < 64; i++)
			words[i] = i * 3;
		r->sys_bytes = r->sys_reads = r->sys_writes = 0;
		run_well(&b, ITEM "ld a1, 0(a0)\n sh2add a2, s0, a1\n lw t0, 0(a2)\n lui t1, 2\n add a2, a2, t1\n sw t0, 4(a2)\n"
				  "lui t1, 4\n add a3, a1, t1\n amoadd.w zero, t0, (a3)\n" EXIT,
			 (struct rig_range){ .global = { 64 }, .local = { 16 } });
		for (uint32_t i = 0; i < 64; i++)
			assert_int_equal(words[2048 + 1 + i], i * 3);
		assert_int_equal(words[2048], 0);
		assert_int_equal(words[2048 + 65], 0);
		assert_int_equal(words[4096], 3 * 63 * 64 / 2);
		assert_int_equal(r->sys_bytes, 64 * 4 * 4); /* load, store, and both halves of the atomic */
		rig_destroy(r);
	}
}

/* ---- faults ---- */

enum { ANY = 0xffff }; /* all work-items fault: whichever comes first */

static void check_fault(const struct rig_end *e, enum fault code, enum access access, uint64_t address, uint32_t group,
			uint32_t local)
{
	assert_true(e->ended);
	assert_true(e->faulted);
	if (e->fault.code != code)
		fail_msg("fault %s, expected %s", fault_name(e->fault.code), fault_name(code));
	assert_int_equal(e->fault.access, access);
	assert_int_equal(e->fault.address, address);
	if (group != ANY) {
		assert_int_equal(e->fault.group_id[0], group);
		assert_int_equal(e->fault.local_id[0], local);
	}
	assert_in_range(e->fault.unit, UNIT_CU, UNIT_CU + 3);
}

/* Item 37 of groups of 16 (group 2, local 5) does the forbidden thing; t0 = address. */
#define ONLY_37 ITEM "ld a1, 0(a0)\n ld a2, 8(a0)\n li t1, 37\n bne s0, t1, 9f\n"

static void faults_name_the_work_item(void **state)
{
	(void)state;
	static const uint64_t hole = 0x2f00000000, read_only = 0x3000000000;
	static const struct { const char *text; enum fault code; enum access access; uint64_t address; } cases[] = {
		{ "lw t0, 8(a2)\n", FAULT_PAGE_NOT_PRESENT, ACCESS_READ, hole + 8 },
		{ "sd t0, 16(a2)\n", FAULT_PAGE_NOT_PRESENT, ACCESS_WRITE, hole + 16 },
		{ "amoadd.w t0, t0, (a2)\n", FAULT_PAGE_NOT_PRESENT, ACCESS_ATOMIC, hole },
		{ "ld a2, 16(a0)\n sw t0, 4(a2)\n", FAULT_PAGE_WRITE, ACCESS_WRITE, read_only + 4 },
		{ "lr.w t0, (a2)\n", FAULT_PAGE_NOT_PRESENT, ACCESS_READ, hole },
		{ "sc.w t0, t0, (a2)\n", FAULT_PAGE_NOT_PRESENT, ACCESS_ATOMIC, hole },
		{ "addi a1, a1, 4\n lr.d t0, (a1)\n", FAULT_MISALIGNED, ACCESS_READ, out_va + 4 },
		{ "ld a2, 16(a0)\n amoadd.w t0, t0, (a2)\n", FAULT_PAGE_WRITE, ACCESS_ATOMIC, read_only },
		{ "ld a2, 16(a0)\n li t2, 4094\n add a2, a2, t2\n lw t0, 0(a2)\n", FAULT_PAGE_NOT_PRESENT, ACCESS_READ,
		  read_only + 4096 },
		{ "addi a1, a1, 2\n amoadd.w t0, t0, (a1)\n", FAULT_MISALIGNED, ACCESS_ATOMIC, out_va + 2 },
		{ "addi a1, a1, 4\n amoadd.d t0, t0, (a1)\n", FAULT_MISALIGNED, ACCESS_ATOMIC, out_va + 4 },
		{ "li t0, 5\n slli t0, t0, 44\n lw t1, 61(t0)\n", FAULT_LOCAL_RANGE, ACCESS_READ, 0x500000000000 + 61 },
		{ "li t0, 5\n slli t0, t0, 44\n sw t1, 64(t0)\n", FAULT_LOCAL_RANGE, ACCESS_WRITE, 0x500000000000 + 64 },
		{ "sw t0, 0(sp)\n", FAULT_PRIVATE_RANGE, ACCESS_WRITE, 0x600000000000 + 32 },
		{ "addi sp, sp, -48\n ld t0, 8(sp)\n", FAULT_PAGE_NOT_PRESENT, ACCESS_READ, 0x600000000000 - 8 },
		{ "li t0, -8\n lw t1, 0(t0)\n", FAULT_PAGE_NOT_PRESENT, ACCESS_READ, (uint64_t)-8 },
	};
	FOR_SETUPS for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bench b = open_bench(setup);
		char text[1024];
		rig_map(b.r, read_only, rig_dram(b.r, 4096), 4096, PTE_R);
		b.arg[1] = hole;
		b.arg[2] = read_only;
		snprintf(text, sizeof(text), ONLY_37 "%s 9:" EXIT, cases[i].text);
		const struct rig_end *e = run(&b, text, (struct rig_range){ .global = { 64 }, .local = { 16 }, .local_bytes = 64, .private_bytes = 32 });
		check_fault(e, cases[i].code, cases[i].access, cases[i].address, 2, 5);
		/* the pc is that of an instruction of the program after the branch */
		assert_in_range(e->fault.pc, b.r->code_va - 8192 + 40, b.r->code_va - 4096);
		/* and the next dispatch works */
		run_well(&b, ITEM "ld a1, 0(a0)\n sh2add a1, s0, a1\n sw s0, 0(a1)\n" EXIT,
			 (struct rig_range){ .global = { 64 }, .local = { 16 } });
		for (uint32_t k = 0; k < 64; k++)
			assert_int_equal(b.out[k], k);
		rig_destroy(b.r);
	}
}

static void instruction_faults(void **state)
{
	(void)state;
	FOR_SETUPS {
		struct bench b = open_bench(setup);
		uint64_t entry = b.r->code_va;
		struct rig_range range = { .global = { 64 }, .local = { 16 } };
		check_fault(run(&b, ITEM "li t1, 37\n bne s0, t1, 9f\n .word 0\n 9:" EXIT, range), FAULT_ILLEGAL_INSN,
			    ACCESS_EXEC, entry + 8 * 4, 2, 5);
		entry = b.r->code_va;
		check_fault(run(&b, ITEM "li t1, 37\n bne s0, t1, 9f\n ebreak\n 9:" EXIT, range), FAULT_EBREAK, ACCESS_EXEC,
			    entry + 8 * 4, 2, 5);
		entry = b.r->code_va;
		check_fault(run(&b, ITEM "li t1, 37\n bne s0, t1, 9f\n csrw 0xcc0, t1\n 9:" EXIT, range), FAULT_ILLEGAL_INSN,
			    ACCESS_EXEC, entry + 8 * 4, 2, 5);
		/* into data: readable, not executable */
		check_fault(run(&b, ITEM "ld a1, 0(a0)\n li t1, 37\n bne s0, t1, 9f\n jr a1\n 9:" EXIT, range), FAULT_PAGE_EXEC,
			    ACCESS_EXEC, out_va, 2, 5);
		check_fault(run(&b, ITEM "ld a1, 0(a0)\n li t1, 37\n bne s0, t1, 9f\n jr 2(a1)\n 9:" EXIT, range), FAULT_MISALIGNED,
			    ACCESS_EXEC, out_va + 2, 2, 5);
		/* an entry that is not mapped: the first work-item */
		const struct rig_end *e = rig_run(b.r, 0x2e00000000, &range);
		check_fault(e, FAULT_PAGE_NOT_PRESENT, ACCESS_EXEC, 0x2e00000000, ANY, 0);
		rig_destroy(b.r);
	}
}

static void no_private_memory(void **state)
{
	(void)state;
	FOR_SETUPS {
		struct bench b = open_bench(setup);
		struct rig_range range = { .global = { 4 }, .local = { 4 } };
		check_fault(run(&b, "lw t0, 0(sp)\n" EXIT, range), FAULT_PRIVATE_RANGE, ACCESS_READ, 0x600000000000, 0, 0);
		b.r->scratch = 0;
		range.private_bytes = 64;
		check_fault(run(&b, "lw t0, -4(sp)\n" EXIT, range), FAULT_PRIVATE_RANGE, ACCESS_READ, 0x600000000000 + 60, 0, 0);
		rig_destroy(b.r);
	}
}

static void bad_dispatches(void **state)
{
	(void)state;
	FOR_SETUPS {
		struct bench b = open_bench(setup);
		const struct device_config *c = b.r->config;
		uint64_t entry = rig_load_text(b.r, EXIT);
		struct packet_dispatch good = { .entry = entry, .global_size = { 8, 1, 1 }, .local_size = { 4, 1, 1 } };
		struct packet_dispatch p;
#define BAD(change)                                                                                \
	p = good;                                                                                  \
	change;                                                                                    \
	assert_int_equal(rig_dispatch(b.r, &(struct compute_start){ .packet = p, .scratch = b.r->scratch, .scratch_size = b.r->scratch_size, .space = RIG_ASID }), FAULT_BAD_DISPATCH)
		BAD(p.global_size[1] = 0);
		BAD(p.local_size[2] = 0);
		BAD(p.local_size[0] = (uint16_t)(c->max_wg_size + 1));
		BAD((p.local_size[0] = (uint16_t)c->max_wg_size, p.local_size[1] = 2));
		BAD(p.local_bytes = c->lds_bytes + 1);
		BAD(p.private_bytes = 24);
		BAD(p.private_bytes = (1 << 20) + 16);
		BAD(p.private_bytes = 2048); /* the backing is for 1024 */
		BAD(p.units = 1u << c->num_cu);
		BAD(p.units = 1u << 31 | 1);
#undef BAD
		assert_int_equal(compute_next(b.r->compute), UINT64_MAX);
		assert_int_equal(rig_dispatch(b.r, &(struct compute_start){ .packet = good, .space = RIG_ASID }), FAULT_NONE);
		assert_true(rig_finish(b.r, 1 << 20));
		rig_destroy(b.r);
	}
}

/* ---- several dispatches ---- */

static void slots_share_the_units(void **state)
{
	(void)state;
	FOR_SETUPS {
		struct bench b = open_bench(setup);
		uint64_t *args = b.arg;
		uint64_t entry = rig_load_text(b.r, ITEM "ld a1, 0(a0)\n ld t0, 8(a0)\n li t1, 200\n 1: add t0, t0, s0\n addi t1, t1, -1\n"
							"bnez t1, 1b\n sh2add a1, s0, a1\n sw t0, 0(a1)\n" EXIT);
		uint64_t bad = rig_load_text(b.r, ITEM "li t0, 500\n 1: addi t0, t0, -1\n bnez t0, 1b\n ebreak\n");
		for (unsigned s = 0; s < COMPUTE_SLOTS; s++) {
			args[s * 4] = out_va + s * 4096;
			args[s * 4 + 1] = s;
			struct rig_range range = { .global = { 200 }, .local = { 8 }, .kernarg = arg_va + s * 32 };
			assert_int_equal(rig_start(b.r, s, s == 5 ? bad : entry, &range), FAULT_NONE);
		}
		assert_true(rig_finish(b.r, 1ull << 32));
		for (unsigned s = 0; s < COMPUTE_SLOTS; s++) {
			assert_true(b.r->ends[s].ended);
			assert_int_equal(b.r->ends[s].faulted, s == 5);
			for (uint32_t i = 0; i < 200; i++)
				assert_int_equal(b.out[s * 1024 + i], s == 5 ? 0 : s + 200 * i);
		}
		assert_int_equal(b.r->ends[5].fault.code, FAULT_EBREAK);
		rig_destroy(b.r);
	}
}

/* Partitions: the groups of a dispatch run on the units that it names, at the same time as those of others. */
static void units_are_restricted(void **state)
{
	(void)state;
	FOR_SETUPS {
		struct bench b = open_bench(setup);
		const uint32_t units = b.r->config->num_cu, all = (1u << units) - 1;
		uint64_t *args = b.arg;
		/* out[gid] = unit + 1, after a while */
		uint64_t entry = rig_load_text(b.r, ITEM "ld a1, 0(a0)\n li t1, 300\n 1: addi t1, t1, -1\n bnez t1, 1b\n"
							"csrr t0, 0xccd\n addi t0, t0, 1\n sh2add a1, s0, a1\n sw t0, 0(a1)\n" EXIT);
		uint32_t masks[COMPUTE_SLOTS];
		for (unsigned s = 0; s < COMPUTE_SLOTS; s++) {
			args[s * 4] = out_va + s * 4096;
			masks[s] = (s * 5) & all; /* with 0: all of them */
			struct rig_range range = { .global = { 400 }, .local = { 4 }, .kernarg = arg_va + s * 32, .units = masks[s] };
			assert_int_equal(rig_start(b.r, s, entry, &range), FAULT_NONE);
		}
		assert_true(rig_finish(b.r, 1ull << 32));
		for (unsigned s = 0; s < COMPUTE_SLOTS; s++) {
			uint32_t seen = 0;
			assert_true(b.r->ends[s].ended);
			assert_false(b.r->ends[s].faulted);
			for (uint32_t i = 0; i < 400; i++) {
				assert_in_range(b.out[s * 1024 + i], 1, units);
				seen |= 1u << (b.out[s * 1024 + i] - 1);
			}
			assert_int_equal(seen, masks[s] ? masks[s] : all);
		}
		/* one unit each: they run side by side */
		for (unsigned s = 0; s < units; s++) {
			struct rig_range range = { .global = { 400 }, .local = { 4 }, .kernarg = arg_va + s * 32, .units = 1u << s };
			assert_int_equal(rig_start(b.r, s, entry, &range), FAULT_NONE);
		}
		assert_true(rig_finish(b.r, 1ull << 32));
		for (unsigned s = 1; s < units; s++)
			assert_true(b.r->ends[s].start < b.r->ends[0].end && b.r->ends[0].start < b.r->ends[s].end);
		rig_destroy(b.r);
	}
}

/* A kernel that never ends returns at the limit, lets others run, and can be killed. */
static void endless_kernels(void **state)
{
	(void)state;
	FOR_SETUPS {
		struct bench b = open_bench(setup);
		struct rig_range range = { .global = { 8 }, .local = { 4 }, .kernarg = arg_va };
		assert_int_equal(rig_start(b.r, 3, rig_load_text(b.r, "1: j 1b\n"), &range), FAULT_NONE);
		assert_false(rig_finish(b.r, 50000));
		assert_in_range(b.r->now, 50000, 50000 + 8192);
		assert_int_equal(rig_start(b.r, 4, rig_load_text(b.r, ITEM "ld a1, 0(a0)\n sh2add a1, s0, a1\n li t0, 9\n sw t0, 0(a1)\n" EXIT), &range),
				 FAULT_NONE);
		assert_false(rig_finish(b.r, 50000));
		assert_true(b.r->ends[4].ended);
		assert_false(b.r->ends[4].faulted);
		assert_int_equal(b.out[7], 9);
		assert_false(b.r->ends[3].ended);
		compute_abort(b.r->compute, &(struct compute_abort){ 3 }, b.r->now);
		assert_true(b.r->ends[3].ended);
		assert_int_equal(b.r->ends[3].fault.code, FAULT_ABORTED);
		assert_int_equal(compute_next(b.r->compute), UINT64_MAX);
		b.r->ends[3].ended = false;
		compute_abort(b.r->compute, &(struct compute_abort){ 3 }, b.r->now); /* free: nothing */
		assert_false(b.r->ends[3].ended);
		rig_destroy(b.r);
	}
}

static void code_changes_are_seen_after_a_flush(void **state)
{
	(void)state;
	FOR_SETUPS {
		struct bench b = open_bench(setup);
		struct rig_range range = { .global = { 8 }, .local = { 4 }, .kernarg = arg_va };
		uint64_t va = 0x2d00000000, pa = rig_dram(b.r, 4096);
		rig_map(b.r, va, pa, 4096, PTE_R | PTE_X);
		for (uint32_t value = 1; value < 4; value++) {
			char text[256];
			size_t n;
			snprintf(text, sizeof(text), ITEM "ld a1, 0(a0)\n sh2add a1, s0, a1\n li t0, %u\n sw t0, 0(a1)\n" EXIT, value);
			uint32_t *words = rig_assemble(text, &n);
			memcpy(rig_host(b.r, pa), words, n * 4);
			free(words);
			compute_flush_code(b.r->compute, b.r->now);
			assert_false(rig_run(b.r, va, &range)->faulted);
			assert_int_equal(b.out[5], value);
		}
		rig_destroy(b.r);
	}
}

/* Unmapping takes effect with the MMU's invalidation, for data and for code. */
static void unmapped_pages_fault(void **state)
{
	(void)state;
	FOR_SETUPS {
		struct bench b = open_bench(setup);
		struct rig_range range = { .global = { 8 }, .local = { 4 }, .kernarg = arg_va };
		uint64_t entry = rig_load_text(b.r, ITEM "ld a1, 0(a0)\n sh2add a1, s0, a1\n sw s0, 0(a1)\n" EXIT);
		assert_false(rig_run(b.r, entry, &range)->faulted);
		rig_unmap(b.r, out_va);
		const struct rig_end *e = rig_run(b.r, entry, &range);
		assert_in_range(e->fault.address, out_va, out_va + 31);
		check_fault(e, FAULT_PAGE_NOT_PRESENT, ACCESS_WRITE, e->fault.address, ANY, 0);
		rig_unmap(b.r, entry);
		check_fault(rig_run(b.r, entry, &range), FAULT_PAGE_NOT_PRESENT, ACCESS_EXEC, entry, ANY, 0);
		rig_destroy(b.r);
	}
}

/* The same dispatch in the same state takes the same cycles, counts the same, and time costs. */
static void time_is_deterministic(void **state)
{
	(void)state;
	uint64_t cycles[2][2], insns[2];
	for (unsigned round = 0; round < 2; round++) {
		struct bench b = open_bench(1);
		const char *text = ITEM "ld a1, 0(a0)\n slli t1, s0, 7\n add a1, a1, t1\n li t0, 20\n"
					"1: lw t2, 0(a1)\n addw t3, t3, t2\n addi t0, t0, -1\n bnez t0, 1b\n sw t3, 0(a1)\n" EXIT;
		uint64_t entry = rig_load_text(b.r, text);
		struct rig_range range = { .global = { 4096 }, .local = { 64 }, .kernarg = arg_va };
		const struct rig_end *e = rig_run(b.r, entry, &range);
		cycles[round][0] = e->end - e->start;
		e = rig_run(b.r, entry, &range);
		cycles[round][1] = e->end - e->start;
		const struct compute_counters *n = compute_counters(b.r->compute);
		insns[round] = n->lane_insns;
		assert_int_equal(n->dispatches, 2);
		assert_true(n->l1_miss > 0);
		assert_true(n->warp_insns * 32 == n->lane_insns);
		rig_destroy(b.r);
	}
	assert_int_equal(cycles[0][0], cycles[1][0]);
	assert_int_equal(cycles[0][1], cycles[1][1]);
	assert_int_equal(insns[0], insns[1]);
	assert_int_equal(insns[0], 2 * 4096 * (6 + 4 + 80 + 2));
	/* no less than one issue a cycle and unit allows */
	assert_true(cycles[0][0] > insns[0] / 2 / 32 / 4);
}

/* Latencies show: a chain of dependent operations of one warp takes its length times the latency. */
static void latencies(void **state)
{
	(void)state;
	const struct device_config *c = device_config_find("full");
	const struct { const char *op; uint32_t latency; } chains[] = {
		{ "addw t0, t0, t0\n", c->alu_latency },      { "mulw t0, t0, t0\n", c->mul_latency },
		{ "fadd.s ft0, ft0, ft0\n", c->fpu_latency }, { "divw t0, t0, t1\n", c->div_latency },
		{ "nop\n", 1 },
	};
	for (unsigned i = 0; i < 5; i++) {
		struct bench b = bench_of(rig_create("full" QUICK_MEMORY, BUS_TIMED, SIMD_AUTO, false));
		char text[256];
		snprintf(text, sizeof(text), "li t1, 3\n .rept 400\n %s .endr\n" EXIT, chains[i].op);
		const struct rig_end *e = run(&b, text, (struct rig_range){ .global = { 32 }, .local = { 32 } });
		assert_false(e->faulted);
		assert_in_range(e->end - e->start, 399 * chains[i].latency, 400 * chains[i].latency + 100);
		rig_destroy(b.r);
	}
}

/* Local memory: lanes that hit one bank take turns. */
static void bank_conflicts(void **state)
{
	(void)state;
	uint64_t cycles[2];
	for (unsigned conflict = 0; conflict < 2; conflict++) {
		struct bench b = open_bench(1);
		char text[512];
		snprintf(text, sizeof(text), "csrr t0, 0xcca\n slli t0, t0, %u\n li a2, 5\n slli a2, a2, 44\n add a2, a2, t0\n"
					     ".rept 300\n lw t1, 0(a2)\n .endr\n" EXIT, conflict ? 7 : 2);
		const struct rig_end *e = run(&b, text, (struct rig_range){ .global = { 32 }, .local = { 32 }, .local_bytes = 8192 });
		assert_false(e->faulted);
		cycles[conflict] = e->end - e->start;
		rig_destroy(b.r);
	}
	assert_true(cycles[1] > cycles[0] + 300 * 25);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(work_item_ids),
		cmocka_unit_test(nested_loops),
		cmocka_unit_test(recursion),
		cmocka_unit_test(indirect_calls),
		cmocka_unit_test(code_across_pages),
		cmocka_unit_test(barrier_and_local_memory),
		cmocka_unit_test(divergent_barriers),
		cmocka_unit_test(atomics_add_up),
		cmocka_unit_test(atomics_at_one_address),
		cmocka_unit_test(spin_lock),
		cmocka_unit_test(waiting_for_a_lane),
		cmocka_unit_test(misaligned_accesses),
		cmocka_unit_test(observed_system_memory),
		cmocka_unit_test(faults_name_the_work_item),
		cmocka_unit_test(instruction_faults),
		cmocka_unit_test(no_private_memory),
		cmocka_unit_test(bad_dispatches),
		cmocka_unit_test(slots_share_the_units), cmocka_unit_test(units_are_restricted),
		cmocka_unit_test(endless_kernels),
		cmocka_unit_test(code_changes_are_seen_after_a_flush),
		cmocka_unit_test(unmapped_pages_fault),
		cmocka_unit_test(time_is_deterministic),
		cmocka_unit_test(latencies),
		cmocka_unit_test(bank_conflicts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
