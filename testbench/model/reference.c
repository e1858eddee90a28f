#include "testbench/random.h"
#include "testbench/model/reference.h"
#include "model/cu/softfloat.h"
#include <string.h>

/* ---- integers ---- */

static uint64_t sx(uint64_t v) { return (uint64_t)(int64_t)(int32_t)v; }
static uint64_t zx(uint64_t v) { return (uint32_t)v; }

static uint64_t mul_high(uint64_t a, uint64_t b, bool a_signed, bool b_signed)
{
	unsigned __int128 p = (unsigned __int128)a * b;
	uint64_t high = (uint64_t)(p >> 64);
	if (a_signed && (int64_t)a < 0)
		high -= b;
	if (b_signed && (int64_t)b < 0)
		high -= a;
	return high;
}

static uint64_t divide(int64_t a, int64_t b, int64_t lowest, bool rest)
{
	if (b == 0)
		return rest ? (uint64_t)a : ~0ull;
	if (a == lowest && b == -1)
		return rest ? 0 : (uint64_t)a;
	return (uint64_t)(rest ? a % b : a / b);
}

static uint64_t divide_unsigned(uint64_t a, uint64_t b, bool rest)
{
	if (b == 0)
		return rest ? a : ~0ull;
	return rest ? a % b : a / b;
}

static uint64_t rotate(uint64_t v, unsigned n, unsigned width)
{
	n %= width;
	if (width == 32)
		return sx(n ? zx(v) >> n | v << (32 - n) : v);
	return n ? v >> n | v << (64 - n) : v;
}

static unsigned count_leading(uint64_t v, unsigned width)
{
	unsigned n = 0;
	while (n < width && !(v >> (width - 1 - n) & 1))
		n++;
	return n;
}

static unsigned count_trailing(uint64_t v, unsigned width)
{
	unsigned n = 0;
	while (n < width && !(v >> n & 1))
		n++;
	return n;
}

static unsigned ones(uint64_t v)
{
	unsigned n = 0;
	for (; v; v >>= 1)
		n += v & 1;
	return n;
}

static uint64_t bytes_or(uint64_t v)
{
	uint64_t r = 0;
	for (unsigned i = 0; i < 64; i += 8)
		if (v >> i & 0xff)
			r |= 0xffull << i;
	return r;
}

static uint64_t bytes_reverse(uint64_t v)
{
	uint64_t r = 0;
	for (unsigned i = 0; i < 64; i += 8)
		r |= (v >> i & 0xff) << (56 - i);
	return r;
}

