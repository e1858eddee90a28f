/* Queues, the hardware slots that they share, and fences that the host signals. */
#ifndef GALENA_RUNTIME_KMD_QUEUE_H
#define GALENA_RUNTIME_KMD_QUEUE_H
#include "abi/registers.h"
#include "runtime/kmd/command.h"

/* ---- queues (queue.c), hardware slots (slots.c) ---- */
struct bo_fence { /* a released buffer object waits for a queue */
	struct bo_fence *next;
	struct bo *bo;
	uint64_t ordinal;
};
struct queue {
	struct vm *vm;
	struct queue *prev, *next;  /* all of the driver */
	struct queue *vm_prev, *vm_next;
	unsigned device, priority;
	unsigned refs;                  /* software state: the user's, one a command */
	struct queue_block *block;
	bool keeps_block;               /* until the firmware has unmapped the queue */
	/* software state */
	uint32_t handle, fence;
	uint64_t submitted, covered;
	struct command **commands;      /* that are not covered, by ordinal modulo room */
	uint64_t room;                  /* a power of two */
	struct failed { uint64_t *ordinals; unsigned count, room; } failed; /* covered commands that have failed, in order */
	struct command *pending, **pending_tail;     /* not flushed */
	struct bo_fence *fences, **fences_tail;
	struct scratch { struct bo *bo; uint32_t bytes; /* of a lane */ } scratch[2]; /* of commands, of protected ones */
	struct queue *flush_next, *cover_next;
	bool flush_mark, cover_mark;
	uint64_t cover_target;
	struct work create, destroy;
	/* hardware state */
	volatile struct queue_desc *desc;
	union packet *ring;
	int slot;                       /* -1: none */
	bool waiting, broken;
	uint64_t kicked_at;                /* read index at which the queue was last told to go on, */
	unsigned kicks;                /* and how often there */
	struct queue *waiting_next;
	uint64_t bound_at;              /* for the least recently bound */
	uint64_t write, fed;            /* packets written; of the backlog's first command */
	struct command *backlog, **backlog_tail;
	struct command *inflight, **inflight_tail;
	uint32_t watch[DRIVER_MAX_DEVICES]; /* commands of each device that wait for it */
	/* wait_limit.c */
	uint64_t stands_at;            /* the command that waits for a semaphore without a signal; 0: none does */
	unsigned stood;                /* so many times in a row */
	bool overdue;                  /* it is fed though its waits are not over */
	bool wait_mark;
};
static inline volatile uint64_t *queue_timeline(const struct queue *q)
{
	return (volatile uint64_t *)(q->block->host + BLOCK_RING_PAGES * GALENA_PAGE_SIZE + BLOCK_TIMELINE);
}
void queue_unref(struct queue *); /* lock held */
void queue_flush_locked(struct queue *);
/* A command that is not covered; NULL: it is. Lock held. */
static inline struct command *queue_command(const struct queue *q, uint64_t ordinal)
{
	return ordinal > q->covered && ordinal <= q->submitted ? q->commands[ordinal & (q->room - 1)] : NULL;
}
/* The client has handled the completions of all commands up to the ordinal. Lock held. */
bool queue_retired(const struct queue *, uint64_t ordinal);
/* The command was covered, and has failed. */
bool queue_failed(const struct queue *, uint64_t ordinal);
/* Lets the queue run what is in its backlog. */
void slots_kick(struct driver *, struct queue *);
void slots_remove(struct driver *, struct queue *);
/* Gives free slots to queues that wait for one; at_rest: blocked queues make room. */
void slots_schedule(struct driver *, unsigned device, bool at_rest);
void slots_feed(struct driver *, struct queue *);
/* What the command waits for before its first packet that is no wait has come about. */
bool slots_waits_over(const struct driver *, const struct command *);
/* Nothing of the file's queues can go on by itself. While the devices run for others. */
bool slots_file_idle(const struct driver *, const struct file *);
/* Ends every command of the queue that the device has with a status. */
void slots_abandon(struct driver *, struct queue *, int status);
/* The command that waits with the queue's next packet, *at, for what has not come about. NULL: the queue has nothing, or goes on. */
struct command *slots_standing(const struct driver *, const struct queue *, const union packet **at);
/* Ends that command with ABORTED. False: not yet; the device does not have it. */
bool slots_end_standing(struct driver *, struct queue *);
/* Hardware state: the command no longer waits for anything. */
void queue_unwatch(const struct command *);

/* ---- waits that have a limit (wait_limit.c); the lock is held, and no thread is at the devices ---- */
unsigned wait_limit_seconds(void); /* as the environment says; 0: none */
/* The file has commands that could stand. */
bool wait_limit_watches(const struct driver *, const struct file *);
/* Once a second: looks at the file's commands, and queues work that ends those that have stood for too long. */
void wait_limit_tick(struct driver *, struct file *);

#endif
