/* Runs galena-clc for the runtime. The compiler is a process of its own: an application never has
 * LLVM in its address space, and a compiler that crashes is a failed build. */
#include "runtime/compiler/cache.h"
#include "runtime/compiler/find_clang.h"
#include "runtime/compiler/process.h"
#include "base/file.h"
#include "base/limit.h"
#include "base/memory_file.h"
#include "base/path.h"
#include "base/text.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* In the child, the output is descriptor 3, the list of dependencies 4, and input i is FIRST_INPUT + i. Here, descriptors are kept
 * above those. */
enum { FIRST_INPUT = 5, MAX_INPUTS = 512 };

/* ---- where the compiler is ---- */

/* GALENA_CLC, the kit's, or that of PATH. NULL (or a path that is not there) when missing. */
static char *find_compiler(void)
{
	char path[PATH_MAX];
	return kit_path(path, "GALENA_CLC", "bin/galena-clc") ? text_format("%s", path) : find_in_path("galena-clc");
}

/* ---- the headers of clCompileProgram, as files ---- */

static bool write_header(const char *directory, const struct compile_input *header, char **log)
{
	bool good = false;
	int fd;
	char *path = text_format("%s/%s", directory, header->name), *name = path ? strrchr(path, '/') : NULL;
	if (!path)
		return false;
	if (!*header->name || *header->name == '/' || !strncmp(header->name, "../", 3) || strstr(header->name, "/../")) {
		*log = text_format("galena: header name '%s' leaves its directory\n", header->name);
		goto done;
	}
	*name = 0;
	good = directory_make(path);
	*name = '/';
	fd = good ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
	good = fd >= 0 && file_write_all(fd, header->data, header->size, 0);
	if (fd >= 0 && close(fd))
		good = false;
	if (!good)
		*log = text_format("galena: cannot write header '%s': %s\n", header->name, strerror(errno));
done:
	free(path);
	return good;
}

static void remove_headers(const char *directory, const struct compile_request *r)
{
	for (size_t i = 0; i < r->num_headers; i++) {
		char *path = text_format("%s/%s", directory, r->headers[i].name);
		if (!path || *r->headers[i].name == '/' || strstr(r->headers[i].name, "..")) {
			free(path);
			continue;
		}
		unlink(path);
		size_t keep = strlen(directory);
		for (char *slash; (slash = strrchr(path, '/')) && (size_t)(slash - path) > keep;) {
			*slash = 0;
			rmdir(path);
		}
		free(path);
	}
	rmdir(directory);
}

/* A fresh directory with the headers. NULL after an error, told in *log. */
static char *write_headers(const struct compile_request *r, char **log)
{
	const char *tmp = getenv("TMPDIR");
	char *directory = text_format("%s/galena-headers-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (directory && !mkdtemp(directory)) {
		*log = text_format("galena: cannot make a directory for headers in %s: %s\n", tmp && *tmp ? tmp : "/tmp",
			      strerror(errno));
		free(directory);
		return NULL;
	}
	for (size_t i = 0; directory && i < r->num_headers; i++) {
		if (write_header(directory, &r->headers[i], log))
			continue;
		remove_headers(directory, r);
		free(directory);
		return NULL;
	}
	return directory;
}

/* ---- the process ---- */

struct process {
	int nothing, output, dependencies, log;
	int inputs[MAX_INPUTS];
	size_t num_inputs;
};

static enum compile_status judge(int status, const char *compiler, char **log)
{
	char *old = *log;
	const bool judged = WIFEXITED(status) && WEXITSTATUS(status) <= 4;
	if (judged && (*old || !status))
		return (enum compile_status)-WEXITSTATUS(status);
	if (WIFSIGNALED(status))
		*log = text_format("%sgalena: the compiler %s ended by signal %d (%s)\n", old, compiler, WTERMSIG(status),
			      strsignal(WTERMSIG(status)));
	else
		*log = text_format("%sgalena: the compiler %s failed with status %d\n", old, compiler, WEXITSTATUS(status));
	free(old);
	return judged ? (enum compile_status)-WEXITSTATUS(status) : COMPILE_NO_COMPILER;
}

/* The files of the process, and the names by which it opens its inputs. False after an error; *log tells it, but for no memory. */
static bool process_files(struct process *p, const struct compile_request *r, char **names, char **log)
{
	const int least = FIRST_INPUT + (int)r->num_inputs;
	const char *what = "open /dev/null";
	if ((p->nothing = descriptor_above(open("/dev/null", O_RDONLY | O_CLOEXEC), least)) < 0)
		goto failed;
	what = "make a memory file for the object";
	if ((p->output = memory_file_open("object", least)) < 0)
		goto failed;
	what = "make a memory file for the list of dependencies";
	if ((p->dependencies = memory_file_open("dependencies", least)) < 0)
		goto failed;
	what = "make a memory file for the compiler's messages";
	if ((p->log = memory_file_open("log", least)) < 0)
		goto failed;
	what = "write the program to a memory file";
	for (; p->num_inputs < r->num_inputs; p->num_inputs++) {
		const size_t n = p->num_inputs;
		if ((p->inputs[n] = memory_file_with("input", least, r->inputs[n].data, r->inputs[n].size)) < 0)
			goto failed;
		if (!(names[n] = text_format("/proc/self/fd/%d", FIRST_INPUT + (int)n))) {
			close(p->inputs[n]);
			return false;
		}
	}
	return true;
failed:
	*log = text_format("galena: cannot %s: %s%s\n", what, strerror(errno), limit_advice(errno));
	return false;
}

