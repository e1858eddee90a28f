/* A bus in front of a bus, when GALENA_INJECT asks for faults: whatever driver uses the device, they are armed once it has
 * booted, and the recorder says at the end of the process which of them have happened (traces/inject_report.h).
 *
 * A device has booted when the host reads FW_STATE as READY, or, where a firmware does not write it, before the first doorbell.
 * CTRL.RESET disarms; what has not happened is armed again after the next boot. Arming is writes on the bus like others: a
 * trace has them. */
#ifndef GALENA_TRACES_INJECT_BUS_H
#define GALENA_TRACES_INJECT_BUS_H
#include "abi/bus.h"

/* Whether GALENA_INJECT asks for any. */
bool inject_wanted(void);
/* Opens a device by open. report: the recorder of this process is told what is asked for and what happens. NULL with *error, one line. */
struct bus *inject_bus_open(struct bus *(*open)(const struct bus_params *, const char **error), const struct bus_params *, bool report,
			    const char **error);

#endif