bool ref_integer(const struct insn *i, uint64_t a, uint64_t b, uint64_t *r)
{
	uint64_t m = (uint64_t)(int64_t)i->imm;
	switch (i->op) {
	case OP_lui: *r = m; break;
	case OP_addi: *r = a + m; break;
	case OP_slti: *r = (int64_t)a < (int64_t)m; break;
	case OP_sltiu: *r = a < m; break;
	case OP_xori: *r = a ^ m; break;
	case OP_ori: *r = a | m; break;
	case OP_andi: *r = a & m; break;
	case OP_slli: *r = a << m; break;
	case OP_srli: *r = a >> m; break;
	case OP_srai: *r = (uint64_t)((int64_t)a >> m); break;
	case OP_add: *r = a + b; break;
	case OP_sub: *r = a - b; break;
	case OP_sll: *r = a << (b & 63); break;
	case OP_slt: *r = (int64_t)a < (int64_t)b; break;
	case OP_sltu: *r = a < b; break;
	case OP_xor_: *r = a ^ b; break;
	case OP_srl: *r = a >> (b & 63); break;
	case OP_sra: *r = (uint64_t)((int64_t)a >> (b & 63)); break;
	case OP_or_: *r = a | b; break;
	case OP_and_: *r = a & b; break;
	case OP_addiw: *r = sx(a + m); break;
	case OP_slliw: *r = sx(a << m); break;
	case OP_srliw: *r = sx(zx(a) >> m); break;
	case OP_sraiw: *r = (uint64_t)(int64_t)((int32_t)a >> m); break;
	case OP_addw: *r = sx(a + b); break;
	case OP_subw: *r = sx(a - b); break;
	case OP_sllw: *r = sx(a << (b & 31)); break;
	case OP_srlw: *r = sx(zx(a) >> (b & 31)); break;
	case OP_sraw: *r = (uint64_t)(int64_t)((int32_t)a >> (b & 31)); break;
	case OP_mul: *r = a * b; break;
	case OP_mulh: *r = mul_high(a, b, true, true); break;
	case OP_mulhsu: *r = mul_high(a, b, true, false); break;
	case OP_mulhu: *r = mul_high(a, b, false, false); break;
	case OP_div_: *r = divide((int64_t)a, (int64_t)b, INT64_MIN, false); break;
	case OP_divu: *r = divide_unsigned(a, b, false); break;
	case OP_rem: *r = divide((int64_t)a, (int64_t)b, INT64_MIN, true); break;
	case OP_remu: *r = divide_unsigned(a, b, true); break;
	case OP_mulw: *r = sx(a * b); break;
	case OP_divw: *r = sx(divide((int32_t)a, (int32_t)b, INT32_MIN, false)); break;
	case OP_divuw: *r = sx(divide_unsigned(zx(a), zx(b), false)); break;
	case OP_remw: *r = sx(divide((int32_t)a, (int32_t)b, INT32_MIN, true)); break;
	case OP_remuw: *r = sx(divide_unsigned(zx(a), zx(b), true)); break;
	case OP_czero_eqz: *r = b ? a : 0; break;
	case OP_czero_nez: *r = b ? 0 : a; break;
	case OP_add_uw: *r = b + zx(a); break;
	case OP_sh1add: *r = b + a * 2; break;
	case OP_sh2add: *r = b + a * 4; break;
	case OP_sh3add: *r = b + a * 8; break;
	case OP_sh1add_uw: *r = b + zx(a) * 2; break;
	case OP_sh2add_uw: *r = b + zx(a) * 4; break;
	case OP_sh3add_uw: *r = b + zx(a) * 8; break;
	case OP_slli_uw: *r = zx(a) << m; break;
	case OP_andn: *r = a & ~b; break;
	case OP_orn: *r = a | ~b; break;
	case OP_xnor: *r = ~(a ^ b); break;
	case OP_clz: *r = count_leading(a, 64); break;
	case OP_ctz: *r = count_trailing(a, 64); break;
	case OP_cpop: *r = ones(a); break;
	case OP_clzw: *r = count_leading(zx(a), 32); break;
	case OP_ctzw: *r = count_trailing(zx(a), 32); break;
	case OP_cpopw: *r = ones(zx(a)); break;
	case OP_max: *r = (int64_t)a > (int64_t)b ? a : b; break;
	case OP_maxu: *r = a > b ? a : b; break;
	case OP_min: *r = (int64_t)a < (int64_t)b ? a : b; break;
	case OP_minu: *r = a < b ? a : b; break;
	case OP_sext_b: *r = (uint64_t)(int64_t)(int8_t)a; break;
	case OP_sext_h: *r = (uint64_t)(int64_t)(int16_t)a; break;
	case OP_zext_h: *r = (uint16_t)a; break;
	case OP_rol: *r = rotate(a, (64 - (unsigned)(b & 63)) & 63, 64); break;
	case OP_rolw: *r = rotate(a, (32 - (unsigned)(b & 31)) & 31, 32); break;
	case OP_ror: *r = rotate(a, b & 63, 64); break;
	case OP_rori: *r = rotate(a, (unsigned)m, 64); break;
	case OP_rorw: *r = rotate(a, b & 31, 32); break;
	case OP_roriw: *r = rotate(a, (unsigned)m, 32); break;
	case OP_orc_b: *r = bytes_or(a); break;
	case OP_rev8: *r = bytes_reverse(a); break;
	default: return false;
	}
	return true;
}

