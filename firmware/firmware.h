/* The firmware of the command processor: what its files share.
 *
 * One hart, no interrupts taken: the main loop sleeps in wfi and asks IRQ_PENDING what happened. A
 * queue is a small state machine; a step of it executes packets until one has to be waited for or
 * a command has ended, so that queues of one priority take turns command by command. */
#ifndef GALENA_FIRMWARE_H
#define GALENA_FIRMWARE_H
#include "abi/address_map.h"
#include "abi/codes.h"
#include "abi/packets.h"
#include "abi/records.h"
#include "abi/registers.h"
#include "abi/words.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Not on the way of a launch: kept out of line, so that the launch stays short. */
#define FW_COLD __attribute__((cold, noinline))

/* ---- registers: HOST(NAME) and CP(NAME) are lvalues of the banks ---- */
#define REG32(bank, offset) (*(volatile uint32_t *)(CP_MMIO_BASE + (bank) + (uint64_t)(offset)))
#define REG64(bank, offset) (*(volatile uint64_t *)(CP_MMIO_BASE + (bank) + (uint64_t)(offset)))
#define HOST32(name) REG32(0, REG_HOST_##name)
#define HOST64(name) REG64(0, REG_HOST_##name)
#define HOST32N(name, n) REG32(0, REG_HOST_##name + 4 * (n))
#define HOST64N(name, n) REG64(0, REG_HOST_##name + 8 * (n))
#define CP32(name) REG32(REG_BANK_CP_OFFSET, REG_CP_##name)
#define CP64(name) REG64(REG_BANK_CP_OFFSET, REG_CP_##name)
#define CP32N(name, n) REG32(REG_BANK_CP_OFFSET, REG_CP_##name + 4 * (n))
#define CP64N(name, n) REG64(REG_BANK_CP_OFFSET, REG_CP_##name + 8 * (n))

static inline uint64_t cycle_now(void)
{
	uint64_t c;
	__asm__ volatile("csrr %0, mcycle" : "=r"(c));
	return c;
}

/* Accesses to addresses that the host chose and that may not be there (start.S). */
struct guarded { uint64_t value, fault; };
struct guarded guarded_load32(uint64_t address);
struct guarded guarded_load64(uint64_t address);
struct guarded guarded_store64(uint64_t address, uint64_t value);
/* Set where any other access to host memory or DRAM met no page: what it read is nothing, what it wrote is
 * lost. A caller that cares clears it and reads it again, guarded. */
extern volatile uint32_t memory_lost;

/* ---- queues ---- */
enum run_state {
	RUN_UNMAPPED,
	RUN_IDLE,     /* ring empty */
	RUN_READY,    /* has a packet to look at */
	RUN_DISPATCH, /* its dispatch slot is busy */
	RUN_DMA,      /* its transfer is in progress */
	RUN_MEDIA,    /* its media job is in progress */
	RUN_PARKED,   /* its semaphore wait is armed */
	RUN_SUSPENDED, /* by the host; not busy */
	RUN_ERROR,    /* not valid: nothing until it is mapped anew */
};

enum asked {
	ASK_REMAP = 1,   /* its descriptor register was written while it was busy */
	ASK_SUSPEND = 2, /* by QUEUE_CTRL */
	ASK_RESET = 4,   /* its command is to end */
	ASK_REPLAY = 8,  /* no request: it stands at a replayable fault */
	ASK_DOORBELL = 16, /* with ASK_REMAP: the doorbell has been rung since */
};

struct queue {
	volatile struct queue_desc *desc; /* in system memory */
	uint64_t ring;          /* physical address */
	uint32_t ring_mask;
	uint8_t state;          /* enum run_state */
	uint8_t priority;
	bool in_command;        /* packets of the command at read have run */
	uint8_t asked;          /* enum asked: what has to be looked at when the packet in progress is over */
	bool timed_out;         /* the watchdog killed its packet */
	uint8_t replay;         /* SLOT_FLAGS.REPLAY, or 0 */
	uint8_t slot_protected; /* PACKET_PROTECTED if SLOT_FLAGS says so, or 0 */
	uint8_t sem_mode;       /* what SEM_WAIT_MODE holds */
	bool stamps_saved;      /* desc->submit and desc->start hold something */
	uint8_t flags;          /* of the packet at read */
	int32_t status;         /* of the command at read: negative skips what is left of it */
	uint32_t asid;
	uint64_t read, write;   /* packets consumed, packets written */
	uint64_t timeline_address, timeline;
	uint64_t submit, start; /* stamps of the command at read */
	uint64_t record;        /* physical address of its completion record, once its last packet began */
	uint64_t deadline;      /* of its packet, with a watchdog; 0 for none */
	uint64_t alive;         /* cycle at which the packet began, or was last known to get on */
	uint64_t moved;         /* bytes that the transfer or media job had moved then */
} __attribute__((aligned(128))); /* a power of two: indexed on the way of every launch */

extern struct queue queues[REG_QUEUES];

/* Loads what QUEUE_DESC[n] points at, or gives the queue up. */
FW_COLD void queue_map(size_t n);
void queue_doorbell(size_t n);
/* Makes the queue a candidate for queue_pick. */
void queue_ready(size_t n);
void queue_unready(size_t n);
void queue_state_set(size_t n, enum run_state, enum queue_state shown);
/* The next queue to serve: highest priority first, in turns within one; -1 for none. */
int queue_pick(void);
/* Nothing more is done for the queue until it is mapped anew. */
FW_COLD void queue_fail(size_t n, uint64_t address);
/* Takes what the queue needs to go on after it has been unmapped to its descriptor. */
void queue_save(struct queue *);

/* ---- commands ---- */
/* Executes packets of a ready queue until it has to wait or a command has ended. */
void command_serve(size_t n);
void command_dispatch_done(size_t n);
void command_dma_done(size_t n);
FW_COLD void command_media_done(size_t n);
void command_sem_woken(size_t n);
/* Its packet stands at a replayable fault. */
FW_COLD void command_faulted(size_t n);
/* Ends the dispatch, transfer or media job of the queue: an interrupt will tell. */
FW_COLD void command_abort(size_t n);
/* Disarms the wait of a parked queue, as if it had not begun. */
FW_COLD void command_unwait(size_t n);
/* The command in progress fails with ABORTED, if it has not failed already. */
FW_COLD void command_give_up(size_t n);
/* Ends the wait of a parked queue, whose command fails with ABORTED. */
FW_COLD void command_unpark(size_t n);

/* ---- what the host asks ---- */
FW_COLD void control_request(size_t n);
/* The packet in progress of a queue with something asked is over; ended: so is its command. */
FW_COLD void control_packet_over(size_t n, bool ended);
/* Drops what was asked of a queue that is given up or mapped anew. */
FW_COLD void control_forget(size_t n);

/* ---- watchdog ---- */
extern uint64_t watchdog_cycles; /* 0: none */
void watchdog_begin(struct queue *); /* its packet starts now; nothing happens without a watchdog, and to PACKET_PATIENT */
void watchdog_end(struct queue *);
FW_COLD void watchdog_expired(void);

/* ---- faults ---- */
/* A fault of the packet at the head of the queue, with the details that the slot's registers hold. */
FW_COLD void fault_slot(size_t n, enum fault, uint64_t progress);
/* A fault that the firmware itself found; address is what it did not like. */
FW_COLD void fault_own(size_t n, enum fault, uint64_t address);

/* ---- boot and log ---- */
extern struct boot_params boot;          /* the host's, copied */
extern volatile struct boot_params *boot_shared;
bool boot_handshake(void);
/* %s %u %x, no widths. Raises the LOG interrupt. */
void log_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
