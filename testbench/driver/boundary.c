/* The boundary of the kernel-mode driver: each request with each argument wrong has its error, and nothing is lost. */
#include "include/galena/heap.h"
#include "runtime/kmd/kmd.h"
#include "abi/address_map.h"
#include "abi/packets.h"
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

static int file;
static uint32_t vm, queue, timeline, fence, bo;
static uint64_t va;
static uint32_t *words;

#define CALL(request, ...) kmd_ioctl(file, KMD_##request, &(__VA_ARGS__))
#define FAILS(error, request, ...) assert_int_equal(CALL(request, __VA_ARGS__), KMD_##error)
static const uint32_t wrong_handles[] = { 0, 1u << 20, UINT32_MAX, 0xdeadbeef };
#define FOR_WRONG(handle) for (const uint32_t *handle = wrong_handles; handle < wrong_handles + sizeof wrong_handles / sizeof *wrong_handles; handle++)

static int wait_for(struct kmd_wait w)
{
	struct kmd_event events[KMD_EVENTS_MAX];
	int result;
	w.events = (uintptr_t)events;
	while ((result = kmd_ioctl(file, KMD_WAIT, &w)) == KMD_EVENTS)
		;
	return result;
}

/* A copy of a word within the buffer object, which shows that the driver is well. */
static void works(void)
{
	static uint32_t value;
	const union packet copy = { .copy = { .head.type = PACKET_CODE_copy, .src = va, .dst = va + 64, .width = 4, .height = 1, .depth = 1 } };
	struct kmd_submit a = { .queue = queue, .num_packets = 1, .packets = (uintptr_t)&copy };
	words[0] = ++value;
	assert_int_equal(kmd_ioctl(file, KMD_SUBMIT, &a), 0);
	assert_int_equal(wait_for((struct kmd_wait){ .flags = KMD_WAIT_POINT, .fence = timeline, .value = a.value }), 0);
	assert_int_equal(words[16], value);
}

static int setup(void **state)
{
	const char *error;
	(void)state;
	file = kmd_open(&error);
	assert_true(file >= 0);
	struct kmd_vm v = { 0 };
	assert_int_equal(kmd_ioctl(file, KMD_VM_CREATE, &v), 0);
	vm = v.vm;
	struct kmd_bo_create b = { .vm = vm, .size = 4096 };
	assert_int_equal(kmd_ioctl(file, KMD_BO_CREATE, &b), 0);
	bo = b.bo;
	va = b.va;
	words = (uint32_t *)(uintptr_t)b.cpu;
	struct kmd_queue_create q = { .vm = vm, .priority = 1 };
	assert_int_equal(kmd_ioctl(file, KMD_QUEUE_CREATE, &q), 0);
	queue = q.queue;
	timeline = q.fence;
	struct kmd_fence f = { 0 };
	assert_int_equal(kmd_ioctl(file, KMD_FENCE_CREATE, &f), 0);
	fence = f.fence;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	works();
	kmd_close(file);
	assert_int_equal(CALL(PLATFORM, (struct kmd_platform){ 0 }), KMD_BAD_HANDLE);
	return 0;
}

static void files_and_requests(void **state)
{
	static const int wrong[] = { -1, 1, 77, 255, 256, 1 << 30 };
	struct kmd_platform p;
	(void)state;
	for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++)
		assert_int_equal(kmd_ioctl(wrong[i], KMD_PLATFORM, &p), KMD_BAD_HANDLE);
	kmd_close(-1);
	kmd_close(77);
	assert_int_equal(kmd_ioctl(file, KMD_REQUESTS, &p), KMD_INVALID);
	assert_int_equal(kmd_ioctl(file, (enum kmd_request)1000, &p), KMD_INVALID);
	works();
}

static void queries(void **state)
{
	(void)state;
	FAILS(INVALID, DEVICE, (struct kmd_device){ .device = 2 });
	FAILS(INVALID, TIME, (struct kmd_time){ .device = 2 });
	FAILS(INVALID, CLOCK, (struct kmd_register){ .device = 2 });
	FAILS(INVALID, REGISTER, (struct kmd_register){ .device = 2, .bits = 32 });
	FAILS(INVALID, REGISTER, (struct kmd_register){ .bits = 0 });
	FAILS(INVALID, REGISTER, (struct kmd_register){ .bits = 16 });
	FAILS(INVALID, REGISTER, (struct kmd_register){ .bits = 64, .offset = 4 });
	FAILS(INVALID, REGISTER, (struct kmd_register){ .bits = 32, .ticket = 12345 });
	FAILS(INVALID, COUNTERS, (struct kmd_counters){ .device = UINT32_MAX });
	FAILS(INVALID, FIRMWARE_LOG, (struct kmd_firmware_log){ .device = 2 });
	FAILS(BAD_ADDRESS, FIRMWARE_LOG, (struct kmd_firmware_log){ .size = 1 });
	FAILS(BAD_ADDRESS, LABEL, (struct kmd_label){ 0 });
	works();
}

