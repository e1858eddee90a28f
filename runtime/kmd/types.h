/* What every file of the driver uses: sizes, names of its objects, work items. */
#ifndef GALENA_RUNTIME_KMD_TYPES_H
#define GALENA_RUNTIME_KMD_TYPES_H
#include "abi/address_map.h"
#include "abi/codes.h"
#include "runtime/kmd/kmd.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DRIVER_MAX_DEVICES = 16, RING_PACKETS = 256 };
enum { SUBMIT_PACKETS_MAX = 1 << 24 };
/* So much may wait to be seen ended before the driver looks by itself. */
enum { THROTTLE_COMMANDS = 16384 };
#define THROTTLE_BYTES (256ull << 20)

/* Two kinds of state. Software state: which page frame number, address, slot or identifier is whose; requests change it with the
 * driver's lock held, in the order of the calls alone. Hardware state: page tables, pin table, rings, registers; work items change it, one
 * after the other, without the lock. A structure says which of its fields are which; a field that a work item carries is hardware state
 * from then on. */
struct device;
struct driver;
struct file;
struct vm;
struct bo;
struct queue;
struct command;
struct fence;
struct sync_file;

static inline uint64_t page_round(uint64_t v) { return (v + GALENA_PAGE_SIZE - 1) & ~(GALENA_PAGE_SIZE - 1); }

/* ---- work items (worker.c) ---- */
struct work {
	struct work *next;
	uint64_t seq;   /* 1, 2, ... in the order in which the file has queued them */
	uint64_t order; /* the same over all files */
	void (*apply)(struct driver *, struct work *); /* the driver's lock is not held; may free the item */
	bool light;    /* applying it gives no device work and queues nothing */
};
#define work_owner(post_, type, member) ((type *)((char *)(post_) - offsetof(type, member)))

#endif
