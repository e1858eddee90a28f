/* A byte ring in memory that two processes share: a program writes records, the recorder reads them. What is in it outlives the
 * writer, however the writer ends: a record counts once all of it is there.
 *
 * One writer and one reader at a time. Both sleep on futexes in the ring, so neither needs a descriptor afterwards. The writer
 * wakes the reader when a quarter is unread; a reader that has found nothing for a while is woken by the next record. A writer that
 * waits for room goes on when half of the ring is free. */
#ifndef GALENA_TRACES_RING_H
#define GALENA_TRACES_RING_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RING_BYTES = 4 << 20, RING_ERROR_BYTES = 1024 };

/* In front of each record; length is that of the rest, without the zeros that fill up to 8 bytes. */
struct ring_head {
	uint32_t length;
	uint32_t kind;
};

/* What the recorder answers to a request. */
struct ring_answer {
	bool broken;                  /* a rule was broken, or a report is not complete */
	char error[RING_ERROR_BYTES]; /* one line; empty: it is done */
};

enum ring_sleep { RING_AWAKE, RING_NAP, RING_DEEP };

/* The first page of the memory. */
struct ring_control {
	_Alignas(64) _Atomic uint64_t head; /* bytes that the writer has completed */
	_Alignas(64) _Atomic uint64_t tail; /* bytes that the reader is done with */
	_Atomic uint32_t room;              /* futex: the reader has moved tail for a writer that waits */
	_Alignas(64) _Atomic uint32_t wake; /* futex: the reader must check the ring */
	_Atomic uint32_t sleeps;            /* enum ring_sleep, of the reader */
	_Atomic uint32_t writer_waits;
	_Atomic uint32_t answers;           /* futex: requests that were answered */
	_Atomic int32_t recorder;           /* its PID; 0: not there yet */
	struct ring_answer answer;          /* to the last request */
};
_Static_assert(sizeof(struct ring_control) <= 4096, "one page");

struct ring {
	struct ring_control *control;
	uint8_t *bytes;  /* twice in a row, so that no record is in two parts */
	uint64_t head;   /* writer: as it will be */
	uint64_t tail;   /* writer: as last seen; reader: as it will be */
	bool (*lost)(void *ctx); /* writer: whether the reader is gone; asked after some time without progress */
	void *ctx;
};

/* A memory file for a ring; close-on-exec. -1 with errno. */
int ring_create(void);
/* Maps it. 0, or -1 with errno. */
int ring_map(struct ring *, int fd);
void ring_unmap(struct ring *);

/* ---- writer ---- */
/* Adds a record made of two parts; either may be empty. Waits while there is no room. false: the reader is gone. */
bool ring_put(struct ring *, uint32_t kind, const void *first, size_t first_length, const void *second, size_t second_length);
/* Waits until the reader has answered all that was put before, requests answers with the record of this kind. false: gone. */
bool ring_request(struct ring *, uint32_t kind, const void *data, size_t length);

/* ---- reader ---- */
/* Bytes that can be read at ring_at. */
size_t ring_available(const struct ring *);
const uint8_t *ring_at(const struct ring *);
/* Done with so many bytes. publish: the writer may have them again at once. */
void ring_skip(struct ring *, size_t bytes, bool publish);
/* Answers the request that was read last. */
void ring_reply(struct ring *, const struct ring_answer *);
/* Sleeps until there is something to read, ring_wake is called, *gone is set (before ring_wake), or, for an idle back-off, some time has passed. */
void ring_sleep(struct ring *, enum ring_sleep, const _Atomic bool *gone);
/* Wakes the reader; of any thread, process or end. */
void ring_wake(struct ring *);

static inline size_t ring_record_bytes(size_t length) { return (sizeof(struct ring_head) + length + 7) & ~(size_t)7; }

#endif
