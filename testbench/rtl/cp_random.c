#include "testbench/rtl/cp_random.h"
#include "abi/address_map.h"
#include "testbench/model/encode.h"
#include "testbench/random.h"
#include <string.h>

enum { CONSTANTS = 0x200, BODY = 0x1200, BODY_END = 0x3e00, BYTES = 16 << 20 };

const uint64_t cp_random_place[CP_RANDOM_PLACES] = {
	DRAM_BASE, DRAM_BASE + 0x1000, DRAM_BASE + 0x1ff8, DRAM_BASE + 0x3000, DRAM_BASE + 0x3ff8, DRAM_BASE + BYTES - 8, DRAM_BASE + BYTES - 64,
	SYSTEM_BASE + 0x1000, SYSTEM_BASE + 0x1ff8, SYSTEM_BASE + 0x2000, SYSTEM_BASE + 0x2ff8, SYSTEM_BASE + 0x3ff8, SYSTEM_BASE + 0x4ff8,
	CP_TCM_SIZE - 8, CP_TCM_SIZE, 0, CP_MMIO_BASE - 8, CP_MMIO_BASE + CP_MMIO_SIZE - 8, UINT64_MAX - 7, DRAM_BASE - 8,
};

struct program {
	uint64_t *random;
	uint8_t *tcm;
	unsigned at, jumps, wfis; /* of 64 instructions that many jump, wait */
};

static uint64_t below(struct program *p, uint64_t n) { return splitmix64(p->random) % n; }

static void put(struct program *p, uint32_t word)
{
	unsigned bytes = (word & 3) == 3 ? 4 : 2;

	memcpy(p->tcm + p->at, &word, bytes);
	p->at += bytes;
}

static uint64_t value(struct program *p)
{
	static const uint64_t border[] = { 0, 1, UINT64_MAX, 1ull << 63, (1ull << 63) - 1, 1ull << 31, (1ull << 31) - 1, 1ull << 32, 0xffffffff80000000, 7 };
	uint64_t v = splitmix64(p->random);

	switch (below(p, 4)) {
	case 0: return border[below(p, sizeof(border) / sizeof(*border))];
	case 1: return v >> below(p, 64);
	case 2: return (uint64_t)((int64_t)v >> below(p, 64));
	}
	return v;
}

/* x8 to x15 point somewhere. */
enum { TO_TCM = 8, TO_CODE, TO_REGISTERS, TO_DRAM, TO_SYSTEM, TO_ANY, TO_JUMP, TO_END };

static uint64_t pointer(struct program *p, unsigned r)
{
	switch (r) {
	case TO_TCM: return 0x8000 + below(p, 8) * 8;
	case TO_CODE: return BODY + below(p, 0x800) * 8 % (BODY_END - BODY);
	case TO_REGISTERS: return CP_MMIO_BASE + below(p, 2) * 0x10000 + below(p, 64) * 8;
	case TO_DRAM: return DRAM_BASE + 0x1000 * below(p, 4) + below(p, 4) * 8;
	case TO_SYSTEM: return SYSTEM_BASE + 0x1000 + below(p, 4) * 8;
	case TO_JUMP: return BODY + below(p, 0x400) * 2;
	case TO_END: return CP_TCM_SIZE - 8 * below(p, 4);
	}
	return cp_random_place[below(p, CP_RANDOM_PLACES)];
}

static unsigned source(struct program *p) { return (unsigned)below(p, 32); }

/* Seldom one that points somewhere. */
static unsigned target(struct program *p)
{
	unsigned r = (unsigned)below(p, 32);

	return r >= TO_TCM && r <= TO_END && below(p, 16) ? r ^ 16 : r;
}

static unsigned base(struct program *p)
{
	static const uint8_t often[] = { TO_TCM, TO_TCM, TO_CODE, TO_REGISTERS, TO_DRAM, TO_DRAM, TO_SYSTEM, TO_SYSTEM, TO_ANY, TO_END };

	return often[below(p, sizeof(often))];
}

static int offset(struct program *p, unsigned size)
{
	int n = (int)below(p, 12) - 4;

	return below(p, 6) ? n * (1 << size) : n;
}

static void memory(struct program *p, bool store)
{
	unsigned size = (unsigned)below(p, 4), b = base(p);

	if (b == TO_REGISTERS && below(p, 16))
		size |= 2;
	put(p, store ? enc_s(size, source(p), b, offset(p, size)) : enc_i(0x03, size | (size < 3 && below(p, 2) ? 4 : 0), target(p), b, offset(p, size)));
}

