/* Fences that commands or the host signal: a payload, and a record that says whether it has failed. One that is shared has both in a memory
 * file (fence_fd.c). */
#include "runtime/kmd/fence.h"
#include <stdlib.h>

enum { FENCE_FLAGS = KMD_FENCE_SHARED | KMD_FENCE_LIMITED };

int ioctl_fence_create(struct file *f, struct kmd_fence *a)
{
	struct driver *d = f->driver;
	if (a->flags & ~(unsigned)FENCE_FLAGS)
		return KMD_INVALID;
	struct fence *s = calloc(1, sizeof *s);
	if (!s)
		return KMD_NO_MEMORY;
	*s = (struct fence){ .driver = d, .file = f, .refs = 1, .fd = -1, .limited = (a->flags & KMD_FENCE_LIMITED) != 0 };
	HOLDING_FILE(f);
	a->fence = handle_new(f, HANDLE_FENCE, s);
	if (!a->fence)
		goto err_free;
	if (a->flags & KMD_FENCE_SHARED) {
		if (fence_share(s))
			goto err_handle;
		return 0;
	}
	if (memory_slot_alloc(d, &s->payload))
		goto err_handle;
	if (memory_slot_alloc(d, &s->record))
		goto err_payload;
	f->objects++;
	return 0;
err_payload:
	memory_slot_free(d, s->payload);
err_handle:
	handle_take(f, a->fence, HANDLE_FENCE);
err_free:
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

int32_t fence_status(const struct fence *s)
{
	return __atomic_load_n(&((const struct completion *)s->record.host)->status, __ATOMIC_ACQUIRE);
}

uint64_t fence_value(const struct fence *s) { return __atomic_load_n((const uint64_t *)s->payload.host, __ATOMIC_ACQUIRE); }

void fence_reach(struct driver *d, struct fence *s, uint64_t value)
{
	if (fence_value(s) >= value)
		return;
	/* a device that waits stores the payload, the others that wait hear of it */
	for (unsigned i = 0; i < d->num_devices; i++) {
		struct device *dev = &d->devices[i];
		if (!s->watch[i] || dev->lost)
			continue;
		bus_write64(dev->bus, REG_HOST_SEM_VALUE, value);
		bus_write64(dev->bus, REG_HOST_SEM_SIGNAL, s->payload.pa);
		dev->active = true;
		notify_watchers(d, s->watch, s->payload.pa, i);
		return;
	}
	__atomic_store_n((uint64_t *)s->payload.host, value, __ATOMIC_RELEASE);
}

static void fail(struct driver *d, struct fence *s, int32_t status)
{
	if (fence_status(s))
		return;
	*(struct completion *)s->record.host = (struct completion){ .status = status, .done = 1 };
	fence_reach(d, s, UINT64_MAX);
}

void fence_missed(struct driver *d, struct fence *s, uint64_t value, int32_t status)
{
	if (s->turns)
		fence_reach(d, s, value);
	else
		fail(d, s, status);
}

static void apply_signal(struct driver *d, struct work *work)
{
	struct signal *g = work_owner(work, struct signal, work);
	struct fence *s = g->fence;
	if (g->status)
		fail(d, s, g->status);
	else
		fence_reach(d, s, g->value);
	if (s->fd >= 0)
		fence_shared_signalled(s);
	if (g != &s->first)
		free(g);
}

/* ---- software state ---- */
int fence_signal(struct fence *s, uint64_t value, int32_t status)
{
	if (s->failed || (!status && value <= s->signalled))
		return 0;
	struct signal *g = s->signalled ? malloc(sizeof *g) : &s->first;
	if (!g)
		return KMD_NO_MEMORY;
	*g = (struct signal){ .work.apply = apply_signal, .fence = s, .value = value, .status = status };
	s->signalled = status ? UINT64_MAX : value;
	s->failed = status != 0;
	s->queued += s->fd >= 0;
	work_queue(s->driver->caller, &g->work);
	s->signal_seq = g->work.seq;
	return 0;
}

int ioctl_fence_signal(struct file *f, struct kmd_signal *a)
{
	if (a->status > 0)
		return KMD_INVALID;
	HOLDING_FILE(f);
	struct fence *s = handle_get(f, a->fence, HANDLE_FENCE);
	if (!s)
		return KMD_BAD_HANDLE;
	if (s->turns)
		return KMD_INVALID;
	const bool binary = !a->value && !a->status;
	const int error = fence_signal(s, binary ? s->signals + 1 : a->value, a->status);
	s->signals += binary && !error;
	return error;
}

struct fence *fence_point(const struct file *f, uint32_t handle, uint64_t *value)
{
	const struct sync_file *sync = handle_get(f, handle, HANDLE_SYNC_FILE);
	struct fence *s = sync ? sync->fence : handle_get(f, handle, HANDLE_FENCE);
	if (sync)
		*value = sync->value;
	else if (s && s->turns)
		*value = s->signals;
	return s;
}

int ioctl_fence_query(struct file *f, struct kmd_fence_value *a)
{
	HOLDING_FILE(f);
	const struct sync_file *sync = handle_get(f, a->fence, HANDLE_SYNC_FILE);
	const struct fence *s = fence_point(f, a->fence, &a->value);
	if (!s)
		return KMD_BAD_HANDLE;
	a->status = fence_status(s);
	a->value = fence_value(s);
	a->waits = sync ? sync->value - 1 : s->waits;
	return 0;
}

static void fence_free(struct fence *s)
{
	s->file->objects--;
	memory_slot_free(s->driver, s->record);
	memory_slot_free(s->driver, s->payload);
	free(s);
}

/* Its memory is given back once its last signal is known to have been applied. */
void fence_unref(struct fence *s)
{
	struct file *f = s->file;
	if (--s->refs)
		return;
	if (s->fd >= 0) {
		fence_shared_release(s);
		return;
	}
	s->dead_next = NULL;
	*f->dead_tail = s;
	f->dead_tail = &s->dead_next;
}

void fences_reap(struct file *f, bool all)
{
	struct fence **at = &f->dead_fences;
	while (*at) {
		struct fence *s = *at;
		if (!all && s->signal_seq > f->covered_seq) {
			at = &s->dead_next;
			continue;
		}
		*at = s->dead_next;
		fence_free(s);
	}
	f->dead_tail = at;
}

int ioctl_fence_close(struct file *f, struct kmd_fence *a)
{
	HOLDING_FILE(f);
	struct fence *s = handle_take(f, a->fence, HANDLE_FENCE);
	struct command *c = s ? NULL : handle_take(f, a->fence, HANDLE_COMMAND);
	struct sync_file *sync = s || c ? NULL : handle_take(f, a->fence, HANDLE_SYNC_FILE);
	if (s)
		fence_unref(s);
	if (c)
		command_unref(c);
	if (sync)
		sync_file_close(sync);
	return s || c || sync ? 0 : KMD_BAD_HANDLE;
}
