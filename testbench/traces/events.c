/* The event file: what a sink is given is read back, in order and in full; damage is found, wherever it
 * is; and a device under observation sees the same bus as one that nobody looks at. */
#include "testbench/random.h"
#include "traces/event_bus.h"
#include "traces/event_file.h"
#include "testbench/traces/damage.h"
#include "abi/codes.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* cmocka needs the four above */
#include <cmocka.h>
#include <stdio.h>

static uint64_t seed;

static char path[] = "/tmp/galena-events-XXXXXX";
static char damaged[] = "/tmp/galena-events-XXXXXX";

static struct event event_make(uint64_t *s)
{
	struct event e = { .cycle = random_number(s), .unit = (uint16_t)random_number(s), .queue = (uint16_t)(random_number(s) | random_number(s)),
			   .asid = (uint16_t)random_number(s), .a = random_number(s), .b = random_number(s), .c = random_number(s) };
	do
		e.kind = (uint16_t)(splitmix64(s) % EVENT_KINDS);
	while (!event_row(e.kind));
	if (splitmix64(s) % 4 == 0)
		e.queue = EVENT_NO_QUEUE;
	return e;
}

enum { EVENTS = 20000 };

static const struct bus_params params[2] = {
	{ .device = "model", .config = "mini", .speed = BUS_FUNCTIONAL, .index = 0 },
	{ .device = "model", .config = "full", .speed = BUS_TIMED, .index = 5 },
};

static void events_write(void)
{
	const char *error;
	uint64_t s = seed;
	struct event_sink *sinks[2];
	for (int i = 0; i < 2; i++)
		assert_non_null(sinks[i] = event_file_open(path, &params[i], &error));
	for (int i = 0; i < EVENTS; i++) {
		struct event e = event_make(&s);
		struct event_sink *sink = sinks[i % 3 == 0];
		sink->event(sink, &e);
	}
	event_file_close(sinks[1]);
	event_file_close(sinks[0]);
}

static void round_trip(void **state)
{
	(void)state;
	const char *error = NULL;
	struct event_record rec;
	uint64_t s = seed;
	events_write();
	struct event_reader *r = event_reader_open(path, &error);
	assert_non_null(r);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(event_reader_next(r, &rec, &error), 1);
		assert_true(rec.opened);
		assert_int_equal(rec.device, params[i].index);
		assert_string_equal(rec.name, params[i].device);
		assert_string_equal(rec.config, params[i].config);
		assert_int_equal(rec.speed, params[i].speed);
	}
	for (int i = 0; i < EVENTS; i++) {
		struct event e = event_make(&s);
		assert_int_equal(event_reader_next(r, &rec, &error), 1);
		assert_false(rec.opened);
		assert_int_equal(rec.device, i % 3 == 0 ? 5 : 0);
		assert_memory_equal(&rec.event, &e, sizeof e);
	}
	assert_int_equal(event_reader_next(r, &rec, &error), 0);
	assert_int_equal(event_reader_next(r, &rec, &error), 0);
	event_reader_close(r);
}

/* Reads all of a file; whether it was complete. */
static bool events_whole(const char *file)
{
	const char *error = NULL;
	struct event_record rec;
	struct event_reader *r = event_reader_open(file, &error);
	int n = -1;
	if (r) {
		while ((n = event_reader_next(r, &rec, &error)) > 0)
			;
		event_reader_close(r);
	}
	if (n < 0)
		assert_non_null(error);
	return n == 0;
}

static void damage(void **state)
{
	(void)state;
	events_write();
	damage_check(path, damaged, seed + 1, events_whole);
}

/* Records that no writer makes, in frames with good checksums. */
static void nonsense(void **state)
{
	(void)state;
	const char *error;
	uint64_t s = seed + 2;
	for (int i = 0; i < 300; i++) {
		struct stream_writer *w = stream_writer_open(damaged, &event_file_kind, &error);
		uint8_t bytes[64];
		assert_non_null(w);
		for (size_t k = 0; k < sizeof bytes; k++)
			bytes[k] = (uint8_t)(splitmix64(&s) % (i % 2 ? 256 : 24));
		stream_put(w, bytes, 1 + splitmix64(&s) % sizeof bytes);
		assert_int_equal(stream_writer_close(w), 0);
		assert_false(events_whole(damaged));
	}
}

static void foreign_files(void **state)
{
	(void)state;
	const char *error = NULL;
	char magic[9];
	assert_null(event_reader_open("/nonexistent/events", &error));
	assert_non_null(strstr(error, "No such file"));
	assert_null(event_reader_open("/bin/sh", &error));
	assert_non_null(strstr(error, "not a Galena event file"));
	assert_string_equal(stream_magic("/nonexistent/events", magic), "");
	events_write();
	assert_string_equal(stream_magic(path, magic), event_file_kind.magic);
	assert_null(event_file_open("/nonexistent/events", &params[0], &error));
	assert_non_null(strstr(error, "cannot write"));
	assert_null(event_writer_open("/nonexistent/events", &error));
	assert_non_null(strstr(error, "cannot write"));
}

