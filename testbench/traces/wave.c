/* Waveforms: events written as FST are read back with the reader of the same library. */
#include "traces/wave.h"
#include "abi/codes.h"
#include "abi/registers.h"
#include <fstapi.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* after the standard headers */
#include <cmocka.h>

static char path[] = "/tmp/galena-wave-XXXXXX.fst";

static struct event_sink *open_wave(const char *config)
{
	const char *error = NULL;
	struct event_sink *s = wave_open(path, &(struct bus_params){ .config = config, .speed = BUS_TIMED }, &error);

	if (!s)
		fail_msg("wave_open: %s", error);
	return s;
}

/* ---- what the file says of one signal ---- */

struct history {
	const char *scope, *name; /* wanted */
	fstHandle handle;
	unsigned count;
	uint64_t cycle[64], value[64];
};

static void changed(void *user, uint64_t time, fstHandle handle, const unsigned char *value)
{
	struct history *h = user;

	if (handle != h->handle || h->count == 64 || strchr((const char *)value, 'x'))
		return;
	if (!time) /* what every signal begins with */
		return;
	h->cycle[h->count] = time;
	h->value[h->count++] = strtoull((const char *)value, NULL, 2);
}

static unsigned read_history(struct history *h)
{
	void *r = fstReaderOpen(path);
	struct fstHier *node;
	char scope[64] = "";
	unsigned variables = 0;

	assert_non_null(r);
	h->count = 0;
	h->handle = 0;
	while ((node = fstReaderIterateHier(r))) {
		if (node->htyp == FST_HT_SCOPE)
			snprintf(scope, sizeof(scope), "%s", node->u.scope.name);
		if (node->htyp != FST_HT_VAR)
			continue;
		variables++;
		if (!strcmp(scope, h->scope) && !strcmp(node->u.var.name, h->name))
			h->handle = node->u.var.handle;
	}
	assert_int_not_equal(h->handle, 0);
	fstReaderSetFacProcessMaskAll(r);
	assert_int_equal(fstReaderIterBlocks(r, changed, h, NULL), 1);
	fstReaderClose(r);
	return variables;
}

#define SEND(s, ...)                                                                               \
	do {                                                                                       \
		const struct event e_ = { __VA_ARGS__ };                                           \
		(s)->event(s, &e_);                                                                \
	} while (0)

/* ---- tests ---- */

static void all_signals_are_declared(void **state)
{
	struct history h = { .scope = "cu", .name = "groups" };
	unsigned expected = 0;
	struct event_sink *s = open_wave("mini");

	(void)state;
	SEND(s, .cycle = 1, .kind = EVENT_RESET);
	wave_close(s);
	/* mini: one compute unit, two engines, one media unit, sixteen queues */
	enum { host = 1, cp = 1, queue = REG_QUEUES, mmu = 1, prot = 1, l2 = 1, sem = 1, dma = 2, media = 1, cu = 1 };
#define SIGNAL(scope, name, bits, pulse, doc) expected += scope;
#include "traces/wave_signals.def"
#undef SIGNAL
	assert_int_equal(read_history(&h), expected);
}

static void changes_stand_at_their_cycles(void **state)
{
	struct history busy = { .scope = "dma1", .name = "busy" }, moved = { .scope = "dma1", .name = "moved" };
	struct history beat = { .scope = "dma1", .name = "beat" };
	struct event_sink *s = open_wave("mini");
	const uint16_t unit = UNIT_DMA + 1;

	(void)state;
	SEND(s, .cycle = 100, .kind = EVENT_DMA_START, .unit = unit, .queue = 3, .c = 256);
	SEND(s, .cycle = 150, .kind = EVENT_DMA_BEAT, .unit = unit, .queue = 3, .c = 128);
	SEND(s, .cycle = 170, .kind = EVENT_DMA_BEAT, .unit = unit, .queue = 3, .c = 128);
	SEND(s, .cycle = 200, .kind = EVENT_DMA_END, .unit = unit, .queue = 3, .a = 256);
	wave_close(s);
	read_history(&busy);
	assert_int_equal(busy.count, 2);
	assert_int_equal(busy.cycle[0], 100);
	assert_int_equal(busy.value[0], 1);
	assert_int_equal(busy.cycle[1], 200);
	assert_int_equal(busy.value[1], 0);
	read_history(&moved);
	assert_int_equal(moved.count, 2);
	assert_int_equal(moved.value[0], 128);
	assert_int_equal(moved.value[1], 256);
	read_history(&beat); /* up for a cycle, twice */
	assert_int_equal(beat.count, 4);
	assert_int_equal(beat.cycle[0], 150);
	assert_int_equal(beat.cycle[1], 151);
	assert_int_equal(beat.value[1], 0);
	assert_int_equal(beat.cycle[2], 170);
}