/* ---- floating point ---- */

#define BOX_S(v) (0xffffffff00000000ull | (uint32_t)(v))
#define BOX_H(v) (0xffffffffffff0000ull | (uint16_t)(v))
static uint64_t un_s(uint64_t v) { return v >> 32 == 0xffffffff ? zx(v) : 0x7fc00000; }
static uint64_t un_h(uint64_t v) { return v >> 16 == 0xffffffffffffull ? (uint16_t)v : 0x7e00; }

struct parts { bool nan, sign; uint64_t magnitude; };

static struct parts parts(enum sf_format f, uint64_t v)
{
	unsigned width = f == SF_SINGLE ? 32 : 64;
	uint64_t sign = 1ull << (width - 1), inf = f == SF_SINGLE ? 0x7f800000 : 0x7ff0000000000000;
	return (struct parts){ (v & (sign - 1)) > inf, v >> (width - 1) & 1, v & (sign - 1) };
}

/* -1, 0, 1 */
static int order(struct parts a, struct parts b)
{
	int64_t x = a.sign ? -(int64_t)a.magnitude : (int64_t)a.magnitude;
	int64_t y = b.sign ? -(int64_t)b.magnitude : (int64_t)b.magnitude;
	return (x > y) - (x < y);
}

static uint64_t extreme(enum sf_format f, uint64_t a, uint64_t b, bool greatest)
{
	struct parts x = parts(f, a), y = parts(f, b);
	if (x.nan && y.nan)
		return f == SF_SINGLE ? 0x7fc00000 : 0x7ff8000000000000;
	if (x.nan || y.nan)
		return x.nan ? b : a;
	int o = order(x, y);
	if (o == 0)
		o = (int)y.sign - (int)x.sign;
	return (o > 0) == greatest ? a : b;
}

static uint64_t compare(enum sf_format f, uint64_t a, uint64_t b, unsigned funct3)
{
	struct parts x = parts(f, a), y = parts(f, b);
	if (x.nan || y.nan)
		return 0;
	int o = order(x, y);
	return funct3 == 2 ? o == 0 : funct3 == 1 ? o < 0 : o <= 0;
}

/* Operations of one format; a, b, c without their boxes. */
static bool float_arithmetic(unsigned op, enum sf_format f, unsigned rm, uint64_t a, uint64_t b, uint64_t c, uint64_t *r)
{
	uint64_t sign = f == SF_SINGLE ? 0x80000000 : 0x8000000000000000;
	switch (op) {
	case OP_fadd_s: case OP_fadd_d: *r = sf_add(f, a, b, rm); break;
	case OP_fsub_s: case OP_fsub_d: *r = sf_add(f, a, b ^ sign, rm); break;
	case OP_fmul_s: case OP_fmul_d: *r = sf_mul(f, a, b, rm); break;
	case OP_fdiv_s: case OP_fdiv_d: *r = sf_div(f, a, b, rm); break;
	case OP_fsqrt_s: case OP_fsqrt_d: *r = sf_sqrt(f, a, rm); break;
	case OP_fmadd_s: case OP_fmadd_d: *r = sf_fma(f, a, b, c, rm); break;
	case OP_fmsub_s: case OP_fmsub_d: *r = sf_fma(f, a, b, c ^ sign, rm); break;
	case OP_fnmsub_s: case OP_fnmsub_d: *r = sf_fma(f, a ^ sign, b, c, rm); break;
	case OP_fnmadd_s: case OP_fnmadd_d: *r = sf_fma(f, a ^ sign, b, c ^ sign, rm); break;
	case OP_fsgnj_s: case OP_fsgnj_d: *r = (a & ~sign) | (b & sign); break;
	case OP_fsgnjn_s: case OP_fsgnjn_d: *r = (a & ~sign) | (~b & sign); break;
	case OP_fsgnjx_s: case OP_fsgnjx_d: *r = a ^ (b & sign); break;
	case OP_fmin_s: case OP_fmin_d: *r = extreme(f, a, b, false); break;
	case OP_fmax_s: case OP_fmax_d: *r = extreme(f, a, b, true); break;
	default: return false;
	}
	return true;
}

