/* Runs clang's OpenCL front end as a child process: source in, textual IR out. */
#include "runtime/compiler/clc/clc.h"
#include "base/limit.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory_file.h"
#include "runtime/compiler/find_clang.h"
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char extensions[] = "-cl-ext=-all"
#define CLANG(name) ",+" name
#define MACRO(name)
#define HOST(name)
#define EXTENSION(name, major, minor, patch, kernels) kernels(#name)
#define FEATURE(name, kernels) kernels("__opencl_c_" #name)
#include "runtime/compiler/extensions.def"
	;

static const char *const arguments[] = {
	"-cc1", "-triple", "spir64", "-emit-llvm", "-O1", "-disable-llvm-passes", "-disable-free",
	"-discard-value-names", "-mframe-pointer=none", "-fno-builtin", "-ffp-contract=on",
	"-funroll-loops", "-ferror-limit", "19", "-fgnuc-version=4.2.1", "-finclude-default-header",
	"-fdeclare-opencl-builtins", "-cl-kernel-arg-info", "-relaxed-aliasing", extensions,
	/* every width of atomics is native here, which the SPIR target does not know */
	"-Wno-atomic-alignment",
	/* with these, clang's header claims every extension there is */
	"-U__SPIR__", "-U__SPIR64__", "-U__SPIR", "-U__SPIR64",
	"-D__OPENCL_VERSION__=300", "-DFP_FAST_FMAF=1", "-DFP_FAST_FMA=1", "-DFP_FAST_FMA_HALF=1",
};

#define RULE_TARGET "galena-dependencies"

static const char *const debug_arguments[] = {
	"-debug-info-kind=line-tables-only", "-dwarf-version=5", "-fdebug-compilation-dir=.",
};

/* A memory file that holds the parts. */
static int memory_file(const char *name, const char *head, const struct clc_source *body)
{
	const size_t size = strlen(head);
	int fd = memory_file_with(name, 0, head, size);
	if (fd < 0 || !body || file_write_all(fd, body->data, body->size, (off_t)size))
		return fd;
	const int error = errno;
	close(fd);
	errno = error;
	return -1;
}

/* ---- one run of clang ---- */

/* In the compile server: the clang that this process is, and its main(). */
static struct { char *path; int (*main)(int, char **, char **); } loaded;

void frontend_loaded(int (*main)(int, char **, char **))
{
	loaded.path = find_clang();
	loaded.main = main;
}

/* Clang as a fork of this process, with the signals of a new program. */
static int fork_clang(struct frontend *f)
{
	fflush(NULL);
	f->pid = fork();
	if (f->pid == 0) {
		limits_forget();
		if (dup2(f->in, 0) < 0 || dup2(f->out, 1) < 0)
			_exit(127);
		exit(loaded.main((int)f->args.count, f->args.items, environ));
	}
	return f->pid < 0 ? errno : 0;
}

static int spawn_clang(struct frontend *f)
{
	posix_spawn_file_actions_t actions;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, f->in, 0);
	posix_spawn_file_actions_adddup2(&actions, f->out, 1);
	int e = posix_spawn(&f->pid, f->args.items[0], &actions, NULL, f->args.items, environ);
	posix_spawn_file_actions_destroy(&actions);
	return e;
}

static enum clc_exit start_clang(struct frontend *f)
{
	const char *clang = f->args.items[0];
	int e = loaded.path && !strcmp(loaded.path, clang) ? fork_clang(f) : spawn_clang(f);
	if (e)
		clc_error("cannot run clang (%s): %s%s", clang, strerror(e),
			  *limit_advice(e) ? limit_advice(e) : "; install the package clang-19 or set GALENA_CLANG");
	return e ? CLC_NO_COMPILER : CLC_OK;
}

static void finish(struct frontend *f)
{
	close(f->in);
	close(f->out);
	strings_free(&f->args);
}

