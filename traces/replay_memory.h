/* System memory in a replay: each page twice, as the trace has it and, on another configuration, as the device that replays makes it.
 * One thread. */
#ifndef GALENA_TRACES_REPLAY_MEMORY_H
#define GALENA_TRACES_REPLAY_MEMORY_H
#include "abi/address_map.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct memory_page {
	struct memory_page *next_changed;
	uint64_t number, record;       /* of the trace, which last wrote it */
	bool held;                     /* the trace has its bytes */
	bool whole;                    /* its first PAGE record is in, ahead of its place in the trace */
	bool unreadable, unwritable;   /* not pinned so */
	bool changed;                  /* is in the list */
	uint64_t asked;                /* record of the call in which the device last touched it */
	uint8_t expected[GALENA_PAGE_SIZE], actual[GALENA_PAGE_SIZE];
	/* a bit a byte: the device has written it, the trace has not yet; the trace has come to what the device had written before */
	uint64_t ahead[GALENA_PAGE_SIZE / 64], led[GALENA_PAGE_SIZE / 64];
};

/* How much of length lies in the page of the address. */
static inline size_t page_part(uint64_t address, size_t length)
{
	const size_t left = GALENA_PAGE_SIZE - address % GALENA_PAGE_SIZE;
	return length < left ? length : left;
}

static inline bool page_bit(const uint64_t *bits, size_t at) { return bits[at / 64] >> at % 64 & 1; }
static inline void page_bit_set(uint64_t *bits, size_t at, bool value)
{
	bits[at / 64] = (bits[at / 64] & ~(1ull << at % 64)) | (uint64_t)value << at % 64;
}

struct replay_memory;
struct replay_memory *replay_memory_open(void);
void replay_memory_close(struct replay_memory *);
struct memory_page *memory_page_find(const struct replay_memory *, uint64_t address);
/* The same; made where there is none. NULL: no memory. */
struct memory_page *memory_page_add(struct replay_memory *, uint64_t address);
/* A PAGE record: what the host has stored. What the device has written ahead of the trace stays. False: no delta, or no memory. */
bool memory_host_stores(struct replay_memory *, uint64_t address, const uint8_t *delta, size_t size);
/* What the device wrote in the trace, by this record of it; and what it writes now. */
bool memory_trace_writes(struct replay_memory *, uint64_t address, const uint8_t *data, size_t length, uint64_t record);
void memory_device_writes(struct replay_memory *, uint64_t address, const uint8_t *data, size_t length);
/* Copies out the bytes of the trace at the address. Returns how many there are: less than length where the trace does not hold a page. */
size_t memory_expected(const struct replay_memory *, uint64_t address, void *out, size_t length);
/* Takes a page from the list of those that the trace or the device has written. NULL: there is none. */
struct memory_page *memory_changed(struct replay_memory *);

#endif
