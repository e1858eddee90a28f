/* A fence of two processes, by descriptor through `galena serve`: their commands take turns without the host; then the process that has made it
 * is killed at a random moment, and the other's wait ends. Arguments: SEED [COUNT], how many are killed. */
#define _GNU_SOURCE
#include "abi/codes.h"
#include "abi/packets.h"
#include "testbench/driver/requests.h"
#include "testbench/random.h"
#include "testbench/remote/processes.h"
#include <poll.h>
#include <sys/socket.h>

enum { TURNS = 50 };
static uint64_t seed;
static unsigned kills = 12;

struct client {
	int file;
	uint32_t queue, timeline;
	int32_t status; /* of its last command that has ended */
};

static struct client client_open(void)
{
	const char *error;
	struct kmd_vm v = { 0 };
	struct client c = { .file = kmd_open(&error) };
	assert_true(c.file >= 0);
	assert_int_equal(kmd_ioctl(c.file, KMD_VM_CREATE, &v), 0);
	struct kmd_queue_create q = { .vm = v.vm };
	assert_int_equal(kmd_ioctl(c.file, KMD_QUEUE_CREATE, &q), 0);
	c.queue = q.queue;
	c.timeline = q.fence;
	return c;
}

static int wait_for(struct client *c, uint32_t fence, uint64_t value) { return request_wait(c->file, KMD_WAIT_POINT, fence, value, &c->status); }

/* A command that waits for one value and signals the next. */
static uint64_t turn(const struct client *c, uint32_t fence, uint64_t value)
{
	const struct kmd_point wait = { fence, 0, value }, signal = { fence, 0, value + 1 };
	struct kmd_submit s = { .queue = c->queue, .num_waits = 1, .waits = (uintptr_t)&wait, .num_signals = 1, .signals = (uintptr_t)&signal };
	assert_int_equal(kmd_ioctl(c->file, KMD_SUBMIT, &s), 0);
	assert_int_equal(kmd_ioctl(c->file, KMD_FLUSH, &(struct kmd_flush){ .queues = (uintptr_t)&c->queue, .num_queues = 1 }), 0);
	return s.value;
}

/* ---- a descriptor, over a socket ---- */
union control {
	struct cmsghdr head;
	char bytes[CMSG_SPACE(sizeof(int))];
};

static void give(int socket, int fd)
{
	char byte = 0;
	union control control = { .head = { .cmsg_len = CMSG_LEN(sizeof fd), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS } };
	struct iovec iov = { &byte, 1 };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control };
	memcpy(CMSG_DATA(&control.head), &fd, sizeof fd);
	assert_int_equal(sendmsg(socket, &m, 0), 1);
	close(fd);
}

static int get(int socket)
{
	char byte;
	int fd;
	union control control;
	struct iovec iov = { &byte, 1 };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control };
	assert_int_equal(recvmsg(socket, &m, MSG_CMSG_CLOEXEC), 1);
	memcpy(&fd, CMSG_DATA(&control.head), sizeof fd);
	return fd;
}

/* ---- the process that makes it ---- */
static _Noreturn void maker(int socket)
{
	struct client c = client_open();
	struct kmd_fence f = { .flags = KMD_FENCE_SHARED };
	assert_int_equal(kmd_ioctl(c.file, KMD_FENCE_CREATE, &f), 0);
	struct kmd_fence_fd e = { .fence = f.fence, .kind = KMD_FENCE_OPAQUE };
	assert_int_equal(kmd_ioctl(c.file, KMD_FENCE_EXPORT, &e), 0);
	give(socket, e.fd);
	for (uint64_t i = 0; i < TURNS; i++)
		turn(&c, f.fence, 2 * i); /* the even values */
	assert_int_equal(wait_for(&c, f.fence, 2 * TURNS), 0);
	for (;; usleep(1000)) /* until it is killed */
		turn(&c, f.fence, 1ull << 40);
}

