/* What code the compiler makes of what kernels are full of: it is read as text, for what must not be in it. That the
 * code is right is shown by execute and by the tests of the builtins. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* The assembly of a program, in a buffer of the caller's; fails the test when it does not compile. */
static const char *assembly(const char *source, char *text, size_t room)
{
	char file[] = "/tmp/galena-code-XXXXXX", command[4096];
	const char *build = getenv("GALENA_BUILD");
	int fd = mkstemp(file);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, source, strlen(source)), (ssize_t)strlen(source));
	close(fd);
	snprintf(command, sizeof command, "'%s/bin/galena-clc' --emit=asm -o - %s", build ? build : "build", file);
	FILE *pipe = popen(command, "r");
	assert_non_null(pipe);
	size_t size = fread(text, 1, room - 1, pipe);
	text[size] = 0;
	assert_int_equal(pclose(pipe), 0);
	unlink(file);
	assert_in_range(size, 1, room - 2);
	return text;
}

/* How many instructions there are of a mnemonic. */
static unsigned count(const char *text, const char *mnemonic)
{
	unsigned n = 0;
	size_t length = strlen(mnemonic);
	for (const char *p = text; (p = strstr(p, mnemonic)); p += length)
		n += p > text && p[-1] == '\t' && (p[length] == '\t' || p[length] == '\n');
	return n;
}

static void expect(const char *text, const char *mnemonic, unsigned want)
{
	if (count(text, mnemonic) != want)
		fail_msg("%u times %s, expected %u, in\n%s", count(text, mnemonic), mnemonic, want, text);
}

static char code[1 << 20];

/* Functions of the library are in line, and so are the program's own, although a kernel never returns. */
static void calls_are_in_line(void **state)
{
	(void)state;
	assembly("float twice(float x) { return x + x; }\n"
		 "kernel void k(global const float *a, global uchar *b) { int i = get_global_id(0);\n"
		 "  b[i] = convert_uchar_sat_rte(sqrt(twice(a[i])) * exp(a[i + 1]) + log(a[i + 2])); }\n", code, sizeof code);
	expect(code, "call", 0);
	expect(code, "sd", 0);
}

/* Vectors of narrow elements are accessed by words, copies of wide ones too. */
static void vectors_are_words(void **state)
{
	(void)state;
	assembly("kernel void k(global const uchar4 *a, global uchar4 *b) { int i = get_global_id(0); b[i] = a[i].wzyx + (uchar4)1; }\n",
		 code, sizeof code);
	expect(code, "lbu", 0);
	expect(code, "sb", 0);
	expect(code, "sw", 1);
	assembly("kernel void k(global const float4 *a, global float4 *b) { int i = get_global_id(0); b[i] = a[i]; }\n", code, sizeof code);
	expect(code, "flw", 0);
	expect(code, "fsw", 0);
	expect(code, "sd", 2);
}

/* A loop of few turns is no loop; an array that only it indexes needs no memory. */
static void short_loops_are_unrolled(void **state)
{
	(void)state;
	assembly("kernel void k(global const float *a, global float *b) { int i = get_global_id(0); float w[16], s = 0;\n"
		 "  for (int j = 0; j < 16; j++) w[j] = a[i + j]; for (int j = 0; j < 16; j++) s += w[j] * w[15 - j]; b[i] = s; }\n",
		 code, sizeof code);
	expect(code, "bne", 0);
	expect(code, "flw", 16);
	expect(code, "fsw", 1);
}

/* One address for all constants of a polynomial. */
static void constants_share_an_address(void **state)
{
	(void)state;
	assembly("kernel void k(global float *a) { int i = get_global_id(0); float x = a[i];\n"
		 "  a[i] = ((((1.1f * x + 2.3f) * x + 3.7f) * x + 4.9f) * x + 5.3f) * x + 6.7f; }\n", code, sizeof code);
	expect(code, "auipc", 1);
}

/* The format is looked at in front of a loop, not in each turn. */
static void image_formats_are_told_apart_once(void **state)
{
	(void)state;
	assembly("constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;\n"
		 "kernel void k(read_only image2d_t in, global uint4 *out, int n) { int i = get_global_id(0); uint4 sum = 0;\n"
		 "  for (int j = 0; j < n; j++) { uint4 t = read_imageui(in, s, (int2)(i, j)); sum = sum * 3 + t; } out[i] = sum; }\n",
		 code, sizeof code);
	expect(code, "xor", 1); /* of the format, with what makes a comparison easy */
}

/* An unrolled hash: 16 words and 8 of state are alive at a time, and few of them in memory. What a prologue stores of
 * registers stands in the text, too. */
static void long_blocks_fit_registers(void **state)
{
	(void)state;
	assembly("kernel void k(global const uint *m, global uint *o) { uint w[16], s[8]; int id = get_global_id(0);\n"
		 "  for (int i = 0; i < 12; i++) w[i] = m[id * 12 + i]; w[12] = 0x80000000; w[13] = w[14] = 0; w[15] = 384;\n"
		 "  for (int i = 0; i < 8; i++) s[i] = 0x6a09e667u * (i + 1);\n"
		 "#pragma unroll\n"
		 "  for (int i = 0; i < 64; i++) {\n"
		 "    if (i >= 16) { uint a = w[(i + 1) & 15], b = w[(i + 14) & 15];\n"
		 "      w[i & 15] += (rotate(a, 25u) ^ rotate(a, 14u) ^ a >> 3) + w[(i + 9) & 15] + (rotate(b, 15u) ^ rotate(b, 13u) ^ b >> 10); }\n"
		 "    uint t1 = s[7] + (rotate(s[4], 26u) ^ rotate(s[4], 21u) ^ rotate(s[4], 7u)) + bitselect(s[6], s[5], s[4]) +\n"
		 "              0x9e3779b9u * (i + 1) + w[i & 15];\n"
		 "    uint t2 = (rotate(s[0], 30u) ^ rotate(s[0], 19u) ^ rotate(s[0], 10u)) + bitselect(s[0], s[1], s[2] ^ s[0]);\n"
		 "    for (int j = 7; j > 0; j--) s[j] = s[j - 1]; s[4] += t1; s[0] = t1 + t2; }\n"
		 "  for (int i = 0; i < 8; i++) o[id * 8 + i] = s[i]; }\n", code, sizeof code);
	assert_in_range(count(code, "sd") + count(code, "ld"), 0, 80);
}

/* Jumps through tables would hide where they lead. */
static void no_jump_tables(void **state)
{
	(void)state;
	assembly("kernel void k(global int *a) { int i = get_global_id(0), x = a[i]; switch (x) { case 0: x += a[1]; break;\n"
		 "  case 1: x *= a[2]; break; case 2: x ^= a[3]; break; case 3: x -= a[4]; break; case 4: x |= a[5]; break;\n"
		 "  case 5: x &= a[6]; break; case 6: x <<= a[7]; break; case 7: x = a[8]; break; } a[i] = x; }\n", code, sizeof code);
	expect(code, "jr", 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_are_in_line),
		cmocka_unit_test(vectors_are_words),
		cmocka_unit_test(short_loops_are_unrolled),
		cmocka_unit_test(constants_share_an_address),
		cmocka_unit_test(image_formats_are_told_apart_once),
		cmocka_unit_test(long_blocks_fit_registers),
		cmocka_unit_test(no_jump_tables),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
