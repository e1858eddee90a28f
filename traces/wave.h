/* Waveforms: the events of a device as signals that change, in FST. One file a device: device 0 writes
 * the file that is named, device n the same with .n before the ending. */
#ifndef GALENA_TRACES_WAVE_H
#define GALENA_TRACES_WAVE_H
#include "abi/bus.h"
#include "abi/events.h"

/* The sink of a device: GALENA_WAVE. NULL with *error, one line. */
struct event_sink *wave_open(const char *path, const struct bus_params *, const char **error);
/* Completes the file. */
void wave_close(struct event_sink *);

#endif
