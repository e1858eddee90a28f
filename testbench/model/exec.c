/* The reference of the other tests, and with it the softfloat that it stands on, against another
 * implementation of RISC-V: qemu-riscv64 runs the same random programs with the same registers.
 * And exact floating point against the host's: nearest even, where the host rounds correctly.
 * Usage: exec [seed] */
#include "testbench/random.h"
#include "model/cu/softfloat.h"
#include "testbench/model/reference.h"
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "testbench/skip.h"

enum { LANES = 64, BODY = 400, PROGRAMS = 6, SLOTS = 32 };
static uint64_t seed = 1;

/* What a lane starts and ends with, as the program for qemu lays it out. */
struct state { uint64_t x[11], f[16], lane, pad[4]; };
_Static_assert(sizeof(struct state) == SLOTS * 8, "state");

static const char head[] =
	".globl _start\n.text\n_start: la x18, input\n la x19, output\n li x20, %u\n"
	"1: csrw frm, x0\n ld x28, 216(x18)\n li x29, 0\n";
static const char tail[] =
	" addi x18, x18, 256\n addi x19, x19, 256\n addi x20, x20, -1\n beqz x20, 2f\n j 1b\n"
	"2: li a0, 1\n la a1, output\n li a2, %u\n li a7, 64\n ecall\n li a0, 0\n li a7, 93\n ecall\n"
	".data\n.balign 8\noutput: .zero %u\ninput:\n";

static void write_program(FILE *o, const uint32_t *words, unsigned n, const struct state *in)
{
	fprintf(o, head, LANES);
	for (unsigned i = 0; i < 11; i++)
		fprintf(o, " ld x%u, %u(x18)\n", REF_LOW + i, i * 8);
	for (unsigned i = 0; i < 16; i++)
		fprintf(o, " fld f%u, %u(x18)\n", i, 88 + i * 8);
	for (unsigned i = 0; i < n; i++)
		fprintf(o, " .word 0x%08x\n", words[i]);
	for (unsigned i = 0; i < 11; i++)
		fprintf(o, " sd x%u, %u(x19)\n", REF_LOW + i, i * 8);
	for (unsigned i = 0; i < 16; i++)
		fprintf(o, " fsd f%u, %u(x19)\n", i, 88 + i * 8);
	fprintf(o, tail, (unsigned)(LANES * sizeof(*in)), (unsigned)(LANES * sizeof(*in)));
	for (unsigned i = 0; i < LANES * SLOTS; i++)
		fprintf(o, " .dword 0x%llx\n", (unsigned long long)((const uint64_t *)in)[i]);
}

static bool qemu_run(const uint32_t *words, unsigned n, const struct state *in, struct state *out)
{
	char base[] = "/tmp/galena-exec-XXXXXX", command[1024], path[64];
	int fd = mkstemp(base);
	assert_true(fd >= 0);
	FILE *o = fdopen(fd, "w");
	write_program(o, words, n, in);
	fclose(o);
	snprintf(command, sizeof(command),
		 "/usr/lib/llvm-19/bin/clang --target=riscv64 -mno-relax -march=rv64imafd_zba_zbb_zfhmin -nostdlib -static "
		 "--ld-path=/usr/lib/llvm-19/bin/ld.lld -x assembler %s -o %s.elf && "
		 "qemu-riscv64 -cpu rv64,zba=true,zbb=true,Zfhmin=true %s.elf > %s.out", base, base, base, base);
	bool ok = system(command) == 0;
	snprintf(path, sizeof(path), "%s.out", base);
	FILE *f = fopen(path, "rb");
	ok = ok && f && fread(out, sizeof(*out), LANES, f) == LANES;
	if (f)
		fclose(f);
	unlink(path);
	snprintf(path, sizeof(path), "%s.elf", base);
	unlink(path);
	unlink(base);
	return ok;
}