/* Conversions, moves, comparisons: a, b as they stand in the registers. */
static bool float_other(unsigned op, unsigned rm, uint64_t a, uint64_t b, uint64_t *r)
{
	enum sf_format s = SF_SINGLE, d = SF_DOUBLE, h = SF_HALF;
	switch (op) {
	case OP_fcvt_w_s: *r = sf_to_int(s, un_s(a), 32, true, rm); break;
	case OP_fcvt_wu_s: *r = sx(sf_to_int(s, un_s(a), 32, false, rm)); break;
	case OP_fcvt_l_s: *r = sf_to_int(s, un_s(a), 64, true, rm); break;
	case OP_fcvt_lu_s: *r = sf_to_int(s, un_s(a), 64, false, rm); break;
	case OP_fcvt_w_d: *r = sf_to_int(d, a, 32, true, rm); break;
	case OP_fcvt_wu_d: *r = sx(sf_to_int(d, a, 32, false, rm)); break;
	case OP_fcvt_l_d: *r = sf_to_int(d, a, 64, true, rm); break;
	case OP_fcvt_lu_d: *r = sf_to_int(d, a, 64, false, rm); break;
	case OP_fcvt_s_w: *r = BOX_S(sf_from_int(s, sx(a), true, rm)); break;
	case OP_fcvt_s_wu: *r = BOX_S(sf_from_int(s, zx(a), false, rm)); break;
	case OP_fcvt_s_l: *r = BOX_S(sf_from_int(s, a, true, rm)); break;
	case OP_fcvt_s_lu: *r = BOX_S(sf_from_int(s, a, false, rm)); break;
	case OP_fcvt_d_w: *r = sf_from_int(d, sx(a), true, rm); break;
	case OP_fcvt_d_wu: *r = sf_from_int(d, zx(a), false, rm); break;
	case OP_fcvt_d_l: *r = sf_from_int(d, a, true, rm); break;
	case OP_fcvt_d_lu: *r = sf_from_int(d, a, false, rm); break;
	case OP_fcvt_s_d: *r = BOX_S(sf_convert(d, s, a, rm)); break;
	case OP_fcvt_d_s: *r = sf_convert(s, d, un_s(a), rm); break;
	case OP_fcvt_s_h: *r = BOX_S(sf_convert(h, s, un_h(a), rm)); break;
	case OP_fcvt_h_s: *r = BOX_H(sf_convert(s, h, un_s(a), rm)); break;
	case OP_fcvt_d_h: *r = sf_convert(h, d, un_h(a), rm); break;
	case OP_fcvt_h_d: *r = BOX_H(sf_convert(d, h, a, rm)); break;
	case OP_fmv_x_w: *r = sx(a); break;
	case OP_fmv_w_x: *r = BOX_S(a); break;
	case OP_fmv_x_h: *r = (uint64_t)(int64_t)(int16_t)a; break;
	case OP_fmv_h_x: *r = BOX_H(a); break;
	case OP_fmv_x_d: case OP_fmv_d_x: *r = a; break;
	case OP_fclass_s: *r = sf_class(s, un_s(a)); break;
	case OP_fclass_d: *r = sf_class(d, a); break;
	case OP_feq_s: *r = compare(s, un_s(a), un_s(b), 2); break;
	case OP_flt_s: *r = compare(s, un_s(a), un_s(b), 1); break;
	case OP_fle_s: *r = compare(s, un_s(a), un_s(b), 0); break;
	case OP_feq_d: *r = compare(d, a, b, 2); break;
	case OP_flt_d: *r = compare(d, a, b, 1); break;
	case OP_fle_d: *r = compare(d, a, b, 0); break;
	default: return false;
	}
	return true;
}

