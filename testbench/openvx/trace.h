/* For tests that prove something by a trace: the program runs itself with a recorder, and reads what that has left. */
#ifndef GALENA_TESTBENCH_OPENVX_TRACE_H
#define GALENA_TESTBENCH_OPENVX_TRACE_H
#include "abi/codes.h"
#include "abi/packets.h"
#include "abi/registers.h"
#include "testbench/openvx/interop.h"
#include "traces/event_file.h"
#include <dirent.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* ---- what was recorded lies in a directory of the test's ---- */
static char trace_directory[PATH_MAX];

static inline int make_directory(void **state)
{
	const char *temporary = getenv("TMPDIR");
	(void)state;
	snprintf(trace_directory, sizeof trace_directory, "%s/galena-openvx-XXXXXX", temporary && *temporary ? temporary : P_tmpdir);
	return mkdtemp(trace_directory) ? 0 : -1;
}

static inline void path_in_directory(char path[PATH_MAX], const char *name)
{
	assert_in_range(snprintf(path, PATH_MAX, "%s/%s", trace_directory, name), 1, PATH_MAX - 1);
}

/* With all files in it. */
static inline int remove_files(const char *directory)
{
	DIR *d = opendir(directory);
	for (const struct dirent *e; d && (e = readdir(d));) {
		char path[PATH_MAX];
		struct stat s;
		const int length = snprintf(path, sizeof path, "%s/%s", directory, e->d_name);
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") || length >= PATH_MAX || stat(path, &s))
			continue;
		if (S_ISDIR(s.st_mode))
			remove_files(path);
		else
			unlink(path);
	}
	if (d)
		closedir(d);
	return rmdir(directory);
}

static inline int remove_directory(void **state)
{
	(void)state;
	return remove_files(trace_directory);
}

/* ---- recording ---- */
/* This program, with these arguments and the variable set; it has to succeed. */
static inline void run_recorded(const char *variable, const char *value, const char *const arguments[4])
{
	char program[PATH_MAX];
	int status = -1;
	program_path(program, 0);
	fflush(stdout);
	const pid_t pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		char *argv[6] = {program};
		for (int i = 0; i < 4 && arguments[i]; i++)
			argv[i + 1] = (char *)(uintptr_t)arguments[i];
		setenv(variable, value, 1);
		setenv("GALENA_SPEED", "functional", 1); /* the order of things does not depend on it */
		execv(program, argv);
		_exit(127);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		fail_msg("%s: %s ended with 0x%x", what, arguments[0], (unsigned)status);
}

/* ---- events ---- */
/* All of a complete file, in order. */
static inline void read_events(const char *path, void (*look)(void *, unsigned device, const struct event *), void *with)
{
	const char *error = NULL;
	struct event_record record;
	int more = -1;
	struct event_reader *r = event_reader_open(path, &error);
	if (!r)
		fail_msg("%s: %s", what, error);
	while ((more = event_reader_next(r, &record, &error)) > 0)
		if (!record.opened)
			look(with, record.device, &record.event);
	event_reader_close(r);
	if (more < 0)
		fail_msg("%s: %s", what, error);
}

/* The host signals what commands wait for: a user event of the program's has been set. Each has its place in the order of all that
 * reaches devices, and everything that can run has run before the next one. */
static inline bool is_user_event(const struct event *e) { return e->kind == EVENT_MMIO_WRITE && e->a == REG_HOST_SEM_SIGNAL; }
#endif
