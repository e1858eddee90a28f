/* What GALENA_COUNTERS asks for: what each command adds to the counters of its device.
 *
 * A device counts for everything that runs on it. So that a count belongs to one command, a device is
 * given one command at a time while anybody counts, and one whose waits are over, so that nothing has
 * to run beside it; the counters are read before it and after it. Results are the same, the time that
 * commands would have shared is not. The bus takes what was counted; the report is made by the process that records
 * (traces/counter_file.c). */
#include "runtime/kmd/observe.h"
#include <stdlib.h>

struct kernels {
	struct {
		const struct command *running; /* the only command on the device */
		struct counter_values before;
	} device[DRIVER_MAX_DEVICES];
};

int kernels_init(struct driver *d)
{
	d->kernels = calloc(1, sizeof *d->kernels);
	return d->kernels ? 0 : KMD_NO_MEMORY;
}

void kernels_fini(struct driver *d)
{
	free(d->kernels);
	d->kernels = NULL;
}

/* ---- one command at a time; hardware state ---- */
bool kernels_begin(struct driver *d, struct device *dev, const struct command *c, bool overdue)
{
	struct kernels *k = d->kernels;
	if (k->device[dev->index].running || !(overdue || slots_waits_over(d, c)))
		return false;
	k->device[dev->index].running = c;
	counters_sample(dev->bus, k->device[dev->index].before.of);
	return true;
}

static uint32_t label_of(const struct command *c)
{
	uint32_t label = 0;
	for (unsigned i = 0; i < c->num_packets; i++) {
		unsigned type = c->packets[i].head.type;
		if (type == PACKET_CODE_dispatch)
			return c->packets[i].head.tag;
		if (type == PACKET_CODE_copy || type == PACKET_CODE_fill)
			label = LABEL_TRANSFERS;
		if (type == PACKET_CODE_process || type == PACKET_CODE_jpeg)
			return LABEL_MEDIA;
	}
	return label;
}

void kernels_end(struct driver *d, struct device *dev, const struct command *c, bool counted)
{
	struct kernels *k = d->kernels;
	const struct completion *record = c->record.host;
	uint32_t label = label_of(c);
	struct counter_values added = { 0 };
	if (k->device[dev->index].running != c)
		return;
	k->device[dev->index].running = NULL;
	if (!counted || !label)
		return;
	counters_sample(dev->bus, added.of);
	for (unsigned i = 0; i < COUNTERS_MAX; i++)
		added.of[i] -= k->device[dev->index].before.of[i]; /* right over a wrap, too */
	driver_lock(d);
	const char *name = label_name(d, label);
	driver_unlock(d);
	bus_counted(dev->bus, &(struct bus_count){ name, record->end - record->start, &added });
}
