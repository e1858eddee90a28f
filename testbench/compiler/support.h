/* What the compiler's tests share: a build by compiler_run, and its kernel object. */
#ifndef GALENA_TESTBENCH_COMPILER_SUPPORT_H
#define GALENA_TESTBENCH_COMPILER_SUPPORT_H
#include "runtime/compiler/compiler.h"

struct build {
	enum compile_status status;
	void *data;
	size_t size;
	char *log;
	struct kernel_object *object; /* NULL unless the build went well */
};

/* Points the runtime at the galena-clc of the build under test, and the cache at a fresh directory. */
void support_start(void);
void support_end(void);
/* Builds one source. */
struct build build_source(const char *source, const char *options);
struct build build_request(const struct compile_request *);
void build_free(struct build *);
/* The kernel of a name; fails the test when there is none. */
const struct note_kernel *build_kernel(const struct build *, const char *name);
/* Fails the test, with the log, when the build has not gone well. */
void build_expect_ok(const struct build *);
/* Fails the test unless the build ended with the status and its log contains the text. */
void build_expect(struct build, enum compile_status, const char *text);

#endif
