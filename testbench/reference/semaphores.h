/* The semaphore unit: one armed wait for each queue and each slot of the host, over payloads in physical memory. Written from
 * docs/hardware/sem.md, with the registers of abi/registers.def, alone, to be compared with a device.
 *
 * A waiter is 0 to 15 for a queue, 16 to 31 for a slot of the host. Addresses are physical and in bytes. Each function is a write of
 * a register, or what happens to the device, and is complete when it returns: SEM-16, SEM-34. Registers that only hold a value are
 * members that the caller sets and reads. Memory, with its alignment known to be right, is the caller's; its functions must not
 * call back into the unit. A waiter, queue or slot that there is not aborts. One thread at a time uses a unit. */
#ifndef GALENA_TESTBENCH_REFERENCE_SEMAPHORES_H
#define GALENA_TESTBENCH_REFERENCE_SEMAPHORES_H
#include "abi/codes.h"
#include <stdbool.h>
#include <stdint.h>

enum { SEMAPHORE_QUEUES = 16, SEMAPHORE_SLOTS = 16, SEMAPHORE_WAITERS = SEMAPHORE_QUEUES + SEMAPHORE_SLOTS };
enum { SEMAPHORE_BINARY = 1, SEMAPHORE_ANY_QUEUE = 0xffff };

/* A payload, 8 bytes at once, with the fault of the access. */
struct semaphore_memory {
	void *of;
	enum fault (*read)(void *of, uint64_t address, uint64_t *value);
	enum fault (*write)(void *of, uint64_t address, uint64_t value);
};

/* What the unit reports: kind is EVENT_SEM_WAIT, SEM_WAKE, SEM_SIGNAL or SEM_NOTIFY of abi/events.h, queue a queue's number, 0x100 + n
 * for slot n, or EVENT_NO_QUEUE; a, b and c are as in abi/events.def. */
struct semaphore_event {
	unsigned kind, queue;
	uint64_t a, b, c;
};

struct semaphore_wait {
	uint64_t address; /* 0: not armed */
	uint64_t value;
	bool binary;
};

struct semaphores {
	/* registers that the caller writes */
	uint64_t sem_value, sem_store_value;
	uint64_t sem_wait_value[SEMAPHORE_QUEUES], host_wait_value[SEMAPHORE_SLOTS];
	uint32_t sem_wait_mode[SEMAPHORE_QUEUES];
	/* registers that the unit writes */
	uint32_t host_woken, sem_woken, sem_store_status;
	uint32_t sem_status[SEMAPHORE_QUEUES];
	uint64_t fault_address[SEMAPHORE_QUEUES], fault_info[SEMAPHORE_QUEUES], fault_pc[SEMAPHORE_QUEUES];
	uint64_t interrupts; /* how often SEM was raised in IRQ_STATUS */
	uint64_t faults;     /* what the unit adds to CNT_FAULTS */
	/* supplied by the caller */
	struct semaphore_memory memory;
	void (*event)(void *of, const struct semaphore_event *); /* may be NULL */
	void *event_of;
	/* the unit's own */
	struct semaphore_wait waits[SEMAPHORE_WAITERS];
	bool lost;
	uint32_t losing_in, spurious_in;     /* occasions to an armed SEM_LOST and SEM_SPURIOUS, 0 for none */
	unsigned losing_queue, spurious_queue; /* that they are limited to, or SEMAPHORE_ANY_QUEUE */
};

/* As after power-on. Members that the caller supplies are set behind it, and kept by a reset. */
void semaphores_begin(struct semaphores *);
/* CTRL.RESET. */
void semaphores_reset(struct semaphores *);
/* The device is lost, until a reset. */
void semaphores_lose(struct semaphores *);

/* A write to SEM_WAIT[n] and HOST_WAIT[n], and what they read. */
void semaphores_queue_wait(struct semaphores *, unsigned n, uint64_t address);
void semaphores_host_wait(struct semaphores *, unsigned n, uint64_t address);
uint64_t semaphores_armed(const struct semaphores *, unsigned waiter);
/* A write to SEM_SIGNAL, SEM_STORE and SEM_NOTIFY. */
void semaphores_signal(struct semaphores *, uint64_t address);
void semaphores_store(struct semaphores *, uint64_t address);
void semaphores_notify(struct semaphores *, uint64_t address);
/* A write to HOST_WOKEN and SEM_WOKEN. */
void semaphores_clear_host_woken(struct semaphores *, uint32_t bits);
void semaphores_clear_sem_woken(struct semaphores *, uint32_t bits);
/* Arms an injected fault, for the nth occasion from now on: 1 is the next, and so is 0. queue as in an event. */
void semaphores_inject_lost(struct semaphores *, uint32_t nth, unsigned queue);
void semaphores_inject_spurious(struct semaphores *, uint32_t nth, unsigned queue);
/* Disarms both. */
void semaphores_disarm(struct semaphores *);

#endif
