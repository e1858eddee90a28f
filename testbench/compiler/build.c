/* galena-clc from end to end: what a kernel object says about its kernels, and what is refused. */
#include "abi/address_map.h"
#include "testbench/compiler/support.h"
#include <CL/cl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const struct note_arg *argument(const struct build *b, const char *kernel, uint32_t i)
{
	const struct note_kernel *k = build_kernel(b, kernel);
	assert_in_range(i, 0, k->num_args - 1);
	return kernel_object_args(b->object, k) + i;
}

static void expect_arg(const struct build *b, const char *kernel, uint32_t i, const char *name, const char *type,
		       enum note_arg_kind kind, uint32_t offset, uint32_t size)
{
	const struct note_arg *a = argument(b, kernel, i);
	assert_string_equal(kernel_object_string(b->object, a->name), name);
	assert_string_equal(kernel_object_string(b->object, a->type_name), type);
	assert_int_equal(a->kind, kind);
	assert_int_equal(a->offset, offset);
	assert_int_equal(a->size, size);
}

static void vector_add(void **state)
{
	(void)state;
	struct build b = build_source("kernel void add(global const float *a, global const float *b, global float *c)\n"
				      "{ size_t i = get_global_id(0); c[i] = a[i] + b[i]; }\n", NULL);
	const struct note_kernel *k = build_kernel(&b, "add");
	assert_int_equal(kernel_object_type(b.object), NOTE_EXECUTABLE);
	assert_int_equal(kernel_object_num_kernels(b.object), 1);
	assert_int_equal(k->num_args, 3);
	assert_int_equal(k->arg_bytes, 24);
	assert_int_equal(k->local_bytes, 0);
	assert_int_equal(k->private_bytes, 0);
	expect_arg(&b, "add", 0, "a", "float*", NOTE_ARG_GLOBAL, 0, 8);
	expect_arg(&b, "add", 2, "c", "float*", NOTE_ARG_GLOBAL, 16, 8);
	assert_int_equal(argument(&b, "add", 0)->type_qualifier, CL_KERNEL_ARG_TYPE_CONST);
	assert_int_equal(argument(&b, "add", 2)->type_qualifier, 0);
	assert_int_equal(argument(&b, "add", 2)->address_qualifier, CL_KERNEL_ARG_ADDRESS_GLOBAL);
	assert_string_equal(b.log, "");
	build_free(&b);
}

static void argument_layout(void **state)
{
	(void)state;
	struct build b = build_source(
		"typedef struct { int a; double d; char c; } pair;\n"
		"kernel void k(char c, float3 v, pair p, short h, read_only image2d_t in, write_only image3d_t out,\n"
		"  sampler_t s, constant float4 *t, local double2 *l, volatile global uint * restrict r, uchar16 u) {\n"
		"  r[0] = c; }\n", NULL);
	assert_int_equal(build_kernel(&b, "k")->num_args, 11);
	expect_arg(&b, "k", 0, "c", "char", NOTE_ARG_VALUE, 0, 1);
	expect_arg(&b, "k", 1, "v", "float3", NOTE_ARG_VALUE, 16, 16);
	expect_arg(&b, "k", 2, "p", "pair", NOTE_ARG_VALUE, 32, 24);
	expect_arg(&b, "k", 3, "h", "short", NOTE_ARG_VALUE, 56, 2);
	expect_arg(&b, "k", 4, "in", "image2d_t", NOTE_ARG_IMAGE, 64, 8);
	expect_arg(&b, "k", 5, "out", "image3d_t", NOTE_ARG_IMAGE, 72, 8);
	expect_arg(&b, "k", 6, "s", "sampler_t", NOTE_ARG_SAMPLER, 80, 8);
	expect_arg(&b, "k", 7, "t", "float4*", NOTE_ARG_CONSTANT, 88, 8);
	expect_arg(&b, "k", 8, "l", "double2*", NOTE_ARG_LOCAL, 96, 8);
	expect_arg(&b, "k", 9, "r", "uint*", NOTE_ARG_GLOBAL, 104, 8);
	expect_arg(&b, "k", 10, "u", "uchar16", NOTE_ARG_VALUE, 112, 16);
	assert_int_equal(build_kernel(&b, "k")->arg_bytes, 128);
	assert_int_equal(argument(&b, "k", 4)->access_qualifier, CL_KERNEL_ARG_ACCESS_READ_ONLY);
	assert_int_equal(argument(&b, "k", 5)->access_qualifier, CL_KERNEL_ARG_ACCESS_WRITE_ONLY);
	assert_int_equal(argument(&b, "k", 0)->access_qualifier, CL_KERNEL_ARG_ACCESS_NONE);
	assert_int_equal(argument(&b, "k", 7)->address_qualifier, CL_KERNEL_ARG_ADDRESS_CONSTANT);
	assert_int_equal(argument(&b, "k", 8)->address_qualifier, CL_KERNEL_ARG_ADDRESS_LOCAL);
	assert_int_equal(argument(&b, "k", 0)->address_qualifier, CL_KERNEL_ARG_ADDRESS_PRIVATE);
	assert_int_equal(argument(&b, "k", 8)->align, 16);
	assert_int_equal(argument(&b, "k", 7)->type_qualifier, CL_KERNEL_ARG_TYPE_CONST);
	assert_int_equal(argument(&b, "k", 9)->type_qualifier,
			 CL_KERNEL_ARG_TYPE_RESTRICT | CL_KERNEL_ARG_TYPE_VOLATILE);
	build_free(&b);
}

