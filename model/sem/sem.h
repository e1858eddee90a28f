/* The semaphore unit: one armed wait for each queue and for each of the host's slots, on a 64-bit
 * payload in physical memory. Payloads are looked at when a wait is armed and when a unit says
 * that one has changed; nothing polls. Of several waits on one payload the lowest waiter is looked
 * at first, queues before the host.
 *
 * A payload that cannot be read (BUS_ERROR, PROTECTED, ECC) or is not 8-byte aligned (MISALIGNED)
 * wakes its waiter with that fault, so that the firmware fails the command instead of waiting
 * forever.
 *
 * The unit does one thing after the other: each access of a payload takes the time of the memory port, and what comes of it
 * happens in the cycle in which the port has answered. */
#ifndef GALENA_MODEL_SEM_H
#define GALENA_MODEL_SEM_H
#include "abi/constants.h"
#include "abi/values.h"
#include "model/mem/l2.h"
#include "model/mem/physmem.h"

/* A waiter is a queue, or SEM_HOST + a slot of the host. */
enum { SEM_QUEUES = REG_QUEUES, SEM_HOST = SEM_QUEUES, SEM_HOST_SLOTS = HOST_WAITS, SEM_WAITERS = SEM_HOST + SEM_HOST_SLOTS };

struct sem_params {
	struct physmem *mem; /* with its events and injections */
	struct l2 *l2;       /* NULL: accesses take no time */
	/* The wait is over and disarmed. Called from all that take a cycle; must not call
	 * them. */
	void (*woken)(void *ctx, unsigned waiter, uint64_t address, enum fault fault, enum access access, uint64_t cycle);
	void *ctx;
};

struct sem {
	struct sem_params env;
	struct {
		uint64_t address; /* 0: not armed */
		uint64_t value;
		enum sem_mode mode;
	} wait[SEM_WAITERS];
	/* What it is at. */
	uint64_t at;      /* cycle at which it goes on; UINT64_MAX: it is free */
	uint64_t address; /* payload */
	unsigned waiter, end; /* waiters from the one to before the other are looked at */
	enum { SEM_SEARCHES, SEM_READS, SEM_CLEARS } step;
	uint64_t payload; /* with SEM_CLEARS: as it was read, and what came of its store */
	enum fault fault;
};

void sem_init(struct sem *, const struct sem_params *);
/* Disarms every wait, silently, and gives up what the unit is at. */
void sem_reset(struct sem *);
/* These three are for a unit that is free. They run it to the cycle given. */
/* Arms the waiter's wait, in place of the one before; address 0 disarms. */
void sem_arm(struct sem *, unsigned waiter, uint64_t address, uint64_t value, enum sem_mode, uint64_t cycle);
/* Stores a payload and wakes its waiters. On a fault nothing was stored. */
enum fault sem_store(struct sem *, uint64_t address, uint64_t value, uint64_t cycle);
/* The payload has changed: wakes its waiters. */
void sem_notify(struct sem *, uint64_t address, uint64_t cycle);
/* Runs it to a cycle. */
void sem_run(struct sem *, uint64_t cycle);

#endif
