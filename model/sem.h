/* The semaphore unit: one armed wait a queue on a 64-bit payload in physical memory. Payloads are
 * looked at when a wait is armed and when somebody says that one has changed; nothing polls.
 *
 * A payload that cannot be read (BUS_ERROR) or is not 8-byte aligned (MISALIGNED) wakes its queue
 * with that fault, so that the firmware fails the command instead of waiting forever. */
#ifndef GALENA_MODEL_SEM_H
#define GALENA_MODEL_SEM_H
#include "model/physmem.h"

enum { SEM_QUEUES = 16 };

struct sem_params {
	struct physmem *mem;
	/* The queue's wait is over and disarmed. Called from sem_arm, sem_store, sem_notify; must not
	 * call them. */
	void (*woken)(void *ctx, unsigned queue, uint64_t address, enum fault fault);
	void *ctx;
};

struct sem {
	struct sem_params env;
	struct {
		uint64_t address; /* 0: not armed */
		uint64_t value;
	} wait[SEM_QUEUES];
};

void sem_init(struct sem *, const struct sem_params *);
/* Disarms every wait, silently. */
void sem_reset(struct sem *);
/* Arms the queue's wait for payload >= value, in place of the one before; address 0 disarms. */
void sem_arm(struct sem *, unsigned queue, uint64_t address, uint64_t value);
/* Stores a payload and wakes its waiters. On a fault nothing was stored. */
enum fault sem_store(struct sem *, uint64_t address, uint64_t value);
/* The payload has changed: wakes its waiters. */
void sem_notify(struct sem *, uint64_t address);

#endif
