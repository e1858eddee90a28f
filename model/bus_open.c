/* The one entry of the device library. */
#include "model/device.h"
#include "testbench/checkers/checkers.h"
#include "traces/event_bus.h"
#include "traces/event_file.h"
#include "traces/recorder.h"
#include "traces/wave.h"
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct backend {
	const char *name;
	struct bus *(*open)(const struct bus_params *, const struct device_config *, const char **error);
};

static const struct backend backends[] = {
	{ .name = "model", .open = device_open },
};

static struct bus *backend_open(const struct bus_params *p, const char **error)
{
	static char message[DEVICE_CONFIG_SPEC_MAX + 256];
	const char *device = p->device ? p->device : "";
	struct device_config config;

	*error = NULL;
	if (device_config_parse(p->config ? p->config : "", &config, message, sizeof(message))) {
		*error = message;
		return NULL;
	}
	for (size_t i = 0; i < sizeof(backends) / sizeof(*backends); i++)
		if (!strcmp(backends[i].name, device))
			return backends[i].open(p, &config, error);
	snprintf(message, sizeof(message), "no device is called '%s': set GALENA_DEVICE to model", device);
	*error = message;
	return NULL;
}

/* Who looks at events, by the variable that asks for it. */
static const struct event_observer observers[] = {
	{ "GALENA_EVENTS", event_file_open, event_file_close },
	{ "GALENA_CHECK", checkers_open, checkers_close },
	{ "GALENA_WAVE", wave_open, wave_close },
};
enum { NUM_OBSERVERS = sizeof(observers) / sizeof(*observers) };
_Static_assert((int)NUM_OBSERVERS <= (int)EVENT_OBSERVERS_MAX, "observers of a device");

/* What is recorded is of the process that began to: the devices of its forked children are others, and have no part in its files. */
static bool records(void)
{
	static _Atomic pid_t recording;
	bool asked = recorder_wanted();
	pid_t by = 0;
	for (size_t i = 0; i < NUM_OBSERVERS; i++)
		asked |= getenv(observers[i].variable) != NULL;
	return asked && (atomic_compare_exchange_strong(&recording, &by, getpid()) || by == getpid());
}

static struct bus *device_or_recorder_open(const struct bus_params *p, const char **error)
{
	return recorder_wanted() && records() ? recorder_open(backend_open, p, error) : backend_open(p, error);
}

__attribute__((visibility("default"))) struct bus *bus_open(const struct bus_params *p, const char **error)
{
	struct bus_params whole = *p;
	struct device_config config;
	char spec[1024], unused[DEVICE_CONFIG_SPEC_MAX + 256];

	/* in its own words from here on, so that a trace needs no file of the user's */
	if (p->config && !device_config_parse(p->config, &config, unused, sizeof(unused))) {
		device_config_format(&config, spec, sizeof(spec));
		whole.config = spec;
	}
	const char *directory = getenv("GALENA_PROFILE");
	if (!whole.profile && directory && *directory)
		whole.profile = directory;
	return event_bus_open(device_or_recorder_open, observers, records() ? NUM_OBSERVERS : 0, &whole, error);
}
