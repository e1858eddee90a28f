/* GALENA_INJECT: faults that devices are asked to inject into themselves once they have booted. */
#include "runtime/driver/internal.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { ANY_UNIT = 0xffff };

struct wish {
	uint32_t kind, nth, unit;
	uint64_t arg, device;
};

static uint32_t kind_of(const char *name, size_t len)
{
	for (uint32_t k = 1; k < INJECT_KINDS; k++)
		if (strlen(injection_name((int)k)) == len && !memcmp(injection_name((int)k), name, len))
			return k;
	return 0;
}

/* A decimal, octal or hexadecimal number of at most max that ends where the word does, or at a comma. */
static bool number(const char *text, uint64_t max, uint64_t *value)
{
	char *end;
	if (!isdigit((unsigned char)*text))
		return false;
	*value = strtoull(text, &end, 0);
	return (!*end || *end == ',' || isspace((unsigned char)*end)) && *value <= max;
}

/* One ",name=value"; NULL or what is wrong. */
static const char *option(const char *text, struct wish *w)
{
	uint64_t v = 0;
	if (!strncmp(text, "nth=", 4))
		return number(text + 4, UINT32_MAX, &v) && v ? (w->nth = (uint32_t)v, NULL) : "nth is a number from 1 on";
	if (!strncmp(text, "unit=", 5))
		return number(text + 5, ANY_UNIT, &v) ? (w->unit = (uint32_t)v, NULL) : "unit is a number up to 0xffff";
	if (!strncmp(text, "arg=", 4))
		return number(text + 4, UINT64_MAX, &w->arg) ? NULL : "arg is a number";
	if (!strncmp(text, "device=", 7))
		return number(text + 7, DRIVER_MAX_DEVICES - 1, &w->device) ? NULL : "device is a number up to 15";
	return "after a name come nth=N, unit=N, arg=N, device=N, with commas";
}

/* Reads the word at text up to end. NULL or what is wrong. */
static const char *wish_read(const char *text, const char *end, struct wish *w)
{
	const char *comma = memchr(text, ',', (size_t)(end - text));
	*w = (struct wish){ .nth = 1, .unit = ANY_UNIT };
	w->kind = kind_of(text, (size_t)((comma ? comma : end) - text));
	if (!w->kind)
		return "no fault has this name; docs/hardware.md lists them";
	for (; comma; comma = memchr(comma + 1, ',', (size_t)(end - comma - 1))) {
		const char *wrong = option(comma + 1, w);
		if (wrong)
			return wrong;
	}
	return NULL;
}

static void arm(struct bus *b, const struct wish *w)
{
	bus_write32(b, REG_HOST_INJECT_NTH, w->nth);
	bus_write32(b, REG_HOST_INJECT_UNIT, w->unit);
	bus_write64(b, REG_HOST_INJECT_ARG, w->arg);
	bus_write32(b, REG_HOST_INJECT, w->kind);
}

const char *inject_environment(struct device *dev, unsigned num_devices)
{
	const char *at = getenv("GALENA_INJECT");
	for (at = at ? at : ""; *at;) {
		const char *end = at + strcspn(at, " \t\n");
		struct wish w;
		if (end > at) {
			const char *wrong = wish_read(at, end, &w);
			if (!wrong && w.device >= num_devices)
				wrong = "there are not so many devices (GALENA_DEVICES)";
			if (wrong)
				return driver_error("GALENA_INJECT: %.*s: %s", (int)(end - at), at, wrong);
			if (dev && dev->index == w.device)
				arm(dev->bus, &w);
		}
		at = *end ? end + 1 : end;
	}
	return NULL;
}
