/* The ring between a program and its recorder: who wakes whom, and when. Program and recorder are this process, which maps the
 * ring twice; the words that a sleeper would wait on tell how often it was woken. */
#include "traces/ring.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* cmocka needs the four above */
#include <cmocka.h>

enum { RECORD_BYTES = 4096, QUARTER = RING_BYTES / 4 / RECORD_BYTES };

static struct ring writer, reader;

static void put(unsigned records)
{
	static const uint8_t data[RECORD_BYTES - sizeof(struct ring_head)];
	for (unsigned i = 0; i < records; i++)
		assert_true(ring_put(&writer, 1, data, sizeof data, NULL, 0));
}

static void take(unsigned records)
{
	for (unsigned i = 0; i < records; i++) {
		assert_true(ring_available(&reader) >= RECORD_BYTES);
		assert_int_equal(((const struct ring_head *)ring_at(&reader))->length, RECORD_BYTES - sizeof(struct ring_head));
		ring_skip(&reader, RECORD_BYTES, true);
	}
}

static uint32_t reader_woken(void) { return atomic_load(&writer.control->wake); }
static uint32_t writer_woken(void) { return atomic_load(&writer.control->room); }

static int setup(void **state)
{
	(void)state;
	int fd = ring_create();
	return fd < 0 || ring_map(&writer, fd) || ring_map(&reader, fd) || close(fd);
}

static int teardown(void **state)
{
	(void)state;
	ring_unmap(&writer);
	ring_unmap(&reader);
	return 0;
}

/* A reader that naps is woken once a quarter of the ring is unread, however much it has read before. */
static void nap(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 16; i++) {
		atomic_store(&reader.control->sleeps, RING_NAP);
		const uint32_t before = reader_woken();
		put(QUARTER);
		assert_int_equal(reader_woken(), before);
		put(1);
		assert_int_equal(reader_woken(), before + 1);
		assert_int_equal(atomic_load(&reader.control->sleeps), RING_AWAKE);
		put(QUARTER); /* it is awake */
		assert_int_equal(reader_woken(), before + 1);
		take(2 * QUARTER + 1);
	}
}

static void deep_sleep(void **state)
{
	(void)state;
	const uint32_t before = reader_woken();
	atomic_store(&reader.control->sleeps, RING_DEEP);
	put(1);
	assert_int_equal(reader_woken(), before + 1);
	take(1);
}

/* A writer that waits for room goes on when half of the ring is free. */
static void room(void **state)
{
	(void)state;
	put(4 * QUARTER);
	atomic_store(&writer.control->writer_waits, 1);
	const uint32_t before = writer_woken();
	take(2 * QUARTER - 1);
	assert_int_equal(writer_woken(), before);
	take(1);
	assert_int_equal(writer_woken(), before + 1);
	assert_int_equal(atomic_load(&writer.control->writer_waits), 0);
	take(2 * QUARTER);
	assert_int_equal(writer_woken(), before + 1);
	assert_int_equal(ring_available(&reader), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nap, setup, teardown),
		cmocka_unit_test_setup_teardown(deep_sleep, setup, teardown),
		cmocka_unit_test_setup_teardown(room, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