static void attributes(void **state)
{
	(void)state;
	struct build b = build_source(
		"kernel __attribute__((reqd_work_group_size(8, 4, 2))) void r(global int *o) { o[0] = 1; }\n"
		"kernel __attribute__((work_group_size_hint(64, 1, 1))) __attribute__((vec_type_hint(uint4)))\n"
		"void h(global int *o) { o[0] = 1; }\n", NULL);
	const struct note_kernel *r = build_kernel(&b, "r"), *h = build_kernel(&b, "h");
	assert_int_equal(r->reqd_local_size[0], 8);
	assert_int_equal(r->reqd_local_size[1], 4);
	assert_int_equal(r->reqd_local_size[2], 2);
	assert_int_equal(r->hint_local_size[0], 0);
	assert_int_equal(h->hint_local_size[0], 64);
	assert_int_equal(h->reqd_local_size[0], 0);
	assert_string_equal(kernel_object_string(b.object, r->attributes), "reqd_work_group_size(8,4,2)");
	assert_string_equal(kernel_object_string(b.object, h->attributes),
			    "work_group_size_hint(64,1,1) vec_type_hint(uint4)");
	build_free(&b);
}

/* A variable that two kernels share keeps one place, behind what either has. */
static void local_memory(void **state)
{
	(void)state;
	struct build b = build_source(
		"kernel void a(global int *o) { local int x[64]; local double y[4]; int i = get_local_id(0);\n"
		"  x[i] = o[i]; y[i & 3] = i; barrier(CLK_LOCAL_MEM_FENCE); o[i] = x[63 - i] + y[0]; }\n"
		"kernel void b(global int *o) { local char x[3]; local long16 y; int i = get_local_id(0);\n"
		"  x[i] = i; y.s1 = 3; barrier(CLK_LOCAL_MEM_FENCE); o[i] = x[1] + y.s1; }\n"
		"kernel void none(global int *o, local int *x) { x[0] = 1; o[0] = x[0]; }\n", NULL);
	assert_int_equal(build_kernel(&b, "a")->local_bytes, 64 * 4 + 4 * 8);
	assert_int_equal(build_kernel(&b, "b")->local_bytes, 128 + 128);
	assert_int_equal(build_kernel(&b, "none")->local_bytes, 0);
	assert_true(build_kernel(&b, "a")->flags & NOTE_USES_BARRIER);
	assert_false(build_kernel(&b, "none")->flags & NOTE_USES_BARRIER);
	assert_true(build_kernel(&b, "a")->flags & NOTE_USES_FP64);
	assert_false(build_kernel(&b, "none")->flags & NOTE_USES_FP64);
	build_free(&b);
}

