/* A few RISC-V instructions by name, for kernels that are written out instruction by instruction. */
#ifndef GALENA_BENCH_ASM_H
#define GALENA_BENCH_ASM_H
#include <assert.h>
#include <stdint.h>

enum { ASM_MAX = 4096 };
enum { X0, RA, SP, GP, TP, T0, T1, T2, S0, S1, A0, A1, A2, A3, A4, A5, A6, A7 };

struct assembler {
	uint32_t words[ASM_MAX];
	unsigned count;
};

static inline void asm_word(struct assembler *a, uint32_t w)
{
	assert(a->count < ASM_MAX);
	a->words[a->count++] = w;
}
#define ASM static inline __attribute__((unused)) void
ASM asm_r(struct assembler *a, unsigned op, unsigned f3, unsigned f7, unsigned rd, unsigned rs1, unsigned rs2)
{
	asm_word(a, f7 << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | rd << 7 | op);
}
ASM asm_i(struct assembler *a, unsigned op, unsigned f3, unsigned rd, unsigned rs1, int imm)
{
	asm_word(a, (uint32_t)imm << 20 | rs1 << 15 | f3 << 12 | rd << 7 | op);
}
ASM asm_add(struct assembler *a, unsigned rd, unsigned rs1, unsigned rs2) { asm_r(a, 0x33, 0, 0, rd, rs1, rs2); }
ASM asm_sub(struct assembler *a, unsigned rd, unsigned rs1, unsigned rs2) { asm_r(a, 0x33, 0, 0x20, rd, rs1, rs2); }
ASM asm_mul(struct assembler *a, unsigned rd, unsigned rs1, unsigned rs2) { asm_r(a, 0x33, 0, 1, rd, rs1, rs2); }
ASM asm_divu(struct assembler *a, unsigned rd, unsigned rs1, unsigned rs2) { asm_r(a, 0x33, 5, 1, rd, rs1, rs2); }
ASM asm_and(struct assembler *a, unsigned rd, unsigned rs1, unsigned rs2) { asm_r(a, 0x33, 7, 0, rd, rs1, rs2); }
/* single precision; register numbers are those of f registers */
ASM asm_fadd(struct assembler *a, unsigned rd, unsigned rs1, unsigned rs2) { asm_r(a, 0x53, 7, 0, rd, rs1, rs2); }
ASM asm_fdiv(struct assembler *a, unsigned rd, unsigned rs1, unsigned rs2) { asm_r(a, 0x53, 7, 0x0c, rd, rs1, rs2); }
ASM asm_fmv_w_x(struct assembler *a, unsigned fd, unsigned rs1) { asm_r(a, 0x53, 0, 0x78, fd, rs1, 0); }
ASM asm_fmv_x_w(struct assembler *a, unsigned rd, unsigned fs) { asm_r(a, 0x53, 0, 0x70, rd, fs, 0); }
ASM asm_addi(struct assembler *a, unsigned rd, unsigned rs1, int imm) { asm_i(a, 0x13, 0, rd, rs1, imm); }
ASM asm_slli(struct assembler *a, unsigned rd, unsigned rs1, int n) { asm_i(a, 0x13, 1, rd, rs1, n); }
ASM asm_srli(struct assembler *a, unsigned rd, unsigned rs1, int n) { asm_i(a, 0x13, 5, rd, rs1, n); }
ASM asm_andi(struct assembler *a, unsigned rd, unsigned rs1, int imm) { asm_i(a, 0x13, 7, rd, rs1, imm); }
ASM asm_lw(struct assembler *a, unsigned rd, unsigned rs1, int imm) { asm_i(a, 0x03, 2, rd, rs1, imm); }
ASM asm_ld(struct assembler *a, unsigned rd, unsigned rs1, int imm) { asm_i(a, 0x03, 3, rd, rs1, imm); }
ASM asm_store(struct assembler *a, unsigned f3, unsigned rs2, unsigned rs1, int imm)
{
	asm_word(a, ((uint32_t)imm >> 5 & 0x7f) << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | ((uint32_t)imm & 31) << 7 | 0x23);
}
ASM asm_sw(struct assembler *a, unsigned rs2, unsigned rs1, int imm) { asm_store(a, 2, rs2, rs1, imm); }
ASM asm_sd(struct assembler *a, unsigned rs2, unsigned rs1, int imm) { asm_store(a, 3, rs2, rs1, imm); }
ASM asm_csrr(struct assembler *a, unsigned rd, unsigned csr) { asm_i(a, 0x73, 2, rd, 0, (int)csr); }
ASM asm_branch(struct assembler *a, unsigned f3, unsigned rs1, unsigned rs2, int bytes)
{
	uint32_t i = (uint32_t)bytes;

	assert(bytes >= -4096 && bytes < 4096);
	asm_word(a, (i >> 12 & 1) << 31 | (i >> 5 & 0x3f) << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | (i >> 1 & 15) << 8 |
			    (i >> 11 & 1) << 7 | 0x63);
}
/* To the word at index to, if rs1 is not 0. */
ASM asm_bnez(struct assembler *a, unsigned rs1, unsigned to)
{
	asm_branch(a, 1, rs1, X0, ((int)to - (int)a->count) * 4);
}
/* A constant below 2^31. */
ASM asm_li(struct assembler *a, unsigned rd, uint32_t v)
{
	uint32_t high = (v + 0x800) >> 12;

	asm_word(a, high << 12 | rd << 7 | 0x37);
	asm_addi(a, rd, rd, (int)(v - (high << 12)));
}
ASM asm_exit(struct assembler *a) { asm_word(a, 0x0000100b); }
#undef ASM

#endif