static bool float_op(const struct insn *i, unsigned rm, uint64_t a, uint64_t b, uint64_t c, uint64_t *r)
{
	bool single = !(isa_rows[i->op].match >> 25 & 3);
	if (float_other(i->op, rm, a, b, r))
		return true;
	if (!single)
		return float_arithmetic(i->op, SF_DOUBLE, rm, a, b, c, r);
	bool known = float_arithmetic(i->op, SF_SINGLE, rm, un_s(a), un_s(b), un_s(c), r);
	*r = BOX_S(*r);
	return known;
}

/* ---- memory ---- */

static uint8_t *area(struct ref_lane *l, const struct insn *i)
{
	switch (i->rs1) {
	case REF_SP:
		return l->private_mem + i->imm;
	case REF_GLOBAL:
		return l->global + i->imm;
	default:
		return l->local + i->imm;
	}
}

static uint64_t atomic(unsigned op, uint64_t old, uint64_t x)
{
	switch (op) {
	case OP_amoswap_w: case OP_amoswap_d: return x;
	case OP_amoadd_w: case OP_amoadd_d: return old + x;
	case OP_amoxor_w: case OP_amoxor_d: return old ^ x;
	case OP_amoand_w: case OP_amoand_d: return old & x;
	case OP_amoor_w: case OP_amoor_d: return old | x;
	case OP_amomin_w: return (int32_t)old < (int32_t)x ? old : x;
	case OP_amomax_w: return (int32_t)old > (int32_t)x ? old : x;
	case OP_amominu_w: return zx(old) < zx(x) ? old : x;
	case OP_amomaxu_w: return zx(old) > zx(x) ? old : x;
	case OP_amomin_d: return (int64_t)old < (int64_t)x ? old : x;
	case OP_amomax_d: return (int64_t)old > (int64_t)x ? old : x;
	case OP_amominu_d: return old < x ? old : x;
	default: return old > x ? old : x;
	}
}

static bool memory_op(struct ref_lane *l, const struct insn *i)
{
	const struct isa_row *row = &isa_rows[i->op];
	unsigned size = 1u << (row->match >> 12 & 3);
	uint8_t *p = area(l, i);
	uint64_t v = 0, old;
	switch (row->class) {
	case CLASS_STORE:
		v = i->rs2 >= REG_F ? l->f[i->rs2 - REG_F] : l->x[i->rs2];
		memcpy(p, &v, size);
		return true;
	case CLASS_LOAD:
		memcpy(&v, p, size);
		if (i->rd >= REG_F)
			l->f[i->rd - REG_F] = size == 8 ? v : v | ~0ull << (8 * size);
		else if (row->match >> 14 & 1 || size == 8)
			l->x[i->rd] = v;
		else
			l->x[i->rd] = (uint64_t)((int64_t)(v << (64 - 8 * size)) >> (64 - 8 * size));
		return true;
	case CLASS_ATOMIC:
		memcpy(&v, p, size);
		old = size == 4 ? sx(v) : v;
		v = l->x[i->rs2];
		if (i->op == OP_amocas_w || i->op == OP_amocas_d) {
			uint64_t expected = l->x[i->rd];
			if (size == 4 ? zx(expected) != zx(old) : expected != old)
				v = old;
		} else {
			v = atomic(i->op, old, v);
		}
		memcpy(p, &v, size);
		l->x[i->rd] = old;
		return true;
	}
	return false;
}

static bool branch_taken(unsigned op, uint64_t a, uint64_t b)
{
	switch (op) {
	case OP_beq: return a == b;
	case OP_bne: return a != b;
	case OP_blt: return (int64_t)a < (int64_t)b;
	case OP_bge: return (int64_t)a >= (int64_t)b;
	case OP_bltu: return a < b;
	default: return a >= b;
	}
}

