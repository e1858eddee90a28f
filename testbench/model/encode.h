/* RISC-V words by hand, for tests that need exactly one instruction. */
#ifndef GALENA_TESTBENCH_MODEL_ENCODE_H
#define GALENA_TESTBENCH_MODEL_ENCODE_H
#include <stdint.h>

enum { ZERO, RA, SP, GP, TP, T0, T1, T2, S0, S1, A0, A1, A2, A3, A4, A5, A6, A7 };

#define ENC static inline __attribute__((unused)) uint32_t
ENC enc_r(unsigned op, unsigned f3, unsigned f7, unsigned rd, unsigned rs1, unsigned rs2)
{
	return f7 << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | rd << 7 | op;
}
ENC enc_i(unsigned op, unsigned f3, unsigned rd, unsigned rs1, int imm)
{
	return (uint32_t)imm << 20 | rs1 << 15 | f3 << 12 | rd << 7 | op;
}
ENC enc_s(unsigned f3, unsigned rs2, unsigned rs1, int imm)
{
	return ((uint32_t)imm >> 5 & 0x7f) << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | ((uint32_t)imm & 31) << 7 | 0x23;
}
ENC enc_b(unsigned f3, unsigned rs1, unsigned rs2, int imm)
{
	uint32_t i = (uint32_t)imm;

	return (i >> 12 & 1) << 31 | (i >> 5 & 0x3f) << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | (i >> 1 & 15) << 8 |
	       (i >> 11 & 1) << 7 | 0x63;
}
ENC enc_lui(unsigned rd, uint32_t imm20) { return imm20 << 12 | rd << 7 | 0x37; }
ENC enc_jal(unsigned rd, int imm)
{
	uint32_t i = (uint32_t)imm;

	return (i >> 20 & 1) << 31 | (i >> 1 & 0x3ff) << 21 | (i >> 11 & 1) << 20 | (i >> 12 & 0xff) << 12 | rd << 7 | 0x6f;
}
ENC enc_addi(unsigned rd, unsigned rs1, int imm) { return enc_i(0x13, 0, rd, rs1, imm); }
ENC enc_slli(unsigned rd, unsigned rs1, int n) { return enc_i(0x13, 1, rd, rs1, n); }
ENC enc_lw(unsigned rd, unsigned rs1, int imm) { return enc_i(0x03, 2, rd, rs1, imm); }
ENC enc_ld(unsigned rd, unsigned rs1, int imm) { return enc_i(0x03, 3, rd, rs1, imm); }
ENC enc_sw(unsigned rs2, unsigned rs1, int imm) { return enc_s(2, rs2, rs1, imm); }
ENC enc_sd(unsigned rs2, unsigned rs1, int imm) { return enc_s(3, rs2, rs1, imm); }
ENC enc_csrrw(unsigned rd, unsigned csr, unsigned rs1) { return enc_i(0x73, 1, rd, rs1, (int)csr); }
ENC enc_csrrs(unsigned rd, unsigned csr, unsigned rs1) { return enc_i(0x73, 2, rd, rs1, (int)csr); }
ENC enc_amo(unsigned f5, unsigned f3, unsigned rd, unsigned rs1, unsigned rs2)
{
	return enc_r(0x2f, f3, f5 << 2, rd, rs1, rs2);
}
#undef ENC

#define ENC_WFI 0x10500073u
#define ENC_MRET 0x30200073u
#define ENC_ECALL 0x00000073u
#define ENC_EBREAK 0x00100073u
#define ENC_NOP 0x00000013u

/* Loads a 64-bit constant into rd: at most 10 words, no other register. Returns their number. */
static inline __attribute__((unused)) unsigned enc_li(uint32_t *out, unsigned rd, uint64_t value)
{
	unsigned n = 0;

	out[n++] = enc_addi(rd, 0, (int)(value >> 55)); /* 9 bits, then 5 times 11 */
	for (int shift = 44; shift >= 0; shift -= 11) {
		out[n++] = enc_slli(rd, rd, 11);
		out[n++] = enc_i(0x13, 6, rd, rd, (int)(value >> shift & 0x7ff)); /* ori; bit 11 is 0 */
	}
	return n;
}

#endif
