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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vector_add),
	};
	support_start();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	support_end();
	return failed;
}
