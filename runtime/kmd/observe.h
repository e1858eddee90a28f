/* What the driver shows of its work: counters by kernel, a line on a terminal, galena top, events, logs. */
#ifndef GALENA_RUNTIME_KMD_OBSERVE_H
#define GALENA_RUNTIME_KMD_OBSERVE_H
#include "abi/counters.h"
#include "runtime/kmd/driver.h"

/* ---- counters by kernel (kernels.c); only while something counts ---- */
int kernels_init(struct driver *);
void kernels_fini(struct driver *);
/* Hardware state. May the command be fed now? Then its counts begin. */
bool kernels_begin(struct driver *, struct device *, const struct command *, bool overdue);
/* It has ended; not counted: because the device is gone. */
void kernels_end(struct driver *, struct device *, const struct command *, bool counted);
/* Reads them all, by the bus: it takes device time. */
void counters_sample(struct bus *, uint64_t of[COUNTERS_MAX]);

/* ---- a line on the terminal about a command that takes long (status.c); hardware state ---- */
void status_open(struct driver *);
/* With status.wanted only: between two slices of a device's time. */
void status_tick(struct driver *, const struct device *);
/* Before anything else is written, and when the device is at rest. */
void status_clear(struct driver *);

/* ---- what `galena top` sees (publish.c); hardware state ---- */
void publish_open(struct driver *);
void publish_close(struct driver *);
/* At exit: there is nothing to see any more. */
void publish_unlink(struct driver *);
void publish_now(struct driver *);
/* The same, if the last time is long enough ago. With a publisher only. */
void publish_tick(struct driver *);

/* ---- tracepoints: what the driver tells observers of events (tracepoints.c) ---- */
bool tracepoints_wanted(const struct driver *);
/* To every device; kind is an enum event_kind. */
void tracepoint_all(const struct driver *, unsigned kind, uint16_t asid, uint64_t a, uint64_t b, uint64_t c);
void tracepoint_buffer(const struct driver *, const struct bo *, unsigned kind);
void tracepoint_bind(const struct device *, int slot, const struct queue *); /* NULL: no queue */
void tracepoint_pin(const struct driver *, uint32_t number, uint8_t rights);
/* Tells a device that was just opened what is pinned already. */
void tracepoint_pinned(const struct driver *, const struct device *);


#endif
