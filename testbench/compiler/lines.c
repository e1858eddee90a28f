/* The reader of line tables: the lines of a program's instructions; any bytes are refused, never followed. */
#include "testbench/compiler/support.h"
#include "runtime/compiler/line_table.h"
#include "testbench/random.h"
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static uint64_t seed;

static uint64_t random_below(uint64_t *state, uint64_t n) { return splitmix64(state) % n; }

static const char source[] =
	"kernel void first(global int *p)\n" /* 1 */
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	p[i] = 3;\n"
	"}\n"
	"__attribute__((noinline)) int apart(int x)\n" /* 6 */
	"{\n"
	"	return x * x + 1;\n"
	"}\n"
	"kernel void second(global int *p)\n" /* 10 */
	"{\n"
	"	p[get_global_id(0)] = apart(p[0]);\n"
	"}\n";

/* Each line with code in it has instructions, and no other has. */
static void instructions_have_lines(void **state)
{
	(void)state;
	struct build b = build_source(source, "");
	unsigned count[16] = { 0 }, instructions = 0, known = 0;
	build_expect_ok(&b);
	for (size_t i = 0; i < kernel_object_num_segments(b.object); i++) {
		const struct kernel_segment *s = kernel_object_segment(b.object, i);
		for (uint64_t at = s->address; s->execute && at < s->address + s->file_size; at += 4) {
			struct line_place p;
			instructions++;
			if (!kernel_object_line(b.object, at, &p))
				continue;
			known++;
			assert_true(p.line < 14);
			assert_int_equal(strncmp(p.file, "program-", 8), 0);
			count[p.line]++;
		}
		struct line_place p;
		assert_false(s->execute && kernel_object_line(b.object, s->address + s->mem_size + 4096, &p));
	}
	assert_true(known * 10 > instructions * 9);
	assert_true(count[4] && count[8] && count[12]);
	assert_false(count[5] || count[9] || count[13]);
	const struct line_place none = { 0 };
	struct line_place at = none;
	assert_true(kernel_object_line(b.object, build_kernel(&b, "first")->entry, &at));
	assert_true(at.line >= 1 && at.line <= 4);
	assert_true(kernel_object_line(b.object, build_kernel(&b, "second")->entry, &at));
	assert_true(at.line >= 10 && at.line <= 12);
	build_free(&b);
}

static void any_bytes(void **state)
{
	(void)state;
	struct build b = build_source(source, "");
	build_expect_ok(&b);
	const Elf64_Ehdr *h = b.data;
	const Elf64_Shdr *s = (const Elf64_Shdr *)((const char *)b.data + h->e_shoff);
	const char *names = (const char *)b.data + s[h->e_shstrndx].sh_offset;
	const Elf64_Shdr *lines = NULL, *strings = NULL;
	for (unsigned i = 0; i < h->e_shnum; i++) {
		lines = !strcmp(names + s[i].sh_name, ".debug_line") ? &s[i] : lines;
		strings = !strcmp(names + s[i].sh_name, ".debug_line_str") ? &s[i] : strings;
	}
	assert_non_null(lines);
	assert_non_null(strings);
	unsigned found = 0;
	for (int n = 0; n < 20000; n++) { /* in memory of just that size: a sanitizer sees what is read beyond */
		size_t size = random_below(&seed, 4) ? lines->sh_size : random_below(&seed, lines->sh_size + 1);
		uint8_t *at = malloc(size ? size : 1), *text = malloc(strings->sh_size);
		struct line_place p;
		memcpy(at, (const char *)b.data + lines->sh_offset, size);
		memcpy(text, (const char *)b.data + strings->sh_offset, strings->sh_size);
		for (uint64_t k = random_below(&seed, 6); k && size; k--)
			at[random_below(&seed, size)] = (uint8_t)random_below(&seed, 256);
		text[random_below(&seed, strings->sh_size)] = (uint8_t)random_below(&seed, 256);
		if (line_table_find(at, size, text, strings->sh_size, random_below(&seed, 8192), &p))
			found += strlen(p.file) < size + strings->sh_size;
		free(at);
		free(text);
	}
	assert_true(found > 0);
	build_free(&b);
}

int main(int argc, char **argv)
{
	seed = seed_take(argc, argv);
	support_start();
	const struct CMUnitTest tests[] = { cmocka_unit_test(instructions_have_lines), cmocka_unit_test(any_bytes) };
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	support_end();
	return failed;
}
