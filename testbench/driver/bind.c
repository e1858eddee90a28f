/* Ranges of an address space that are bound to parts of buffer objects, by the requests of the kernel-mode driver. */
#include "runtime/kmd/kmd.h"
#include "abi/address_map.h"
#include "abi/packets.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { PAGE = 4096, PAGES = 8 };
#define AT (VA_HEAP_BASE + (1ull << 40)) /* far from what the driver hands out */

static int file;
struct space {
	uint32_t vm, queue, timeline;
};
struct object {
	uint32_t bo;
	uint64_t va;
	uint32_t *words;
};

#define CALL(request, ...) kmd_ioctl(file, KMD_##request, &(__VA_ARGS__))

static int wait_for(struct kmd_wait w, struct kmd_event *last)
{
	struct kmd_event events[KMD_EVENTS_MAX];
	int result;
	w.events = (uintptr_t)events;
	while ((result = kmd_ioctl(file, KMD_WAIT, &w)) == KMD_EVENTS)
		*last = events[w.num_events - 1];
	return result;
}

static struct space space_open(void)
{
	struct kmd_vm v = { 0 };
	assert_int_equal(CALL(VM_CREATE, v), 0);
	struct kmd_queue_create q = { .vm = v.vm };
	assert_int_equal(CALL(QUEUE_CREATE, q), 0);
	return (struct space){ v.vm, q.queue, q.fence };
}

static struct object object_make(uint32_t vm, uint32_t flags)
{
	struct kmd_bo_create b = { .vm = vm, .size = PAGES * PAGE, .flags = flags };
	assert_int_equal(CALL(BO_CREATE, b), 0);
	return (struct object){ b.bo, b.va, (uint32_t *)(uintptr_t)b.cpu };
}

/* Copies a word; the status of the command. */
static int copy(const struct space *s, uint64_t to, uint64_t from)
{
	const union packet p = { .copy = { .head.type = PACKET_CODE_copy, .src = from, .dst = to, .width = 4, .height = 1, .depth = 1 } };
	struct kmd_submit a = { .queue = s->queue, .num_packets = 1, .packets = (uintptr_t)&p };
	struct kmd_event event = { 0 };
	assert_int_equal(CALL(SUBMIT, a), 0);
	assert_int_equal(wait_for((struct kmd_wait){ .flags = KMD_WAIT_POINT, .fence = s->timeline, .value = a.value }, &event), 0);
	return event.completion.status;
}

static int bind_at(uint32_t vm, uint32_t bo, uint64_t offset, uint64_t size, uint64_t *va, uint32_t flags)
{
	struct kmd_bind b = { .vm = vm, .bo = bo, .offset = offset, .size = size, .va = *va, .flags = flags };
	int error = CALL(VM_BIND, b);
	if (error == KMD_AGAIN) {
		struct kmd_event ignored;
		assert_int_equal(wait_for((struct kmd_wait){ .flags = KMD_WAIT_IDLE }, &ignored), 0);
		b.retry = 1;
		error = CALL(VM_BIND, b);
	}
	*va = b.va;
	return error;
}

static int unbind(uint32_t vm, uint64_t va) { return CALL(VM_UNBIND, (struct kmd_unbind){ .vm = vm, .va = va }); }

static int setup(void **state)
{
	const char *error;
	(void)state;
	file = kmd_open(&error);
	return file < 0;
}

static int teardown(void **state)
{
	(void)state;
	kmd_close(file);
	return 0;
}

