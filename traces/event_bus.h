/* A bus in front of a bus, when events are observed: gives the device the sinks of the
 * observers, and passes them the driver's tracepoints. One sink for each observer and each device.
 * The device's side of the bus does not change: cycles, accesses and hash are those of a run at which
 * there is no observer. */
#ifndef GALENA_TRACES_EVENT_BUS_H
#define GALENA_TRACES_EVENT_BUS_H
#include "abi/bus.h"
#include "abi/events.h"

enum { EVENT_OBSERVERS_MAX = 8 };

/* An observer, if an environment variable is set (not empty, not 0), or there is none. */
struct event_observer {
	const char *variable; /* NULL: observes every device */
	/* The sink of one device; setting is what the variable says. NULL with *error, one line. */
	struct event_sink *(*open)(const char *setting, const struct bus_params *, const char **error);
	/* After the device is closed. */
	void (*close)(struct event_sink *);
};

/* Opens a device by open, with the sinks of those of the count observers that are asked for, and the
 * caller's own (params->events, which the caller closes); when there is none, this is open itself. */
struct bus *event_bus_open(struct bus *(*open)(const struct bus_params *, const char **error),
			   const struct event_observer *, unsigned count, const struct bus_params *, const char **error);

#endif
