/* The whole device through its bus, with a firmware for tests (monitor.h): what the host and the command processor do is what the
 * test says. Its last events are kept where it was opened to be observed. */
#ifndef GALENA_TESTBENCH_MODEL_DEVICE_WORLD_H
#define GALENA_TESTBENCH_MODEL_DEVICE_WORLD_H
#include "abi/codes.h"
#include "abi/device_config.h"
#include "abi/events.h"
#include "abi/packets.h"
#include "abi/registers.h"
#include "testbench/model/encode.h"
#include "testbench/model/fixture.h"
#include "testbench/model/monitor.h"
#include <libgen.h>

enum { ASID = 5, LONG = 10000000, WORLD_EVENTS = 1 << 14 };

struct world {
	struct host h;
	struct bus *bus;
	struct bus_params params;
	struct monitor_box *box;
	uint64_t contexts;
	struct event_sink sink;
	struct event *events; /* the first of them since the world was opened, or events were forgotten */
	unsigned num_events;
};

static char monitor_path[4096];

/* The monitor lies beside the test program. */
__attribute__((unused)) static void monitor_find(const char *argv0)
{
	char *copy = strdup(argv0);

	snprintf(monitor_path, sizeof(monitor_path), "%s/monitor.bin", dirname(copy));
	free(copy);
}

__attribute__((unused)) static struct world *world_open(const char *config, enum bus_speed speed, bool observed)
{
	struct world *w = calloc(1, sizeof(*w));
	const char *error = NULL;

	w->params = (struct bus_params){
		.device = "model", .config = config, .speed = speed, .index = 1, .memory = host_init(&w->h, observed)
	};
	w->bus = bus_open(&w->params, &error);
	if (!w->bus)
		fail_msg("%s", error);
	return w;
}

__attribute__((unused)) static void world_close(struct world *w)
{
	bus_close(w->bus);
	host_fini(&w->h);
	free(w->events);
	free(w);
}

__attribute__((unused)) static void tcm_load(struct world *w, uint32_t address, const void *image, size_t bytes)
{
	bus_write32(w->bus, REG_HOST_TCM_ADDR, address);
	for (size_t i = 0; i < bytes; i += 8) {
		uint64_t v = 0;

		memcpy(&v, (const uint8_t *)image + i, bytes - i < 8 ? bytes - i : 8);
		bus_write64(w->bus, REG_HOST_TCM_DATA, v);
	}
}

/* ---- events ---- */

__attribute__((unused)) static void world_event(struct event_sink *s, const struct event *e)
{
	struct world *w = (struct world *)((char *)s - offsetof(struct world, sink));

	assert_true(w->num_events < WORLD_EVENTS);
	w->events[w->num_events++] = *e;
}

/* With all that the device reports. */
__attribute__((unused)) static struct world *world_open_observed(const char *config)
{
	struct world *w = calloc(1, sizeof(*w));
	const char *error = NULL;

	w->events = calloc(WORLD_EVENTS, sizeof(*w->events));
	assert_non_null(w->events);
	w->sink.event = world_event;
	w->params = (struct bus_params){ .device = "model", .config = config, .speed = BUS_TIMED, .index = 1,
					 .memory = host_init(&w->h, false), .events = &w->sink };
	w->bus = bus_open(&w->params, &error);
	if (!w->bus)
		fail_msg("%s", error);
	return w;
}

/* The n-th event of a kind, from 0 on; NULL if there were not so many. */
__attribute__((unused)) static const struct event *event_find(const struct world *w, enum event_kind kind, unsigned n)
{
	for (unsigned i = 0; i < w->num_events; i++)
		if (w->events[i].kind == kind && !n--)
			return &w->events[i];
	return NULL;
}

__attribute__((unused)) static unsigned event_count(const struct world *w, enum event_kind kind)
{
	unsigned n = 0;

	for (unsigned i = 0; i < w->num_events; i++)
		n += w->events[i].kind == kind;
	return n;
}

/* ---- programs of single instructions ---- */

/* Starts one at address 0; what ran before is stopped. */
__attribute__((unused)) static void program_start(struct world *w, const uint32_t *code, unsigned words)
{
	bus_write32(w->bus, REG_HOST_CTRL, 0);
	tcm_load(w, 0, code, words * 4);
	bus_write64(w->bus, REG_HOST_CP_ENTRY, 0);
	bus_write32(w->bus, REG_HOST_CTRL, REG_HOST_CTRL_CP_RUN);
}

/* 8 bytes of local memory. */
__attribute__((unused)) static uint64_t tcm_word(struct world *w, uint32_t address)
{
	bus_write32(w->bus, REG_HOST_TCM_ADDR, address);
	return bus_read64(w->bus, REG_HOST_TCM_DATA);
}

/* ---- the monitor ---- */

__attribute__((unused)) static void monitor_start(struct world *w)
{
	static uint8_t image[65536];
	FILE *f = fopen(monitor_path, "rb");
	uint64_t box;
	size_t n;

	if (!f)
		fail_msg("%s is not there", monitor_path);
	n = fread(image, 1, sizeof(image), f);
	fclose(f);
	assert_in_range(n, 1, sizeof(image) - 1);
	box = host_page(&w->h);
	w->box = host_at(&w->h, box);
	w->contexts = host_page(&w->h);
	tcm_load(w, 0, image, n);
	bus_write64(w->bus, REG_HOST_FW_BOOT, box);
	bus_write64(w->bus, REG_HOST_CTX_TABLE, w->contexts);
	bus_write64(w->bus, REG_HOST_CP_ENTRY, 0);
	bus_write32(w->bus, REG_HOST_IRQ_ENABLE, REG_HOST_IRQ_STATUS_LOG | REG_HOST_IRQ_STATUS_CRASH);
	bus_write32(w->bus, REG_HOST_CTRL, REG_HOST_CTRL_CP_RUN);
}

__attribute__((unused)) static void monitor_add(struct world *w, enum monitor_op op, uint64_t address, uint64_t value)
{
	assert_true(w->box->count < MONITOR_COMMANDS);
	w->box->command[w->box->count++] = (struct monitor_command){ op, address, value };
}

__attribute__((unused)) static void monitor_post(struct world *w)
{
	bus_write64(w->bus, REG_HOST_DOORBELL + 8 * MONITOR_BELL, w->box->done + 1);
}

__attribute__((unused)) static enum bus_wait monitor_wait(struct world *w, uint64_t limit)
{
	enum bus_wait r = bus_wait_irq(w->bus, limit);

	if (r == BUS_WAIT_IRQ) {
		assert_int_equal(bus_read32(w->bus, REG_HOST_IRQ_STATUS) & REG_HOST_IRQ_STATUS_CRASH, 0);
		bus_write32(w->bus, REG_HOST_IRQ_STATUS, REG_HOST_IRQ_STATUS_LOG);
	}
	return r;
}

/* Runs what was added; the results stand in the box. */
__attribute__((unused)) static void monitor_run(struct world *w)
{
	monitor_post(w);
	assert_int_equal(monitor_wait(w, LONG), BUS_WAIT_IRQ);
	w->box->count = 0;
}

#define CP_REG(name) (CP_MMIO_BASE + REG_BANK_CP_OFFSET + REG_CP_##name)

__attribute__((unused)) static uint64_t cp_read(struct world *w, uint64_t address, unsigned bits)
{
	monitor_add(w, bits == 64 ? MONITOR_READ64 : MONITOR_READ32, address, 0);
	monitor_run(w);
	return w->box->command[0].value;
}

#endif
