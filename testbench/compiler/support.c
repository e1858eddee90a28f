#include "testbench/build_tree.h"
#include "testbench/compiler/support.h"
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* after what it needs */
#include <cmocka.h>

static char cache_directory[64];

void support_start(void)
{
	char build[PATH_MAX], *path;
	const char *before = getenv("PATH");
	program_path(build, 3);
	assert_true(asprintf(&path, "%s/bin%s%s", build, before ? ":" : "", before ? before : "") > 0);
	setenv("PATH", path, 1);
	free(path);
	snprintf(cache_directory, sizeof cache_directory, "/tmp/galena-test-XXXXXX");
	assert_non_null(mkdtemp(cache_directory));
	setenv("GALENA_CACHE_DIR", cache_directory, 1);
	unsetenv("GALENA_CACHE");
}

void support_end(void)
{
	char command[128];
	snprintf(command, sizeof command, "rm -rf '%s'", cache_directory);
	assert_int_equal(system(command), 0);
}

struct build build_request(const struct compile_request *request)
{
	struct build b = { 0 };
	const char *error = NULL;
	b.status = compiler_run(request, &b.data, &b.size, &b.log);
	assert_non_null(b.log);
	if (b.status == COMPILE_OK) {
		b.object = kernel_object_read(b.data, b.size, &error);
		if (!b.object)
			fail_msg("object is not readable: %s", error);
	} else {
		assert_null(b.data);
	}
	return b;
}

struct build build_source(const char *source, const char *options)
{
	struct compile_input input = { "program", source, strlen(source) };
	struct compile_request request = { .action = COMPILE_BUILD, .options = options, .inputs = &input,
					   .num_inputs = 1 };
	return build_request(&request);
}

void build_free(struct build *b)
{
	kernel_object_free(b->object);
	free(b->data);
	free(b->log);
	*b = (struct build){ 0 };
}

const struct note_kernel *build_kernel(const struct build *b, const char *name)
{
	build_expect_ok(b);
	for (size_t i = 0; i < kernel_object_num_kernels(b->object); i++) {
		const struct note_kernel *k = kernel_object_kernel(b->object, i);
		if (!strcmp(kernel_object_string(b->object, k->name), name))
			return k;
	}
	fail_msg("no kernel '%s'", name);
	return NULL;
}

void build_expect_ok(const struct build *b)
{
	if (b->status != COMPILE_OK)
		fail_msg("build failed (%d):\n%s", b->status, b->log);
}

void build_expect(struct build b, enum compile_status status, const char *text)
{
	if (b.status != status || !strstr(b.log, text))
		fail_msg("status %d (expected %d), log:\n%s\nexpected in it: %s", b.status, status, b.log, text);
	build_free(&b);
}
