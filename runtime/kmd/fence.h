/* Fences that commands or the host signal, and their descriptors. */
#ifndef GALENA_RUNTIME_KMD_FENCE_H
#define GALENA_RUNTIME_KMD_FENCE_H
#include "runtime/kmd/driver.h"

/* ---- fences (fence.c) ---- */
struct signal { /* of the host */
	struct work work;
	struct fence *fence;
	uint64_t value;
	int32_t status;
};
struct fence {
	struct driver *driver;
	struct file *file;          /* that made it; of one that is shared NULL when that is gone */
	struct fence *dead_next;
	unsigned refs;              /* software state: one a handle, a waiter, a sync file */
	struct slot payload, record;
	bool failed;                /* the host has said so */
	uint64_t signalled;         /* the last value that the host has signalled, */
	uint64_t signal_seq;        /* and the place of that */
	uint64_t signals, waits;    /* that were queued of it as a binary semaphore */
	unsigned queued;            /* signals that are not applied; of one that is shared */
	struct signal first;        /* later ones are allocated */
	uint32_t watch[DRIVER_MAX_DEVICES]; /* hardware state: commands of each device that wait for it */
	bool limited;               /* a command that waits for it does so as long as GALENA_WAIT_LIMIT allows */
	bool turns;                 /* of the users of a dma-buf: signals counts them, a wait is for all of them */
	/* one that is shared (fence_fd.c) */
	int fd;                     /* of its memory; -1: it is not shared */
	uint64_t device, inode;     /* of that */
	struct fence *next;         /* all of the driver */
	struct sync_file *syncs;
	struct pin_list pin, unpin;
	struct work map, unmap;
	bool exported;              /* by an opaque descriptor, */
	bool kept;                  /* which alone keeps it */
	bool late;                  /* it is given back when its last signal has been applied */
};
void fence_unref(struct fence *);
/* A value that is not greater than the last one changes nothing, nor does anything after a status. Lock held. 0, KMD_NO_MEMORY. */
int fence_signal(struct fence *, uint64_t value, int32_t status);
void fences_reap(struct file *, bool all);
/* What a handle says that can be waited for: a fence and a value of it, which stays what it is if the handle is a timeline's. NULL: neither.
 * Lock held. */
struct fence *fence_point(const struct file *, uint32_t handle, uint64_t *value);
uint64_t fence_value(const struct fence *);
int32_t fence_status(const struct fence *); /* 0, or what it has failed with */
static inline bool fence_reached(const struct fence *s, uint64_t value) { return fence_status(s) || fence_value(s) >= value; }
/* Hardware state: the command that would have signalled a value has failed. So has the fence, and all of its values are reached; the users of a
 * dma-buf go on. */
void fence_missed(struct driver *, struct fence *, uint64_t value, int32_t status);
/* Hardware state: a value is reached, as if the host had signalled it. */
void fence_reach(struct driver *, struct fence *, uint64_t value);
/* Hardware state: a payload has changed in memory; tells the devices that wait for it, but one. */
void notify_watchers(struct driver *, const uint32_t *watch, uint64_t pa, unsigned except);

/* ---- their descriptors (fence_fd.c); lock held ---- */
struct sync_file { /* a point of a fence */
	struct sync_file *next, *fence_next;
	struct fence *fence;
	uint64_t value;
	unsigned handles;
	int end;                /* of a pair of sockets; the clients' descriptor is the other one, */
	uint64_t device, inode; /* of these numbers */
	bool told;              /* that it has been reached */
};
/* Gives a new fence its memory. 0, KMD_NO_MEMORY. */
int fence_share(struct fence *);
/* It has changed: tells who polls. */
void fence_tell(struct fence *);
/* A signal has been applied. Lock not held. */
void fence_shared_signalled(struct fence *);
/* One of no file, for the users of a dma-buf; NULL without memory. */
struct fence *fence_of_users(struct driver *);
/* Nothing refers to it any more. */
void fence_shared_release(struct fence *);
void sync_file_close(struct sync_file *);
/* The file is closed: fences that it has made fail, as far as they are not there yet. */
void fences_fail(struct file *);
void fences_fini(struct driver *); /* at close */

#endif