static void killed_beside_a_wait(void **state)
{
	(void)state;
	struct process server = serve();
	struct client c = client_open();
	const unsigned before = entries(server.pid, "fd");
	for (unsigned n = 0; n < kills; n++) {
		int ends[2];
		char number[16];
		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
		snprintf(number, sizeof number, "%d", ends[1]);
		struct process p = start("test/remote/fences", "maker", number, NULL);
		close(ends[1]);
		struct kmd_fence_fd i = { .fd = get(ends[0]) };
		assert_int_equal(kmd_ioctl(c.file, KMD_FENCE_IMPORT, &i), 0);
		close(i.fd);
		for (uint64_t t = 0; t < TURNS; t++)
			turn(&c, i.fence, 2 * t + 1);
		assert_int_equal(wait_for(&c, i.fence, 2 * TURNS), 0);
		struct kmd_fence_value v = { .fence = i.fence };
		assert_int_equal(kmd_ioctl(c.file, KMD_FENCE_QUERY, &v), 0);
		assert_true(v.value == 2 * TURNS && !v.status);
		/* what nobody will signal */
		struct kmd_fence_fd point = { .fence = i.fence, .kind = KMD_FENCE_SYNC_FILE, .value = 1ull << 50 };
		assert_int_equal(kmd_ioctl(c.file, KMD_FENCE_EXPORT, &point), 0);
		const uint64_t command = turn(&c, i.fence, 1ull << 50);
		usleep((useconds_t)(splitmix64(&seed) % 20000));
		kill(p.pid, SIGKILL);
		assert_int_equal(wait_for(&c, i.fence, 1ull << 50), KMD_FENCE_FAILED);
		assert_int_equal(wait_for(&c, c.timeline, command), 0);
		assert_int_equal(c.status, -FAULT_DEPENDENCY);
		assert_int_equal(poll(&(struct pollfd){ .fd = point.fd, .events = POLLIN }, 1, 10000), 1);
		close(point.fd);
		assert_int_equal(kmd_ioctl(c.file, KMD_FENCE_CLOSE, &(struct kmd_fence){ .fence = i.fence }), 0);
		assert_int_equal(end_of(p, -SIGKILL), -SIGKILL);
		close(ends[0]);
	}
	/* a sync file of a fence that is gone is given up with the next one that is made */
	struct kmd_fence f = { .flags = KMD_FENCE_SHARED };
	assert_int_equal(kmd_ioctl(c.file, KMD_FENCE_CREATE, &f), 0);
	struct kmd_fence_fd last = { .fence = f.fence };
	assert_int_equal(kmd_ioctl(c.file, KMD_FENCE_EXPORT, &last), 0);
	close(last.fd);
	assert_int_equal(kmd_ioctl(c.file, KMD_FENCE_CLOSE, &f), 0);
	assert_int_equal(request_wait(c.file, KMD_WAIT_IDLE, 0, 0, &c.status), 0);
	for (unsigned i = 0; i < 5000 && entries(server.pid, "fd") > before; i++)
		usleep(1000); /* the server may still be at the end of the last one */
	assert_int_equal(entries(server.pid, "fd"), before);
	kmd_close(c.file);
	server_end(server);
}

static int clean(void **state)
{
	(void)state;
	return rmdir(directory);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(killed_beside_a_wait) };
	if (argc > 2 && !strcmp(argv[1], "maker"))
		maker(atoi(argv[2]));
	seed = seed_take(argc, argv);
	if (argc > 2)
		kills = (unsigned)atoi(argv[2]);
	program_path(build, 3);
	if (!mkdtemp(directory))
		return 1;
	snprintf(path, sizeof path, "%s/socket", directory);
	setenv("GALENA_DEVICE", "remote", 1);
	setenv("GALENA_SOCKET", path, 1);
	return cmocka_run_group_tests(tests, NULL, clean);
}
