/* What GALENA_COUNTERS asks for: the devices' counters, as a whole and by kernel.
 *
 * A device counts for everything that runs on it. So that a count belongs to one command, a device is
 * given one command at a time while anybody counts, and one whose waits are over, so that nothing has
 * to run beside it; the counters are read before it and after it. Results are the same, the time that
 * commands would have shared is not. */
#define _GNU_SOURCE
#include "base/keep.h"
#include "icd/limits.h"
#include "runtime/driver/counter_report.h"
#include "runtime/driver/internal.h"
#include "traces/output_name.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LABEL_TRANSFERS = 1 };

struct share { /* of one kernel on one device */
	uint64_t calls, cycles;
	struct counter_values values;
};
struct kernel_row {
	char *name;
	struct share share[DRIVER_MAX_DEVICES];
};
struct kernels {
	struct kernel_row *rows; /* by label - 1 */
	uint32_t num_rows;
	struct {
		const struct drv_command *running; /* the only command on the device */
		struct counter_values before, total;       /* total: as of the last command that was counted, at cycle */
		uint64_t cycle;
	} device[DRIVER_MAX_DEVICES];
	struct keep keep;
	char *kept;     /* the file that has the report so far, should the program not come to its end; NULL: none */
	bool temporary; /* what is in it is printed at the end, by the program itself or by `galena run` */
	bool json;
};

/* ---- labels ---- */
static uint32_t label_find(struct kernels *k, const char *name)
{
	for (uint32_t i = 0; i < k->num_rows; i++)
		if (!strcmp(k->rows[i].name, name))
			return i + 1;
	struct kernel_row *grown = realloc(k->rows, (k->num_rows + 1) * sizeof *grown);
	if (!grown)
		return 0;
	k->rows = grown;
	grown[k->num_rows] = (struct kernel_row){ .name = strdup(name) };
	return grown[k->num_rows].name ? ++k->num_rows : 0;
}

uint32_t drv_label(struct driver *d, const char *name)
{
	if (!d->kernels)
		return 0;
	driver_lock(d);
	uint32_t label = label_find(d->kernels, name);
	pthread_mutex_unlock(&d->lock);
	return label;
}

/* Counters that are printed are kept in a file that `galena run` knows by its own mark (tools/program_run.c). */
static void kept_open(struct kernels *k, const char *where)
{
	const char *run = getenv("GALENA_RUN"), *error;
	k->temporary = !strcmp(where, "1");
	if (k->temporary && (!run || !*run || asprintf(&k->kept, "/tmp/galena-counters-%.64s-%d", run, (int)getpid()) < 0))
		k->kept = NULL;
	if (!k->temporary && (where = output_name(where, &error)))
		k->kept = realpath(where, NULL); /* a program may change its directory */
	const int fd = k->kept && k->temporary ? open(k->kept, O_WRONLY | O_CLOEXEC | O_CREAT | O_EXCL, 0600) : -1;
	if (fd >= 0) {
		close(fd);
	} else if (k->temporary) {
		free(k->kept);
		k->kept = NULL;
	}
	k->json = k->kept && !k->temporary && counter_report_json(k->kept);
}

int kernels_init(struct driver *d)
{
	const char *where = getenv("GALENA_COUNTERS");
	d->kernels = calloc(1, sizeof *d->kernels);
	if (!d->kernels || label_find(d->kernels, "(copies and fills)") != LABEL_TRANSFERS) {
		kernels_fini(d);
		return DRV_NO_MEMORY;
	}
	kept_open(d->kernels, where ? where : "1");
	return 0;
}

static void kept_close(struct kernels *k)
{
	if (k->kept && k->temporary)
		unlink(k->kept);
	free(k->kept);
	k->kept = NULL;
}

void kernels_fini(struct driver *d)
{
	for (uint32_t i = 0; d->kernels && i < d->kernels->num_rows; i++)
		free(d->kernels->rows[i].name);
	if (d->kernels) {
		kept_close(d->kernels);
		free(d->kernels->rows);
	}
	free(d->kernels);
	d->kernels = NULL;
}

static void report_print(FILE *, const struct driver *, bool json, const struct counter_values *, const uint64_t *cycles);

