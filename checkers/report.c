/* The sink that checks, and the report of the program; in its recorder (traces/sender.h). */
#include "checkers/check.h"
#include "base/hold.h"
#include "checkers/checkers.h"
#include "abi/codes.h"
#include "abi/device_config.h"
#include "abi/failures.h"
#include "base/list.h"
#include "traces/output_name.h"
#include "traces/program_end.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINES_A_RULE = 10 };

struct check_sink {
	struct event_sink sink;
	struct check *check;
	struct check_sink *next;
	unsigned device;
	uint64_t events;
};

/* The program's. The lock orders devices of several drivers. */
static struct {
	pthread_mutex_t lock;
	int fd; /* no stdio: it would allocate in the application's heap */
	bool opened, unwritten;
	struct check_sink *open;
	uint64_t events, looked[NUM_RULES], broken[NUM_RULES], faults;
	bool short_of_memory, ended;
} report = { .lock = PTHREAD_MUTEX_INITIALIZER };

static char text[4096];
static size_t text_length;

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	int n = vsnprintf(text + text_length, sizeof text - text_length, format, ap);
	va_end(ap);
	text_length += n < 0 ? 0 : (size_t)n;
	if (text_length >= sizeof text)
		text_length = sizeof text - 1;
}

/* What was said since goes out at once, so that no other process's report comes between. */
static void said(void)
{
	if (text_length)
		report.unwritten |= write(report.fd, text, text_length) != (ssize_t)text_length;
	text_length = 0;
}

static void breach_print(const struct breach *b)
{
	const struct rule *r = &rules[b->rule];
	say("galena: check: %s: device %u cycle %" PRIu64 " %s", r->id, b->device, b->cycle,
		unit_name(b->unit));
	if (b->queue < SHADOW_QUEUES)
		say(" queue %u", b->queue);
	if (b->queue >= EVENT_HOST_WAIT && b->queue != EVENT_NO_QUEUE)
		say(" host wait %u", b->queue - EVENT_HOST_WAIT);
	if (b->in_packet)
		say(" packet %" PRIu64, b->packet);
	if (b->asid)
		say(" space %u", b->asid);
	say(" address 0x%" PRIx64 ": %s\n  %s, %s: %s\n", b->address, b->what, r->document, r->clause, r->text);
}

static void breach_report(void *ctx, const struct breach *b)
{
	(void)ctx;
	HOLDING(&report.lock);
	if (!report.ended) {
		uint64_t n = ++report.broken[b->rule];
		if (n <= LINES_A_RULE)
			breach_print(b);
		if (n == LINES_A_RULE)
			say("galena: check: %s: more of it is only counted\n", rules[b->rule].id);
		said();
	}
}

static void fault_report(const struct check_sink *s, const struct event *e, enum fault code)
{
	HOLDING(&report.lock);
	if (!report.ended) {
		if (++report.faults <= LINES_A_RULE) {
			say("galena: check: fault: device %u cycle %" PRIu64, s->device, e->cycle);
			if (e->queue != EVENT_NO_QUEUE)
				say(" queue %u", e->queue);
			if (e->kind == EVENT_PACKET_END)
				say(" packet %" PRIu64, e->a);
			say(": %s, %s\n", fault_name(code), fault_text(code));
		}
		if (report.faults == LINES_A_RULE)
			say("galena: check: fault: more of them are only counted\n");
		said();
	}
}

static void sink_event(struct event_sink *sink, const struct event *e)
{
	struct check_sink *s = (struct check_sink *)sink;
	if (__atomic_load_n(&report.ended, __ATOMIC_RELAXED))
		return;
	enum fault code = event_failure(e->kind, e->a, e->b, e->c);
	if (code)
		fault_report(s, e, code);
	s->events++;
	check_event(s->check, e);
}

static void totals_add(const struct check_sink *s)
{
	report.events += s->events;
	for (unsigned i = 0; i < NUM_RULES; i++)
		report.looked[i] += check_looked(s->check, i);
	report.short_of_memory |= check_short_of_memory(s->check);
}

