/* The only interface to a device.
 *
 * A device is a deterministic function of the calls made on its bus and of what it reads from
 * system memory. It has no thread of its own: its time advances only inside these calls, so the
 * same calls with the same memory give the same cycles. One caller at a time (the driver holds a
 * lock). */
#ifndef GALENA_ABI_BUS_H
#define GALENA_ABI_BUS_H
#include "abi/values.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* System memory as the device reaches it. Addresses are bus addresses: pinned page number * 4096
 * + offset, counted from 0 (the device's SYSTEM window subtracted). The driver provides it; a
 * recorder or a replayer stands in between. All zeros: no page is pinned. */
struct bus_memory {
	void *ctx;
	/* Copies len bytes; a range may cross pages. Returns 0, or -1 if any page of it is not
	 * pinned (for write: or pinned read-only); then nothing was copied. */
	int (*read)(void *ctx, uint64_t address, void *dst, size_t len);
	int (*write)(void *ctx, uint64_t address, const void *src, size_t len);
	/* Stores len bytes (4 or 8, aligned) of desired if *seen is what is there, in one step that no thread of the host
	 * and no other device comes between; otherwise *seen becomes what is there. Returns 1 if it stored, 0 if not, -1 if
	 * the page is not pinned for writing. NULL: the device alone uses the memory, so reading and writing does. */
	int (*exchange)(void *ctx, uint64_t address, void *seen, const void *desired, size_t len);
	/* Host address of the page, to be used directly, or NULL: then the page is not pinned (for
	 * writing, if write is set), or every access has to go through read and write (observed is
	 * set). It holds until generation changes. Unless observed, several threads may ask at once during a bus call. */
	void *(*page)(void *ctx, uint64_t page_number, bool write);
	/* Incremented by the driver whenever a page is unpinned or its rights change. */
	const volatile uint64_t *generation;
	/* Every access must go through read and write: they are recorded or replayed. */
	bool observed;
};

/* bus_memory.exchange of memory at an address of the host. */
static inline int bus_exchange_at(void *at, void *seen, const void *desired, size_t len)
{
	uint32_t word, value;
	uint64_t two_words, two_values;
	int stored;
	if (len == 4) {
		__builtin_memcpy(&word, seen, 4);
		__builtin_memcpy(&value, desired, 4);
		stored = __atomic_compare_exchange_n((uint32_t *)at, &word, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
		__builtin_memcpy(seen, &word, 4);
		return stored;
	}
	__builtin_memcpy(&two_words, seen, 8);
	__builtin_memcpy(&two_values, desired, 8);
	stored = __atomic_compare_exchange_n((uint64_t *)at, &two_words, two_values, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	__builtin_memcpy(seen, &two_words, 8);
	return stored;
}

struct event;
struct event_sink;

struct bus_params {
	const char *device;      /* backend: "model" (others follow: "rtl", "lockstep", "remote") */
	const char *config;      /* as device_config_parse takes it: "full", "mini", ... */
	enum bus_speed speed;
	unsigned index;          /* number of the device on its platform */
	struct bus_memory memory;
	struct event_sink *events; /* takes what the blocks report; NULL: no observer. Outlives the bus */
	struct event_sink *injections; /* takes INJECT and INJECTED alone; it is no observer. May be NULL. Outlives the bus */
	const char *profile;       /* new file to keep a profile in (model/profile/profile_memory.h); NULL: no profile */
	void (*failed)(int fault); /* called during a bus call at each failure (abi/failures.h). May be NULL */
};

/* What runs in a slot of the device. */
struct bus_progress {
	uint64_t entry;       /* of the kernel; 0: a transfer */
	uint64_t begun;       /* cycle */
	uint64_t done, total; /* work-groups that have ended, of how many; of a transfer bytes, and 0 */
};

/* What a command of the driver has added to the counters of the device. */
struct counter_values; /* abi/counters.h */
struct bus_count {
	const char *name; /* of the kernel, or of what else is told apart */
	uint64_t cycles;
	const struct counter_values *values;
};

struct bus;
struct bus_ops {
	uint32_t (*read32)(struct bus *, uint32_t offset);
	uint64_t (*read64)(struct bus *, uint32_t offset);
	void (*write32)(struct bus *, uint32_t offset, uint32_t value);
	void (*write64)(struct bus *, uint32_t offset, uint64_t value);
	/* Lets the device run until an enabled interrupt is pending, at most limit cycles. */
	enum bus_wait (*wait_irq)(struct bus *, uint64_t limit);
	uint64_t (*cycle)(struct bus *);
	/* A tracepoint of the driver, for observers of events; NULL: there are none. cycle and unit
	 * are filled in. */
	void (*note)(struct bus *, struct event *);
	/* What runs in a slot, for observers: no access, no time passes, and it is not recorded. False: nothing. NULL: this
	 * device does not tell. */
	bool (*progress)(struct bus *, unsigned slot, struct bus_progress *);
	/* What the CNT registers hold, likewise. */
	bool (*counters)(struct bus *, struct counter_values *);
	/* A command has ended, for the report of GALENA_COUNTERS; NULL: none is asked for. */
	void (*counted)(struct bus *, const struct bus_count *);
	void (*close)(struct bus *);
};

struct bus {
	const struct bus_ops *ops;
};

/* Opens a device. On error returns NULL and *error is a message of one line that says what is
 * wrong and what to do (never to be freed). */
struct bus *bus_open(const struct bus_params *params, const char **error);

static inline uint32_t bus_read32(struct bus *b, uint32_t offset) { return b->ops->read32(b, offset); }
static inline uint64_t bus_read64(struct bus *b, uint32_t offset) { return b->ops->read64(b, offset); }
static inline void bus_write32(struct bus *b, uint32_t offset, uint32_t v) { b->ops->write32(b, offset, v); }
static inline void bus_write64(struct bus *b, uint32_t offset, uint64_t v) { b->ops->write64(b, offset, v); }
static inline enum bus_wait bus_wait_irq(struct bus *b, uint64_t limit) { return b->ops->wait_irq(b, limit); }
static inline uint64_t bus_cycle(struct bus *b) { return b->ops->cycle(b); }
static inline void bus_note(struct bus *b, struct event *e)
{
	if (b->ops->note)
		b->ops->note(b, e);
}
static inline bool bus_progress(struct bus *b, unsigned slot, struct bus_progress *p)
{
	return b->ops->progress && b->ops->progress(b, slot, p);
}
static inline bool bus_counters(struct bus *b, struct counter_values *v) { return b->ops->counters && b->ops->counters(b, v); }
static inline void bus_counted(struct bus *b, const struct bus_count *c)
{
	if (b->ops->counted)
		b->ops->counted(b, c);
}
static inline void bus_close(struct bus *b) { b->ops->close(b); }

#endif