/* Private memory: an array that cannot live in registers, and frames along the deepest path. */
static void private_memory(void **state)
{
	(void)state;
	struct build b = build_source(
		"__attribute__((noinline)) int leaf(int n, global int *o) { int a[100]; for (int i = 0; i < n; i++)\n"
		"  a[i] = o[i]; return a[n / 2] + a[o[1]]; }\n"
		"__attribute__((noinline)) int other(int n, global int *o) { int a[30]; for (int i = 0; i < n; i++)\n"
		"  a[i] = o[i]; return a[n / 2] + a[o[1]]; }\n"
		"__attribute__((noinline)) int middle(int n, global int *o) { int a[200]; for (int i = 0; i < n; i++)\n"
		"  a[i] = o[i]; return leaf(n, o) + other(n, o) + a[o[2]]; }\n"
		"kernel void shallow(global int *o, int n) { o[0] = leaf(n, o); }\n"
		"kernel void deep(global int *o, int n) { o[0] = middle(n, o) + leaf(n, o); }\n"
		"kernel void large(global int *o, int n) { int a[5000]; for (int i = 0; i < n; i++) a[i] = o[i];\n"
		"  for (int i = 0; i < n; i++) o[i] = a[n - 1 - i]; }\n"
		"kernel void aligned(global int *o, int n) { long16 a[8]; for (int i = 0; i < n; i++) a[i].s3 = o[i];\n"
		"  o[0] = a[o[1]].s3; }\n", NULL);
	assert_in_range(build_kernel(&b, "shallow")->private_bytes, 400, 600);
	assert_in_range(build_kernel(&b, "deep")->private_bytes, 1200, 1500);
	assert_in_range(build_kernel(&b, "large")->private_bytes, 20000, 20200);
	/* 8 * 128 bytes and what aligning the frame to 128 may cost */
	assert_in_range(build_kernel(&b, "aligned")->private_bytes, 1024 + 112, 1024 + 512);
	for (size_t i = 0; i < kernel_object_num_kernels(b.object); i++)
		assert_int_equal(kernel_object_kernel(b.object, i)->private_bytes % 16, 0);
	build_free(&b);
}

static const struct kernel_segment *segment_at(const struct build *b, bool write)
{
	for (size_t i = 0; i < kernel_object_num_segments(b->object); i++)
		if (kernel_object_segment(b->object, i)->write == write && !kernel_object_segment(b->object, i)->execute)
			return kernel_object_segment(b->object, i);
	fail_msg("no %s segment", write ? "writable" : "constant");
	return NULL;
}

/* Variables of the program, their initial values, and pointers among them, which loading moves. */
static void program_variables(void **state)
{
	(void)state;
	struct build b = build_source(
		"global int counter = 5; global int zeros[100];\n"
		"constant int table[4] = {11, 12, 13, 14}; constant char *constant names[2] = {\"one\", \"two\"};\n"
		"kernel void k(global int *o, int i) { o[0] = counter++ + zeros[i] + table[i] + names[i][0]; }\n",
		"-cl-std=CL3.0");
	build_expect_ok(&b);
	uint64_t size = kernel_object_image_size(b.object), base = 0x1000000000;
	char *image = malloc(size);
	kernel_object_place(b.object, base, image);
	const struct kernel_segment *variables = segment_at(&b, true), *constants = segment_at(&b, false);
	assert_true(kernel_object_global_bytes(b.object) >= 404);
	assert_true(variables->mem_size >= 404 && variables->file_size < 404);
	int32_t value;
	memcpy(&value, image + variables->address, 4);
	assert_int_equal(value, 5);
	/* the two pointers point at the two strings */
	const char *found[2] = { NULL, NULL };
	for (uint64_t at = constants->address; at + 16 <= constants->address + constants->mem_size; at += 8) {
		uint64_t p[2];
		memcpy(p, image + at, sizeof p);
		if (p[0] - base < size && p[1] - base < size) {
			found[0] = image + (p[0] - base);
			found[1] = image + (p[1] - base);
		}
	}
	assert_non_null(found[0]);
	assert_string_equal(found[0], "one");
	assert_string_equal(found[1], "two");
	free(image);
	build_free(&b);
}