static void atomic(struct program *p)
{
	static const uint8_t ops[] = { 0, 1, 2, 3, 4, 8, 12, 16, 20, 24, 28 };
	const unsigned size = 2 + (unsigned)below(p, 2), order = (unsigned)below(p, 4), b = base(p), f5 = ops[below(p, sizeof(ops))], rd = target(p);

	if (below(p, 3)) {
		put(p, enc_r(0x2f, size, f5 << 2 | order, target(p), b, f5 == 2 && below(p, 8) ? 0 : source(p)));
		return;
	}
	put(p, enc_r(0x2f, size, 2 << 2, rd, b, 0));
	switch (below(p, 8)) { /* what may end the reservation */
	case 0: put(p, enc_addi(target(p), source(p), 1)); break;
	case 1: memory(p, true); break;
	case 2: put(p, enc_s(size, below(p, 2) ? rd : source(p), b, 0)); break;
	case 3: put(p, ENC_ECALL); break;
	case 4: put(p, enc_r(0x2f, size, 3 << 2, target(p), base(p), source(p))); break;
	default: break;
	}
	put(p, enc_r(0x2f, below(p, 6) ? size : size ^ 1, 3 << 2 | order, target(p), below(p, 16) ? b : base(p), source(p)));
}

static void csr(struct program *p)
{
	static const uint16_t numbers[] = { 0x300, 0x300, 0x301, 0x304, 0x340, 0x340, 0x341, 0x342, 0x343, 0x344, 0xb00, 0xb02, 0xc00, 0xc01, 0xc02, 0xf11,
					    0xf12, 0xf13, 0xf14, 0xf15, 0x305, 0xc03, 0xb01, 0x302, 0x306 };
	static const uint8_t ops[] = { 1, 2, 3, 5, 6, 7 };
	unsigned number = below(p, 32) ? numbers[below(p, sizeof(numbers) / sizeof(*numbers))] : (unsigned)below(p, 4096);
	unsigned op = ops[below(p, sizeof(ops))];

	if (number == 0x305 && below(p, 8)) /* the handler mostly stays */
		op |= 2;
	put(p, enc_i(0x73, op, target(p), number == 0x305 && op & 2 && below(p, 8) ? 0 : source(p), (int)number));
}

static void arithmetic(struct program *p)
{
	static const uint8_t ops[] = { 0x33, 0x3b, 0x13, 0x1b };
	unsigned op = ops[below(p, 4)], f3 = (unsigned)below(p, 8), f7 = below(p, 2) ? 1 : (f3 == 0 || f3 == 5) && below(p, 2) ? 0x20 : 0;

	if (op == 0x3b && f7 != 1)
		f3 = f3 & 4 ? 5 : f3 & 1;
	if (op == 0x3b && f7 == 1 && f3 && f3 < 4)
		f3 += 4;
	if (op == 0x1b)
		f3 = f3 & 4 ? 5 : f3 & 1;
	if (op == 0x33 || op == 0x3b)
		put(p, enc_r(op, f3, f7, target(p), source(p), below(p, 8) ? source(p) : 0));
	else if (f3 == 1 || f3 == 5)
		put(p, enc_r(op, f3, (f3 == 5 ? (f7 & 0x20) : 0) | (op == 0x13 ? (unsigned)below(p, 2) : 0), target(p), source(p), source(p)));
	else
		put(p, enc_i(op, f3, target(p), source(p), (int)below(p, 4096)));
}

static void jump(struct program *p)
{
	static const uint8_t conditions[] = { 0, 1, 4, 5, 6, 7 };
	int to = (int)below(p, 24) * 2 - (below(p, 16) ? 0 : 12);

	if (to == 0)
		to = 4;
	switch (below(p, 8)) {
	case 0: put(p, enc_jal(target(p), to)); break;
	case 1: put(p, enc_i(0x67, 0, target(p), below(p, 8) ? TO_JUMP : TO_END, below(p, 8) ? to : to + 1)); break;
	case 4: put(p, 0x8002 | TO_JUMP << 7 | (uint32_t)below(p, 2) << 12); break;
	case 2: put(p, 0xc001 | (uint32_t)below(p, 2) << 13 | (uint32_t)below(p, 8) << 7 | (uint32_t)below(p, 4) << 3 | (uint32_t)below(p, 2) << 2); break;
	case 3: put(p, 0xa001 | 3 << 3 | (uint32_t)below(p, 2) << 2); break;
	default: put(p, enc_b(conditions[below(p, 6)], source(p), below(p, 4) ? source(p) : 0, to)); break;
	}
}

/* More than the buffer holds. */
static void stores(struct program *p)
{
	unsigned b = below(p, 2) ? TO_DRAM : TO_SYSTEM;

	if (below(p, 4))
		return;
	for (unsigned n = 4 + (unsigned)below(p, 10); n; n--)
		put(p, enc_s(3, source(p), b, offset(p, 3)));
}

static void pointers_again(struct program *p)
{
	for (unsigned n = 4; n; n--) {
		unsigned r = TO_TCM + (unsigned)below(p, 8);

		put(p, enc_ld(r, 0, (int)(CONSTANTS + 8 * r)));
	}
}

