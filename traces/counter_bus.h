/* A bus in front of a bus, when counters are asked for (GALENA_COUNTERS): tells the recorder of the process what the device has counted, after
 * every access, and what the driver says of its commands. Nothing of it crosses the bus. */
#ifndef GALENA_TRACES_COUNTER_BUS_H
#define GALENA_TRACES_COUNTER_BUS_H
#include "abi/bus.h"

/* Whether GALENA_COUNTERS asks for it. */
bool counters_wanted(void);
/* Opens a device by open. NULL with *error, one line. */
struct bus *counter_bus_open(struct bus *(*open)(const struct bus_params *, const char **error), const struct bus_params *, const char **error);

#endif