/* The last page of an object and its first, side by side in another space. */
static void parts_of_an_object(void **state)
{
	(void)state;
	struct space own = space_open(), other = space_open();
	const struct object o = object_make(own.vm, 0), to = object_make(other.vm, 0);
	uint64_t first = AT, second = AT + PAGE, somewhere = 0;
	for (unsigned i = 0; i < PAGES; i++)
		o.words[i * PAGE / 4] = 100 + i;
	assert_int_equal(bind_at(other.vm, o.bo, (PAGES - 1) * PAGE, PAGE, &first, 0), 0);
	assert_int_equal(bind_at(other.vm, o.bo, 0, PAGE, &second, 0), 0);
	assert_int_equal(first, AT);
	assert_int_equal(bind_at(other.vm, o.bo, PAGE, 2 * PAGE, &somewhere, KMD_BO_READ_ONLY), 0);
	assert_int_not_equal(somewhere, 0);
	assert_int_equal(copy(&other, to.va, AT), 0);
	assert_int_equal(copy(&other, to.va + 4, AT + PAGE), 0);
	assert_int_equal(copy(&other, to.va + 8, somewhere + PAGE), 0);
	assert_int_equal(to.words[0], 100 + PAGES - 1);
	assert_int_equal(to.words[1], 100);
	assert_int_equal(to.words[2], 102);
	/* written through a binding, seen in the object, whose own address is as it was */
	to.words[0] = 77;
	assert_int_equal(copy(&other, AT + PAGE, to.va), 0);
	assert_int_equal(o.words[0], 77);
	assert_int_equal(copy(&own, o.va + 16, o.va), 0);
	assert_int_equal(o.words[4], 77);
	assert_int_not_equal(copy(&other, somewhere, to.va), 0); /* not writable */
	assert_int_not_equal(copy(&other, to.va, AT + 2 * PAGE), 0); /* nothing there */
}

static void device_memory(void **state)
{
	(void)state;
	struct space own = space_open();
	const struct object o = object_make(own.vm, KMD_BO_DRAM), host = object_make(own.vm, 0);
	uint64_t va = AT;
	assert_int_equal(bind_at(own.vm, o.bo, 2 * PAGE, PAGE, &va, 0), 0);
	host.words[0] = 4711;
	assert_int_equal(copy(&own, o.va + 2 * PAGE, host.va), 0);
	assert_int_equal(copy(&own, host.va + 4, AT), 0);
	assert_int_equal(host.words[1], 4711);
}

static void ranges_that_overlap(void **state)
{
	(void)state;
	struct space s = space_open();
	const struct object o = object_make(s.vm, 0);
	uint64_t va = AT, over;
	assert_int_equal(bind_at(s.vm, o.bo, 0, 4 * PAGE, &va, 0), 0);
	for (int64_t at = -3; at < 4; at++) {
		over = AT + (uint64_t)(at * PAGE);
		assert_int_equal(bind_at(s.vm, o.bo, 0, 4 * PAGE, &over, 0), KMD_EXISTS);
	}
	over = o.va;
	assert_int_equal(bind_at(s.vm, o.bo, 0, PAGE, &over, 0), KMD_EXISTS);
	over = AT + 4 * PAGE;
	assert_int_equal(bind_at(s.vm, o.bo, 0, 4 * PAGE, &over, 0), 0);
	over = AT - 4 * PAGE;
	assert_int_equal(bind_at(s.vm, o.bo, 0, 4 * PAGE, &over, 0), 0);
	/* what has been unbound can be bound at once, though a command that used it has not been waited for */
	const union packet p = { .copy = { .head.type = PACKET_CODE_copy, .src = AT, .dst = AT + 64, .width = 4, .height = 1, .depth = 1 } };
	struct kmd_submit a = { .queue = s.queue, .num_packets = 1, .packets = (uintptr_t)&p };
	o.words[0] = 5;
	assert_int_equal(CALL(SUBMIT, a), 0);
	assert_int_equal(unbind(s.vm, AT), 0);
	va = AT;
	assert_int_equal(bind_at(s.vm, o.bo, PAGE, PAGE, &va, 0), 0);
	assert_int_equal(o.words[16], 5);
	assert_int_equal(copy(&s, o.va + 8, AT), 0);
	assert_int_equal(unbind(s.vm, AT), 0);
	assert_int_equal(unbind(s.vm, AT), KMD_INVALID);
	assert_int_not_equal(copy(&s, o.va + 8, AT), 0);
}

