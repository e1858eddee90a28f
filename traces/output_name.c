#define _GNU_SOURCE
#include "traces/output_name.h"
#include "base/hold.h"
#include "base/log.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the process's files ---- */
struct claim {
	struct claim *next;
	char *setting, *name;
	int fd;      /* its lock is what other processes see; -1: of a device, a pipe */
	pid_t owner; /* a forked child has claims of its own */
};
static struct claim *claims;
static pthread_mutex_t claims_lock = PTHREAD_MUTEX_INITIALIZER;
/* Whom the files are of, when it is another process. */
static pid_t process;
static const char *process_name;

void output_process(pid_t pid, const char *name)
{
	process = pid;
	process_name = name;
}

static int process_pid(void) { return process ? process : getpid(); }

/* A copy of setting with %p replaced; *has says whether there was one. */
static char *expand(const char *setting, bool *has)
{
	char pid[16];
	size_t count = 0;
	snprintf(pid, sizeof pid, "%d", process_pid());
	for (const char *s = setting; *s; s++)
		count += *s == '%';
	char *name = malloc(strlen(setting) + count * sizeof pid + 1), *to = name;
	if (!name)
		return NULL;
	for (const char *s = setting; *s; s++)
		if (s[0] == '%' && s[1] == 'p') {
			to = stpcpy(to, pid);
			*has = true;
			s++;
		} else {
			s += s[0] == '%' && s[1] == '%';
			*to++ = *s;
		}
	*to = 0;
	return name;
}

/* name with the PID, and from the second on with a number, before its ending. */
static char *with_pid(const char *name, unsigned number)
{
	const char *base = strrchr(name, '/');
	base = base ? base + 1 : name;
	const char *dot = strrchr(base, '.');
	const char *ending = dot && dot != base ? dot : base + strlen(base);
	char *result, more[16] = "";
	if (number)
		snprintf(more, sizeof more, "-%u", number + 1);
	if (asprintf(&result, "%.*s.%d%s%s", (int)(ending - name), name, process_pid(), more, ending) < 0)
		return NULL;
	return result;
}

/* Another process of this `galena run` has written the file. */
static bool of_this_run(const struct stat *st)
{
	const char *run = getenv("GALENA_RUN");
	long long seconds, nanoseconds;
	if (!run || !st->st_size || sscanf(run, "%lld.%9lld", &seconds, &nanoseconds) != 2)
		return false;
	return st->st_mtim.tv_sec > seconds || (st->st_mtim.tv_sec == seconds && st->st_mtim.tv_nsec > nanoseconds);
}

/* Opens a name, locked. -1: another process has it, or the open failed, with errno. -2: it is no regular file, and is shared. */
static int claim_open(const char *name)
{
	struct stat st;
	if (!stat(name, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return -2;
	int fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		return -1;
	if ((flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) || (!fstat(fd, &st) && of_this_run(&st))) {
		close(fd);
		errno = EBUSY;
		return -1;
	}
	return fd;
}

/* Finds a name that is free; lock held. */
static const char *claim_make(struct claim *c, const char **error)
{
	static char message[512];
	bool has_pid = false;
	char *wanted = expand(c->setting, &has_pid), *name = wanted;
	for (unsigned number = 0; name; number++) {
		c->fd = claim_open(name);
		if (c->fd != -1 || errno != EBUSY || number > 1000)
			break;
		if (name != wanted)
			free(name);
		name = with_pid(wanted, number);
	}
	*error = "out of host memory";
	if (!name)
		goto err_wanted;
	if (c->fd == -1) {
		snprintf(message, sizeof message, "cannot write %.300s: %s", name, strerror(errno));
		*error = message;
		goto err_name;
	}
	*error = NULL;
	if (name != wanted) {
		log_write(LOG_ALWAYS, "%s is the recording of another process; that of process %d (%s) is %s", wanted,
			process_pid(), process ? process_name : program_invocation_short_name, name);
		free(wanted);
	}
	return c->name = name;
err_name:
	if (name != wanted)
		free(name);
err_wanted:
	free(wanted);
	return NULL;
}

const char *output_name(const char *setting, const char **error)
{
	const char *name = NULL;
	HOLDING(&claims_lock);
	struct claim *c = claims;
	while (c && (c->owner != getpid() || !c->name || strcmp(c->setting, setting)))
		c = c->next;
	if (c) {
		*error = NULL;
		return c->name;
	}
	c = calloc(1, sizeof *c);
	*error = "out of host memory";
	if (c && (c->setting = strdup(setting)) && (name = claim_make(c, error))) {
		c->owner = getpid();
		c->next = claims;
		claims = c;
	} else if (c) {
		free(c->setting);
		free(c);
	}
	return name;
}

char *output_expand(const char *setting)
{
	bool has;
	return expand(setting, &has);
}

const char *output_wrong(const char *setting)
{
	static char message[512];
	bool has;
	char *name = expand(setting, &has), *slash = name ? strrchr(name, '/') : NULL;
	struct stat st;
	*message = 0;
	if (!name)
		return "out of host memory";
	if (!stat(name, &st)) {
		if (S_ISDIR(st.st_mode))
			snprintf(message, sizeof message, "%.300s is a directory", name);
		else if (access(name, W_OK))
			snprintf(message, sizeof message, "cannot write %.300s: %s", name, strerror(errno));
	} else if (slash && !slash[1]) {
		snprintf(message, sizeof message, "%.300s names a directory", name);
	} else {
		if (slash)
			slash[slash == name] = 0;
		const char *directory = slash ? name : ".";
		if (stat(directory, &st))
			snprintf(message, sizeof message, "the directory %.300s: %s", directory, strerror(errno));
		else if (!S_ISDIR(st.st_mode))
			snprintf(message, sizeof message, "%.300s is no directory", directory);
		else if (access(directory, W_OK | X_OK))
			snprintf(message, sizeof message, "cannot write to the directory %.300s: %s", directory, strerror(errno));
	}
	free(name);
	return *message ? message : NULL;
}

void output_replaced(const char *name)
{
	struct claim *c = calloc(1, sizeof *c);
	if (!c)
		return;
	*c = (struct claim){ .setting = strdup(""), .fd = open(name, O_WRONLY | O_CLOEXEC), .owner = getpid() };
	if (c->fd >= 0)
		flock(c->fd, LOCK_EX | LOCK_NB);
	HOLDING(&claims_lock);
	c->next = claims;
	claims = c;
}

/* Readers take a shared lock for a moment (stream_reader.c), writers an exclusive one. */
void output_complete(void)
{
	HOLDING(&claims_lock);
	for (struct claim *c = claims; c; c = c->next)
		if (c->fd >= 0 && c->owner == getpid())
			flock(c->fd, LOCK_SH);
}