static void reference_is_qemus(void **state)
{
	(void)state;
	if (system("qemu-riscv64 --version > /dev/null 2>&1"))
		SKIP("qemu-riscv64 is not installed (make deps)");
	struct ref_random r = { seed };
	for (unsigned p = 0; p < PROGRAMS; p++) {
		static struct state in[LANES], out[LANES];
		uint32_t words[BODY];
		unsigned n = ref_program(&r, words, BODY, REF_BRANCHES | REF_MODES | REF_ZFHMIN);
		memset(in, 0, sizeof(in));
		for (unsigned l = 0; l < LANES; l++) {
			for (unsigned i = 0; i < 11; i++)
				in[l].x[i] = ref_value(&r, false);
			for (unsigned i = 0; i < 16; i++)
				in[l].f[i] = ref_value(&r, true);
			in[l].lane = l;
		}
		assert_true(qemu_run(words, n, in, out));
		for (unsigned l = 0; l < LANES; l++) {
			struct ref_lane lane = { 0 };
			memcpy(lane.x + REF_LOW, in[l].x, sizeof(in[l].x));
			memcpy(lane.f, in[l].f, sizeof(in[l].f));
			lane.x[REF_LANE] = l;
			assert_true(ref_run(&lane, words, n));
			for (unsigned i = 0; i < 27; i++) {
				uint64_t want = i < 11 ? out[l].x[i] : out[l].f[i - 11];
				uint64_t got = i < 11 ? lane.x[REF_LOW + i] : lane.f[i - 11];
				if (want != got)
					fail_msg("program %u, lane %u, %s%u: %#llx, qemu %#llx; seed %llu", p, l,
						 i < 11 ? "x" : "f", i < 11 ? REF_LOW + i : i - 11,
						 (unsigned long long)got, (unsigned long long)want,
						 (unsigned long long)seed);
			}
		}
	}
}

/* One instruction at a time, from fresh operands: a long program soon computes with NaNs alone. */
static uint64_t digest(const uint32_t *words, unsigned n, const struct state *in, unsigned l)
{
	struct ref_lane lane = { 0 };
	memcpy(lane.x + REF_LOW, in[l].x, sizeof(in[l].x));
	memcpy(lane.f, in[l].f, sizeof(in[l].f));
	lane.x[REF_LANE] = l;
	assert_true(ref_run(&lane, words, n));
	return lane.x[14];
}

/* The first instruction after which the lane differs, by bisection. */
static void blame(const uint32_t *words, unsigned n, const struct state *in, unsigned l)
{
	static struct state out[LANES];
	unsigned good = 0, bad = n;
	while (bad - good > 1) {
		unsigned mid = (good + bad) / 2;
		assert_true(qemu_run(words, mid, in, out));
		*(digest(words, mid, in, l) == out[l].x[9] ? &good : &bad) = mid;
	}
	for (unsigned i = bad < 4 ? 0 : bad - 4; i < bad; i++) {
		char text[80];
		insn_disassemble(words[i], 0, text, sizeof(text));
		fprintf(stderr, "%s\n", text);
	}
	fail_msg("lane %u differs from qemu; seed %llu", l, (unsigned long long)seed);
}

static void single_instructions_are_qemus(void **state)
{
	(void)state;
	if (system("qemu-riscv64 --version > /dev/null 2>&1"))
		SKIP("qemu-riscv64 is not installed (make deps)");
	struct ref_random r = { seed + 1000 };
	for (unsigned p = 0; p < PROGRAMS; p++) {
		static struct state in[LANES], out[LANES];
		uint32_t words[BODY];
		unsigned n = 0;
		while (n < BODY) { /* results go to x15, f15 and are folded into x14, operands stay */
			uint32_t w;
			ref_program(&r, &w, 1, REF_ZFHMIN);
			struct insn i;
			insn_decode(w, &i);
			if (n + 4 > BODY)
				break;
			bool f = i.rd >= 32;
			i.rd = f ? 32 + 15 : 15;
			if (isa_rows[i.op].class == CLASS_FPU || isa_rows[i.op].class == CLASS_FDIV)
				i.rm = (uint8_t)ref_below(&r, 5);
			words[n++] = insn_encode(&i);
			if (f)
				words[n++] = ref_word(OP_fmv_x_d, 15, 32 + 15, 0, 0);
			words[n++] = ref_word(OP_rori, 14, 14, 0, 7);
			words[n++] = ref_word(OP_xor_, 14, 14, 15, 0);
		}
		memset(in, 0, sizeof(in));
		for (unsigned l = 0; l < LANES; l++) {
			for (unsigned i = 0; i < 11; i++)
				in[l].x[i] = ref_value(&r, false);
			for (unsigned i = 0; i < 16; i++)
				in[l].f[i] = ref_value(&r, true);
			in[l].lane = l;
		}
		assert_true(qemu_run(words, n, in, out));
		for (unsigned l = 0; l < LANES; l++) {
			if (digest(words, n, in, l) != out[l].x[9])
				blame(words, n, in, l);
		}
	}
}

