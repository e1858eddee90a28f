/* Sources that are too much for a compiler: every build ends, with an error that says why. The limits are made small
 * here, so that it ends soon. */
#include "testbench/compiler/support.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void setup(const char *seconds, const char *memory)
{
	setenv("GALENA_CLC_SECONDS", seconds, 1);
	setenv("GALENA_CLC_MEMORY", memory, 1);
}

static void long_source(void **state)
{
	(void)state;
	const char kernel[] = "kernel void k(global int *p) { *p = 1; }\n";
	const size_t size = 10 << 20;
	char *text = malloc(size + 1);
	assert_non_null(text);
	memset(text, ' ', size);
	memcpy(text, kernel, sizeof kernel - 1);
	text[size] = 0;
	build_expect(build_source(text, NULL), COMPILE_FAILED, "the source has 10485760 bytes: at most 8388608");
	text[7 << 20] = 0; /* within the limit */
	struct build b = build_source(text, NULL);
	build_expect_ok(&b);
	build_free(&b);
	free(text);
}

/* A macro that doubles itself so often that its text would be larger than any memory. */
static char *doubling(const char *seed, const char *use)
{
	char *text = malloc(4096), *at = text;
	assert_non_null(text);
	at += sprintf(at, "#define M0 %s\n", seed);
	for (int i = 1; i <= 40; i++)
		at += sprintf(at, "#define M%d M%d M%d\n", i, i - 1, i - 1);
	sprintf(at, "%s", use);
	return text;
}

static void endless_macros(void **state)
{
	(void)state;
	setup("2", "700");
	/* statements that are kept, an expression, and text that leaves nothing behind */
	char *statements = doubling("*p += 3;", "kernel void k(global int *p) { M40 }\n");
	char *sum = doubling("+ *p", "kernel void k(global int *p) { *p = 0 M40; }\n");
	char *nothing = doubling("", "kernel void k(global int *p) { M40 *p = 1; }\n");
	build_expect(build_source(statements, NULL), COMPILE_FAILED, "error");
	build_expect(build_source(sum, NULL), COMPILE_FAILED, "error");
	build_expect(build_source(nothing, NULL), COMPILE_FAILED, "error");
	free(statements);
	free(sum);
	free(nothing);
	/* who comes afterwards is not harmed */
	setup("100", "4000");
	struct build b = build_source("kernel void k(global int *p) { *p = 1; }\n", NULL);
	build_expect_ok(&b);
	build_free(&b);
}

static void deep_nesting(void **state)
{
	(void)state;
	enum { DEEP = 400000 };
	setup("20", "2000");
	char *text = malloc(DEEP + 200), *at = text;
	assert_non_null(text);
	at += sprintf(at, "kernel void k(global int *p) { *p = ");
	for (int i = 0; i < DEEP; i += 2)
		at += sprintf(at, "~-");
	sprintf(at, "*p; }\n");
	build_expect(build_source(text, NULL), COMPILE_FAILED, "error");
	free(text);
}

/* A block of so many statements that the compiler would take minutes. */
static void huge_block(void **state)
{
	(void)state;
	enum { STATEMENTS = 80000 };
	setup("4", "2000");
	char *text = malloc(STATEMENTS * 60 + 200), *at = text;
	assert_non_null(text);
	at += sprintf(at, "kernel void k(global uint *p) { uint a = p[0], b = p[1];\n");
	for (unsigned i = 0; i < STATEMENTS; i++)
		at += sprintf(at, "a = (a ^ (b + %uu)) * b; b += a >> 3;\n", i * 26544357u);
	sprintf(at, "p[0] = a + b; }\n");
	build_expect(build_source(text, NULL), COMPILE_FAILED, "error");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(long_source),
		cmocka_unit_test(endless_macros),
		cmocka_unit_test(deep_nesting),
		cmocka_unit_test(huge_block),
	};
	support_start();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	support_end();
	return failed;
}
