/* The event file: what the blocks of every device, and the driver, have reported, in order.
 *
 * A stream (traces/stream.h) of records, each a kind byte, a device byte and fields:
 *
 *   0    string device, string config, speed      a device was opened
 *   255  number of records before it, how the program ended (program_end.h), hash of their bytes (8 bytes, little endian)
 *   else an event of that kind: cycle, unit, queue + 1 (0: none), asid, a, b, c; cycle as the
 *        difference to the device's last event, a, b, c to the device's last of that kind, folded
 *        so that small ones of either sign are short
 */
#ifndef GALENA_TRACES_EVENT_FILE_H
#define GALENA_TRACES_EVENT_FILE_H
#include "abi/bus.h"
#include "abi/events.h"
#include "traces/stream.h"

enum { EVENT_FILE_DEVICES = 16, EVENT_FILE_OPEN = 0, EVENT_FILE_END = 255 };
_Static_assert((int)EVENT_KINDS <= (int)EVENT_FILE_END, "event kinds fit into a byte");
extern const struct stream_kind event_file_kind;

/* ---- writing: one thread at a time, bounded memory ---- */
struct event_writer;
/* NULL with *error, one line. */
struct event_writer *event_writer_open(const char *path, const char **error);
void event_writer_device(struct event_writer *, unsigned device, const char *name, const char *config, unsigned speed);
void event_writer_event(struct event_writer *, unsigned device, const struct event *);
/* 0, or -1 with errno when the file is not complete. how: the program ended (program_end.h). */
int event_writer_close(struct event_writer *, uint64_t how);

/* ---- reading ---- */
struct event_record {
	unsigned device;
	bool opened;                 /* the device was opened: what follows, and no event */
	char name[32], config[1024];
	unsigned speed;
	struct event event;
};
struct event_reader;
struct event_reader *event_reader_open(const char *path, const char **error);
/* 1 and a record; 0 at the end of a complete file; -1 with *error when it is damaged or cut off. */
int event_reader_next(struct event_reader *, struct event_record *, const char **error);
/* How the program ended; once next has returned 0. */
uint64_t event_reader_end(const struct event_reader *);
double event_reader_progress(const struct event_reader *);
void event_reader_close(struct event_reader *);

/* ---- the sink of a device: GALENA_EVENTS. All devices of the process share one file; it is complete
 * when the last of them is closed, or when the program has ended. One thread. ---- */
struct event_sink *event_file_open(const char *path, const struct bus_params *, const char **error);
void event_file_close(struct event_sink *);
/* The program has ended, how: program_end.h. Events that follow are not kept. */
void event_file_end(uint64_t how);

#endif