/* What the process has come to: a line a broken rule, then the summary. Whether all held. */
static bool summary_print(void)
{
	unsigned exercised = 0, broken = 0;
	for (unsigned i = 0; i < NUM_RULES; i++) {
		exercised += report.looked[i] != 0;
		broken += report.broken[i] != 0;
		if (report.broken[i])
			say("galena: check: %s: broken %" PRIu64 " times in %" PRIu64 "\n", rules[i].id,
				report.broken[i], report.looked[i]);
	}
	say("galena: check: %u rules over %" PRIu64 " events: %u broken", (unsigned)NUM_RULES, report.events, broken);
	if (report.faults)
		say(", %" PRIu64 " fault%s", report.faults, report.faults == 1 ? "" : "s");
	if (exercised < NUM_RULES) {
		say("; not exercised:");
		for (unsigned i = 0; i < NUM_RULES; i++)
			if (!report.looked[i])
				say(" %s", rules[i].id);
	}
	say("\n");
	if (report.short_of_memory)
		say("galena: check: memory was short: not everything was checked\n");
	return !broken && !report.short_of_memory;
}

bool checkers_end(uint64_t how)
{
	if (!report.opened)
		return true;
	for (struct check_sink *s = report.open; s; s = s->next)
		check_finish(s->check);
	pthread_mutex_lock(&report.lock);
	for (struct check_sink *s = report.open; s; s = s->next)
		totals_add(s);
	__atomic_store_n(&report.ended, true, __ATOMIC_RELAXED);
	if (*program_end_text(how))
		say("galena: check: %s\n", program_end_text(how));
	bool held = summary_print();
	said();
	bool written = !report.unwritten;
	pthread_mutex_unlock(&report.lock);
	if (!written)
		fprintf(stderr, "galena: check: the report could not be written in full\n");
	return held && written;
}

/* lock held */
static bool report_open(const char *setting, const char **error)
{
	static char message[300];
	char *path = report.opened || !strcmp(setting, "1") ? NULL : output_expand(setting);
	if (!report.opened)
		report.fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : STDERR_FILENO;
	report.opened = report.fd >= 0;
	if (!report.opened) {
		snprintf(message, sizeof message, "GALENA_CHECK: cannot write the report %.200s: %s", path, strerror(errno));
		*error = message;
	}
	free(path);
	return report.opened;
}

/* Size of the lines of system memory that the device keeps, 0 for a coherent one. What is wrong with the configuration says
 * who opens the bus. */
static uint32_t held_lines(const struct bus_params *params)
{
	struct device_config config;
	char error[300];
	if (device_config_parse(params->config, &config, error, sizeof error) || config.coherent)
		return 0;
	return config.line_bytes;
}

struct event_sink *checkers_open(const char *setting, const struct bus_params *params, const char **error)
{
	struct check_sink *s = calloc(1, sizeof *s);
	struct check *c = check_create(params->index, held_lines(params), breach_report, NULL);
	*error = "GALENA_CHECK: out of memory";
	if (!s || !c)
		goto err_free;
	*s = (struct check_sink){ .sink.event = sink_event, .check = c, .device = params->index };
	pthread_mutex_lock(&report.lock);
	bool opened = report_open(setting, error);
	if (opened) {
		s->next = report.open;
		report.open = s;
	}
	pthread_mutex_unlock(&report.lock);
	if (opened) {
		*error = NULL;
		return &s->sink;
	}
err_free:
	check_destroy(c);
	free(s);
	return NULL;
}

void checkers_close(struct event_sink *sink)
{
	struct check_sink *s = (struct check_sink *)sink;
	check_finish(s->check); /* no event comes any more */
	pthread_mutex_lock(&report.lock);
	LIST_TAKE(report.open, s, next);
	if (!report.ended)
		totals_add(s);
	pthread_mutex_unlock(&report.lock);
	check_destroy(s->check);
	free(s);
}
