/* For tests that look inside the kernel-mode driver, which is linked into them: the driver's objects behind those of the client. */
#ifndef GALENA_TESTBENCH_DRIVER_INSIDE_H
#define GALENA_TESTBENCH_DRIVER_INSIDE_H
#include "runtime/kmd/driver.h"
#include "runtime/umd/internal.h"

static inline void *inside_object(uint32_t handle, enum handle_kind kind)
{
	struct driver *d = driver_of_process();
	driver_lock(d);
	void *object = handle_get(d->files, handle, kind);
	driver_unlock(d);
	return object;
}

static inline struct bo *inside_bo(const struct umd_bo *bo) { return inside_object(bo->bo, HANDLE_BO); }
static inline struct queue *inside_queue(const struct umd_queue *q) { return inside_object(q->queue, HANDLE_QUEUE); }
static inline struct vm *inside_vm(const struct umd_space *s) { return inside_object(s->vm, HANDLE_VM); }

static inline struct command *inside_command(const struct umd_command *c)
{
	return inside_object(c->fence, HANDLE_COMMAND);
}

struct inside_call {
	struct work work;
	void (*fn)(struct driver *, void *);
	void *arg;
};

static inline void inside_apply(struct driver *d, struct work *work)
{
	struct inside_call *c = work_owner(work, struct inside_call, work);
	c->fn(d, c->arg);
}

/* Calls fn in its place among the client's work, and lets the devices run until they are idle. */
static inline void inside_call(struct umd *u, void (*fn)(struct driver *, void *), void *arg)
{
	struct inside_call c = { .work.apply = inside_apply, .fn = fn, .arg = arg };
	struct file *f = driver_of_process()->files;
	file_lock(f);
	work_queue(f, &c.work);
	driver_unlock(f->driver);
	umd_wait_for(u, &(struct kmd_wait){ .flags = KMD_WAIT_TICKET, .value = c.work.seq });
}

#endif
