/* The one entry of the device library. */
#include "model/device.h"
#include "traces/recorder.h"
#include <stdio.h>
#include <string.h>

struct backend {
	const char *name;
	struct bus *(*open)(const struct bus_params *, const struct device_config *, const char **error);
};

static const struct backend backends[] = {
	{ .name = "model", .open = device_open },
};

static struct bus *backend_open(const struct bus_params *p, const char **error)
{
	const struct device_config *config = p->config ? device_config_find(p->config) : NULL;
	const char *device = p->device ? p->device : "";
	static char message[256];

	*error = NULL;
	if (!config) {
		snprintf(message, sizeof(message), "no device configuration is called '%s': set GALENA_CONFIG to full or mini",
			     p->config ? p->config : "");
		*error = message;
		return NULL;
	}
	for (size_t i = 0; i < sizeof(backends) / sizeof(*backends); i++)
		if (!strcmp(backends[i].name, device))
			return backends[i].open(p, config, error);
	snprintf(message, sizeof(message), "no device is called '%s': set GALENA_DEVICE to model", device);
	*error = message;
	return NULL;
}

__attribute__((visibility("default"))) struct bus *bus_open(const struct bus_params *p, const char **error)
{
	return recorder_wanted() ? recorder_open(backend_open, p, error) : backend_open(p, error);
}