static uint64_t bits64(double d)
{
	uint64_t u;
	memcpy(&u, &d, 8);
	return d != d ? 0x7ff8000000000000 : u;
}
static uint32_t bits32(float f)
{
	uint32_t u;
	memcpy(&u, &f, 4);
	return f != f ? 0x7fc00000 : u;
}

static void softfloat_is_the_hosts(void **state)
{
	(void)state;
	struct ref_random r = { seed };
	for (unsigned i = 0; i < 300000; i++) {
		uint64_t v[3];
		double d[3];
		float f[3];
		for (unsigned k = 0; k < 3; k++) {
			v[k] = ref_value(&r, true);
			if (v[k] >> 32 == 0xffffffff && i & 1) /* widen singles, so that doubles are of one size */
				v[k] = sf_convert(SF_SINGLE, SF_DOUBLE, (uint32_t)v[k], RM_RNE);
			uint32_t low = (uint32_t)v[k];
			memcpy(&d[k], &v[k], 8);
			memcpy(&f[k], &low, 4);
		}
		assert_int_equal(sf_add(SF_DOUBLE, v[0], v[1], RM_RNE), bits64(d[0] + d[1]));
		assert_int_equal(sf_mul(SF_DOUBLE, v[0], v[1], RM_RNE), bits64(d[0] * d[1]));
		assert_int_equal(sf_div(SF_DOUBLE, v[0], v[1], RM_RNE), bits64(d[0] / d[1]));
		assert_int_equal(sf_sqrt(SF_DOUBLE, v[0], RM_RNE), bits64(sqrt(d[0])));
		assert_int_equal(sf_fma(SF_DOUBLE, v[0], v[1], v[2], RM_RNE), bits64(fma(d[0], d[1], d[2])));
		assert_int_equal(sf_convert(SF_DOUBLE, SF_SINGLE, v[0], RM_RNE), bits32((float)d[0]));
		assert_int_equal(sf_add(SF_SINGLE, (uint32_t)v[0], (uint32_t)v[1], RM_RNE), bits32(f[0] + f[1]));
		assert_int_equal(sf_mul(SF_SINGLE, (uint32_t)v[0], (uint32_t)v[1], RM_RNE), bits32(f[0] * f[1]));
		assert_int_equal(sf_div(SF_SINGLE, (uint32_t)v[0], (uint32_t)v[1], RM_RNE), bits32(f[0] / f[1]));
		assert_int_equal(sf_sqrt(SF_SINGLE, (uint32_t)v[0], RM_RNE), bits32(sqrtf(f[0])));
		assert_int_equal(sf_fma(SF_SINGLE, (uint32_t)v[0], (uint32_t)v[1], (uint32_t)v[2], RM_RNE),
				 bits32(fmaf(f[0], f[1], f[2])));
		assert_int_equal(sf_from_int(SF_SINGLE, v[0], true, RM_RNE), bits32((float)(int64_t)v[0]));
		assert_int_equal(sf_from_int(SF_DOUBLE, v[0], false, RM_RNE), bits64((double)v[0]));
	}
}

int main(int argc, char **argv)
{
	seed = seed_take(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(softfloat_is_the_hosts),
		cmocka_unit_test(reference_is_qemus),
		cmocka_unit_test(single_instructions_are_qemus),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
