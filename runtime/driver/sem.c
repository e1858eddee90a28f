/* Semaphores that the host signals. */
#include "runtime/driver/internal.h"
#include <stdlib.h>

int drv_sem_create(struct driver *d, struct drv_sem **out)
{
	struct drv_sem *s = calloc(1, sizeof *s);
	if (!s)
		return DRV_NO_MEMORY;
	s->driver = d;
	s->refs = 1;
	driver_lock(d);
	if (memory_slot_alloc(d, SLOT_SEM, s, &s->payload))
		goto err_free;
	if (memory_slot_alloc(d, SLOT_SEM, s, &s->record))
		goto err_payload;
	pthread_mutex_unlock(&d->lock);
	*out = s;
	return 0;
err_payload:
	memory_slot_free(d, s->payload);
err_free:
	pthread_mutex_unlock(&d->lock);
	free(s);
	return DRV_NO_MEMORY;
}

void drv_sem_wait_packet(const struct drv_sem *s, union packet *out)
{
	*out = (union packet){ .sem_wait = { .head.type = PACKET_CODE_sem_wait,
					     .semaphore = s->payload.pa,
					     .value = 1,
					     .status = s->record.pa } };
}

/* ---- device side ---- */
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

static void apply_signal(struct driver *d, struct post *post)
{
	struct drv_sem *s = post_owner(post, struct drv_sem, signal);
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

/* ---- plan ---- */
void drv_sem_signal(struct drv_sem *s, int32_t status)
{
	struct driver *d = s->driver;
	driver_lock(d);
	if (!s->posted) { /* the first signal counts */
		s->posted = true;
		s->status = status;
		s->signal.apply = apply_signal;
		pump_post(d, &s->signal, true);
	}
	pthread_mutex_unlock(&d->lock);
}

static void sem_free(struct drv_sem *s)
{
	memory_slot_free(s->driver, s->record);
	memory_slot_free(s->driver, s->payload);
	free(s);
}

/* Its memory is given back once its signal is known to have been applied. */
void sem_unref(struct drv_sem *s)
{
	struct driver *d = s->driver;
	if (--s->refs)
		return;
	s->dead_next = NULL;
	*d->dead_tail = s;
	d->dead_tail = &s->dead_next;
}

void sems_reap(struct driver *d, bool all)
{
	struct drv_sem **at = &d->dead_sems;
	while (*at) {
		struct drv_sem *s = *at;
		if (!all && s->posted && s->signal.seq > d->covered_seq) {
			at = &s->dead_next;
			continue;
		}
		*at = s->dead_next;
		sem_free(s);
	}
	d->dead_tail = at;
}

void drv_sem_release(struct drv_sem *s)
{
	if (!s)
		return;
	struct driver *d = s->driver;
	driver_lock(d);
	sem_unref(s);
	pthread_mutex_unlock(&d->lock);
}