/* Nothing is asked of the devices: what crosses their bus does not depend on the host's time. */
static void report_keep(struct driver *d)
{
	struct kernels *k = d->kernels;
	struct counter_values totals[DRIVER_MAX_DEVICES];
	uint64_t cycles[DRIVER_MAX_DEVICES];
	char *text = NULL;
	size_t length = 0;
	if (!k->kept || !keep_due(&k->keep, true))
		return;
	for (unsigned i = 0; i < d->num_devices; i++) {
		totals[i] = k->device[i].total;
		cycles[i] = k->device[i].cycle;
	}
	FILE *f = open_memstream(&text, &length);
	if (f) {
		driver_lock(d); /* of the rows */
		report_print(f, d, k->json, totals, cycles);
		pthread_mutex_unlock(&d->lock);
		struct limit_file_size hold;
		limit_file_size_hold(&hold);
		/* opened each time: the application may close any descriptor, and have a file of its own by that number */
		const int fd = fclose(f) ? -1 : open(k->kept, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
		if (fd >= 0 && pwrite(fd, text, length, 0) == (ssize_t)length && ftruncate(fd, (off_t)length))
			length = 0; /* what is behind it is of a longer report, and nobody can help it */
		if (fd >= 0)
			close(fd);
		limit_file_size_let(&hold);
		free(text);
	}
	keep_done(&k->keep);
}

/* ---- one command at a time; the device side ---- */
bool kernels_begin(struct driver *d, struct device *dev, const struct drv_command *c)
{
	struct kernels *k = d->kernels;
	if (k->device[dev->index].running || !slots_waits_over(d, c))
		return false;
	k->device[dev->index].running = c;
	counters_sample(dev->bus, k->device[dev->index].before.of);
	return true;
}

static uint32_t label_of(const struct drv_command *c)
{
	uint32_t label = 0;
	for (unsigned i = 0; i < c->num_packets; i++) {
		unsigned type = c->packets[i].head.type;
		if (type == PACKET_CODE_dispatch)
			return c->packets[i].head.tag;
		if (type == PACKET_CODE_copy || type == PACKET_CODE_fill)
			label = LABEL_TRANSFERS;
	}
	return label;
}

void kernels_end(struct driver *d, struct device *dev, const struct drv_command *c, bool counted)
{
	struct kernels *k = d->kernels;
	const struct completion *record = c->record.host;
	uint32_t label = label_of(c);
	struct counter_values now;
	if (k->device[dev->index].running != c)
		return;
	k->device[dev->index].running = NULL;
	if (!counted || !label)
		return;
	counters_sample(dev->bus, now.of);
	driver_lock(d);
	struct share *s = &k->rows[label - 1].share[dev->index];
	s->calls++;
	s->cycles += record->end - record->start;
	for (unsigned i = 0; i < COUNTERS_MAX; i++)
		s->values.of[i] += now.of[i] - k->device[dev->index].before.of[i]; /* right over a wrap, too */
	pthread_mutex_unlock(&d->lock);
	k->device[dev->index].total = now;
	k->device[dev->index].cycle = bus_cycle(dev->bus);
	report_keep(d);
}

/* ---- the report ---- */
static int by_cycles(const void *a, const void *b)
{
	const struct counter_row *x = a, *y = b;
	if (x->cycles != y->cycles)
		return x->cycles < y->cycles ? 1 : -1;
	return strcmp(x->name, y->name);
}

/* The kernels that ran on a device, the longest first. */
static struct counter_row *rows_of(const struct kernels *k, unsigned device, uint32_t *count)
{
	struct counter_row *rows = calloc(k->num_rows + 1, sizeof *rows);
	*count = 0;
	for (uint32_t i = 0; rows && i < k->num_rows; i++) {
		const struct share *s = &k->rows[i].share[device];
		if (s->calls)
			rows[(*count)++] = (struct counter_row){ k->rows[i].name, s->calls, s->cycles, &s->values };
	}
	if (rows)
		qsort(rows, *count, sizeof *rows, by_cycles);
	return rows;
}

struct totals_read {
	unsigned device;
	uint64_t cycles;
	struct counter_values values;
};

static void totals_read(struct driver *d, void *arg)
{
	struct totals_read *t = arg;
	t->cycles = bus_cycle(d->devices[t->device].bus);
	counters_sample(d->devices[t->device].bus, t->values.of);
}

static void report_print(FILE *f, const struct driver *d, bool json, const struct counter_values *totals, const uint64_t *cycles)
{
	struct counter_report report = { f, json, 0 };
	counter_report_begin(&report);
	for (unsigned i = 0; i < d->num_devices; i++) {
		uint32_t count;
		struct counter_row *rows = rows_of(d->kernels, i, &count);
		counter_report_device(&report, i, cycles[i], &totals[i], rows, count);
		free(rows);
	}
	counter_report_end(&report);
}

void kernels_report(struct driver *d, const char *where)
{
	struct counter_values totals[DRIVER_MAX_DEVICES];
	uint64_t cycles[DRIVER_MAX_DEVICES];
	const char *error;
	if (strcmp(where, "1") && !(where = output_name(where, &error))) {
		fprintf(stderr, "galena: the counters: %s\n", error);
		return;
	}
	FILE *f = strcmp(where, "1") ? fopen(where, "we") : stderr;
	if (!f) {
		fprintf(stderr, "galena: cannot write the counters to %s: %s\n", where, strerror(errno));
		return;
	}
	for (unsigned i = 0; i < d->num_devices; i++) {
		struct totals_read t = { .device = i };
		pump_call(d, totals_read, &t);
		totals[i] = t.values;
		cycles[i] = t.cycles;
	}
	report_print(f, d, counter_report_json(where), totals, cycles);
	if (f != stderr)
		fclose(f);
	kept_close(d->kernels);
}
