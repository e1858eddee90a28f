/* The program's side of recording. What is to be recorded, checked or drawn is put into a ring (traces/ring.h), and a process of
 * its own, libexec/galena-recorder, makes the files of it: so they are complete up to the last access when the program dies.
 *
 * One recorder a process, started at the first request. A forked child has none of its parent's. */
#ifndef GALENA_TRACES_SENDER_H
#define GALENA_TRACES_SENDER_H
#include "abi/bus.h"
#include "traces/messages.h"

/* Asks for something that may be refused; a request to open starts the recorder. 0, or -1 with *error, one line. Any thread. */
int sender_request(enum message_kind, const void *, size_t, const char **error);
/* Opens: MESSAGE_TRACE_OPEN, MESSAGE_EVENTS_OPEN, MESSAGE_COUNTERS_OPEN. */
int sender_open(enum message_kind, const struct bus_params *, const char **error);
/* Tells something; it is as good as recorded when this returns. Waits only while the recorder is a ring behind. Any thread. */
void sender_put(enum message_kind, const void *first, size_t, const void *second, size_t);

/* The same of several things that belong together: between hold and drop no other thread tells anything. */
void sender_hold(void);
void sender_drop(void);
void sender_put_held(enum message_kind, const void *first, size_t, const void *second, size_t);

/* The process ends: the recorder completes every file. *broken: a rule was broken. False: the recorder ended before the program.
 * A thread that has the sender's lock and does not give it back is left alone: the recorder then sees a program that ended. */
bool sender_end(bool *broken);

/* The sink of a device that sends all events; one for each device. */
struct event_sink *sender_sink_open(const char *setting, const struct bus_params *, const char **error);
void sender_sink_close(struct event_sink *);

#endif
