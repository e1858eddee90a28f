/* One line on a terminal that tells of a command that has run for seconds: standard error shows it, and it is erased when
 * the command has ended. Never anywhere but on a terminal, and not with GALENA_LOG=none. All of it is hardware state. */
#include "base/log.h"
#include "runtime/kmd/observe.h"
#include "runtime/kmd/top_file.h"
#include <inttypes.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define SHOWN_AFTER_NS 5000000000ull
#define REFRESH_NS 500000000ull

void status_open(struct driver *d)
{
	d->status.wanted = isatty(STDERR_FILENO) && log_enabled(LOG_ERROR);
}

/* Out past stdio, which allocates in the application's heap. */
static void put(const char *text, size_t length)
{
	if (write(STDERR_FILENO, text, length) < 0)
		return; /* then it cannot be shown */
}

void status_clear(struct driver *d)
{
	static const char erase[] = "\r\033[K";
	if (d->status.shown)
		put(erase, sizeof erase - 1);
	d->status.shown = false;
}

/* The command that a hardware queue runs, and what the device tells of it; NULL: none. */
static const struct command *running(const struct device *dev, struct bus_progress *p)
{
	for (unsigned i = 0; i < REG_QUEUES; i++)
		if (dev->slots[i] && dev->slots[i]->inflight && bus_progress(dev->bus, i, p))
			return dev->slots[i]->inflight;
	return NULL;
}

static void show(struct driver *d, const struct device *dev, const struct command *c, const struct bus_progress *p)
{
	driver_lock(d);
	const char *name = label_name(d, c->label);
	driver_unlock(d);
	char text[256], line[300];
	struct winsize size = { 0 };
	uint64_t cycles = bus_cycle(dev->bus) - p->begun;
	if (p->entry)
		snprintf(text, sizeof text, "galena: device %u: kernel %s: %" PRIu64 " cycles, %" PRIu64 " of %" PRIu64 " work-groups done",
			 dev->index, name ? name : "?", cycles, p->done, p->total);
	else
		snprintf(text, sizeof text, "galena: device %u: transfer: %" PRIu64 " cycles, %" PRIu64 " bytes done", dev->index, cycles, p->done);
	ioctl(STDERR_FILENO, TIOCGWINSZ, &size);
	int width = size.ws_col > 1 && size.ws_col < sizeof text ? size.ws_col - 1 : (int)sizeof text - 1; /* a line, never two */
	int n = snprintf(line, sizeof line, "\r%.*s\033[K", width, text);
	put(line, (size_t)n);
	d->status.shown = true;
}

void status_tick(struct driver *d, const struct device *dev)
{
	struct bus_progress p;
	uint64_t now = top_now();
	if (d->status.shown && now - d->status.refreshed < REFRESH_NS)
		return;
	const struct command *c = running(dev, &p);
	if (!c)
		return;
	if (c != d->status.command || c->ordinal != d->status.ordinal) {
		d->status.command = c;
		d->status.ordinal = c->ordinal;
		d->status.since = now;
	}
	if (now - d->status.since < SHOWN_AFTER_NS)
		return;
	d->status.refreshed = now;
	show(d, dev, c, &p);
}