/* The line that gives the source its name. */
static char *line_marker(const char *name)
{
	struct bytes b = { 0 };
	bytes_text(&b, "# 1 ");
	bytes_quoted(&b, name);
	bytes_add(&b, "\n", 2);
	return b.data;
}

enum clc_exit frontend_start(struct frontend *f, const struct clc_options *o, const struct clc_source *source,
			     const char *headers, const char *source_name)
{
	char *clang = find_clang();
	*f = (struct frontend){ 0 };
	strings_add(&f->args, clang ? clang : CLC_CLANG);
	free(clang);
	for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++)
		strings_add(&f->args, arguments[i]);
	if (headers) {
		strings_add(&f->args, "-I");
		strings_add(&f->args, headers);
	}
	if (!o->no_lines) {
		/* what has no name of its own is named by content: what is in an object depends on nothing else, and programs
		 * that are linked keep their sources distinct */
		const uint32_t hash = (uint32_t)hash64(source->data, source->size);
		f->debug_name = o->debug || *source_name == '<' ? clc_format("program-%08x.cl", hash) : clc_format("%s", source_name);
		for (size_t i = 0; i < sizeof debug_arguments / sizeof *debug_arguments; i++)
			strings_add(&f->args, debug_arguments[i]);
		strings_take(&f->args, clc_format("-fdebug-prefix-map=%s=%s", source_name, f->debug_name));
	}
	for (size_t i = 0; i < o->clang.count; i++)
		strings_add(&f->args, o->clang.items[i]);
	/* "-" as a source: includes are looked up relative to the working directory first. The rule comes behind the code. */
	static const char *const tail[] = { "-sys-header-deps", "-MT", RULE_TARGET, "-dependency-file", "-", "-x", "cl", "-o", "-", "-" };
	for (size_t i = 0; i < sizeof tail / sizeof *tail; i++)
		strings_add(&f->args, tail[i]);

	char *marker = line_marker(source_name);
	f->in = memory_file("source", marker, source);
	free(marker);
	f->out = memory_file("ir", "", NULL);
	if (f->in < 0 || f->out < 0) {
		clc_error("cannot make a memory file: %s%s", strerror(errno), limit_advice(errno));
		finish(f);
		return CLC_NO_MEMORY;
	}
	enum clc_exit status = start_clang(f);
	if (status)
		finish(f);
	return status;
}

/* Takes the rule of make from the end of what clang has written. */
static void take_rule(struct frontend *f, char *ir, size_t *size)
{
	static const char begin[] = "\n" RULE_TARGET ":";
	const size_t length = sizeof begin - 1;
	for (char *p = *size > length ? ir + *size - length : ir; p > ir; p--)
		if (!memcmp(p, begin, length)) {
			f->rule = clc_format("%s", p + 1);
			*size = (size_t)(p - ir) + 1;
			ir[*size] = 0;
			return;
		}
}

enum clc_exit frontend_finish(struct frontend *f, char **ir, size_t *size)
{
	int status;
	*ir = NULL;
	while (waitpid(f->pid, &status, 0) < 0)
		if (errno != EINTR) {
			finish(f);
			return CLC_NO_COMPILER;
		}
	enum clc_exit result = CLC_OK;
	if (WIFSIGNALED(status)) {
		result = limits_clang(WTERMSIG(status));
	} else if (WEXITSTATUS(status) == 127) {
		clc_error("cannot run clang; install the package clang-19 or set GALENA_CLANG");
		result = CLC_NO_COMPILER;
	} else if (WEXITSTATUS(status)) {
		if (limits_file_full(f->out))
			clc_error("what clang makes of the program is larger than a file may be%s", limit_advice(EFBIG));
		result = CLC_FAILED;
	} else if (!(*ir = clc_load(f->out, size, 0)) || !*size) {
		clc_error("clang gave no code; is it clang 19?");
		result = CLC_NO_COMPILER;
	} else {
		take_rule(f, *ir, size);
	}
	finish(f);
	return result;
}