/* ---- observers of a bus ---- */
struct recorder {
	struct event_sink sink;
	unsigned events, complete;
	struct event last;
};
static void recorder_event(struct event_sink *s, const struct event *e)
{
	struct recorder *r = (struct recorder *)s;
	r->events++;
	r->last = *e;
}
static void recorder_complete(struct event_sink *s, uint64_t cycle)
{
	(void)cycle;
	((struct recorder *)s)->complete++;
}
static struct recorder recorders[2];
static unsigned opened, closed;
static struct event_sink *recorder_open(const char *setting, const struct bus_params *p, const char **error)
{
	(void)error;
	assert_string_equal(setting, opened ? "two" : "one");
	assert_int_equal(p->index, 3);
	recorders[opened].sink = (struct event_sink){ .event = recorder_event, .complete = opened ? NULL : recorder_complete };
	return &recorders[opened++].sink;
}
static struct event_sink *refuse_open(const char *setting, const struct bus_params *p, const char **error)
{
	(void)setting, (void)p;
	*error = "refused";
	return NULL;
}
static void recorder_close(struct event_sink *s)
{
	assert_ptr_equal(s, &recorders[opened - 1 - closed].sink);
	closed++;
}

/* A device that reports one event at each write. */
struct dummy {
	struct bus bus;
	struct event_sink *events;
	uint64_t now;
};
static void dummy_write32(struct bus *b, uint32_t offset, uint32_t value)
{
	struct dummy *d = (struct dummy *)b;
	d->now += 10;
	EVENT_SEND(d->events, .cycle = d->now, .kind = EVENT_MMIO_WRITE, .a = offset, .b = value);
	if (d->events && d->events->complete)
		d->events->complete(d->events, d->now);
}
static uint64_t dummy_cycle(struct bus *b) { return ((struct dummy *)b)->now; }
static bool dummy_open;
static void dummy_close(struct bus *b)
{
	(void)b;
	dummy_open = false;
}
static const struct bus_ops dummy_ops = { .write32 = dummy_write32, .cycle = dummy_cycle, .close = dummy_close };
static struct dummy dummy;
static struct bus *dummy_device(const struct bus_params *p, const char **error)
{
	(void)error;
	dummy = (struct dummy){ { &dummy_ops }, p->events, 0 };
	dummy_open = true;
	return &dummy.bus;
}

static const struct event_observer observers[] = {
	{ "TEST_EVENTS_ONE", recorder_open, recorder_close },
	{ "TEST_EVENTS_TWO", recorder_open, recorder_close },
	{ "TEST_EVENTS_NOT", refuse_open, recorder_close },
};

static void observers_of_a_bus(void **state)
{
	(void)state;
	struct bus_params p = { .index = 3 };
	const char *error = NULL;
	struct recorder own = { .sink = { .event = recorder_event } };
	struct event note = { .kind = EVENT_PIN, .a = 0x8000001000 };

	setenv("TEST_EVENTS_ONE", "0", 1);
	setenv("TEST_EVENTS_TWO", "", 1);
	struct bus *b = event_bus_open(dummy_device, observers, 3, &p, &error);
	assert_ptr_equal(b, &dummy.bus); /* nobody looks: nothing stands between */
	assert_null(dummy.events);
	bus_close(b);

	setenv("TEST_EVENTS_ONE", "one", 1);
	setenv("TEST_EVENTS_TWO", "two", 1);
	p.events = &own.sink;
	b = event_bus_open(dummy_device, observers, 3, &p, &error);
	assert_non_null(b);
	bus_write32(b, 0x40, 7);
	bus_note(b, &note);
	for (int i = 0; i < 3; i++) {
		struct recorder *r = i < 2 ? &recorders[i] : &own;
		assert_int_equal(r->events, 2);
		assert_int_equal(r->last.kind, EVENT_PIN);
		assert_int_equal(r->last.cycle, 10);
		assert_int_equal(r->last.unit, UNIT_HOST);
		assert_int_equal(r->last.a, 0x8000001000);
	}
	assert_int_equal(recorders[0].complete, 1);
	bus_close(b);
	assert_false(dummy_open);
	assert_int_equal(closed, 2);

	opened = closed = 0;
	setenv("TEST_EVENTS_NOT", "1", 1);
	assert_null(event_bus_open(dummy_device, observers, 3, &p, &error));
	assert_string_equal(error, "refused");
	assert_int_equal(closed, 2);
	assert_false(dummy_open);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trip),
		cmocka_unit_test(damage),
		cmocka_unit_test(nonsense),
		cmocka_unit_test(foreign_files),
		cmocka_unit_test(observers_of_a_bus),
	};
	seed = seed_take(argc, argv);
	close(mkstemp(path));
	close(mkstemp(damaged));
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	unlink(damaged);
	return failed;
}
