#define _GNU_SOURCE
#include "runtime/remote/protocol.h"
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { IN = false, OUT = true };
const struct payload remote_payloads[] = {
#define PAYLOAD(request, type, pointer, count, element, way, most)                                                                         \
	{ KMD_##request, way, offsetof(struct type, pointer), offsetof(struct type, count), sizeof((struct type *)0)->count, sizeof(element), most },
#include "runtime/remote/payloads.def"
};
const unsigned remote_num_payloads = sizeof remote_payloads / sizeof *remote_payloads;

uint32_t remote_arguments(int32_t request)
{
	static const uint32_t sizes[KMD_REQUESTS] = {
#define REQUEST(name, type, function, what) [KMD_##name] = sizeof(struct type),
#include "runtime/kmd/requests.def"
#undef REQUEST
	};
	return request >= 0 && request < KMD_REQUESTS ? sizes[request] : 0;
}
#define REQUEST(name, type, function, what) _Static_assert(sizeof(struct type) <= REMOTE_ARGUMENTS_MAX, #type);
#include "runtime/kmd/requests.def"
#undef REQUEST

uint64_t payload_count(const struct payload *p, const void *arguments)
{
	const char *at = (const char *)arguments + p->count;
	return p->count_bytes == 8 ? *(const uint64_t *)(const void *)at : *(const uint32_t *)(const void *)at;
}

uint64_t *payload_pointer(const struct payload *p, void *arguments) { return (void *)((char *)arguments + p->pointer); }

int32_t *remote_descriptor(int32_t request, void *arguments, bool out)
{
	switch (request) {
#define DESCRIPTOR(request, type, field, way) case KMD_##request: return out == way ? &((struct type *)arguments)->field : NULL;
#include "runtime/remote/payloads.def"
	default: return NULL;
	}
}

union control {
	struct cmsghdr head; /* for its alignment */
	char bytes[CMSG_SPACE(sizeof(int))];
};

bool remote_send(int socket, struct iovec *iov, unsigned count, int fd)
{
	union control control = { 0 };
	struct msghdr m = { .msg_iov = iov, .msg_iovlen = count };
	if (fd >= 0) {
		m.msg_control = control.bytes;
		m.msg_controllen = sizeof control.bytes;
		struct cmsghdr *c = CMSG_FIRSTHDR(&m);
		*c = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof fd), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS };
		memcpy(CMSG_DATA(c), &fd, sizeof fd);
	}
	while (m.msg_iovlen) {
		ssize_t n = sendmsg(socket, &m, MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		m.msg_control = NULL; /* it went with the first byte */
		m.msg_controllen = 0;
		for (; m.msg_iovlen && (size_t)n >= m.msg_iov->iov_len; m.msg_iov++, m.msg_iovlen--)
			n -= (ssize_t)m.msg_iov->iov_len;
		if (m.msg_iovlen) {
			m.msg_iov->iov_base = (char *)m.msg_iov->iov_base + n;
			m.msg_iov->iov_len -= (size_t)n;
		}
	}
	return true;
}

/* Descriptors that are not expected are closed. */
static void descriptor_take(struct msghdr *m, int *fd)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		int came;
		memcpy(&came, CMSG_DATA(c), sizeof came);
		if (fd && *fd < 0)
			*fd = came;
		else
			close(came);
	}
}

bool remote_receive(int socket, void *data, size_t size, int *fd)
{
	if (fd)
		*fd = -1;
	while (size) {
		union control control;
		struct iovec iov = { data, size };
		struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes };
		ssize_t n = recvmsg(socket, &m, MSG_CMSG_CLOEXEC | MSG_WAITALL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n > 0)
			descriptor_take(&m, fd);
		if (n <= 0) {
			if (fd && *fd >= 0) {
				close(*fd);
				*fd = -1;
			}
			return false;
		}
		data = (char *)data + n;
		size -= (size_t)n;
	}
	return true;
}
