/* Buffer objects by descriptor, by the requests of the kernel-mode driver: one file makes an object, another one imports it. */
#include "runtime/kmd/kmd.h"
#include "abi/packets.h"
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

enum { BYTES = 3 * 4096 };

struct client {
	int file;
	uint32_t vm, queue, timeline;
};

static struct client client_open(void)
{
	const char *error;
	struct client c = { .file = kmd_open(&error) };
	struct kmd_vm v = { 0 };
	assert_true(c.file >= 0);
	assert_int_equal(kmd_ioctl(c.file, KMD_VM_CREATE, &v), 0);
	struct kmd_queue_create q = { .vm = v.vm };
	assert_int_equal(kmd_ioctl(c.file, KMD_QUEUE_CREATE, &q), 0);
	c.vm = v.vm;
	c.queue = q.queue;
	c.timeline = q.fence;
	return c;
}

static void copy(const struct client *c, uint64_t to, uint64_t from)
{
	const union packet p = { .copy = { .head.type = PACKET_CODE_copy, .src = from, .dst = to, .width = 4, .height = 1, .depth = 1 } };
	struct kmd_submit a = { .queue = c->queue, .num_packets = 1, .packets = (uintptr_t)&p };
	struct kmd_event events[KMD_EVENTS_MAX];
	int result;
	assert_int_equal(kmd_ioctl(c->file, KMD_SUBMIT, &a), 0);
	struct kmd_wait w = { .flags = KMD_WAIT_POINT, .fence = c->timeline, .value = a.value, .events = (uintptr_t)events };
	while ((result = kmd_ioctl(c->file, KMD_WAIT, &w)) == KMD_EVENTS)
		;
	assert_int_equal(result, 0);
}

static void one_object_in_two_files(void **state)
{
	(void)state;
	const struct client a = client_open(), b = client_open();
	struct kmd_bo_create made = { .vm = a.vm, .size = BYTES, .flags = KMD_BO_SHARED };
	assert_int_equal(kmd_ioctl(a.file, KMD_BO_CREATE, &made), 0);
	uint32_t *words = (uint32_t *)(uintptr_t)made.cpu;
	for (unsigned i = 0; i < BYTES / 4; i++)
		assert_int_equal(words[i], 0);
	struct kmd_bo_export export = { .bo = made.bo };
	assert_int_equal(kmd_ioctl(a.file, KMD_BO_EXPORT, &export), 0);
	assert_true(fcntl(export.fd, F_GETFD) & FD_CLOEXEC);
	struct kmd_bo_import_fd import = { .vm = b.vm, .fd = export.fd, .size = BYTES };
	assert_int_equal(kmd_ioctl(b.file, KMD_BO_IMPORT_FD, &import), 0);
	/* the device writes through one, and both see it, as does whoever maps the descriptor */
	words[0] = 99;
	copy(&b, import.va + 8192, import.va);
	assert_int_equal(words[2048], 99);
	assert_int_equal(((uint32_t *)(uintptr_t)import.cpu)[2048], 99);
	copy(&a, made.va + 4, made.va);
	assert_int_equal(((uint32_t *)(uintptr_t)import.cpu)[1], 99);
	/* the object's file goes, the memory stays */
	kmd_close(a.file);
	copy(&b, import.va + 8, import.va);
	uint32_t *mapped = mmap(NULL, BYTES, PROT_READ, MAP_SHARED, export.fd, 0);
	assert_true(mapped != MAP_FAILED);
	assert_int_equal(mapped[2], 99);
	munmap(mapped, BYTES);
	close(export.fd);
	kmd_close(b.file);
}

static void what_cannot_be(void **state)
{
	static const uint32_t wrong[] = { 0, 1u << 20, UINT32_MAX };
	(void)state;
	const struct client c = client_open();
	const struct kmd_part part = { 0, 4096, 0 };
	struct kmd_bo_create plain = { .vm = c.vm, .size = BYTES };
	assert_int_equal(kmd_ioctl(c.file, KMD_BO_CREATE, &plain), 0);
	for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		assert_int_equal(kmd_ioctl(c.file, KMD_BO_EXPORT, &(struct kmd_bo_export){ .bo = wrong[i] }), KMD_BAD_HANDLE);
		assert_int_equal(kmd_ioctl(c.file, KMD_BO_CREATE, &(struct kmd_bo_create){ .vm = wrong[i], .size = BYTES, .flags = KMD_BO_SHARED }),
				 KMD_BAD_HANDLE);
	}
	assert_int_equal(kmd_ioctl(c.file, KMD_BO_EXPORT, &(struct kmd_bo_export){ .bo = c.queue }), KMD_BAD_HANDLE);
	assert_int_equal(kmd_ioctl(c.file, KMD_BO_EXPORT, &(struct kmd_bo_export){ .bo = plain.bo }), KMD_INVALID);
#define MAKES(...) kmd_ioctl(c.file, KMD_BO_CREATE, &(struct kmd_bo_create){ .vm = c.vm, __VA_ARGS__ })
	assert_int_equal(MAKES(.flags = KMD_BO_SHARED), KMD_INVALID);
	assert_int_equal(MAKES(.flags = KMD_BO_SHARED, .size = UINT64_MAX), KMD_INVALID);
	assert_int_equal(MAKES(.flags = KMD_BO_SHARED, .size = 1ull << 42), KMD_NO_MEMORY); /* more than the host has */
	assert_int_equal(MAKES(.flags = KMD_BO_SHARED | KMD_BO_DRAM, .size = BYTES), KMD_INVALID);
	assert_int_equal(MAKES(.flags = KMD_BO_SHARED | KMD_BO_SVM, .size = BYTES), KMD_INVALID);
	assert_int_equal(MAKES(.flags = KMD_BO_SHARED, .size = BYTES, .parts = (uintptr_t)&part, .num_parts = 1), KMD_INVALID);
	kmd_close(c.file);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(one_object_in_two_files), cmocka_unit_test(what_cannot_be) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