/* One instruction of one lane; *pc moves on. */
static bool step(struct ref_lane *l, uint32_t word, unsigned *pc)
{
	struct insn i;
	if (!insn_decode(word, &i))
		return false;
	const struct isa_row *row = &isa_rows[i.op];
	uint64_t a = i.rs1 < 32 ? l->x[i.rs1] : i.rs1 < 64 ? l->f[i.rs1 - 32] : 0;
	uint64_t b = i.rs2 < 32 ? l->x[i.rs2] : i.rs2 < 64 ? l->f[i.rs2 - 32] : 0;
	uint64_t c = i.rs3 >= 32 && i.rs3 < 64 ? l->f[i.rs3 - 32] : 0, r;
	++*pc;
	switch (row->class) {
	case CLASS_BRANCH:
		if (branch_taken(i.op, a, b))
			*pc += (unsigned)(i.imm / 4 - 1);
		break;
	case CLASS_LOAD:
	case CLASS_STORE:
	case CLASS_ATOMIC:
		if (!memory_op(l, &i))
			return false;
		break;
	case CLASS_SYSTEM: /* the one CSR instruction of random programs: fsrm */
		if (i.op != OP_csrrw || i.imm != 2)
			return false;
		l->x[i.rd] = l->frm;
		l->frm = a & 7;
		break;
	default:
		if (!ref_integer(&i, a, b, &r) && !float_op(&i, i.rm == RM_DYN ? l->frm : i.rm, a, b, c, &r))
			return false;
		if (i.rd < 32)
			l->x[i.rd] = r;
		else
			l->f[i.rd - 32] = r;
	}
	l->x[0] = 0;
	return true;
}

bool ref_run(struct ref_lane *l, const uint32_t *words, unsigned count)
{
	for (unsigned pc = 0; pc < count;)
		if (!step(l, words[pc], &pc))
			return false;
	return true;
}

/* The lanes of the mask stand at this instruction together. */
static void subgroup_op(struct ref_lane *l, const struct insn *i, uint32_t mask)
{
	uint64_t result[32] = { 0 };
	for (unsigned k = 0; k < 32; k++)
		for (unsigned j = 0; j < 32; j++) {
			if (!(mask >> k & mask >> j & 1))
				continue;
			if (i->op == OP_sg_ballot)
				result[k] |= (uint64_t)(l[j].x[i->rs1] != 0) << j;
			else if ((l[k].x[i->rs2] & 31) == j)
				result[k] = l[j].x[i->rs1];
		}
	for (unsigned k = 0; k < 32; k++)
		if (mask >> k & 1 && i->rd)
			l[k].x[i->rd] = result[k];
}

bool ref_run_warp(struct ref_lane *l, unsigned lanes, const uint32_t *words, unsigned count)
{
	unsigned pc[32] = { 0 };
	bool waits[32] = { false };
	for (;;) {
		unsigned low = count;
		uint32_t mask = 0;
		for (unsigned k = 0; k < lanes; k++)
			if (!waits[k] && pc[k] < low)
				low = pc[k];
		if (low == count) { /* all who are left have arrived */
			bool any = false;
			for (unsigned k = 0; k < lanes; k++) {
				any |= waits[k];
				waits[k] = false;
			}
			if (!any)
				return true;
			continue;
		}
		struct insn i;
		insn_decode(words[low], &i);
		for (unsigned k = 0; k < lanes; k++)
			if (!waits[k] && pc[k] == low)
				mask |= 1u << k;
		if (i.op == OP_sg_ballot || i.op == OP_sg_shuffle)
			subgroup_op(l, &i, mask);
		for (unsigned k = 0; k < lanes; k++) {
			if (!(mask >> k & 1))
				continue;
			waits[k] = i.op == OP_sg_sync;
			if (waits[k] || i.op == OP_sg_ballot || i.op == OP_sg_shuffle)
				pc[k]++;
			else if (!step(&l[k], words[low], &pc[k]))
				return false;
		}
	}
}

