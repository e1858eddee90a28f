#include "traces/inject_report.h"
#include "base/log.h"
#include "abi/injection.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct asked {
	struct injection_request request; /* its text is what was given, copied */
	bool opened, armed, happened;
	uint64_t armed_at, at, address;
	unsigned unit;
	struct asked *next;
};
static struct asked *first, **last = &first;
static bool short_of_memory;

static const char *block_of(uint32_t kind)
{
	static const char *const blocks[INJECT_KINDS] = {
#define INJECTION(name, code, block, arg, doc) [code] = block,
#include "abi/injections.def"
#undef INJECTION
	};
	return blocks[kind];
}

static void add(const struct injection_request *r, bool opened)
{
	struct asked *a = calloc(1, sizeof *a);
	char *text = strndup(r->text, (size_t)r->length);
	if (!a || !text) {
		short_of_memory = true;
		free(a);
		free(text);
		return;
	}
	a->request = *r;
	a->request.text = text;
	a->opened = opened;
	*last = a;
	last = &a->next;
}

/* The latest that was asked of the device. */
static struct asked *find(unsigned device, uint64_t kind)
{
	struct asked *found = NULL;
	for (struct asked *a = first; a; a = a->next)
		if (a->request.device == device && a->request.kind == kind)
			found = a;
	return found;
}

void inject_report_open(unsigned device, const char *text)
{
	struct injection_request r;
	const char *error;
	while (injection_next(&text, &r, &error) > 0) {
		struct asked *a = find(r.device, r.kind);
		if (r.device != device && !a)
			add(&r, false); /* its device may not be opened */
		else if (r.device == device && a && !a->opened)
			a->opened = true;
		else if (r.device == device)
			add(&r, true);
	}
}

void inject_report_event(unsigned device, const struct event *e)
{
	struct asked *a = find(device, e->a);
	if (!a)
		return;
	if (e->kind == EVENT_INJECT) {
		a->armed = true;
		a->armed_at = e->cycle;
		return;
	}
	a->happened = true;
	a->at = e->cycle;
	a->unit = e->unit;
	a->address = e->b;
}

/* Whose occasion it was: the block says what it counts (abi/injections.def). */
static void place_print(const struct asked *a)
{
	const char *block = block_of(a->request.kind);
	if (!strcmp(block, "sem") && a->unit >= EVENT_HOST_WAIT)
		fprintf(stderr, ", host wait %u", a->unit - EVENT_HOST_WAIT);
	else if (!strcmp(block, "sem") || !strcmp(block, "dma") || !strcmp(block, "media") || !strcmp(block, "cu") ||
		 a->request.kind == INJECT_DOORBELL_LATE)
		fprintf(stderr, ", queue %u", a->unit);
	else if (strcmp(block, "host"))
		fprintf(stderr, ", %s", unit_name(a->unit));
	if (a->address)
		fprintf(stderr, ", address 0x%" PRIx64, a->address);
}

void inject_report_end(void)
{
	for (const struct asked *a = first; a; a = a->next) {
		fprintf(stderr, "galena: inject: device %u: %s: ", a->request.device, a->request.text);
		if (a->happened) {
			fprintf(stderr, "happened at cycle %" PRIu64, a->at);
			place_print(a);
		} else if (a->armed) {
			fprintf(stderr, "did not happen; it was armed at cycle %" PRIu64, a->armed_at);
		} else {
			fprintf(stderr, "was not armed: %s", a->opened ? "the device did not boot" : "the program opened no such device");
		}
		fputc('\n', stderr);
	}
	if (short_of_memory)
		log_write(LOG_ALWAYS, "inject: memory was short: more was asked for");
}
