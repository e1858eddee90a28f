/* Files: what a client has open. The requests, and names of commands. */
#ifndef GALENA_RUNTIME_KMD_FILE_H
#define GALENA_RUNTIME_KMD_FILE_H
#include "runtime/kmd/arena.h"
#include "runtime/kmd/queue.h"
#include <pthread.h>
#include <semaphore.h>

enum handle_kind { HANDLE_FREE, HANDLE_VM, HANDLE_BO, HANDLE_QUEUE, HANDLE_TIMELINE, HANDLE_COMMAND, HANDLE_FENCE, HANDLE_SYNC_FILE };
struct handle {
	void *object; /* of a free one, the next + 1 */
	enum handle_kind kind;
	uint32_t generation;
};
struct call;
struct file {
	struct driver *driver;
	struct file *next;
	struct handle *handles;     /* from 1 on */
	uint32_t num_handles, free_handle; /* the first free one + 1; each has the next */
	/* work */
	struct work *head, **tail;  /* queued, not applied */
	struct work *follow, **follow_tail; /* queued by handlers of completions while the item `current` is carried out */
	uint64_t queued, applied;
	uint64_t current;           /* the item that is being carried out; 0: none */
	unsigned follows;
	struct arena *arena;        /* host memory of a client in another process; NULL: the client is here */
	bool gone;                  /* that process has ended: waits for it end */
	bool abandoned;             /* its client has closed it; nothing is told to it */
	unsigned objects;           /* address spaces that are not destroyed, semaphores */
	uint64_t covered_seq;       /* every item up to it is known to have been applied */
	struct fence *dead_fences, **dead_tail;
	uint64_t uncovered, throttle;
	struct call *calls;         /* reads that the client has not fetched */
	/* completions */
	struct ended *ended, **ended_tail;
	struct command *delivered[KMD_EVENTS_MAX]; /* the client handles them */
	unsigned num_delivered;
	bool delivering;
	pthread_t deliverer;
	unsigned waiters;
	uint64_t waits;             /* that have begun so far */
	unsigned idlers;            /* of them, for the file's commands to stand still while the devices run for others; idle: they have */
	bool idle;
	/* the completion thread */
	sem_t own_wake, *wake;      /* the first, or one that `galena top` can reach, too */
	bool served, stopping;
	bool server_sleeps;         /* until there is work */
	bool server_backs_off;      /* for long: a thread waits, and carries the work out */
	bool kicked;                /* it need not let work wait */
	uint64_t due;               /* the last item that has waited for a period */
	struct work wait_limit;     /* ends commands that wait for too long */
	bool wait_limit_queued;
};
/* A new handle of the object, 0 when there is no memory. Lock held. */
uint32_t handle_new(struct file *, enum handle_kind, void *object);
void file_free(struct file *);
/* A file for a client in another process, which has host memory in the arena; the file owns it. As kmd_open(). */
int file_open(struct arena *, const char **message);
/* The client has gone: calls that wait for it return KMD_DEVICE_LOST, and do from now on. */
void file_gone(int file);
/* Where in the arena an object's memory begins; UINT64_MAX: not there. */
uint64_t file_arena_offset(int file, uint32_t bo);
struct driver *driver_of_process(void); /* for tests of the blocks; NULL: none is open */
void calls_free(struct file *); /* counters.c */
/* NULL: no handle of that kind. Lock held. */
void *handle_get(const struct file *, uint32_t handle, enum handle_kind);
/* The same, and the handle is free. */
void *handle_take(struct file *, uint32_t handle, enum handle_kind);

/* The requests (kmd.h), by name. */
#define REQUEST(name, type, function, what) int function(struct file *, struct type *);
#include "runtime/kmd/requests.def"
#undef REQUEST

/* ---- labels of commands (labels.c) ---- */
enum { LABEL_TRANSFERS = 1, LABEL_MEDIA = 2, LABEL_MAX = 1 << 20 };
struct labels {
	char **names; /* by label - 1 */
	uint32_t count;
};
int labels_init(struct driver *);
void labels_fini(struct driver *);
const char *label_name(const struct driver *, uint32_t label); /* NULL: none; lock held */

#endif