static void print(void **state)
{
	(void)state;
	struct build b = build_source(
		"kernel void p(float4 v, uchar3 u, global int *g, int n) {\n"
		"  printf(\"plain\\n\");\n"
		"  printf(\"%d %s %c %% %f\\n\", n, n ? \"yes\" : \"no\", 'x', v.x);\n"
		"  g[0] = printf(\"%v4hlf %v3hhu %p\\n\", v, u, g); }\n"
		"kernel void q(global int *g) { g[0] = 1; }\n", NULL);
	build_expect_ok(&b);
	assert_int_equal(kernel_object_num_printfs(b.object), 3);
	static const struct { const char *format; uint32_t slots; } expected[] = {
		{ "plain\n", 0 }, { "%d %s %c %% %f\n", 4 }, { "%v4hlf %v3hhu %p\n", 8 },
	};
	for (size_t e = 0; e < 3; e++) {
		bool found = false;
		for (size_t i = 0; i < 3; i++) {
			const struct note_printf *p = kernel_object_printf(b.object, i);
			found |= !strcmp(kernel_object_string(b.object, p->format), expected[e].format) &&
				 p->num_args == expected[e].slots;
		}
		if (!found)
			fail_msg("no format %s with %u slots", expected[e].format, expected[e].slots);
	}
	assert_true(build_kernel(&b, "p")->flags & NOTE_USES_PRINTF);
	assert_false(build_kernel(&b, "q")->flags & NOTE_USES_PRINTF);
	build_free(&b);
	build_expect(build_source("kernel void p(constant char *f) { printf(f); }", NULL), COMPILE_FAILED, "printf: the format");
	build_expect(build_source("kernel void p(constant char *f) { printf(\"%s\", f); }", NULL), COMPILE_FAILED, "printf: what %s");
}

/* Names that the back end or the library use for something else. */
static void own_names(void **state)
{
	(void)state;
	struct build b = build_source(
		"constant float EXP_TBL[2] = {1, 2}; void memset(global int *p) { p[0] = 3; }\n"
		"float sinf(float x) { return x; }\n"
		"kernel void memcpy(global int *p, global float *q, int n) { memset(p); int x[40];\n"
		"  for (int i = 0; i < 40; i++) x[i] = 0; x[n] = 3; p[1] = x[5];\n"
		"  q[0] = exp(q[1]) + EXP_TBL[n] + sinf(q[2]) + sin(q[3]) + fmod(q[4], q[5]); }\n", NULL);
	build_kernel(&b, "memcpy");
	build_free(&b);
}