/* ---- random programs ---- */

uint64_t ref_rand(struct ref_random *r) { return splitmix64(&r->state); }

uint32_t ref_word(unsigned op, unsigned rd, unsigned rs1, unsigned rs2, int32_t imm)
{
	struct insn i = { .op = (uint8_t)op, .rd = (uint8_t)rd, .rs1 = (uint8_t)rs1, .rs2 = (uint8_t)rs2, .imm = imm,
			  .rm = RM_DYN };
	return insn_encode(&i);
}

uint64_t ref_value(struct ref_random *r, bool is_f)
{
	static const uint32_t singles[] = { 0, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000,
					    0xffc12345, 0x7f800001, 1, 0x807fffff, 0x00800000, 0x7f7fffff, 0x4f000000,
					    0xcf000000, 0x4f7fffff, 0x5f000000, 0x3f000000, 0x3fc00000, 0x40200000,
					    0xbf000000, 0x33800000, 0x38800000, 0x477ff000, 0x477fefff, 0x33000000 };
	static const uint64_t doubles[] = { 0, 0x8000000000000000, 0x3ff0000000000000, 0x7ff0000000000000,
					    0xfff0000000000000, 0x7ff8000000000000, 0x7ff0000000000001, 1,
					    0x000fffffffffffff, 0x0010000000000000, 0x7fefffffffffffff,
					    0x41e0000000000000, 0xc1e0000000000000, 0x43e0000000000000, 0x3fe0000000000000,
					    0x3ff8000000000000, 0x36a0000000000000, 0x47efffffe0000000, 0x47effffff0000000,
					    0x41dfffffffe00000, 0x40effe0000000000, 0x3e70000000000000 };
	static const uint16_t halves[] = { 0, 0x8000, 0x3c00, 0x7c00, 0xfc00, 0x7e00, 0x7c01, 1, 0x03ff, 0x0400, 0x7bff };
	uint64_t v = ref_rand(r);
	if (!is_f)
		switch (ref_below(r, 6)) {
		case 0: return v % 33 - 16;
		case 1: return sx(v);
		case 2: return zx(v);
		case 3: return sx(1ull << v % 32) - (v >> 40 & 1);
		case 4: return (1ull << v % 64) - (v >> 40 & 1);
		default: return v;
		}
	switch (ref_below(r, 9)) {
	case 0: return BOX_S(singles[v % (sizeof(singles) / 4)]);
	case 1: return doubles[v % (sizeof(doubles) / 8)];
	case 2: return BOX_H(halves[v % (sizeof(halves) / 2)]);
	case 3: return BOX_H(v);
	case 4: /* a single of a moderate size */
	case 5: return BOX_S((v & 0x807fffff) | (100 + v / 7 % 60) << 23);
	case 6: return (v & 0x800fffffffffffff) | (980 + v / 7 % 90) << 52;
	case 7: return BOX_S(v);
	default: return v;
	}
}

static unsigned pick_x(struct ref_random *r, bool destination)
{
	if (ref_below(r, 16) == 0)
		return destination ? 0 : ref_below(r, 2) ? 0 : REF_LANE;
	return REF_LOW + (unsigned)ref_below(r, REF_HIGH - REF_LOW);
}

static bool wanted(unsigned op, unsigned features)
{
	if (op == OP_sg_sync || op == OP_sg_ballot || op == OP_sg_shuffle)
		return features & REF_SUBGROUPS;
	const struct isa_row *row = &isa_rows[op];
	uint32_t opcode = row->match & 0x7f;
	bool half = op == OP_flh || op == OP_fsh || op == OP_fmv_x_h || op == OP_fmv_h_x || op == OP_fcvt_s_h ||
		    op == OP_fcvt_h_s || op == OP_fcvt_d_h || op == OP_fcvt_h_d;
	if (half && !(features & REF_ZFHMIN))
		return false;
	if (op == OP_auipc || op == OP_fence || op == OP_lr_w || op == OP_sc_w || op == OP_lr_d || op == OP_sc_d)
		return false;
	if (op == OP_ctzw && !(features & REF_CTZW))
		return false;
	if ((op == OP_czero_eqz || op == OP_czero_nez) && !(features & REF_ZICOND))
		return false;
	switch (row->class) {
	case CLASS_LOAD:
	case CLASS_STORE:
		return features & REF_MEMORY;
	case CLASS_ATOMIC:
		return features & REF_ATOMICS;
	case CLASS_BRANCH:
		return features & REF_BRANCHES;
	case CLASS_JUMP:
	case CLASS_SYSTEM:
		return false;
	}
	return opcode != 0;
}

