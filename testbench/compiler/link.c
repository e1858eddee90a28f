/* Separate compilation, libraries, headers. */
#include "testbench/compiler/support.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static struct build compile(const char *source, const char *options)
{
	struct compile_input input = { "program", source, strlen(source) };
	return build_request(&(struct compile_request){ .action = COMPILE_COMPILE, .options = options,
							.inputs = &input, .num_inputs = 1 });
}

static struct build link_all(const struct build *parts, size_t count, const char *options)
{
	struct compile_input inputs[8];
	for (size_t i = 0; i < count; i++)
		inputs[i] = (struct compile_input){ "object", parts[i].data, parts[i].size };
	return build_request(&(struct compile_request){ .action = COMPILE_LINK, .options = options, .inputs = inputs,
							.num_inputs = count });
}

static void two_programs(void **state)
{
	(void)state;
	struct build parts[2] = {
		compile("int twice(int x); constant int table[2] = {1, 2}; kernel void a(global int *o)\n"
			"{ local int t[4]; t[get_local_id(0)] = o[0]; barrier(CLK_LOCAL_MEM_FENCE);\n"
			"  printf(\"%d\\n\", o[1]); o[0] = twice(t[1]) + table[o[2]]; }", NULL),
		compile("constant int other[2] = {3, 4}; int twice(int x) { return 2 * x + other[x & 1]; }\n"
			"kernel void b(global float *o) { local int t; t = 1; o[0] = sin(o[1]) + t; }", "-cl-std=CL3.0"),
	};
	for (int i = 0; i < 2; i++) {
		build_expect_ok(&parts[i]);
		assert_int_equal(kernel_object_type(parts[i].object), NOTE_COMPILED);
		assert_int_equal(kernel_object_num_kernels(parts[i].object), 0);
	}
	struct build all = link_all(parts, 2, "");
	build_expect_ok(&all);
	assert_int_equal(kernel_object_type(all.object), NOTE_EXECUTABLE);
	assert_int_equal(kernel_object_num_kernels(all.object), 2);
	assert_int_equal(build_kernel(&all, "a")->local_bytes, 16);
	assert_int_equal(build_kernel(&all, "b")->local_bytes, 4);
	assert_int_equal(kernel_object_num_printfs(all.object), 1);
	const struct note_arg *arg = kernel_object_args(all.object, build_kernel(&all, "a"));
	assert_string_equal(kernel_object_string(all.object, arg->type_name), "int*");
	assert_string_equal(kernel_object_string(all.object, arg->name), "o");
	/* an executable is no input */
	build_expect(link_all(&all, 1, ""), COMPILE_FAILED, "no compiled program");
	/* one part alone misses the function */
	build_expect(link_all(parts, 1, ""), COMPILE_FAILED, "'twice' is used but not defined");
	build_free(&all);
	build_free(&parts[0]);
	build_free(&parts[1]);
}

static void libraries(void **state)
{
	(void)state;
	struct build functions[2] = { compile("int one(void) { return 1; }", NULL), compile("int two(void) { return 2; }", NULL) };
	struct build parts[2];
	parts[0] = link_all(functions, 2, "-create-library -enable-link-options");
	build_expect_ok(&parts[0]);
	assert_int_equal(kernel_object_type(parts[0].object), NOTE_LIBRARY);
	parts[1] = compile("int one(void); int two(void); kernel void k(global int *o) { o[0] = one() + two(); }", NULL);
	struct build all = link_all(parts, 2, "-cl-fast-relaxed-math");
	build_kernel(&all, "k");
	build_free(&all);
	struct build twice[2] = { functions[0], functions[0] };
	build_expect(link_all(twice, 2, NULL), COMPILE_FAILED, "one");
	build_expect(link_all(parts, 2, "-D X"), COMPILE_BAD_OPTIONS, "'-D'");
	build_expect(link_all(parts, 2, "-enable-link-options"), COMPILE_BAD_OPTIONS, "needs '-create-library'");
	for (int i = 0; i < 2; i++) {
		build_free(&functions[i]);
		build_free(&parts[i]);
	}
}

static void headers(void **state)
{
	(void)state;
	static const char source[] = "#include \"a.h\"\n#include <sub/b.h>\nkernel void k(global int *o) { o[0] = A + B; }";
	struct compile_input input = { "program", source, sizeof source - 1 };
	struct compile_input files[] = {
		{ "a.h", "#define A 1\n", 12 },
		{ "sub/b.h", "#include \"c.h\"\n", 15 },
		{ "sub/c.h", "#define B 2\n", 12 },
	};
	struct compile_request r = { .action = COMPILE_COMPILE, .inputs = &input, .num_inputs = 1, .headers = files,
				     .num_headers = 3 };
	struct build b = build_request(&r);
	build_expect_ok(&b);
	build_free(&b);
	r.num_headers = 2;
	build_expect(build_request(&r), COMPILE_FAILED, "'c.h' file not found");
	files[1].name = "../b.h";
	build_expect(build_request(&r), COMPILE_FAILED, "'../b.h' leaves its directory");
}

/* -I of a directory of the host, relative to the working directory; such builds are never cached. */
static void include_directories(void **state)
{
	(void)state;
	char directory[] = "/tmp/galena-test-XXXXXX", path[64], old[4096];
	static const char source[] = "#include \"value.h\"\nkernel void k() { int x[VALUE - 3]; }";
	assert_non_null(mkdtemp(directory));
	assert_non_null(getcwd(old, sizeof old));
	assert_int_equal(chdir(directory), 0);
	assert_int_equal(system("mkdir 'with blank'"), 0);
	snprintf(path, sizeof path, "%s/with blank/value.h", directory);
	for (int value = 4; value > 1; value -= 2) {
		FILE *file = fopen(path, "w");
		assert_non_null(file);
		fprintf(file, "#define VALUE %d\n", value);
		fclose(file);
		struct build b = build_source(source, "-I \"with blank\"");
		if (value == 4)
			build_expect_ok(&b);
		else
			assert_int_equal(b.status, COMPILE_FAILED);
		build_free(&b);
	}
	assert_int_equal(chdir(old), 0);
	char command[128];
	snprintf(command, sizeof command, "rm -rf '%s'", directory);
	assert_int_equal(system(command), 0);
}

static void foreign_objects(void **state)
{
	(void)state;
	struct build part = compile("int one(void) { return 1; }", NULL);
	build_expect_ok(&part);
	char *bad = malloc(part.size);
	for (size_t cut = 0; cut < part.size; cut += part.size / 7) {
		memcpy(bad, part.data, part.size);
		struct build b = { .data = bad, .size = cut };
		struct build r = link_all(&b, 1, NULL);
		assert_int_equal(r.status, COMPILE_FAILED);
		build_free(&r);
	}
	memset(bad, 'x', part.size);
	struct build b = { .data = bad, .size = part.size };
	build_expect(link_all(&b, 1, NULL), COMPILE_FAILED, "no compiled program");
	free(bad);
	build_free(&part);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_programs),
		cmocka_unit_test(libraries),
		cmocka_unit_test(headers),
		cmocka_unit_test(include_directories),
		cmocka_unit_test(foreign_objects),
	};
	support_start();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	support_end();
	return failed;
}