/* Code of many kinds: that it compiles, and into what size. */
static void spread(void **state)
{
	(void)state;
	static const struct { const char *options, *source; } programs[] = {
		{ NULL, "kernel void k(global double *o, global float16 *f, char4 c, long2 l, global half *h) {\n"
			"  o[0] = sin(o[1]) + pow(o[2], o[3]) + l.y; f[0] = f[1] * 2.0f + f[2].s0; o[4] = c.z;\n"
			"  vstore_half(vload_half(3, h) + 1, 4, h); vstore4(vload4(1, (global float *)f), 9, (global float *)f); }" },
		{ NULL, "kernel void k(global int *o, int x) { switch (x) { case 0: o[0] = 5; break; case 1: o[1] = 7; break;\n"
			"  case 2: o[2] = o[9]; break; case 3: o[0] = o[5] * 3; break; case 4: o[4] = o[3]; break;\n"
			"  case 5: o[8] = 1; break; case 6: o[7] = o[0] - 3; break; default: o[0] = 1; } }" },
		{ NULL, "kernel void k(global int *o) { o[0] = atomic_add(o + 1, 3) + atomic_cmpxchg(o + 2, 1, 2); }" },
		{ NULL, "typedef struct { int a[100]; } s; kernel void k(global s *o, int n) { s x = o[n]; x.a[n] = 1; o[1] = x; }" },
		{ "-cl-std=CL3.0",
		  "kernel void k(global atomic_int *a, local atomic_ulong *b, global atomic_float *f) { int e = 1;\n"
		  "  int *g = &e; atomic_fetch_add(a, 1); atomic_compare_exchange_strong(a, g, 2);\n"
		  "  atomic_store_explicit(b, 1ul, memory_order_release, memory_scope_work_group); atomic_exchange(f, 1.0f);\n"
		  "  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device); }" },
		{ "-cl-opt-disable", "float f(float x) { return x * x; }\n"
		  "kernel void k(global float *o, local float *l) { local float t[4]; t[get_local_id(0)] = f(o[0]);\n"
		  "  barrier(CLK_LOCAL_MEM_FENCE); l[1] = t[0]; o[1] = l[1] + sqrt(o[3]); }" },
		{ "-cl-fast-relaxed-math -cl-mad-enable -D F=sin",
		  "kernel void k(global float *o) { o[0] = F(o[1]) * o[2] + o[3] / o[4]; }" },
		{ NULL, "kernel void k(read_only image2d_t i, write_only image2d_t o, sampler_t s) {\n"
			"  const sampler_t n = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;\n"
			"  int2 p = (int2)(get_global_id(0), get_global_id(1));\n"
			"  write_imagef(o, p, read_imagef(i, n, p) + read_imagef(i, s, convert_float2(p)));\n"
			"  if (p.x > get_image_width(i)) write_imageui(o, p, read_imageui(i, n, p)); }" },
		{ NULL, "" },
		{ NULL, "float unused(float x) { return x; }" },
	};
	for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
		struct build b = build_source(programs[i].source, programs[i].options);
		build_expect_ok(&b);
		assert_string_equal(kernel_object_options(b.object), programs[i].options ? programs[i].options : "");
		build_free(&b);
	}
}