/* The command line; headers is NULL where there are none. */
static void arguments(char **argv, const struct compile_request *r, const char *compiler, char *options, char *headers, char **names)
{
	*argv++ = (char *)compiler;
	if (r->action != COMPILE_BUILD)
		*argv++ = r->action == COMPILE_COMPILE ? "--compile" : "--link";
	if (r->debug)
		*argv++ = "--debug";
	*argv++ = "-o";
	*argv++ = "/proc/self/fd/3";
	*argv++ = "--dependencies=/proc/self/fd/4";
	*argv++ = options;
	*argv++ = (char *)"--source-name=" COMPILE_SOURCE_NAME;
	if (headers)
		*argv++ = headers;
	for (size_t i = 0; i < r->num_inputs; i++)
		*argv++ = names[i];
	*argv = NULL;
}

static enum compile_status run_compiler(const struct compile_request *r, const char *compiler, struct compile_dependencies *files,
					void **object, size_t *size, char **log)
{
	struct process p = { -1, -1, -1, -1, { 0 }, 0 };
	enum compile_status result = COMPILE_NO_MEMORY;
	char *headers = NULL, *options = NULL, *headers_option = NULL, *names[MAX_INPUTS] = { 0 };
	char *argv[MAX_INPUTS + 11];
	size_t log_size = 0;
	int status = 0;

	if (r->num_inputs > MAX_INPUTS || !r->num_inputs) {
		*log = text_format("galena: %zu inputs; 1 to %d can be compiled or linked\n", r->num_inputs, MAX_INPUTS);
		return COMPILE_FAILED;
	}
	if (r->num_headers) {
		headers = write_headers(r, log);
		if (!headers)
			return *log ? COMPILE_FAILED : COMPILE_NO_MEMORY;
	}
	if (!process_files(&p, r, names, log))
		goto done;
	options = text_format("--options=%s", r->options ? r->options : "");
	headers_option = headers ? text_format("--headers=%s", headers) : NULL;
	if (!options || (headers && !headers_option))
		goto done;
	arguments(argv, r, compiler, options, headers_option, names);
	int fds[FIRST_INPUT + MAX_INPUTS] = { p.nothing, p.log, p.log, p.output, p.dependencies };
	memcpy(fds + FIRST_INPUT, p.inputs, p.num_inputs * sizeof(int));
	int e = compiler_process(compiler, argv, fds, FIRST_INPUT + p.num_inputs, p.output, &status);
	if (e) {
		const char *advice = limit_advice(e);
		*log = text_format("galena: cannot run the compiler %s: %s%s\n", compiler, strerror(e),
			      *advice ? advice : "; run make, or set GALENA_CLC");
		result = COMPILE_NO_COMPILER;
		goto done;
	}
	if (!(*log = file_load(p.log, &log_size, 0)))
		goto done;
	result = judge(status, compiler, log);
	if (result == COMPILE_OK && !(*object = file_load(p.output, size, 0)))
		result = COMPILE_NO_MEMORY;
	if (!(files->list = file_load(p.dependencies, &files->size, 0)))
		files->size = 0;
done:
	for (size_t i = 0; i < r->num_inputs && i < MAX_INPUTS; i++) {
		free(names[i]);
		if (i < p.num_inputs)
			close(p.inputs[i]);
	}
	const int own[] = { p.nothing, p.output, p.dependencies, p.log };
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		file_close(own[i]);
	if (headers)
		remove_headers(headers, r);
	free(headers);
	free(headers_option);
	free(options);
	return result;
}

enum compile_status compiler_run(const struct compile_request *given_request, void **object, size_t *size, char **log)
{
	enum compile_status status = COMPILE_NO_COMPILER;
	struct cache_key key = { 0 };
	struct compile_request whole = *given_request, *request = &whole;
	const char *profile = getenv("GALENA_PROFILE");
	struct compile_dependencies files = { 0 };
	clock_gettime(CLOCK_REALTIME_COARSE, &files.began);
	whole.debug |= profile && *profile; /* a profile shows lines */
	*object = NULL;
	*size = 0;
	*log = NULL;
	char *compiler = find_compiler();
	char *library = NULL, *clang = NULL;
	if (!compiler) {
		*log = text_format("galena: the compiler galena-clc is not beside this library nor in PATH: run make, or set "
			      "GALENA_CLC\n");
		goto done;
	}
	const char *slash = strrchr(compiler, '/');
	library = text_format("%.*s/../share/galena/kernel.lib", slash ? (int)(slash - compiler) : 1, slash ? compiler : ".");
	clang = find_clang();
	const char *given = getenv("GALENA_KERNEL_LIBRARY");
	const char *tools[] = { compiler, given && *given ? given : library ? library : "", clang ? clang : "" };
	key = cache_key_make(request, tools, sizeof tools / sizeof *tools);
	if (cache_load(key, object, size, log)) {
		status = COMPILE_OK;
		goto done;
	}
	status = run_compiler(request, compiler, &files, object, size, log);
	if (status == COMPILE_OK)
		cache_store(key, &files, *object, *size, *log);
done:
	free(files.list);
	free(compiler);
	free(library);
	free(clang);
	if (!*log)
		*log = status == COMPILE_NO_MEMORY ? text_format("galena: out of memory%s\n", limit_advice(ENOMEM)) : calloc(1, 1);
	return status;
}
