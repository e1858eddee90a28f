/* It runs inside the application: nothing here allocates in the application's heap, and nothing shows that there is another process
 * (no child, no signal). */
#define _GNU_SOURCE
#include "traces/sender.h"
#include "base/fork.h"
#include "base/hold.h"
#include "base/path.h"
#include "traces/exit_status.h"
#include "recording_hash.h"
#include "traces/ring.h"
#include "base/spawn.h"
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { EXIT_WAIT_SECONDS = 1 };

/* The process's. The lock orders devices of several drivers, and the end of the process. */
static struct {
	pthread_mutex_t lock;
	bool running; /* there is a recorder, and it is listening */
	bool over;    /* the process ends, or the recorder has gone: nothing is recorded any more */
	bool failed;  /* the recorder has gone before the end */
	pid_t owner;
	int socket;   /* its other end is the recorder's: closed when the process dies or becomes another program */
	ino_t inode;  /* of the socket: the application may have closed it and opened another file in its place */
	struct ring ring;
} sender = { .lock = PTHREAD_MUTEX_INITIALIZER, .socket = -1 };

/* The child of a fork must not keep its parent's socket open. Its parent's devices are not recorded in it; for the counters of its own
 * it has a recorder of its own. */
static void sender_forked(void)
{
	pthread_mutex_init(&sender.lock, NULL);
	if (sender.socket >= 0)
		close(sender.socket);
	sender.socket = -1;
	sender.running = sender.over = sender.failed = false;
	ring_unmap(&sender.ring);
}
AFTER_FORK(sender_forked)

/* ---- starting it ---- */

/* The environment without what the application preloads: that is not for the recorder. */
static char **recorder_environment(void)
{
	size_t n = 0, at = 0;
	while (environ && environ[n])
		n++;
	char **list = calloc(n + 1, sizeof *list);
	for (size_t i = 0; list && i < n; i++)
		if (strncmp(environ[i], "LD_PRELOAD=", 11))
			list[at++] = environ[i];
	return list;
}

/* Starts it with the descriptors; 0 or an errno. */
static int recorder_start(const char *path, int socket, int memory, int process)
{
	char numbers[4][16], *argv[7] = { (char *)"galena-recorder", [5] = (char *)GALENA_RECORDING_HASH };
	const int values[4] = { socket, memory, process, getpid() };
	posix_spawn_file_actions_t actions;
	char **envp = recorder_environment();
	if (!envp)
		return ENOMEM;
	posix_spawn_file_actions_init(&actions);
	for (int i = 0; i < 4; i++) {
		snprintf(numbers[i], sizeof numbers[i], "%d", values[i]);
		argv[i + 1] = numbers[i];
		if (i < 3 && values[i] >= 0)
			posix_spawn_file_actions_adddup2(&actions, values[i], values[i]); /* stays open over exec */
	}
	int e = spawn_detached(path, &actions, argv, envp, false);
	posix_spawn_file_actions_destroy(&actions);
	free(envp);
	return e;
}