unsigned ref_program(struct ref_random *r, uint32_t *words, unsigned max, unsigned features)
{
	unsigned n = 0;
	while (n < max) {
		unsigned op = 1 + (unsigned)ref_below(r, OP_COUNT - 1);
		if (features & REF_SUBGROUPS && ref_below(r, 6) == 0)
			op = ((const unsigned[]){ OP_sg_sync, OP_sg_ballot, OP_sg_shuffle })[ref_below(r, 3)];
		if (!wanted(op, features))
			continue;
		if (features & REF_MODES && ref_below(r, 60) == 0) { /* fsrm of a lane-dependent mode */
			if (max - n < 3)
				continue;
			words[n++] = ref_word(OP_andi, REF_SCRATCH, pick_x(r, false), 0, 3);
			words[n++] = ref_word(OP_csrrw, 0, ref_below(r, 2) ? 0 : REF_SCRATCH, 0, 2);
			continue;
		}
		const struct isa_row *row = &isa_rows[op];
		struct insn i, zero;
		insn_decode(row->match, &zero); /* which fields it has */
		i = zero;
		i.op = (uint8_t)op;
		bool fd = zero.rd >= 32, fa = zero.rs1 >= 32, fb = zero.rs2 >= 32;
		i.rd = (uint8_t)(fd ? 32 + ref_below(r, REF_FHIGH) : pick_x(r, true));
		i.rs1 = (uint8_t)(fa ? 32 + ref_below(r, REF_FHIGH) : pick_x(r, false));
		i.rs2 = (uint8_t)(fb ? 32 + ref_below(r, REF_FHIGH) : pick_x(r, false));
		i.rs3 = (uint8_t)(32 + ref_below(r, REF_FHIGH));
		i.rm = ref_below(r, 2) ? RM_DYN : (uint8_t)(features & REF_MODES ? ref_below(r, 5) : 0);
		i.imm = (int32_t)ref_below(r, 4096) - 2048;
		unsigned size = 1u << (row->match >> 12 & 3);
		switch (row->format) {
		case FMT_SH6:
			i.imm &= 63;
			break;
		case FMT_SH5:
			i.imm &= 31;
			break;
		case FMT_U:
			i.imm = (int32_t)(ref_rand(r) & 0xfffff000);
			break;
		case FMT_B:
			if (max - n < 4)
				continue;
			i.imm = 4 * (1 + (int32_t)ref_below(r, max - n < 12 ? max - n : 12));
			break;
		case FMT_LD:
		case FMT_ST:
		case FMT_FLD:
		case FMT_FST: {
			static const uint8_t bases[] = { REF_SP, REF_GLOBAL, REF_LOCAL };
			i.rs1 = bases[ref_below(r, 3)];
			i.imm = (int32_t)ref_below(r, REF_AREA - size + 1);
			if (ref_below(r, 4))
				i.imm &= -(int32_t)size;
			break;
		}
		case FMT_AMO:
			i.rs1 = ref_below(r, 2) ? REF_GLOBAL : REF_LOCAL;
			i.imm = 0;
			if (i.rd == 0 && (op == OP_amocas_w || op == OP_amocas_d))
				continue;
			break;
		}
		words[n++] = insn_encode(&i);
	}
	return n;
}
