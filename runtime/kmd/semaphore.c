/* Semaphores that the host signals. */
#include "runtime/kmd/driver.h"
#include <stdlib.h>

int ioctl_fence_create(struct file *f, struct kmd_fence *a)
{
	struct driver *d = f->driver;
	struct semaphore *s = calloc(1, sizeof *s);
	if (!s)
		return KMD_NO_MEMORY;
	s->driver = d;
	s->file = f;
	s->refs = 1;
	file_lock(f);
	if (memory_slot_alloc(d, &s->payload))
		goto err_free;
	if (memory_slot_alloc(d, &s->record))
		goto err_payload;
	a->fence = handle_new(f, HANDLE_FENCE, s);
	if (!a->fence)
		goto err_record;
	f->objects++;
	driver_unlock(d);
	return 0;
err_record:
	memory_slot_free(d, s->record);
err_payload:
	memory_slot_free(d, s->payload);
err_free:
	driver_unlock(d);
	free(s);
	return KMD_NO_MEMORY;
}

/* ---- hardware state ---- */
void notify_watchers(struct driver *d, const uint32_t *watch, uint64_t pa, unsigned except)
{
	for (unsigned i = 0; i < d->num_devices; i++) {
		struct device *dev = &d->devices[i];
		if (i == except || !watch[i] || dev->lost)
			continue;
		bus_write64(dev->bus, REG_HOST_SEM_NOTIFY, pa);
		dev->active = true;
	}
}

static void apply_signal(struct driver *d, struct work *work)
{
	struct semaphore *s = work_owner(work, struct semaphore, signal);
	*(struct completion *)s->record.host = (struct completion){ .status = s->status, .done = 1 };
	/* a device that waits stores the payload, the others that wait hear of it */
	for (unsigned i = 0; i < d->num_devices; i++) {
		struct device *dev = &d->devices[i];
		if (!s->watch[i] || dev->lost)
			continue;
		bus_write64(dev->bus, REG_HOST_SEM_VALUE, 1);
		bus_write64(dev->bus, REG_HOST_SEM_SIGNAL, s->payload.pa);
		dev->active = true;
		notify_watchers(d, s->watch, s->payload.pa, i);
		return;
	}
	*(volatile uint64_t *)s->payload.host = 1;
}

/* ---- software state ---- */
void sem_signal(struct semaphore *s, int32_t status)
{
	if (s->signalled)
		return;
	s->signalled = true;
	s->status = status;
	s->signal.apply = apply_signal;
	work_queue(s->file, &s->signal);
}

int ioctl_fence_signal(struct file *f, struct kmd_signal *a)
{
	if (a->status > 0)
		return KMD_INVALID;
	file_lock(f);
	struct semaphore *s = handle_get(f, a->fence, HANDLE_FENCE);
	if (s)
		sem_signal(s, a->status);
	driver_unlock(f->driver);
	return s ? 0 : KMD_BAD_HANDLE;
}

static void sem_free(struct semaphore *s)
{
	s->file->objects--;
	memory_slot_free(s->driver, s->record);
	memory_slot_free(s->driver, s->payload);
	free(s);
}

/* Its memory is given back once its signal is known to have been applied. */
void sem_unref(struct semaphore *s)
{
	struct file *f = s->file;
	if (--s->refs)
		return;
	s->dead_next = NULL;
	*f->dead_tail = s;
	f->dead_tail = &s->dead_next;
}

void sems_reap(struct file *f, bool all)
{
	struct semaphore **at = &f->dead_sems;
	while (*at) {
		struct semaphore *s = *at;
		if (!all && s->signalled && s->signal.seq > f->covered_seq) {
			at = &s->dead_next;
			continue;
		}
		*at = s->dead_next;
		sem_free(s);
	}
	f->dead_tail = at;
}

int ioctl_fence_close(struct file *f, struct kmd_fence *a)
{
	file_lock(f);
	struct semaphore *s = handle_take(f, a->fence, HANDLE_FENCE);
	struct command *c = s ? NULL : handle_take(f, a->fence, HANDLE_COMMAND);
	if (s)
		sem_unref(s);
	if (c)
		command_unref(c);
	driver_unlock(f->driver);
	return s || c ? 0 : KMD_BAD_HANDLE;
}