static void address_spaces_and_memory(void **state)
{
	const struct kmd_part parts[9] = { { 0, 4096, 0 }, { 4096, 4096, 0 } }, same[2] = { { 0, 8192, 0 }, { 4096, 4096, 0 } };
	const struct kmd_part beyond = { 4096, 8192, 0 }, odd = { 100, 10, 0 }, empty = { 0, 0, 0 };
	(void)state;
	FOR_WRONG(h) {
		FAILS(BAD_HANDLE, VM_CLOSE, (struct kmd_vm){ .vm = *h });
		FAILS(BAD_HANDLE, BO_CREATE, (struct kmd_bo_create){ .vm = *h, .size = 4096 });
		FAILS(BAD_HANDLE, BO_IMPORT_RANGE, (struct kmd_bo_import_range){ .vm = *h, .address = (uintptr_t)words, .size = 4 });
		FAILS(BAD_HANDLE, BO_IMPORT_FD, (struct kmd_bo_import_fd){ .vm = *h, .fd = 0, .size = 4096 });
		FAILS(BAD_HANDLE, BO_CLOSE, (struct kmd_bo_close){ .bo = *h });
		FAILS(BAD_HANDLE, BO_CLEARED, (struct kmd_bo_cleared){ .bo = *h });
		FAILS(BAD_HANDLE, BO_USERS, (struct kmd_bo_users){ .bo = *h });
	}
	/* handles of other kinds */
	FAILS(BAD_HANDLE, VM_CLOSE, (struct kmd_vm){ .vm = queue });
	FAILS(BAD_HANDLE, BO_CLOSE, (struct kmd_bo_close){ .bo = vm });
	FAILS(BAD_HANDLE, BO_CREATE, (struct kmd_bo_create){ .vm = bo, .size = 4096 });
	FAILS(INVALID, BO_CLEARED, (struct kmd_bo_cleared){ .bo = bo });
	FAILS(INVALID, BO_CREATE, (struct kmd_bo_create){ .vm = vm });
	FAILS(INVALID, BO_CREATE, (struct kmd_bo_create){ .vm = vm, .size = UINT64_MAX });
	FAILS(INVALID, BO_CREATE, (struct kmd_bo_create){ .vm = vm, .size = 4096, .flags = 1u << 31 });
	FAILS(INVALID, BO_CREATE, (struct kmd_bo_create){ .vm = vm, .size = 4096, .flags = KMD_BO_DRAM, .device = 2 });
	FAILS(INVALID, BO_CREATE, (struct kmd_bo_create){ .vm = vm, .size = 4096, .flags = KMD_BO_DRAM | KMD_BO_SVM });
	FAILS(INVALID, BO_CREATE, (struct kmd_bo_create){ .vm = vm, .size = 4096, .flags = KMD_BO_PROTECTED });
	FAILS(INVALID, BO_CREATE, (struct kmd_bo_create){ .vm = vm, .size = 65536, .parts = (uintptr_t)parts, .num_parts = 9 });
	FAILS(INVALID, BO_CREATE, (struct kmd_bo_create){ .vm = vm, .size = 8192, .parts = (uintptr_t)same, .num_parts = 2 });
	FAILS(INVALID, BO_CREATE, (struct kmd_bo_create){ .vm = vm, .size = 8192, .parts = (uintptr_t)&beyond, .num_parts = 1 });
	FAILS(INVALID, BO_CREATE, (struct kmd_bo_create){ .vm = vm, .size = 8192, .parts = (uintptr_t)&odd, .num_parts = 1 });
	FAILS(INVALID, BO_CREATE, (struct kmd_bo_create){ .vm = vm, .size = 8192, .parts = (uintptr_t)&empty, .num_parts = 1 });
	FAILS(BAD_ADDRESS, BO_CREATE, (struct kmd_bo_create){ .vm = vm, .size = 8192, .num_parts = 1 });
	works();
}