/* Whether the recorder is gone. */
static bool recorder_lost(void *unused)
{
	char byte;
	struct stat st;
	pid_t pid = atomic_load(&sender.ring.control->recorder);
	(void)unused;
	if (pid && kill(pid, 0) && errno == ESRCH)
		return true;
	return !fstat(sender.socket, &st) && st.st_ino == sender.inode &&
	       recv(sender.socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

/* lock held */
static int sender_start(const char **error)
{
	static char message[PATH_MAX + 200];
	char path[PATH_MAX];
	int ends[2] = { -1, -1 }, process = -1, e = 0;
	struct stat st;
	*error = message;
	if (!kit_path(path, NULL, "libexec/galena-recorder")) {
		snprintf(message, sizeof message, "recording: there is no libexec/galena-recorder beside the kit's libraries; install the kit again");
		return -1;
	}
	int memory = ring_create();
	if (memory < 0 || ring_map(&sender.ring, memory) || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) || fstat(ends[0], &st))
		e = errno;
	else {
		process = (int)syscall(SYS_pidfd_open, getpid(), 0); /* an old system has none: then the socket alone tells */
		e = recorder_start(path, ends[1], memory, process);
	}
	if (memory >= 0)
		close(memory);
	if (process >= 0)
		close(process);
	if (ends[1] >= 0)
		close(ends[1]);
	if (e) {
		if (ends[0] >= 0)
			close(ends[0]);
		ring_unmap(&sender.ring);
		snprintf(message, sizeof message, "recording: cannot start %s: %s%s", path, strerror(e),
			 e == EFBIG ? "; files may not be larger than `ulimit -f` says, and recording needs 5 MiB" : "");
		return -1;
	}
	sender.socket = ends[0];
	sender.inode = st.st_ino;
	sender.owner = getpid();
	sender.ring.lost = recorder_lost;
	exit_status_watch();
	sender.running = true;
	return 0;
}

/* ---- telling it; lock held ---- */

static void recorder_gone(void)
{
	static const char text[] = "galena: the recorder has ended before the program: the recordings are not complete\n";
	sender.running = false;
	sender.over = sender.failed = true;
	if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
		return; /* then there is no way to tell */
}

static int request(enum message_kind kind, const void *data, size_t length, const char **error)
{
	static char message[RING_ERROR_BYTES];
	*error = "recording: the recorder has ended";
	if (!ring_request(&sender.ring, kind, data, length)) {
		recorder_gone();
		return -1;
	}
	snprintf(message, sizeof message, "%.*s", RING_ERROR_BYTES - 1, sender.ring.control->answer.error);
	*error = *message ? message : NULL;
	return *error ? -1 : 0;
}

int sender_request(enum message_kind kind, const void *data, size_t length, const char **error)
{
	int rc = 0;
	*error = NULL;
	HOLDING(&sender.lock);
	if (kind < MESSAGE_OPENS && !sender.running && !sender.over)
		rc = sender_start(error);
	if (!rc && sender.running)
		rc = request(kind, data, length, error);
	return rc;
}

void sender_hold(void) { pthread_mutex_lock(&sender.lock); }
void sender_drop(void) { pthread_mutex_unlock(&sender.lock); }

void sender_put_held(enum message_kind kind, const void *first, size_t first_length, const void *second, size_t second_length)
{
	if (sender.running && !ring_put(&sender.ring, kind, first, first_length, second, second_length))
		recorder_gone();
}

void sender_put(enum message_kind kind, const void *first, size_t first_length, const void *second, size_t second_length)
{
	HOLDING(&sender.lock);
	sender_put_held(kind, first, first_length, second, second_length);
}

int sender_open(enum message_kind kind, const struct bus_params *p, const char **error)
{
	struct message_device m = { .index = p->index, .speed = p->speed };
	snprintf(m.name, sizeof m.name, "%s", p->device ? p->device : "");
	snprintf(m.config, sizeof m.config, "%s", p->config ? p->config : "");
	return sender_request(kind, &m, sizeof m, error);
}

bool sender_end(bool *broken)
{
	struct timespec until;
	const char *error;
	if (sender.owner != getpid())
		return true;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += EXIT_WAIT_SECONDS;
	if (pthread_mutex_timedlock(&sender.lock, &until))
		return true;
	bool complete = !sender.failed;
	if (sender.running) {
		complete &= !request(MESSAGE_END, NULL, 0, &error);
		*broken = sender.ring.control->answer.broken;
		sender.running = false;
	}
	sender.over = true;
	pthread_mutex_unlock(&sender.lock);
	return complete;
}

/* ---- events ---- */

struct sender_sink {
	struct event_sink sink;
	unsigned device;
};

static void sink_event(struct event_sink *s, const struct event *e)
{
	struct message_event m = { ((struct sender_sink *)s)->device, *e };
	sender_put(MESSAGE_EVENT, &m, sizeof m, NULL, 0);
}

static void sink_complete(struct event_sink *s, uint64_t cycle)
{
	struct message_complete m = { ((struct sender_sink *)s)->device, cycle };
	sender_put(MESSAGE_COMPLETE, &m, sizeof m, NULL, 0);
}

struct event_sink *sender_sink_open(const char *setting, const struct bus_params *p, const char **error)
{
	struct sender_sink *s = calloc(1, sizeof *s);
	(void)setting;
	*error = "events: out of memory";
	if (!s)
		return NULL;
	*s = (struct sender_sink){ { .event = sink_event, .complete = sink_complete }, p->index };
	if (!sender_open(MESSAGE_EVENTS_OPEN, p, error))
		return &s->sink;
	free(s);
	return NULL;
}

void sender_sink_close(struct event_sink *sink)
{
	struct sender_sink *s = (struct sender_sink *)sink;
	struct message_close m = { s->device };
	const char *error;
	sender_request(MESSAGE_EVENTS_CLOSE, &m, sizeof m, &error);
	free(s);
}
