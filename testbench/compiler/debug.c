/* Debug information (-g) changes nothing of what a program is, only adds what its lines are. */
#include "testbench/compiler/support.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const char *const programs[] = {
	"kernel void fill(global int *a) { a[get_global_id(0)] = 7; }\n",
	/* functions inlined and not, of the program and of the library */
	"float wave(float x) { return sin(x) * x + exp2(x); }\n"
	"__attribute__((noinline)) float twice(float x) { return wave(x) + wave(x + 1); }\n"
	"kernel void waves(global float *a)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	for (int k = 0; k < 9; k++)\n"
	"		a[i] += twice(a[i]) / pow(a[i], 3.0f);\n"
	"}\n",
	/* local memory, barriers, atomics, tables, printf */
	"constant int table[] = { 3, 1, 4, 1, 5, 9, 2, 6 };\n"
	"kernel void sums(global int *out, global const int *in, local int *part)\n"
	"{\n"
	"	local int all;\n"
	"	size_t l = get_local_id(0);\n"
	"	if (!l)\n"
	"		all = 0;\n"
	"	part[l] = in[get_global_id(0)] * table[l & 7];\n"
	"	barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	atomic_add(&all, part[l ^ 1]);\n"
	"	barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	if (!l) {\n"
	"		out[get_group_id(0)] = all;\n"
	"		printf(\"%d %s\\n\", all, \"done\");\n"
	"	}\n"
	"}\n",
	/* several kernels, of which one is longer than a byte tells */
	"kernel void light(global int *p) { p[get_global_id(0)] += 1; }\n"
	"kernel void heavy(global int *p, local int *l) {\n"
	"	int n = get_local_size(0), i = get_local_id(0);\n"
	"	for (int k = 0; k < 8; k++) {\n"
	"		l[i] = p[get_global_id(0)] + k;\n"
	"		barrier(CLK_LOCAL_MEM_FENCE);\n"
	"		p[get_global_id(0)] = l[n - 1 - i];\n"
	"		barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	}\n"
	"}\n"
	"kernel void last(global volatile int *p) { for (int i = 0; i < 30; i++) p[get_global_id(0)]++; }\n",
	/* a kernel that another calls, and a struct by value */
	"typedef struct { int n; float f[5]; } many;\n"
	"kernel void inner(global float *a, many m) { a[get_global_id(0)] += m.f[m.n & 3]; }\n"
	"kernel void outer(global float *a, many m) { inner(a, m); a[get_global_id(0)] *= 2; }\n",
};
static const char *const option_sets[] = { "", "-cl-opt-disable", "-cl-std=CL3.0 -cl-fast-relaxed-math" };

/* Without what stands in front of it in the file. */
static void expect_same_image(const struct build *a, const struct build *b)
{
	uint64_t size = kernel_object_image_size(a->object);
	assert_int_equal(kernel_object_image_size(b->object), size);
	char *x = malloc(size), *y = malloc(size);
	assert_non_null(x);
	assert_non_null(y);
	kernel_object_place(a->object, 0, x);
	kernel_object_place(b->object, 0, y);
	assert_memory_equal(x, y, size);
	free(x);
	free(y);
	assert_int_equal(kernel_object_num_kernels(a->object), kernel_object_num_kernels(b->object));
	for (size_t i = 0; i < kernel_object_num_kernels(a->object); i++) {
		const struct note_kernel *k = kernel_object_kernel(a->object, i), *l = kernel_object_kernel(b->object, i);
		assert_int_equal(k->entry, l->entry);
		assert_int_equal(k->private_bytes, l->private_bytes);
		assert_int_equal(k->local_bytes, l->local_bytes);
	}
}

static bool holds(const struct build *b, const char *text) { return memmem(b->data, b->size, text, strlen(text)); }