static void refusals(void **state)
{
	(void)state;
	static const struct { const char *source, *options; enum compile_status status; const char *text; } cases[] = {
		{ "kernel void k(global int *o) { o[0] = x; }", NULL, COMPILE_FAILED, "use of undeclared identifier 'x'" },
		{ "kernel void k(global int *o) { o[0] = x; }", NULL, COMPILE_FAILED, "<program source>:1:39" },
		{ "int foo(int); kernel void k(global int *o) { o[0] = foo(1); }", NULL, COMPILE_FAILED, "'foo'" },
		{ "__attribute__((overloadable)) int foo(int); kernel void k(global int *o) { o[0] = foo(1); }", NULL,
		  COMPILE_FAILED, "function 'foo' is used but not defined" },
		{ "int f(int n) { return n < 2 ? 1 : n * f(n - 1); } kernel void k(global int *o) { o[0] = f(o[1]); }", NULL,
		  COMPILE_FAILED, "function 'f' calls itself: recursion" },
		{ "int g(int); int f(int n) { return n ? g(n - 1) : 1; } int g(int n) { return n ? f(n - 2) * 2 : 3; }\n"
		  "kernel void k(global int *o) { o[0] = f(o[1]); }", NULL, COMPILE_FAILED, "recursion is not supported" },
		{ "kernel void k(global int *o) { int (*p)(int) = 0; o[0] = p(1); }", NULL, COMPILE_FAILED,
		  "pointers to functions are not allowed" },
		{ "kernel void k() { double x = 1; half y = 2; }", NULL, COMPILE_FAILED, "half" },
		{ "kernel void k(global int *o, int n) { int a[10000000]; for (int i = 0; i < n; i++) a[i] = o[i]; o[0] = a[n]; }",
		  NULL, COMPILE_FAILED, "kernel 'k' needs 40000" },
		{ "kernel void k(global int *o) { local int a[20000]; a[get_local_id(0)] = o[0]; barrier(1); o[0] = a[3]; }", NULL,
		  COMPILE_FAILED, "'k.a' of 80000 bytes does not fit into local memory" },
		{ "typedef struct { int a[100000]; } s; kernel void k(s x, global int *o) { o[0] = x.a[o[1]]; }", NULL,
		  COMPILE_FAILED, "bytes of arguments" },
		{ "kernel void k(global int *o) { __asm__ volatile(\"no such instruction\"); }", NULL, COMPILE_FAILED, "error:" },
		{ "kernel void k(queue_t q) {}", "-cl-std=CL3.0", COMPILE_FAILED, "queue_t" },
		{ "kernel void k() { bad", "-w", COMPILE_FAILED, "error:" },
		{ "kernel void k(int x) { int y; }", "-Werror -DA", COMPILE_OK, "" },
		{ "#warning careful\nkernel void k() {}", "-Werror", COMPILE_FAILED, "careful" },
		{ "#warning careful\nkernel void k() {}", "", COMPILE_OK, "careful" },
		{ "#warning careful\nkernel void k() {}", "-w", COMPILE_OK, "" },
		{ "#if A != 3 || B != 4 || !defined(C)\n#error no\n#endif\nkernel void k() {}", "-D A=3 -DB=4\t-DC", COMPILE_OK, "" },
		{ "constant char s[] = S; kernel void k() {}", "-DS=\"\\\"a b\\\"\"", COMPILE_OK, "" },
		{ "kernel void k() {}", "-cl-std=CL2.0", COMPILE_BAD_OPTIONS, "-cl-std=CL2.0" },
		{ "kernel void k() {}", "-cl-no-such", COMPILE_BAD_OPTIONS, "unknown option '-cl-no-such'" },
		{ "kernel void k() {}", "-O3", COMPILE_BAD_OPTIONS, "unknown option '-O3'" },
		{ "kernel void k() {}", "-x spir", COMPILE_BAD_OPTIONS, "SPIR" },
		{ "kernel void k() {}", "-D", COMPILE_BAD_OPTIONS, "'-D' needs a value" },
		{ "kernel void k() {}", "-D \"A", COMPILE_BAD_OPTIONS, "quote" },
		{ "kernel void k() {}", "-create-library", COMPILE_BAD_OPTIONS, "-create-library" },
		{ "#if __OPENCL_C_VERSION__ != 120 || __OPENCL_VERSION__ != 300\n#error no\n#endif\n", NULL, COMPILE_OK, "" },
		{ "#if __OPENCL_C_VERSION__ != 300 || !defined(__opencl_c_atomic_scope_all_devices) || defined(__opencl_c_pipes)\n"
		  "#error no\n#endif\n", "-cl-std=CL3.0", COMPILE_OK, "" },
		{ "#if !defined(cl_khr_fp64) || !defined(cl_khr_fp16) || !__IMAGE_SUPPORT__ || !__ENDIAN_LITTLE__ || !FP_FAST_FMAF\n"
		  "#error no\n#endif\n#ifdef cl_khr_subgroup_named_barrier\n#error no\n#endif\n", "-cl-std=CL3.0", COMPILE_OK, "" },
		{ "#if !defined(cl_khr_subgroups) || !defined(cl_khr_subgroup_shuffle) || !defined(__opencl_c_subgroups) || "
		  "!defined(__opencl_c_work_group_collective_functions) || !defined(cl_khr_integer_dot_product)\n#error no\n#endif\n",
		  "-cl-std=CL3.0", COMPILE_OK, "" },
		{ "#if defined(cl_khr_subgroups) || defined(cl_khr_subgroup_ballot)\n#error no\n#endif\n", "-cl-std=CL1.2", COMPILE_OK, "" },
		{ "#ifndef __FAST_RELAXED_MATH__\n#error no\n#endif\n", "-cl-fast-relaxed-math", COMPILE_OK, "" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		build_expect(build_source(cases[i].source, cases[i].options), cases[i].status, cases[i].text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vector_add),
		cmocka_unit_test(argument_layout),
		cmocka_unit_test(attributes),
		cmocka_unit_test(local_memory),
		cmocka_unit_test(private_memory),
		cmocka_unit_test(program_variables),
		cmocka_unit_test(print),
		cmocka_unit_test(own_names),
		cmocka_unit_test(spread),
		cmocka_unit_test(refusals),
	};
	support_start();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	support_end();
	return failed;
}
