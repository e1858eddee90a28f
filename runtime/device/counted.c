/* GALENA_COUNTERS for programs that bring their own driver: what their devices have counted, when the program ends. A device
 * is read when it is closed, or at the end when it is still open and no thread is inside a call on it. */
#define _GNU_SOURCE
#include "runtime/device/internal.h"
#include "runtime/driver/counter_report.h"
#include "traces/output_name.h"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { EXIT_WAIT_MS = 1000 };

struct counted {
	struct galena_device *device; /* NULL: it was closed, and these are its counters */
	unsigned index;
	uint64_t cycles;
	struct counter_values values;
	struct counted *next;
};

/* In the order in which they were opened. */
static struct {
	pthread_mutex_t lock;
	struct counted *first, **last;
	pid_t owner;
} all = { .lock = PTHREAD_MUTEX_INITIALIZER };

static const char *setting(void)
{
	const char *s = getenv("GALENA_COUNTERS");
	return s && *s && strcmp(s, "0") ? s : NULL;
}

static bool claim(struct galena_device *d)
{
	for (unsigned ms = 0; atomic_exchange(&d->inside, true); ms++) {
		if (ms == EXIT_WAIT_MS)
			return false;
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
	return true;
}

static void sample(struct counted *c)
{
	c->cycles = bus_cycle(c->device->bus);
	counters_sample(c->device->bus, c->values.of);
}

/* NULL after a line that says why. */
static FILE *report_open(const char *where, bool *json)
{
	const char *error;
	*json = false;
	if (!strcmp(where, "1"))
		return stderr;
	where = output_name(where, &error);
	FILE *f = where ? fopen(where, "we") : NULL;
	if (!where)
		fprintf(stderr, "galena: the counters: %s\n", error);
	else if (!f)
		fprintf(stderr, "galena: cannot write the counters to %s: %s\n", where, strerror(errno));
	else
		*json = counter_report_json(where);
	return f;
}

static void at_exit(void)
{
	const char *where = setting();
	if (all.owner != getpid() || !where || pthread_mutex_trylock(&all.lock))
		return;
	struct counter_report report = { 0 };
	report.file = report_open(where, &report.json);
	if (report.file)
		counter_report_begin(&report);
	for (struct counted *c = all.first; report.file && c; c = c->next) {
		if (c->device && !claim(c->device)) {
			fprintf(stderr, "galena: the counters of device %u: a thread is still inside a call on it\n", c->index);
			continue;
		}
		if (c->device)
			sample(c);
		counter_report_device(&report, c->index, c->cycles, &c->values, NULL, 0);
	}
	if (report.file)
		counter_report_end(&report);
	if (report.file && report.file != stderr)
		fclose(report.file);
	pthread_mutex_unlock(&all.lock);
}

/* Once the bus is open: what records it ends after us, at exit. */
void counted_open(struct galena_device *d, unsigned index)
{
	if (!setting())
		return;
	struct counted *c = calloc(1, sizeof *c);
	if (!c) {
		fputs("galena: the counters: out of memory\n", stderr);
		return;
	}
	c->device = d;
	c->index = index;
	pthread_mutex_lock(&all.lock);
	if (all.owner != getpid()) { /* a forked child counts what it opens itself */
		all.first = NULL;
		all.last = &all.first;
		if (!all.owner)
			atexit(at_exit);
		all.owner = getpid();
	}
	*all.last = c;
	all.last = &c->next;
	pthread_mutex_unlock(&all.lock);
	d->counted = true;
}

void counted_close(struct galena_device *d)
{
	if (!d->counted)
		return;
	pthread_mutex_lock(&all.lock);
	for (struct counted *c = all.first; c; c = c->next)
		if (c->device == d) {
			sample(c);
			c->device = NULL;
		}
	pthread_mutex_unlock(&all.lock);
}

void counted_enter(struct galena_device *d)
{
	while (atomic_exchange(&d->inside, true)) /* the end of the process reads its counters */
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}
