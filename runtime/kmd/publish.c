/* Shows the devices to `galena top`. What the driver knows by itself is written a few times a second at
 * no cost that could be measured. Counters cross the bus, which takes device time, so they are read only
 * while `galena top` watches, and never when the bus is recorded. */
#define _GNU_SOURCE
#include "abi/environment.h"
#include "base/limit.h"
#include "base/setting.h"
#include "runtime/kmd/observe.h"
#include "runtime/kmd/top_file.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PERIOD_NS = 100000000 };
#define WATCH_NS 3000000000ull /* a look lasts so long */

struct publisher {
	struct top_file *file;
	int fd;
	bool may_read; /* counters, over the bus */
	char path[4096 + 64];
};

void publish_open(struct driver *d)
{
	static _Atomic unsigned serial;
	static const char *const recorders[] = { "GALENA_TRACE", "GALENA_HASH", "GALENA_EVENTS", "GALENA_WAVE" };
	struct limit_file_size limit;
	char directory[4096];
	if (!strcmp(environment_value("GALENA_TOP"), "0"))
		return;
	struct publisher *p = calloc(1, sizeof *p);
	if (!p || !top_directory(directory, sizeof directory, true))
		goto err_free;
	snprintf(p->path, sizeof p->path, "%s/%d.%u", directory, (int)getpid(), serial++);
	p->fd = open(p->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (p->fd < 0 && errno == EEXIST) { /* of a process that had this number before us */
		unlink(p->path);
		p->fd = open(p->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	}
	if (p->fd < 0)
		goto err_free;
	/* with its blocks: to touch a page that a full disk has none for would end the process */
	limit_file_size_hold(&limit);
	const bool sized = !posix_fallocate(p->fd, 0, sizeof *p->file);
	limit_file_size_let(&limit);
	if (!sized || flock(p->fd, LOCK_EX | LOCK_NB))
		goto err_close;
	p->file = mmap(NULL, sizeof *p->file, PROT_READ | PROT_WRITE, MAP_SHARED, p->fd, 0);
	if (p->file == MAP_FAILED)
		goto err_close;
	p->may_read = true;
	for (unsigned i = 0; i < sizeof recorders / sizeof recorders[0]; i++)
		p->may_read &= !setting(recorders[i]);
	struct top_file *f = p->file;
	sem_init(&f->wake, 1, 0);
	d->publish_wanted = &f->wake;
	f->version = TOP_VERSION;
	f->pid = getpid();
	f->num_devices = d->num_devices;
	snprintf(f->program, sizeof f->program, "%s", program_invocation_short_name);
	snprintf(f->config, sizeof f->config, "%s", environment_value("GALENA_CONFIG"));
	for (unsigned i = 0; i < d->num_devices; i++) {
		f->device[i].num_cu = d->devices[i].info.num_cu;
		f->device[i].warps_per_cu = d->devices[i].info.warps_per_cu;
		f->device[i].clock_mhz = d->devices[i].info.clock_mhz;
	}
	d->publisher = p;
	publish_now(d);
	__atomic_store_n(&f->magic, TOP_MAGIC, __ATOMIC_RELEASE); /* now there is something to see */
	return;
err_close:
	close(p->fd);
	unlink(p->path);
err_free:
	free(p); /* `galena top` does not see this process; that is no reason not to work */
}

void publish_unlink(struct driver *d)
{
	if (d->publisher)
		unlink(d->publisher->path);
}

void publish_close(struct driver *d)
{
	struct publisher *p = d->publisher;
	if (!p)
		return;
	unlink(p->path);
	munmap(p->file, sizeof *p->file);
	close(p->fd);
	free(p);
	d->publisher = NULL;
}

static uint32_t state_of(struct device *dev, unsigned slot, bool read)
{
	const struct queue *q = dev->slots[slot];
	if (read && !dev->lost)
		return bus_read32(dev->bus, (uint32_t)(REG_HOST_QUEUE_STATE + 4 * slot));
	if (!q)
		return QUEUE_UNMAPPED;
	return q->broken ? QUEUE_ERROR : q->inflight ? QUEUE_RUNNING : QUEUE_IDLE;
}

static void queue_show(struct device *dev, unsigned slot, bool read, struct top_queue *out)
{
	const struct queue *q = dev->slots[slot];
	*out = (struct top_queue){ .state = state_of(dev, slot, read) };
	if (!q)
		return;
	out->priority = q->priority;
	out->asid = q->desc->asid;
	out->ended = *queue_timeline(q);
	for (const struct command *c = q->inflight; c; c = c->next)
		out->waiting++;
	for (const struct command *c = q->backlog; c; c = c->next)
		out->waiting++;
}

static void device_show(struct device *dev, bool read, struct top_device *out)
{
	out->lost = dev->lost;
	out->faults = dev->faults_seen;
	out->queues_waiting = 0;
	for (const struct queue *q = dev->waiting; q; q = q->waiting_next)
		out->queues_waiting++;
	for (unsigned i = 0; i < REG_QUEUES; i++)
		queue_show(dev, i, read, &out->queue[i]);
	if (read)
		counters_sample(dev->bus, out->counters);
	out->cycle = bus_cycle(dev->bus);
	if (read)
		out->counted_cycle = out->cycle;
}

void publish_now(struct driver *d)
{
	struct publisher *p = d->publisher;
	struct top_file *f = p->file;
	uint64_t now = top_now();
	bool read = p->may_read && now - __atomic_load_n(&f->watched, __ATOMIC_RELAXED) < WATCH_NS;
	__atomic_store_n(&f->sequence, f->sequence + 1, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	for (unsigned i = 0; i < d->num_devices; i++)
		device_show(&d->devices[i], read, &f->device[i]);
	f->updated = d->published = now;
	__atomic_store_n(&f->sequence, f->sequence + 1, __ATOMIC_RELEASE);
}

void publish_tick(struct driver *d)
{
	if (top_now() - d->published >= PERIOD_NS)
		publish_now(d);
}
