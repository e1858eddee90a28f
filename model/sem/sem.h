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
 * happens in the cycle in which the port has answered, or in the one after it began where that is the same or there is no access. */
#ifndef GALENA_MODEL_SEM_H
#define GALENA_MODEL_SEM_H
#include "abi/constants.h"
#include "abi/ports.h"
#include "model/mem/l2.h"
#include "model/mem/physmem.h"

/* A waiter is a queue, or SEM_HOST + a slot of the host. */
enum { SEM_QUEUES = REG_QUEUES, SEM_HOST = SEM_QUEUES, SEM_HOST_SLOTS = HOST_WAITS, SEM_WAITERS = SEM_HOST + SEM_HOST_SLOTS };

struct sem_params {
	struct physmem *mem; /* with its events and injections */
	struct l2 *l2;       /* NULL: nothing takes time */
	/* Called from all that take a cycle; must not call them. */
	void (*stored)(void *ctx, const struct sem_stored *, uint64_t cycle);
	void (*woken)(void *ctx, const struct sem_woken *, uint64_t cycle);
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
	enum { SEM_STORES, SEM_SEARCHES, SEM_READS, SEM_CLEARS } step;
	struct sem_stored stored; /* with SEM_STORES: what came of it */
	uint64_t payload; /* with SEM_CLEARS: as it was read, and what came of its store */
	enum fault fault;
};

void sem_init(struct sem *, const struct sem_params *);
/* Disarms every wait, silently, and gives up what the unit is at. */
void sem_reset(struct sem *);
/* Its ports (abi/ports.def), of which the first three are for a unit that is free, and let its cycles pass up to the one given. */
void sem_arm(struct sem *, const struct sem_arm *, uint64_t cycle);
void sem_store(struct sem *, const struct sem_store *, uint64_t cycle);
void sem_notify(struct sem *, const struct sem_notify *, uint64_t cycle);
/* Lets its cycles pass, up to this one. */
void sem_tick(struct sem *, uint64_t cycle);

#endif
