/* The submission worker, its lock, and the completions that clients get. */
#ifndef GALENA_RUNTIME_KMD_WORKER_H
#define GALENA_RUNTIME_KMD_WORKER_H
#include "runtime/kmd/file.h"

void worker_init(struct driver *);
void worker_fini(struct driver *);
/* The driver's lock is held for a few microseconds: a thread that finds it taken looks again for a while before it sleeps, since
 * the holder would pay for waking it. */
void driver_lock(struct driver *);
void driver_unlock(struct driver *);
/* The process ends, and the devices with it: other threads than that which ends it stay where they are. Lock held. */
void driver_stay(struct driver *);
/* The same, for a request of the file. */
void file_lock(struct file *);
/* Hold it until the end of the block. */
static inline struct driver *driver_hold(struct driver *driver)
{
	driver_lock(driver);
	return driver;
}
static inline struct driver *file_hold(struct file *f)
{
	file_lock(f);
	return f->driver;
}
static inline void driver_drop(struct driver *const *held) { driver_unlock(*held); }
#define HOLDING_DRIVER(d) __attribute__((cleanup(driver_drop), unused)) struct driver *const held_ = driver_hold(d)
#define HOLDING_FILE(f) __attribute__((cleanup(driver_drop), unused)) struct driver *const held_ = file_hold(f)
/* The calling thread handles completions of the file: it must not wait. Lock held. */
bool file_delivers(const struct file *);
/* Queues an item; lock held. */
void work_queue(struct file *, struct work *);
/* A command has ended, or a mark has been reached. Lock held. */
void completion_add(struct file *, struct ended *);
/* The client is gone: its completions have been handled. Lock held. */
void completions_drop(struct file *);
/* Carries out all work of a file whose client has closed it, until nothing of it is left. Lock held, dropped meanwhile. */
void worker_finish(struct file *);
/* Waits until no thread is at the devices. Lock held, dropped meanwhile. */
void worker_pause(struct driver *);
/* At close: applies what is left, in this thread. Lock held, dropped meanwhile. */
void worker_drain(struct driver *);
/* At exit: keeps all other threads out from then on. What runs for a thread that is inside is cut short.
 * False: this thread was interrupted in the middle of it, and the devices are not at rest. */
bool worker_seize(struct driver *);

#endif