static void instruction(struct program *p)
{
	static const uint8_t opcodes[] = { 0x33, 0x3b, 0x3b, 0x13, 0x1b, 0x2f, 0x03, 0x0f, 0x73 };
	static const uint32_t special[] = { ENC_ECALL, ENC_EBREAK, ENC_MRET, 0x9002, 0x8002, 0x0000000f, 0x0ff0000f, 0x0000100f, 0x00000000, 0x6001, 0x6101, 0x10700073 };

	if (below(p, 64) < p->jumps) {
		jump(p);
		return;
	}
	if (below(p, 256) < p->wfis) {
		put(p, ENC_WFI);
		return;
	}
	switch (below(p, 32)) {
	case 0: put(p, special[below(p, sizeof(special) / sizeof(*special))]); break;
	case 1: put(p, (uint32_t)splitmix64(p->random)); break; /* anything */
	case 2: put(p, enc_i(below(p, 2) ? opcodes[below(p, sizeof(opcodes))] : (unsigned)below(p, 32) << 2 | 3, (unsigned)below(p, 8), target(p), source(p), (int)below(p, 4096) & (below(p, 2) ? 0x43f : 0xfff))); break;
	case 3: case 4: case 5: { /* of 16 bits, but for loads and stores with the stack pointer, which points nowhere */
		uint32_t word = (uint32_t)below(p, 0x10000);

		put(p, (word & 3) == 3 ? word ^ 2 : word);
		break;
	}
	case 6: case 7: case 8: csr(p); break;
	case 9: case 10: case 11: case 12: memory(p, false); break;
	case 13: case 14: case 15: case 16: memory(p, true); break;
	case 17: case 18: case 19: atomic(p); break;
	case 21: pointers_again(p); break;
	case 22: stores(p); break;
	case 20: put(p, enc_i(below(p, 2) ? 0x37 : 0x17, (unsigned)below(p, 8), target(p), source(p), (int)below(p, 4096))); break;
	default: arithmetic(p); break;
	}
}

void cp_random_program(uint64_t *random, uint8_t *tcm)
{
	struct program p = { .random = random, .tcm = tcm };

	for (unsigned i = 0; i < CP_RANDOM_BYTES; i += 8) {
		uint64_t v = value(&p);

		memcpy(tcm + i, &v, 8);
	}
	for (unsigned i = CP_TCM_SIZE - 64; i < CP_TCM_SIZE; i += 8) {
		uint64_t v = splitmix64(random) | 3ull << 48;

		memcpy(tcm + i, &v, 8);
	}
	p.jumps = (unsigned)below(&p, 16);
	p.wfis = (unsigned)below(&p, 2) * (unsigned)below(&p, 8);
	for (unsigned r = TO_TCM; r <= TO_END; r++) {
		uint64_t to = pointer(&p, r);

		memcpy(tcm + CONSTANTS + 8 * r, &to, 8);
	}
	for (p.at = CP_RANDOM_HANDLER; p.at < CP_RANDOM_HANDLER + 4 * below(&p, 3);) /* what is before it may trap */
		put(&p, enc_i(0x13, 0, 0, 0, 0));
	put(&p, enc_ld(TO_TCM, 0, CONSTANTS + 8 * TO_TCM));
	if (below(&p, 2))
		put(&p, enc_r(0x2f, 3, 3 << 2, 29, TO_TCM, 1)); /* an sc: a trap ends reservations */
	put(&p, enc_csrrs(31, 0x341, 0)); /* beyond the program it begins again */
	put(&p, enc_i(0x13, 5, 30, 31, 14));
	put(&p, enc_b(0, 30, 0, 8));
	put(&p, enc_jal(0, (int)CP_RANDOM_ENTRY - (int)p.at));
	put(&p, enc_addi(31, 31, below(&p, 2) ? 4 : 2));
	put(&p, enc_csrrw(0, 0x341, 31));
	if (below(&p, 2))
		put(&p, enc_r(0x2f, 3, 2 << 2, 29, TO_TCM, 0)); /* an lr: so does mret */
	put(&p, ENC_MRET);
	p.at = CP_RANDOM_HANDLER + 44;
	for (unsigned n = (unsigned)below(&p, 6); n; n--)
		arithmetic(&p);
	put(&p, ENC_MRET);
	/* the program: its registers, the handler if it has one, and instructions over and over */
	uint64_t handler = below(&p, 16) ? CP_RANDOM_HANDLER + below(&p, 2) : below(&p, 2) * 3, enabled = below(&p, 4) ? 0x800 : value(&p);
	memcpy(tcm + CONSTANTS + 8 * 5, &handler, 8);
	memcpy(tcm + CONSTANTS + 8 * 6, &enabled, 8);
	p.at = CP_RANDOM_ENTRY;
	for (unsigned r = 1; r < 32; r++)
		put(&p, enc_ld(r, 0, (int)(CONSTANTS + 8 * r)));
	put(&p, enc_csrrw(0, 0x305, 5));
	put(&p, enc_csrrw(0, 0x304, 6));
	put(&p, enc_i(0x73, 6, 0, 8, 0x300));
	put(&p, enc_jal(0, (int)(BODY - p.at)));
	for (p.at = BODY; p.at < BODY_END;)
		instruction(&p);
	put(&p, enc_jal(0, (int)CP_RANDOM_ENTRY - (int)p.at));
}
