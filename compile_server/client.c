#include "compile_server/compile_server.h"
#include "base/fork.h"
#include "base/file.h"
#include "base/hold.h"
#include "base/memory_file.h"
#include "compile_server/request.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the server ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of every struct compile_server */
HELD_OVER_FORK(lock, FORKS_OTHERS)

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	       a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

void compile_server_close(struct compile_server *s)
{
	file_close(s->socket);
	free(s->program);
	s->socket = -1;
	s->program = NULL;
}

/* A copy of the server's socket; a server that does not run is started. -1 and errno. lost: the socket of before leads nowhere. */
static int server_socket(struct compile_server *s, const struct compile_server_job *job, bool lost)
{
	struct stat files[2] = { 0 };
	if (stat(job->program, &files[0]) || (job->preload && stat(job->preload, &files[1])))
		return -1;
	HOLDING(&lock);
	if (s->program && (lost || strcmp(s->program, job->program) || !same_file(&files[0], &s->files[0]) || !same_file(&files[1], &s->files[1])))
		compile_server_close(s);
	if (!s->program && (s->program = strdup(job->program))) {
		memcpy(s->files, files, sizeof files);
		s->socket = compile_server_start(job->program, job->preload, s->idle, job->background);
	}
	return s->socket < 0 ? -1 : fcntl(s->socket, F_DUPFD_CLOEXEC, s->socket);
}

/* ---- a request ---- */

/* Adds the strings to the file; returns how many, or -1. */
static long write_strings(int fd, char *const *list, uint64_t *bytes)
{
	long n = 0;
	for (; list[n]; n++) {
		size_t size = strlen(list[n]) + 1;
		if (!file_write_all(fd, list[n], size, (off_t)*bytes))
			return -1;
		*bytes += size;
	}
	return n;
}

static int send_request(int socket, const struct server_request *q, const int *fds, unsigned count)
{
	union { struct cmsghdr head; char room[CMSG_SPACE((REQUEST_FDS + COMPILE_SERVER_FDS) * sizeof(int))]; } control = { 0 };
	struct iovec part = { (void *)(uintptr_t)q, sizeof(*q) };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control,
				  .msg_controllen = CMSG_SPACE(count * sizeof(int)) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&message);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(count * sizeof(int));
	memcpy(CMSG_DATA(c), fds, count * sizeof(int));
	ssize_t n;
	do
		n = sendmsg(socket, &message, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n < 0 ? errno : 0;
}

/* Sends the request to the server; if that one is gone, to a new one. Returns 0 or an errno. */
static int deliver(struct compile_server *s, const struct compile_server_job *job, const struct server_request *q, const int *fds)
{
	int e = 0;
	for (unsigned attempt = 0; attempt < 2; attempt++) {
		int socket = server_socket(s, job, attempt > 0);
		if (socket < 0)
			return errno;
		e = send_request(socket, q, fds, REQUEST_FDS + job->num_fds);
		close(socket);
		if (e != EPIPE && e != ECONNRESET)
			break;
	}
	return e;
}

int compile_server_ask(struct compile_server *s, const struct compile_server_job *job)
{
	struct server_request q = { .magic = REQUEST_MAGIC, .num_fds = job->num_fds };
	int fds[REQUEST_FDS + COMPILE_SERVER_FDS], ends[2], e = 0;
	if (job->num_fds > COMPILE_SERVER_FDS) {
		errno = E2BIG;
		return -1;
	}
	if (pipe2(ends, O_CLOEXEC))
		return -1;
	fds[REQUEST_REPLY] = ends[1];
	fds[REQUEST_TEXT] = memory_file_open("request", 0);
	fds[REQUEST_DIRECTORY] = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fds[REQUEST_DIRECTORY] < 0)
		fds[REQUEST_DIRECTORY] = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	for (unsigned i = 0; i < job->num_fds; i++)
		fds[REQUEST_FDS + i] = job->fds[i];
	if (fds[REQUEST_TEXT] < 0 || fds[REQUEST_DIRECTORY] < 0) {
		e = errno;
	} else {
		long args = write_strings(fds[REQUEST_TEXT], job->argv, &q.text_bytes);
		long variables = args < 0 ? -1 : write_strings(fds[REQUEST_TEXT], job->envp, &q.text_bytes);
		for (int i = 0; i < REQUEST_LIMITS; i++) {
			struct rlimit limit;
			if (getrlimit((__rlimit_resource_t)i, &limit))
				limit = (struct rlimit){ RLIM_INFINITY, RLIM_INFINITY };
			q.limits[i][0] = limit.rlim_cur;
			q.limits[i][1] = limit.rlim_max;
		}
		q.num_args = (uint32_t)args;
		q.num_variables = (uint32_t)variables;
		e = variables < 0 ? errno : deliver(s, job, &q, fds);
	}
	for (int i = 0; i < REQUEST_FDS; i++)
		file_close(fds[i]);
	if (e)
		close(ends[0]);
	errno = e;
	return e ? -1 : ends[0];
}

int compile_server_wait(int job, int *status)
{
	ssize_t n = file_read_all(job, status, sizeof(*status), FILE_POSITION);
	close(job);
	return n == (ssize_t)sizeof(*status) && !(WIFEXITED(*status) && WEXITSTATUS(*status) == REQUEST_UNABLE) ? 0 : ECONNRESET;
}
