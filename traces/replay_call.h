/* The calls of a bus trace, each with all that its device did in it, and those that come later: for a replay whose device does not do
 * the same in the same order. */
#ifndef GALENA_TRACES_REPLAY_CALL_H
#define GALENA_TRACES_REPLAY_CALL_H
#include "base/table.h"
#include "traces/trace_reader.h"

struct call_access {
	enum trace_kind kind; /* MEM_READ, MEM_WRITE, PAGE */
	bool ok;
	uint64_t address;
	uint32_t length;
	bool late;            /* PAGE of a page that the device had touched before in the call */
	size_t data;          /* where its bytes are */
	uint64_t record;
};

struct call {
	struct call *next;
	struct trace_record head; /* OPEN, CLOSE, or a call; data is not valid */
	uint64_t record;          /* its number */
	bool returned;
	uint64_t value, cycle;    /* of RETURN */
	struct call_access *accesses;
	size_t count, room;
	uint8_t *bytes;
	size_t used, size;
	struct table touched; /* numbers of pages that the device touches, + 1 */
};

struct call_queue {
	struct trace_reader *reader;
	struct call *first, *last;
	bool over; /* nothing comes after the last */
};

/* The call that comes after `after`, or the first for NULL; read from the trace if it has not been. NULL: there is none, or *error. */
struct call *call_after(struct call_queue *, struct call *after, const char **error);
/* Takes the first from the queue; for call_free(). */
struct call *call_take(struct call_queue *, const char **error);
void call_free(struct call *);
void call_queue_close(struct call_queue *);
/* Whether the device touches the page in the call. */
bool call_touches(const struct call *, uint64_t page);

#endif
