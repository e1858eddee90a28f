/* The rules of checkers/device.tsv, checked over the events of a device while it runs:
 * GALENA_CHECK. */
#ifndef GALENA_CHECKERS_CHECKERS_H
#define GALENA_CHECKERS_CHECKERS_H
#include "abi/bus.h"
#include "abi/events.h"

/* The sink of a device. setting: "1" reports on standard error, anything else is a file that the
 * report is appended to. A broken rule is reported when it is broken, at most ten times each; when the
 * program has ended a line says how many rules were checked over how many events, and which of them had
 * nothing to check.
 * NULL with *error, one line. */
struct event_sink *checkers_open(const char *setting, const struct bus_params *, const char **error);
void checkers_close(struct event_sink *);
/* The program has ended, how: traces/program_end.h. Makes the report; whether every rule held and the report is complete. A program
 * that would have exited with 0 exits with 3 otherwise. */
bool checkers_end(uint64_t how);

#endif
