/* The server's side: takes requests, forks, reports the ends. */
#include "compile_server/compile_server.h"
#include "compile_server/request.h"
#include "compile_server/text.h"
#include "base/file.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* The jobs that run. */
struct running { pid_t pid; int reply; };
static struct running *running;
static size_t num_running, room;
static unsigned idle_seconds;

/* A client that builds so often is likely to go on. */
enum { MANY_JOBS = 24 };

int compile_server_socket(void)
{
	const char *text = getenv(SERVER_SOCKET);
	char *end;
	if (!text)
		return -1;
	long fd = strtol(text, &end, 10);
	if (*end == ',')
		idle_seconds = (unsigned)strtoul(end + 1, NULL, 10);
	unsetenv(SERVER_SOCKET);
	return fd >= 0 && fd < 1 << 20 && fcntl((int)fd, F_SETFD, FD_CLOEXEC) == 0 ? (int)fd : -1;
}

/* ---- one job ---- */

/* A request as received. fds: REQUEST_FDS and the job's. */
struct request {
	struct server_request q;
	int fds[REQUEST_FDS + COMPILE_SERVER_FDS];
	unsigned num_fds;
};

static void request_close(struct request *r)
{
	for (unsigned i = 0; i < r->num_fds; i++)
		close(r->fds[i]);
	r->num_fds = 0;
}

/* Two lists of strings, each with its NULL, in memory that is not freed. False: the text does not match the request. */
static bool read_strings(const struct request *r, char ***argv, char ***envp)
{
	const struct server_request *q = &r->q;
	char *text = malloc(q->text_bytes + 1), *at = text;
	char **list = calloc((size_t)q->num_args + q->num_variables + 2, sizeof(*list));
	if (!text || !list)
		return false;
	if (file_read_all(r->fds[REQUEST_TEXT], text, q->text_bytes, 0) != (ssize_t)q->text_bytes)
		return false;
	text[q->text_bytes] = 0;
	*argv = list;
	*envp = list + q->num_args + 1;
	for (uint32_t i = 0; i < q->num_args + q->num_variables; i++) {
		if (at >= text + q->text_bytes)
			return false;
		*(i < q->num_args ? &(*argv)[i] : &(*envp)[i - q->num_args]) = at;
		at += strlen(at) + 1;
	}
	return q->num_args > 0;
}

static void become_job(struct request *r, int (*run)(int, char **, char **))
{
	enum { ABOVE = COMPILE_SERVER_FDS + 56 };
	char **argv, **envp;
	sigset_t none;
	for (size_t i = 0; i < num_running; i++)
		close(running[i].reply); /* a client waits until the last copy is closed */
	if (!read_strings(r, &argv, &envp) || fchdir(r->fds[REQUEST_DIRECTORY]))
		_exit(REQUEST_UNABLE);
	for (unsigned i = 0; i < r->num_fds; i++)
		if ((r->fds[i] = fcntl(r->fds[i], F_DUPFD_CLOEXEC, ABOVE)) < 0)
			_exit(REQUEST_UNABLE);
	for (unsigned i = 0; i < r->q.num_fds; i++)
		if (dup2(r->fds[REQUEST_FDS + i], (int)i) < 0)
			_exit(REQUEST_UNABLE);
	for (unsigned i = 0; i < REQUEST_LIMITS; i++) /* a limit that may not be raised stays */
		setrlimit((__rlimit_resource_t)i, &(struct rlimit){ r->q.limits[i][0], r->q.limits[i][1] });
	signal(SIGCHLD, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	sigemptyset(&none);
	sigaddset(&none, SIGXFSZ); /* a write beyond the limit of file sizes fails with EFBIG */
	sigprocmask(SIG_SETMASK, &none, NULL);
	environ = envp;
	exit(run((int)r->q.num_args, argv, envp));
}

static bool table_grows(void)
{
	if (num_running < room)
		return true;
	struct running *more = realloc(running, (room + 16) * sizeof(*more));
	if (more) {
		running = more;
		room += 16;
	}
	return more != NULL;
}

/* Receives the next request; false: no client is left. A message that is no request has no descriptors. */
static bool receive(int socket, struct request *r)
{
	union { struct cmsghdr head; char room[CMSG_SPACE((REQUEST_FDS + COMPILE_SERVER_FDS) * sizeof(int))]; } control;
	struct iovec part = { &r->q, sizeof(r->q) };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control) };
	r->num_fds = 0;
	ssize_t n = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
	if (n <= 0)
		return n < 0 && (errno == EINTR || errno == EAGAIN);
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&message); c; c = CMSG_NXTHDR(&message, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		r->num_fds = (unsigned)((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
		memcpy(r->fds, CMSG_DATA(c), r->num_fds * sizeof(int));
	}
	if (n != (ssize_t)sizeof(r->q) || r->q.magic != REQUEST_MAGIC || r->num_fds != REQUEST_FDS + r->q.num_fds)
		request_close(r);
	return true;
}

static void begin(struct request *r, int (*run)(int, char **, char **))
{
	if (!r->num_fds)
		return;
	pid_t pid = table_grows() ? fork() : -1;
	if (pid == 0)
		become_job(r, run);
	if (pid > 0)
		running[num_running++] = (struct running){ pid, fcntl(r->fds[REQUEST_REPLY], F_DUPFD_CLOEXEC, 0) };
	request_close(r); /* without a job the client reads the end of the pipe */
	static unsigned jobs;
	if (++jobs == MANY_JOBS)
		text_to_huge_pages();
}

static void ended(void)
{
	int status;
	for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
		for (size_t i = 0; i < num_running; i++) {
			if (running[i].pid != pid)
				continue;
			ssize_t n = write(running[i].reply, &status, sizeof(status));
			(void)n;
			close(running[i].reply);
			running[i] = running[--num_running];
			break;
		}
	}
}

static void on_child(int number) { (void)number; }

void compile_server_serve(int socket, int (*run)(int argc, char **argv, char **envp))
{
	static struct request r;
	struct pollfd p = { .fd = socket, .events = POLLIN };
	sigset_t block, none;
	signal(SIGPIPE, SIG_IGN);
	sigaction(SIGCHLD, &(struct sigaction){ .sa_handler = on_child, .sa_flags = SA_NOCLDSTOP }, NULL);
	sigemptyset(&none);
	sigemptyset(&block);
	sigaddset(&block, SIGCHLD);
	sigprocmask(SIG_SETMASK, &block, NULL);
	for (;;) {
		const struct timespec timeout = { .tv_sec = idle_seconds };
		int n = ppoll(&p, p.fd >= 0, !num_running && idle_seconds ? &timeout : NULL, &none);
		ended();
		if (n > 0) {
			if (receive(socket, &r))
				begin(&r, run);
			else
				p.fd = -1;
		}
		if (!num_running && (n == 0 || p.fd < 0))
			_exit(0);
	}
}