static void imports(void **state)
{
	char *gone = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int pipes[2], plain = galena_heap_alloc("system", 8192, 0), safe = galena_heap_alloc("protected", 8192, 0);
	int readable = galena_heap_alloc("system", 8192, GALENA_HEAP_RDONLY);
	(void)state;
	assert_int_equal(pipe(pipes), 0);
	assert_true(plain >= 0 && safe >= 0 && readable >= 0);
#define RANGE(a, s, f) (struct kmd_bo_import_range){ .vm = vm, .address = (uintptr_t)(a), .size = s, .flags = f }
#define FD(d, o, s, f, dev) (struct kmd_bo_import_fd){ .vm = vm, .fd = d, .offset = o, .size = s, .flags = f, .device = dev }
	FAILS(BAD_ADDRESS, BO_IMPORT_RANGE, RANGE(gone, 8192, 0)); /* not writable */
	munmap(gone, 8192);
	FAILS(BAD_ADDRESS, BO_IMPORT_RANGE, RANGE(gone, 8192, KMD_BO_READ_ONLY));
	FAILS(BAD_ADDRESS, BO_IMPORT_RANGE, RANGE(0, 4096, KMD_BO_READ_ONLY));
	FAILS(INVALID, BO_IMPORT_RANGE, RANGE(words, 0, 0));
	FAILS(INVALID, BO_IMPORT_RANGE, RANGE(words, UINT64_MAX, 0));
	FAILS(INVALID, BO_IMPORT_RANGE, RANGE(words, 4096, KMD_BO_DRAM));
	FAILS(INVALID, BO_IMPORT_RANGE, RANGE(words, 4096, KMD_BO_SVM));
	FAILS(BAD_DESCRIPTOR, BO_IMPORT_FD, FD(-1, 0, 4096, 0, 0));
	FAILS(BAD_DESCRIPTOR, BO_IMPORT_FD, FD(1 << 20, 0, 4096, 0, 0));
	FAILS(BAD_DESCRIPTOR, BO_IMPORT_FD, FD(pipes[0], 0, 4096, 0, 0));
	close(pipes[0]);
	close(pipes[1]);
	FAILS(BAD_DESCRIPTOR, BO_IMPORT_FD, FD(pipes[0], 0, 4096, 0, 0)); /* closed */
	FAILS(INVALID, BO_IMPORT_FD, FD(plain, 0, 0, 0, 0));
	FAILS(INVALID, BO_IMPORT_FD, FD(plain, 4096, 8192, 0, 0));
	FAILS(INVALID, BO_IMPORT_FD, FD(plain, UINT64_MAX, 4096, 0, 0));
	FAILS(INVALID, BO_IMPORT_FD, FD(plain, 0, 4096, KMD_BO_EXECUTE, 0));
	FAILS(INVALID, BO_IMPORT_FD, FD(plain, 0, 4096, KMD_BO_PROTECTED, 0));
	FAILS(INVALID, BO_IMPORT_FD, FD(safe, 0, 4096, 0, 0));
	FAILS(INVALID, BO_IMPORT_FD, FD(safe, 0, 4096, KMD_BO_PROTECTED, 2));
	FAILS(INVALID, BO_IMPORT_FD, FD(readable, 0, 4096, 0, 0)); /* for writing */
	close(plain);
	close(safe);
	close(readable);
	works();
}

