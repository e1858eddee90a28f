/* galena/device.h over the bus: opening, registers, waiting, notes, names. */
#include "runtime/device/internal.h"
#include "abi/codes.h"
#include "abi/environment.h"
#include "abi/events.h"
#include "abi/registers.h"
#include "base/path.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *setting(const char *given, const char *variable, const char *otherwise)
{
	const char *value = given ? given : getenv(variable);
	return value && *value ? value : otherwise;
}

struct galena_device *galena_device_open(const struct galena_device_options *options, const char **error)
{
	static char message[128];
	const struct galena_device_options none = { 0 }, *o = options ? options : &none;
	const char *speed = setting(o->speed, "GALENA_SPEED", "timed"), *ignored;
	struct bus_params params = {
		.device = setting(o->device, "GALENA_DEVICE", "model"),
		.config = setting(o->config, "GALENA_CONFIG", "full"),
		.speed = !strcmp(speed, "functional") ? BUS_FUNCTIONAL : BUS_TIMED,
		.index = o->index,
	};
	struct galena_device *d = NULL;
	if (!error)
		error = &ignored;
	if ((*error = environment_check()))
		return NULL;
	if (strcmp(speed, "timed") && strcmp(speed, "functional")) {
		snprintf(message, sizeof message, "speed '%.32s': must be timed or functional", speed);
		*error = message;
		return NULL;
	}
	*error = "out of host memory";
	d = calloc(1, sizeof *d);
	if (!d)
		return NULL;
	pinned_bus_memory(&d->pinned, &params.memory);
	d->bus = bus_open(&params, error);
	if (!d->bus) {
		free(d);
		return NULL;
	}
	*error = NULL;
	return d;
}

void galena_device_close(struct galena_device *d)
{
	if (!d)
		return;
	bus_close(d->bus);
	pinned_fini(&d->pinned);
	free(d);
}

uint32_t galena_device_read32(struct galena_device *d, uint32_t offset)
{
	return bus_read32(d->bus, offset);
}

uint64_t galena_device_read64(struct galena_device *d, uint32_t offset)
{
	return bus_read64(d->bus, offset);
}

void galena_device_write32(struct galena_device *d, uint32_t offset, uint32_t value)
{
	bus_write32(d->bus, offset, value);
}

void galena_device_write64(struct galena_device *d, uint32_t offset, uint64_t value)
{
	bus_write64(d->bus, offset, value);
}

_Static_assert((int)GALENA_WAIT_IRQ == BUS_WAIT_IRQ && (int)GALENA_WAIT_LIMIT == BUS_WAIT_LIMIT &&
	       (int)GALENA_WAIT_IDLE == BUS_WAIT_IDLE, "enum galena_wait is enum bus_wait");
enum galena_wait galena_device_wait(struct galena_device *d, uint64_t limit)
{
	return (enum galena_wait)bus_wait_irq(d->bus, limit);
}

int galena_device_note(struct galena_device *d, const struct galena_device_note *n)
{
	const struct event_row *row = event_row(n->kind);
	if (!row || strcmp(row->block, "driver") || n->kind == EVENT_PIN || n->kind == EVENT_UNPIN) /* pinned.c tells of pins */
		return GALENA_INVALID;
	const bool of_queue = n->kind == EVENT_QUEUE_BIND;
	if (n->asid > UINT16_MAX || (of_queue && n->queue >= REG_QUEUES))
		return GALENA_INVALID;
	struct event e = { .kind = (uint16_t)n->kind, .queue = of_queue ? (uint16_t)n->queue : EVENT_NO_QUEUE,
			   .asid = (uint16_t)n->asid, .a = n->a, .b = n->b, .c = n->c };
	bus_note(d->bus, &e);
	return GALENA_OK;
}

uint64_t galena_device_cycle(struct galena_device *d) { return bus_cycle(d->bus); }

/* ---- names ---- */
const char *galena_fault_name(unsigned code) { return fault_name((int)code); }
const char *galena_fault_text(unsigned code) { return fault_text((int)code); }

const char *galena_unit_name(unsigned unit, char *buffer, size_t size)
{
	const char *name = NULL;
	if (unit >= UNIT_CU)
		snprintf(buffer, size, "compute unit %u", unit - UNIT_CU);
	else if (unit >= UNIT_DMA)
		snprintf(buffer, size, "DMA engine %u", unit - UNIT_DMA);
	else {
		switch (unit) {
#define UNIT(name_, id, doc)                                                                       \
	case id:                                                                                   \
		name = doc;                                                                        \
		break;
#include "abi/units.def"
#undef UNIT
		}
		snprintf(buffer, size, "%s", name ? name : "?");
	}
	return buffer;
}

const char *galena_firmware_path(void)
{
	static char path[PATH_MAX];
	kit_path(path, "GALENA_FIRMWARE", "share/galena/firmware.elf");
	return *path ? path : "firmware.elf";
}
