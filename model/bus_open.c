/* The one entry of the device library. */
#include "model/device.h"
#include "base/setting.h"
#include "traces/counter_bus.h"
#include "traces/event_bus.h"
#include "traces/exit_status.h"
#include "traces/inject_bus.h"
#include "traces/profile_share.h"
#include "traces/recorder.h"
#include "traces/sender.h"
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
	snprintf(message, sizeof(message), !strcmp(device, "remote") ? "GALENA_DEVICE=remote: a server shares its driver, not the bus, which has one master" :
		 "no device is called '%s': set GALENA_DEVICE to model", device);
	*error = message;
	return NULL;
}

/* What asks for events; the recorder (traces/galena_recorder.c) knows what each of them gets. */
static const char *const events_variables[] = { "GALENA_EVENTS", "GALENA_CHECK", "GALENA_WAVE" };
static const struct event_observer to_recorder = { NULL, sender_sink_open, sender_sink_close };

static bool events_wanted(void)
{
	for (size_t i = 0; i < sizeof(events_variables) / sizeof(*events_variables); i++)
		if (setting(events_variables[i]))
			return true;
	return false;
}

/* What is recorded is of the process that began to: the devices of its forked children are others, and have no part in its files. */
static bool records(void)
{
	static _Atomic pid_t recording;
	bool asked = recorder_wanted() || events_wanted() || inject_wanted();
	pid_t by = 0;
	return asked && (atomic_compare_exchange_strong(&recording, &by, getpid()) || by == getpid());
}

static struct bus *device_or_recorder_open(const struct bus_params *p, const char **error)
{
	return recorder_wanted() && records() ? recorder_open(backend_open, p, error) : backend_open(p, error);
}

/* Between the recorder, which is shown what arms them, and the driver. */
static struct bus *device_with_faults_open(const struct bus_params *p, const char **error)
{
	return inject_wanted() ? inject_bus_open(device_or_recorder_open, p, records(), error) : device_or_recorder_open(p, error);
}

static struct bus *device_with_observers_open(const struct bus_params *p, const char **error)
{
	return event_bus_open(device_with_faults_open, &to_recorder, events_wanted() && records(), p, error);
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
	whole.failed = exit_status_fault;
	char *profile;
	if (profile_share(p->index, &profile, error))
		return NULL;
	whole.profile = profile;
	struct bus *b = counters_wanted() ? counter_bus_open(device_with_observers_open, &whole, error) : device_with_observers_open(&whole, error);
	free(profile);
	return b;
}