static void queues_and_commands(void **state)
{
	const union packet nop = { .head.type = PACKET_CODE_nop }, sem = { .head.type = PACKET_CODE_sem_wait };
	const union packet signal = { .head.type = PACKET_CODE_sem_signal };
	const struct kmd_point future = { .fence = timeline, .value = 1u << 30 };
	const uint32_t handles[2] = { queue, vm };
	(void)state;
#define SUBMIT(...) (struct kmd_submit){ .queue = queue, .num_packets = 1, .packets = (uintptr_t)&nop, __VA_ARGS__ }
	FOR_WRONG(h) {
		const struct kmd_point point = { .fence = *h, .value = 1 };
		FAILS(BAD_HANDLE, QUEUE_CREATE, (struct kmd_queue_create){ .vm = *h });
		FAILS(BAD_HANDLE, QUEUE_CLOSE, (struct kmd_queue_close){ .queue = *h });
		FAILS(BAD_HANDLE, SUBMIT, (struct kmd_submit){ .queue = *h, .num_packets = 1, .packets = (uintptr_t)&nop });
		FAILS(BAD_HANDLE, SUBMIT, SUBMIT(.num_waits = 1, .waits = (uintptr_t)&point));
		FAILS(BAD_HANDLE, SUBMIT, SUBMIT(.num_signals = 1, .signals = (uintptr_t)&point));
		FAILS(BAD_HANDLE, FLUSH, (struct kmd_flush){ .queues = (uintptr_t)h, .num_queues = 1 });
		FAILS(BAD_HANDLE, FENCE_CLOSE, (struct kmd_fence){ .fence = *h });
		FAILS(BAD_HANDLE, FENCE_SIGNAL, (struct kmd_signal){ .fence = *h });
		FAILS(BAD_HANDLE, WAIT, (struct kmd_wait){ .flags = KMD_WAIT_POINT, .fence = *h, .value = 1, .events = (uintptr_t)words });
	}
	FAILS(INVALID, QUEUE_CREATE, (struct kmd_queue_create){ .vm = vm, .device = 2 });
	FAILS(INVALID, QUEUE_CREATE, (struct kmd_queue_create){ .vm = vm, .priority = 3 });
	FAILS(BAD_HANDLE, QUEUE_CREATE, (struct kmd_queue_create){ .vm = queue });
	FAILS(BAD_HANDLE, QUEUE_CLOSE, (struct kmd_queue_close){ .queue = timeline });
	FAILS(INVALID, SUBMIT, (struct kmd_submit){ .queue = queue });
	FAILS(INVALID, SUBMIT, SUBMIT(.num_waits = UINT32_MAX, .waits = (uintptr_t)&future));
	FAILS(INVALID, SUBMIT, (struct kmd_submit){ .queue = queue, .num_packets = 1, .packets = (uintptr_t)&sem });
	FAILS(INVALID, SUBMIT, (struct kmd_submit){ .queue = queue, .num_packets = 1, .packets = (uintptr_t)&signal });
	FAILS(INVALID, SUBMIT, SUBMIT(.num_waits = 1, .waits = (uintptr_t)&future)); /* for itself */
	FAILS(INVALID, SUBMIT, SUBMIT(.private_bytes = UINT32_MAX));
	FAILS(BAD_ADDRESS, SUBMIT, (struct kmd_submit){ .queue = queue, .num_packets = 1 });
	FAILS(BAD_ADDRESS, SUBMIT, SUBMIT(.num_waits = 1));
	FAILS(BAD_ADDRESS, SUBMIT, SUBMIT(.num_signals = 1));
	FAILS(BAD_HANDLE, SUBMIT, SUBMIT(.num_signals = 1, .signals = (uintptr_t)&future)); /* a queue's own fence */
	FAILS(BAD_HANDLE, FLUSH, (struct kmd_flush){ .queues = (uintptr_t)handles, .num_queues = 2 });
	FAILS(BAD_ADDRESS, FLUSH, (struct kmd_flush){ .num_queues = 1 });
	FAILS(BAD_HANDLE, FENCE_CLOSE, (struct kmd_fence){ .fence = timeline });
	FAILS(INVALID, FENCE_SIGNAL, (struct kmd_signal){ .fence = fence, .status = 1 });
	works();
}

static void waits(void **state)
{
	struct kmd_event events[KMD_EVENTS_MAX];
#define WAIT(...) (struct kmd_wait){ .events = (uintptr_t)events, __VA_ARGS__ }
	(void)state;
	FAILS(BAD_HANDLE, WAIT, WAIT(.flags = KMD_WAIT_POINT, .fence = queue, .value = 1));
	FAILS(INVALID, WAIT, WAIT(.flags = KMD_WAIT_POINT, .fence = timeline, .value = 1u << 30));
	FAILS(INVALID, WAIT, WAIT(.flags = KMD_WAIT_TICKET, .value = 1u << 30));
	FAILS(INVALID, WAIT, WAIT(.flags = 0));
	FAILS(INVALID, WAIT, WAIT(.flags = 1u << 31));
	FAILS(INVALID, WAIT, WAIT(.flags = KMD_WAIT_POINT | KMD_WAIT_IDLE, .fence = timeline));
	FAILS(BAD_ADDRESS, WAIT, (struct kmd_wait){ .flags = KMD_WAIT_IDLE });
	works();
	/* a handle that was closed is none, though its place is used again */
	struct kmd_fence old = { 0 };
	assert_int_equal(kmd_ioctl(file, KMD_FENCE_CREATE, &old), 0);
	assert_int_equal(kmd_ioctl(file, KMD_FENCE_CLOSE, &old), 0);
	struct kmd_fence next = { 0 };
	assert_int_equal(kmd_ioctl(file, KMD_FENCE_CREATE, &next), 0);
	assert_int_not_equal(next.fence, old.fence);
	assert_int_equal(kmd_ioctl(file, KMD_FENCE_CLOSE, &old), KMD_BAD_HANDLE);
	assert_int_equal(kmd_ioctl(file, KMD_FENCE_CLOSE, &next), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_and_requests), cmocka_unit_test(queries), cmocka_unit_test(address_spaces_and_memory),
		cmocka_unit_test(imports), cmocka_unit_test(queues_and_commands), cmocka_unit_test(waits),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