static void objects_outlive_their_handles(void **state)
{
	(void)state;
	struct space s = space_open();
	const struct object o = object_make(s.vm, 0), to = object_make(s.vm, 0);
	uint64_t va = AT, again = AT + 64 * PAGE;
	o.words[0] = 31;
	assert_int_equal(bind_at(s.vm, o.bo, 0, PAGES * PAGE, &va, 0), 0);
	assert_int_equal(bind_at(s.vm, o.bo, 0, PAGE, &again, 0), 0);
	assert_int_equal(CALL(BO_CLOSE, (struct kmd_bo_close){ .bo = o.bo }), 0);
	assert_int_equal(copy(&s, to.va, AT), 0);
	assert_int_equal(to.words[0], 31);
	assert_int_equal(unbind(s.vm, AT), 0);
	assert_int_equal(copy(&s, to.va + 4, again), 0);
	assert_int_equal(to.words[1], 31);
	assert_int_equal(CALL(QUEUE_CLOSE, (struct kmd_queue_close){ .queue = s.queue }), 0);
	assert_int_equal(CALL(VM_CLOSE, (struct kmd_vm){ .vm = s.vm }), 0); /* unbinds the last one */
}

static void wrong_arguments(void **state)
{
	static const uint32_t wrong[] = { 0, 1u << 20, UINT32_MAX };
	(void)state;
	struct space s = space_open();
	const struct object o = object_make(s.vm, 0);
	const struct kmd_part part = { 0, PAGE, 0 };
	struct kmd_bo_create b = { .vm = s.vm, .size = PAGE, .parts = (uintptr_t)&part, .num_parts = 1 };
	uint64_t va = AT, zero = 0, odd = AT + 1, below = VA_HEAP_BASE - PAGE, above = VA_HEAP_BASE + VA_HEAP_SIZE - PAGE, past = above + PAGE;
	assert_int_equal(CALL(BO_CREATE, b), 0);
	for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		assert_int_equal(bind_at(wrong[i], o.bo, 0, PAGE, &va, 0), KMD_BAD_HANDLE);
		assert_int_equal(bind_at(s.vm, wrong[i], 0, PAGE, &va, 0), KMD_BAD_HANDLE);
		assert_int_equal(unbind(wrong[i], AT), KMD_BAD_HANDLE);
	}
	assert_int_equal(bind_at(s.queue, o.bo, 0, PAGE, &va, 0), KMD_BAD_HANDLE);
	assert_int_equal(bind_at(s.vm, b.bo, 0, PAGE, &va, 0), KMD_INVALID); /* one of parts */
	assert_int_equal(bind_at(s.vm, o.bo, 0, 0, &va, 0), KMD_INVALID);
	assert_int_equal(bind_at(s.vm, o.bo, 0, PAGE - 1, &va, 0), KMD_INVALID);
	assert_int_equal(bind_at(s.vm, o.bo, 64, PAGE, &va, 0), KMD_INVALID);
	assert_int_equal(bind_at(s.vm, o.bo, PAGE, PAGES * PAGE, &va, 0), KMD_INVALID);
	assert_int_equal(bind_at(s.vm, o.bo, UINT64_MAX - PAGE + 1, PAGE, &va, 0), KMD_INVALID);
	assert_int_equal(bind_at(s.vm, o.bo, 0, UINT64_MAX - PAGE + 1, &zero, 0), KMD_INVALID);
	assert_int_equal(bind_at(s.vm, o.bo, 0, PAGE, &va, KMD_BO_EXECUTE), KMD_INVALID);
	assert_int_equal(bind_at(s.vm, o.bo, 0, PAGE, &odd, 0), KMD_INVALID);
	assert_int_equal(bind_at(s.vm, o.bo, 0, PAGE, &below, 0), KMD_INVALID);
	assert_int_equal(bind_at(s.vm, o.bo, 0, 2 * PAGE, &above, 0), KMD_INVALID);
	assert_int_equal(bind_at(s.vm, o.bo, 0, PAGE, &past, 0), KMD_INVALID);
	assert_int_equal(bind_at(s.vm, o.bo, 0, PAGE, &above, 0), 0);
	assert_int_equal(unbind(s.vm, o.va), KMD_INVALID); /* the object's own address is none of a binding */
	assert_int_equal(copy(&s, o.va, above), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(parts_of_an_object, setup, teardown),
		cmocka_unit_test_setup_teardown(device_memory, setup, teardown),
		cmocka_unit_test_setup_teardown(ranges_that_overlap, setup, teardown),
		cmocka_unit_test_setup_teardown(objects_outlive_their_handles, setup, teardown),
		cmocka_unit_test_setup_teardown(wrong_arguments, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