static void same_code(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
		for (size_t k = 0; k < sizeof option_sets / sizeof *option_sets; k++) {
			struct compile_input in = { "source", programs[i], strlen(programs[i]) };
			struct compile_request r = { .action = COMPILE_BUILD, .options = option_sets[k], .inputs = &in, .num_inputs = 1 };
			struct build plain = build_request(&r);
			r.debug = true;
			struct build debug = build_request(&r);
			/* as long as each other: places of strings, which code has of printf's, follow the options */
			char without[128], with[128];
			snprintf(without, sizeof without, "%s -g0", option_sets[k]);
			snprintf(with, sizeof with, "%s -w ", option_sets[k]);
			struct build bare = build_source(programs[i], without), lines = build_source(programs[i], with);
			build_expect_ok(&bare);
			build_expect_ok(&lines);
			build_expect_ok(&plain);
			build_expect_ok(&debug);
			expect_same_image(&plain, &debug);
			expect_same_image(&lines, &bare);
			assert_true(holds(&lines, ".debug_line"));
			build_free(&lines);
			assert_true(holds(&debug, ".debug_line"));
			assert_true(holds(&debug, ".debug_info"));
			assert_true(holds(&debug, programs[i])); /* the source, word for word */
			assert_true(holds(&plain, ".debug_line"));
			assert_false(holds(&plain, ".debug_info"));
			assert_false(holds(&plain, programs[i]));
			assert_false(holds(&bare, ".debug_line"));
			if (!i && !k)
				printf("# bytes of an object: %zu without lines, %zu with, %zu with -g\n", bare.size, plain.size, debug.size);
			build_free(&bare);
			build_free(&plain);
			build_free(&debug);
		}
}

/* The option says the same, and stands among the object's options. */
static void asked_for_by_option(void **state)
{
	(void)state;
	struct compile_input in = { "source", programs[1], strlen(programs[1]) };
	struct compile_request r = { .action = COMPILE_BUILD, .options = "-w", .inputs = &in, .num_inputs = 1, .debug = true };
	struct build option = build_source(programs[1], "-w -g"), request = build_request(&r);
	build_expect_ok(&option);
	build_expect_ok(&request);
	assert_true(holds(&option, ".debug_line"));
	assert_true(holds(&option, programs[1]));
	assert_string_equal(kernel_object_options(option.object), "-w -g");
	assert_string_equal(kernel_object_options(request.object), "-w");
	expect_same_image(&option, &request);
	build_free(&option);
	build_free(&request);
}

/* Sources that are compiled apart, one with a header, keep their text and lines when they are linked. */
static void linked(void **state)
{
	(void)state;
	static const char header[] = "int scale(int x);\ninline int shift(int x) { return x + 5; }\n";
	static const char one[] = "#include \"scale.h\"\nkernel void scaled(global int *a) { a[get_global_id(0)] = scale(a[0]); }\n";
	static const char two[] = "#include \"scale.h\"\nint scale(int x) { return shift(x) * 3; }\n";
	struct compile_input h = { "scale.h", header, sizeof header - 1 };
	const char *sources[] = { one, two };
	struct build objects[2];
	struct compile_input inputs[2];
	for (int i = 0; i < 2; i++) {
		struct compile_input in = { "source", sources[i], strlen(sources[i]) };
		struct compile_request r = { .action = COMPILE_COMPILE, .options = "-g", .inputs = &in, .num_inputs = 1,
					     .headers = &h, .num_headers = 1 };
		objects[i] = build_request(&r);
		assert_int_equal(objects[i].status, COMPILE_OK);
		inputs[i] = (struct compile_input){ "object", objects[i].data, objects[i].size };
	}
	struct compile_request r = { .action = COMPILE_LINK, .inputs = inputs, .num_inputs = 2 };
	struct build program = build_request(&r);
	build_expect_ok(&program);
	assert_true(holds(&program, ".debug_line"));
	assert_true(holds(&program, one));
	assert_true(holds(&program, two));
	assert_true(holds(&program, header));
	for (int i = 0; i < 2; i++)
		build_free(&objects[i]);
	build_free(&program);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_code),
		cmocka_unit_test(asked_for_by_option),
		cmocka_unit_test(linked),
	};
	support_start();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	support_end();
	return failed;
}
