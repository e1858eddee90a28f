/* Timing of what lies behind the L1 caches: shared L2 cache, DRAM, and system memory over the
 * bus. It holds tags and times, no data: data is in physical memory. */
#ifndef GALENA_MODEL_L2_H
#define GALENA_MODEL_L2_H
#include "abi/bus.h"
#include "abi/device_config.h"

struct l2_counters {
	uint64_t hit, miss;              /* lines */
	uint64_t sys_read, sys_written; /* bytes of system memory that crossed the bus */
	uint64_t dram_read, dram_written; /* bytes */
	uint64_t row_hit, row_miss;
};

struct l2;
/* In functional speed every access costs nothing and nothing is counted. */
struct l2 *l2_create(const struct device_config *, enum bus_speed);
void l2_destroy(struct l2 *);
/* The observer of its events; NULL: none. */
struct event_sink;
void l2_observe(struct l2 *, struct event_sink *);
/* One access of bytes (at most a line, not crossing one) at physical address pa, issued at cycle
 * now. Returns the cycle at which its data is there (read) or accepted (write). Bandwidth is
 * modelled by how long each resource stays busy. */
uint64_t l2_access(struct l2 *, uint64_t now, uint64_t pa, uint32_t bytes, bool write);
/* The same for count lines, lines[i] being a line's number, issued at cycle at[i], one after the other, bytes of each.
 * Returns the cycle at which the last one is there or accepted; 0 for none. */
uint64_t l2_access_lines(struct l2 *, const uint64_t *at, const uint64_t *lines, uint32_t count, uint32_t bytes, bool write);
/* Atomics on count lines: of each a read and behind it a write, of the whole line. Returns the cycle at which what the last one has
 * read is there. */
uint64_t l2_atomic_lines(struct l2 *, const uint64_t *at, const uint64_t *lines, uint32_t count);
/* A read that is known at cycle now to be issued at cycle then, not before now: one of a chain. It takes
 * its bandwidth at once, so that no access waits for one that is yet to come, and itself waits only for
 * what will still be queued then. */
uint64_t l2_access_ahead(struct l2 *, uint64_t now, uint64_t then, uint64_t pa, uint32_t bytes);
/* The same for a stream (DMA): bytes in a row; returns the cycle at which the last one is there. */
uint64_t l2_stream(struct l2 *, uint64_t now, uint64_t pa, uint64_t bytes, bool write);
/* Ends the stream in progress. Before anybody looks at what is in the cache without an access. */
void l2_synchronise(struct l2 *);
/* A view of the L2 for one unit of several that run a quantum side by side; it serves as their struct l2. In
 * a decoupled quantum, its accesses are timed from what was there when the quantum began and from what it has done
 * since; l2_view_end then lets the L2 see them. Not decoupled, it hands them on at once. After l2_synchronise, views may be used by
 * several threads at the same time, begin and leave included, and nothing else meanwhile. leave says whether there is
 * anything for end, which is for one thread when all have left. NULL when memory is short. Destroyed with
 * l2_destroy, before the L2. */
struct l2 *l2_view_create(struct l2 *);
void l2_view_begin(struct l2 *view, bool decoupled);
bool l2_view_leave(struct l2 *view);
void l2_view_end(struct l2 *view);
/* Cycles from now on for which the most occupied of cache, DRAM and system memory has its bandwidth given away. */
uint64_t l2_backlog(const struct l2 *, uint64_t now);
/* Up to date until the next access. Of a view: the L2's, and what the view has counted itself in the quantum. */
const struct l2_counters *l2_counters(struct l2 *);

#endif
