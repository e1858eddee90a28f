/* The event file: what a sink is given is read back, in order and in full; damage is found, wherever it
 * is; and a device under observation sees the same bus as one that nobody looks at. */
#include "traces/event_bus.h"
#include "traces/event_file.h"
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
static uint64_t random_next(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

static char path[] = "/tmp/galena-events-XXXXXX";
static char damaged[] = "/tmp/galena-events-XXXXXX";

/* Words of every length and sign of difference. */
static uint64_t number(uint64_t *s) { return random_next(s) >> random_next(s) % 64; }

static struct event event_make(uint64_t *s)
{
	struct event e = { .cycle = number(s), .unit = (uint16_t)number(s), .queue = (uint16_t)(number(s) | number(s)),
			   .asid = (uint16_t)number(s), .a = number(s), .b = number(s), .c = number(s) };
	do
		e.kind = (uint16_t)(random_next(s) % EVENT_KINDS);
	while (!event_row(e.kind));
	if (random_next(s) % 4 == 0)
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
static int events_whole(const char *file)
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

static void file_put(const uint8_t *bytes, size_t n)
{
	FILE *f = fopen(damaged, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	fclose(f);
}

static void damage(void **state)
{
	(void)state;
	uint64_t s = seed + 1;
	events_write();
	FILE *f = fopen(path, "rb");
	assert_non_null(f);
	fseek(f, 0, SEEK_END);
	size_t n = (size_t)ftell(f);
	uint8_t *bytes = malloc(n);
	rewind(f);
	assert_int_equal(fread(bytes, 1, n, f), n);
	fclose(f);
	assert_true(events_whole(path));
	for (int i = 0; i < 60; i++) {
		file_put(bytes, random_next(&s) % n);
		assert_false(events_whole(damaged));
	}
	for (int i = 0; i < 60; i++) {
		size_t at = random_next(&s) % n;
		if (i < 20)
			at %= sizeof(struct stream_header); /* the file is large, its header is not */
		if ((at >= 12 && at < 16) || (at >= 24 && at < 32))
			continue; /* reserved bytes of the header */
		uint8_t was = bytes[at];
		bytes[at] ^= (uint8_t)(1 << random_next(&s) % 8);
		file_put(bytes, n);
		assert_false(events_whole(damaged));
		bytes[at] = was;
	}
	free(bytes);
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
			bytes[k] = (uint8_t)(random_next(&s) % (i % 2 ? 256 : 24));
		stream_put(w, bytes, 1 + random_next(&s) % sizeof bytes);
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
	unsigned events, settled;
	struct event last;
};
static void recorder_event(struct event_sink *s, const struct event *e)
{
	struct recorder *r = (struct recorder *)s;
	r->events++;
	r->last = *e;
}
static void recorder_settled(struct event_sink *s, uint64_t cycle)
{
	(void)cycle;
	((struct recorder *)s)->settled++;
}
static struct recorder recorders[2];
static unsigned opened, closed;
static struct event_sink *recorder_open(const char *setting, const struct bus_params *p, const char **error)
{
	(void)error;
	assert_string_equal(setting, opened ? "two" : "one");
	assert_int_equal(p->index, 3);
	recorders[opened].sink = (struct event_sink){ recorder_event, opened ? NULL : recorder_settled };
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
	if (d->events && d->events->settled)
		d->events->settled(d->events, d->now);
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
	struct recorder own = { .sink = { recorder_event, NULL } };
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
	assert_int_equal(recorders[0].settled, 1);
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
	const char *s = argc > 1 ? argv[1] : getenv("GALENA_SEED");
	seed = s ? strtoull(s, NULL, 0) : 1;
	printf("seed %llu\n", (unsigned long long)seed);
	seed = seed * 0x9e3779b97f4a7c15ull | 1;
	close(mkstemp(path));
	close(mkstemp(damaged));
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	unlink(damaged);
	return failed;
}
