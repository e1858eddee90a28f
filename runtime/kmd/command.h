/* Commands: what the device gets, what they wait for, and how their end becomes known. */
#ifndef GALENA_RUNTIME_KMD_COMMAND_H
#define GALENA_RUNTIME_KMD_COMMAND_H
#include "runtime/kmd/bo.h"
#include <stdatomic.h>

enum dep_kind { DEP_QUEUE, DEP_FENCE };
struct dep {
	enum dep_kind kind;
	struct queue *queue;     /* DEP_QUEUE: and value, the ordinal waited for */
	uint64_t value;
	struct command *command; /* whose completion record is looked at, or NULL */
	struct fence *fence;
	bool binary;             /* and value is counted */
};
struct ended { /* a completion that the client has not had yet */
	struct ended *next;
	struct command *command; /* NULL: a mark */
	uint64_t cookie;
};
struct command {
	struct command *group_next;     /* of a flush: first command of another queue */
	struct queue *queue;
	struct command *next;           /* software state: pending; hardware state: backlog, in flight */
	uint64_t ordinal;               /* 1 for the queue's first; what its timeline shows once it has ended */
	unsigned refs;                  /* software state: the queue's until it is covered, one a waiter */
	struct slot record;
	struct work work;               /* of the flush that this command is the first of */
	uint64_t scratch, scratch_size; /* what the queue's descriptor must say */
	uint64_t first;                 /* hardware state: ring index of its first packet */
	uint32_t label;
	struct ended ended;
	struct completion completion;   /* valid once ended */
	struct fault_record *fault;
	struct kmd_import unmapped;     /* it may have accessed memory that was taken away; size 0: no */
	atomic_int state;               /* enum command_state */
	unsigned num_waits, num_signals, num_packets;
	struct dep *deps;               /* waits first, then semaphores that its packets signal */
	struct dep *unmet;              /* hardware state: the wait of a binary semaphore with which it was ended (wait_limit.c), and whose signal counts */
	union packet packets[];
};
enum command_state { COMMAND_OUTSTANDING, COMMAND_ENDED, COMMAND_RETIRED /* and the client has handled its completion */ };
void command_unref(struct command *); /* lock held */
/* Commands of a queue up to an ordinal have ended, and the client has seen it (command.c). */
void cover(struct driver *, struct queue *, uint64_t ordinal);
void cover_all_ended(struct file *);
void cover_finish(struct file *, uint64_t seq);
/* The client has waited: many more commands may wait to be seen ended before it has to again. */
void throttle_reset(struct file *);

#endif
