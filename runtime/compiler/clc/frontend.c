/* Runs clang's OpenCL front end as a child process: source in, textual IR out. */
#include "runtime/compiler/clc/clc.h"
#include "base/limit.h"
#include "base/file.h"
#include "base/memory_file.h"
#include "zygote/zygote.h"
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

static const char *const debug_arguments[] = {
	"-debug-info-kind=line-tables-only", "-dwarf-version=5", "-fdebug-compilation-dir=.",
};

/* The first of: GALENA_CLANG, the path known at build time, clang-19 and clang in PATH. */
static char *find_clang(void)
{
	const char *given = getenv("GALENA_CLANG");
	if (given && *given)
		return clc_format("%s", given);
	if (!access(CLC_CLANG, X_OK))
		return clc_format("%s", CLC_CLANG);
	const char *path = getenv("PATH");
	static const char *const names[] = { "clang-19", "clang" };
	for (size_t i = 0; path && i < sizeof names / sizeof *names; i++) {
		for (const char *p = path; *p;) {
			int n = (int)strcspn(p, ":");
			char *file = clc_format("%.*s/%s", n, p, names[i]);
			if (n && !access(file, X_OK))
				return file;
			free(file);
			p += n + (p[n] == ':');
		}
	}
	return clc_format("%s", CLC_CLANG);
}

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

/* ---- clang's zygote ---- */

static struct { int socket; char *clang; } zygote = { .socket = -1 };

void frontend_prepare(void)
{
	char *preload = clc_kit(NULL, "libexec/galena-zygote.so");
	zygote.clang = find_clang();
	if (!access(preload, R_OK))
		zygote.socket = zygote_start(zygote.clang, preload, 0);
	free(preload);
}

/* Its job for these arguments; -1: there is no zygote, or not of this clang. */
static int zygote_job(const struct frontend *f)
{
	const int fds[] = { f->in, f->out, STDERR_FILENO };
	const struct zygote_job job = { f->args.items, environ, fds, 3 };
	if (zygote.socket < 0 || strcmp(zygote.clang, f->args.items[0]))
		return -1;
	return zygote_ask(zygote.socket, &job);
}

static enum clc_exit spawn(struct frontend *f)
{
	const char *clang = f->args.items[0];
	posix_spawn_file_actions_t actions;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, f->in, 0);
	posix_spawn_file_actions_adddup2(&actions, f->out, 1);
	int e = posix_spawn(&f->pid, clang, &actions, NULL, f->args.items, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (e)
		clc_error("cannot run clang (%s): %s%s", clang, strerror(e),
			  *limit_advice(e) ? limit_advice(e) : "; install the package clang-19 or set GALENA_CLANG");
	return e ? CLC_NO_COMPILER : CLC_OK;
}

/* ---- one run of clang ---- */

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
	bytes_text(&b, "# 1 \"");
	for (; *name; name++) {
		if (*name == '"' || *name == '\\')
			bytes_text(&b, "\\");
		bytes_add(&b, name, 1);
	}
	bytes_text(&b, "\"\n");
	bytes_add(&b, "", 1);
	return b.data;
}

enum clc_exit frontend_start(struct frontend *f, const struct clc_options *o, const struct clc_source *source,
			     const char *headers, const char *source_name)
{
	*f = (struct frontend){ .job = -1 };
	char *clang = find_clang();
	strings_add(&f->args, clang);
	free(clang);
	for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++)
		strings_add(&f->args, arguments[i]);
	if (headers) {
		strings_add(&f->args, "-I");
		strings_add(&f->args, headers);
	}
	if (!o->no_lines) {
		/* what has no name of its own is named by content: what is in an object depends on nothing else, and programs
		 * that are linked keep their sources apart */
		uint32_t hash = 2166136261u;
		for (size_t i = 0; i < source->size; i++)
			hash = (hash ^ (unsigned char)source->data[i]) * 16777619u;
		f->debug_name = o->debug || *source_name == '<' ? clc_format("program-%08x.cl", hash) : clc_format("%s", source_name);
		char *map = clc_format("-fdebug-prefix-map=%s=%s", source_name, f->debug_name);
		for (size_t i = 0; i < sizeof debug_arguments / sizeof *debug_arguments; i++)
			strings_add(&f->args, debug_arguments[i]);
		strings_add(&f->args, map);
		free(map);
	}
	for (size_t i = 0; i < o->clang.count; i++)
		strings_add(&f->args, o->clang.items[i]);
	/* "-" as a file: includes are looked up relative to the working directory first */
	static const char *const tail[] = { "-x", "cl", "-o", "-", "-" };
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
	f->job = zygote_job(f);
	enum clc_exit status = f->job >= 0 ? CLC_OK : spawn(f);
	if (status)
		finish(f);
	return status;
}

enum clc_exit frontend_finish(struct frontend *f, char **ir, size_t *size)
{
	int status;
	*ir = NULL;
	if (f->job >= 0 && zygote_wait(f->job, &status)) {
		/* clang's zygote has been killed */
		f->job = -1;
		lseek(f->in, 0, SEEK_SET);
		if (ftruncate(f->out, 0) || spawn(f)) {
			finish(f);
			return CLC_NO_COMPILER;
		}
	}
	while (f->job < 0 && waitpid(f->pid, &status, 0) < 0)
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
	}
	finish(f);
	return result;
}
