/* What tests of fences by the driver's requests share: two files of the devices, each with a queue and a page. */
#ifndef GALENA_TESTBENCH_DRIVER_TWO_CLIENTS_H
#define GALENA_TESTBENCH_DRIVER_TWO_CLIENTS_H
#include "abi/packets.h"
#include "testbench/driver/requests.h"
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>
#include <cmocka.h>

enum { CLIENTS = 2 };
struct client {
	int file;
	uint32_t vm, queue, timeline;
	struct kmd_bo_create bo;
	volatile uint32_t *words;
	int32_t status; /* of its last command that has ended */
};
static struct client clients[CLIENTS], *const a = &clients[0], *const b = &clients[1];

#define OK(c, request, ...) assert_int_equal(kmd_ioctl((c)->file, KMD_##request, &(__VA_ARGS__)), 0)
#define FAILS(c, error, request, ...) assert_int_equal(kmd_ioctl((c)->file, KMD_##request, &(__VA_ARGS__)), KMD_##error)

static inline void client_open(struct client *c, unsigned device)
{
	const char *error;
	struct kmd_vm v = { 0 };
	*c = (struct client){ .file = kmd_open(&error) };
	assert_true(c->file >= 0);
	OK(c, VM_CREATE, v);
	struct kmd_queue_create q = { .vm = v.vm, .device = device };
	OK(c, QUEUE_CREATE, q);
	c->bo = (struct kmd_bo_create){ .vm = v.vm, .size = 4096 };
	OK(c, BO_CREATE, c->bo);
	c->vm = v.vm;
	c->queue = q.queue;
	c->timeline = q.fence;
	c->words = (uint32_t *)(uintptr_t)c->bo.cpu;
}

static inline int wait_for(struct client *c, unsigned flags, uint32_t fence, uint64_t value)
{
	return request_wait(c->file, flags, fence, value, &c->status);
}

static inline void idle(struct client *c) { assert_int_equal(wait_for(c, KMD_WAIT_IDLE, 0, 0), 0); }

static inline int open_both(void **state)
{
	(void)state;
	client_open(a, 0);
	client_open(b, 1);
	return 0;
}

static inline int close_both(void **state)
{
	(void)state;
	for (unsigned i = 0; i < CLIENTS; i++) {
		if (clients[i].file >= 0)
			kmd_close(clients[i].file);
		clients[i].file = -1;
	}
	return 0;
}

/* Copies a word of the client's; none: a command that only waits and signals. Flushed. */
static inline uint64_t submit(struct client *c, int to, int from, const struct kmd_point *wait, const struct kmd_point *signal)
{
	const union packet copy = { .copy = { .head.type = PACKET_CODE_copy, .src = c->bo.va + 4 * (unsigned)from, .dst = c->bo.va + 4 * (unsigned)to,
					      .width = 4, .height = 1, .depth = 1 } };
	const union packet nop = { .head.type = PACKET_CODE_nop };
	struct kmd_submit s = { .queue = c->queue, .num_packets = 1, .packets = (uintptr_t)(to < 0 ? &nop : &copy), .num_waits = wait != NULL,
				.waits = (uintptr_t)wait, .num_signals = signal != NULL, .signals = (uintptr_t)signal };
	OK(c, SUBMIT, s);
	OK(c, FLUSH, ((struct kmd_flush){ .queues = (uintptr_t)&c->queue, .num_queues = 1 }));
	return s.value;
}

static inline uint32_t shared_fence(struct client *c)
{
	struct kmd_fence f = { .flags = KMD_FENCE_SHARED };
	OK(c, FENCE_CREATE, f);
	return f.fence;
}

static inline int export(struct client *c, uint32_t fence, unsigned kind, uint64_t value)
{
	struct kmd_fence_fd e = { .fence = fence, .kind = kind, .value = value, .fd = -1 };
	OK(c, FENCE_EXPORT, e);
	assert_true(e.fd >= 0 && fcntl(e.fd, F_GETFD) & FD_CLOEXEC);
	return e.fd;
}

/* The descriptor is closed. */
static inline uint32_t import(struct client *c, int fd, unsigned kind)
{
	struct kmd_fence_fd i = { .fd = fd, .kind = kind };
	OK(c, FENCE_IMPORT, i);
	close(fd);
	return i.fence;
}

static inline uint32_t given(struct client *to, struct client *from, uint32_t fence)
{
	return import(to, export(from, fence, KMD_FENCE_OPAQUE, 0), KMD_FENCE_OPAQUE);
}

static inline void close_fence(struct client *c, uint32_t fence) { OK(c, FENCE_CLOSE, ((struct kmd_fence){ .fence = fence })); }

static inline bool readable(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	return poll(&p, 1, 0) == 1 && p.revents & POLLIN;
}

#endif
