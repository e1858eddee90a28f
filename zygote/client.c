/* Asking a zygote. */
#include "zygote/zygote.h"
#include "base/file.h"
#include "base/memory_file.h"
#include "zygote/request.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

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

static int send_request(int socket, const struct zygote_request *q, const int *fds, unsigned count)
{
	union { struct cmsghdr head; char room[CMSG_SPACE((REQUEST_FDS + ZYGOTE_FDS) * sizeof(int))]; } control = { 0 };
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

int zygote_ask(int socket, const struct zygote_job *job)
{
	struct zygote_request q = { .magic = REQUEST_MAGIC, .num_fds = job->num_fds };
	int fds[REQUEST_FDS + ZYGOTE_FDS], ends[2], e = 0;
	if (job->num_fds > ZYGOTE_FDS) {
		errno = E2BIG;
		return -1;
	}
	if (pipe2(ends, O_CLOEXEC))
		return -1;
	fds[REQUEST_REPLY] = ends[1];
	fds[REQUEST_TEXT] = memory_file_open("zygote", 0);
	fds[REQUEST_DIRECTORY] = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fds[REQUEST_DIRECTORY] < 0)
		fds[REQUEST_DIRECTORY] = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	memcpy(fds + REQUEST_FDS, job->fds, job->num_fds * sizeof(int));
	if (fds[REQUEST_TEXT] < 0 || fds[REQUEST_DIRECTORY] < 0) {
		e = errno;
	} else {
		long args = write_strings(fds[REQUEST_TEXT], job->argv, &q.text_bytes);
		long variables = args < 0 ? -1 : write_strings(fds[REQUEST_TEXT], job->envp, &q.text_bytes);
		for (int i = 0; i < ZYGOTE_LIMITS; i++) {
			struct rlimit limit;
			if (getrlimit((__rlimit_resource_t)i, &limit))
				limit = (struct rlimit){ RLIM_INFINITY, RLIM_INFINITY };
			q.limits[i][0] = limit.rlim_cur;
			q.limits[i][1] = limit.rlim_max;
		}
		q.num_args = (uint32_t)args;
		q.num_variables = (uint32_t)variables;
		e = variables < 0 ? errno : send_request(socket, &q, fds, REQUEST_FDS + job->num_fds);
	}
	for (int i = 0; i < REQUEST_FDS; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	if (e)
		close(ends[0]);
	errno = e;
	return e ? -1 : ends[0];
}

int zygote_wait(int job, int *status)
{
	ssize_t n;
	do
		n = read(job, status, sizeof(*status));
	while (n < 0 && errno == EINTR);
	close(job);
	return n == (ssize_t)sizeof(*status) && !(WIFEXITED(*status) && WEXITSTATUS(*status) == REQUEST_UNABLE) ? 0 : ECONNRESET;
}
