/* A bus in front of a bus: records or hashes all that crosses it. */
#ifndef GALENA_TRACES_RECORDER_H
#define GALENA_TRACES_RECORDER_H
#include "abi/bus.h"

typedef struct bus *(*bus_open_fn)(const struct bus_params *, const char **error);

/* Whether GALENA_TRACE or GALENA_HASH ask for recording. */
bool recorder_wanted(void);
/* Opens a device by open and wraps its bus. All devices of the process share one trace;
 * it is finished when the last of them is closed, or when the process exits. */
struct bus *recorder_open(bus_open_fn open, const struct bus_params *, const char **error);

#endif
