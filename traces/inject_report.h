/* What became of the faults that GALENA_INJECT asks for: which have happened, which have not, and why. In the recorder of the
 * process, so that it is said, too, when the process dies. */
#ifndef GALENA_TRACES_INJECT_REPORT_H
#define GALENA_TRACES_INJECT_REPORT_H
#include "abi/events.h"

/* A device was opened with these requests (abi/injection.h); those that are of other devices are theirs. */
void inject_report_open(unsigned device, const char *text);
/* INJECT or INJECTED of the device that was opened last under this number. */
void inject_report_event(unsigned device, const struct event *);
/* The process has ended: a line each, on standard error. */
void inject_report_end(void);

#endif