/* An engine is not busy with a transfer that stands at a fault; how that one ends is not its own. */
static void an_engine_is_left_at_a_fault(void **state)
{
	struct history busy = { .scope = "dma0", .name = "busy" }, slot = { .scope = "dma0", .name = "slot" };
	struct history fault = { .scope = "dma0", .name = "fault" };
	static const uint64_t cycle[] = { 100, 200, 250, 400 };
	struct event_sink *s = open_wave("mini");
	const uint16_t unit = UNIT_DMA;

	(void)state;
	SEND(s, .cycle = 100, .kind = EVENT_DMA_START, .unit = unit, .queue = 3, .c = 256);
	SEND(s, .cycle = 200, .kind = EVENT_FAULT, .unit = unit, .queue = 3, .a = 0x5000, .b = FAULT_PAGE_WRITE);
	SEND(s, .cycle = 250, .kind = EVENT_DMA_START, .unit = unit, .queue = 4, .c = 256);
	SEND(s, .cycle = 300, .kind = EVENT_DMA_END, .unit = unit, .queue = 3, .b = FAULT_ABORTED);
	SEND(s, .cycle = 400, .kind = EVENT_DMA_END, .unit = unit, .queue = 4, .a = 256);
	wave_close(s);
	read_history(&busy);
	assert_int_equal(busy.count, 4);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(busy.cycle[i], cycle[i]);
		assert_int_equal(busy.value[i], !(i & 1));
	}
	read_history(&slot);
	assert_int_equal(slot.count, 2);
	assert_int_equal(slot.value[1], 4);
	read_history(&fault);
	assert_int_equal(fault.count, 2);
	assert_int_equal(fault.value[0], FAULT_PAGE_WRITE);
	assert_int_equal(fault.value[1], 0);
}

/* Blocks run apart for some cycles: what they report is put in order. */
static void late_reports_are_put_in_order(void **state)
{
	struct history h = { .scope = "queue5", .name = "packet" };
	struct event_sink *s = open_wave("full");

	(void)state;
	SEND(s, .cycle = 500, .kind = EVENT_PACKET, .unit = UNIT_CP, .queue = 5, .a = 2);
	SEND(s, .cycle = 400, .kind = EVENT_PACKET, .unit = UNIT_CP, .queue = 5, .a = 1);
	SEND(s, .cycle = 600, .kind = EVENT_PACKET, .unit = UNIT_CP, .queue = 5, .a = 3);
	wave_close(s);
	read_history(&h);
	assert_int_equal(h.count, 3);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(h.cycle[i], 400 + 100 * i);
		assert_int_equal(h.value[i], i + 1);
	}
}

/* Units, queues and kinds that do not exist are left out. */
static void strange_events_do_no_harm(void **state)
{
	struct event_sink *s = open_wave("mini");
	struct history h = { .scope = "host", .name = "lost" };

	(void)state;
	for (unsigned kind = 0; kind < 256; kind++)
		for (unsigned unit = 0; unit < 64; unit += 7)
			SEND(s, .cycle = kind, .kind = (uint16_t)kind, .unit = (uint16_t)unit, .queue = EVENT_NO_QUEUE,
			     .a = UINT64_MAX, .b = UINT64_MAX, .c = UINT64_MAX);
	wave_close(s);
	read_history(&h);
	assert_true(h.count >= 1);
}

static void many_events_need_no_settling(void **state)
{
	struct event_sink *s = open_wave("mini");
	struct history h = { .scope = "host", .name = "mmio_offset" };

	(void)state;
	for (uint64_t i = 1; i < 1000000; i++) {
		SEND(s, .cycle = i * 10, .kind = EVENT_MMIO_READ, .a = i & 0xffff, .b = i);
		if (i % 1000 == 0 && i < 500000)
			s->complete(s, i * 10);
	}
	wave_close(s);
	read_history(&h);
	assert_int_equal(h.count, 64); /* as many as the test looks at */
	for (unsigned i = 0; i < 64; i++)
		assert_int_equal(h.cycle[i], (i + 1) * 10);
}

static void errors_are_one_line(void **state)
{
	const char *error = NULL;

	(void)state;
	assert_null(wave_open("/nowhere/at/all.fst", &(struct bus_params){ .config = "mini", .speed = BUS_TIMED }, &error));
	assert_non_null(strstr(error, "/nowhere/at/all.fst"));
	assert_null(wave_open(path, &(struct bus_params){ .config = "mini", .speed = BUS_FUNCTIONAL }, &error));
	assert_non_null(strstr(error, "GALENA_SPEED"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_signals_are_declared),  cmocka_unit_test(changes_stand_at_their_cycles),
		cmocka_unit_test(an_engine_is_left_at_a_fault),
		cmocka_unit_test(late_reports_are_put_in_order), cmocka_unit_test(strange_events_do_no_harm),
		cmocka_unit_test(many_events_need_no_settling), cmocka_unit_test(errors_are_one_line),
	};
	int fd = mkstemps(path, 4), failed;

	if (fd < 0)
		return 1;
	close(fd);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return failed;
}
