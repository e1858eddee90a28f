#include "tools/trace_events.h"
#include "abi/codes.h"
#include "tools/galena.h"
#include "tools/trace_names.h"
#include "traces/event_file.h"
#include "traces/program_end.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool events_is(const char *path)
{
	char magic[9];
	return !strcmp(stream_magic(path, magic), event_file_kind.magic);
}

static bool selected(const struct event *e, const struct events_filter *f)
{
	const struct event_row *row = event_row(e->kind);
	return e->cycle >= f->from && e->cycle <= f->to && (!f->block || !strcmp(f->block, row->block)) &&
	       (!f->kind || !strcmp(f->kind, row->text));
}

/* 0, or an exit code when no row of the table has the names. */
static int filter_check(const struct events_filter *f)
{
	bool block = !f->block, kind = !f->kind;
	for (unsigned k = 0; k < EVENT_KINDS; k++) {
		const struct event_row *row = event_row(k);
		block |= row && f->block && !strcmp(f->block, row->block);
		kind |= row && f->kind && !strcmp(f->kind, row->text);
	}
	if (!block)
		return fail(EXIT_USAGE, "trace: no block is called '%s'", f->block);
	return kind ? 0 : fail(EXIT_USAGE, "trace: no event is called '%s'; `galena trace dump --count FILE` names those of a file", f->kind);
}

/* first is word a of the same event. */
static void word_print(const char *name, uint64_t v, uint64_t first)
{
	const int n = (int)strcspn(name, "*:");
	char text[512];
	if (!n)
		return;
	printf(" %.*s ", n, name);
	if (name[n] == '*')
		printf("0x%" PRIx64, v);
	else if (!strcmp(name + n, ":held"))
		fputs(register_value(text, sizeof text, first, v), stdout);
	else if (name[n])
		fputs(value_name(text, sizeof text, name + n + 1, v), stdout);
	else
		printf("%" PRIu64, v);
}

static void event_print(unsigned device, const struct event *e)
{
	const struct event_row *row = event_row(e->kind);
	char queue[16] = "-", asid[16] = "-";
	if (e->queue != EVENT_NO_QUEUE)
		snprintf(queue, sizeof queue, e->queue >= EVENT_HOST_WAIT ? "h%u" : "q%u", e->queue & 0xff);
	if (e->asid)
		snprintf(asid, sizeof asid, "as%u", e->asid);
	printf("%12" PRIu64 " dev%u %-6s %-14s %-5s %-4s %-6s", e->cycle, device, row->block, row->text, unit_name(e->unit),
	       queue, asid);
	word_print(row->a, e->a, e->a);
	word_print(row->b, e->b, e->a);
	word_print(row->c, e->c, e->a);
	putchar('\n');
}

struct tally {
	uint64_t kinds[EVENT_KINDS], all, first[EVENT_FILE_DEVICES], last[EVENT_FILE_DEVICES];
};

/* Reads the whole file, and counts what the filter selects. */
static int events_read(const char *path, const struct events_filter *f, bool dump, bool info, struct tally *t)
{
	const char *error = NULL;
	struct event_record rec;
	struct event_reader *r;
	int n = filter_check(f);
	if (n)
		return n;
	r = event_reader_open(path, &error);
	if (!r)
		return fail(EXIT_FAILED, "%s", error);
	for (uint64_t read = 0; (n = event_reader_next(r, &rec, &error)) > 0; read++) {
		const struct event *e = &rec.event;
		if (read % PROGRESS_RECORDS == 0)
			progress_show(event_reader_progress(r), "reading");
		if (rec.opened) {
			t->first[rec.device] = UINT64_MAX;
			if (info || dump)
				printf(dump ? "# device %u %s %s %s\n" : "device %u    %s %s %s\n", rec.device, rec.name,
				       rec.config, rec.speed == BUS_TIMED ? "timed" : "functional");
			continue;
		}
		if (!selected(e, f))
			continue;
		t->all++;
		t->kinds[e->kind]++;
		if (e->cycle < t->first[rec.device])
			t->first[rec.device] = e->cycle;
		if (e->cycle > t->last[rec.device])
			t->last[rec.device] = e->cycle;
		if (dump)
			event_print(rec.device, e);
	}
	progress_end();
	if (n == 0 && (info || dump) && *program_end_text(event_reader_end(r)))
		printf(info ? "end         %s\n" : "# %s\n", program_end_text(event_reader_end(r)));
	event_reader_close(r);
	return n < 0 ? fail(EXIT_FAILED, "%s", error) : EXIT_OK;
}

static void kinds_print(const struct tally *t)
{
	for (unsigned k = 0; k < EVENT_KINDS; k++)
		if (t->kinds[k])
			printf("  %-6s %-14s %" PRIu64 "\n", event_row(k)->block, event_row(k)->text, t->kinds[k]);
}

int events_info(const char *path)
{
	struct tally t = { 0 };
	int rc = events_read(path, &(struct events_filter){ .to = UINT64_MAX }, false, true, &t);
	if (rc)
		return rc;
	printf("events      %" PRIu64 "\n", t.all);
	for (unsigned i = 0; i < EVENT_FILE_DEVICES; i++)
		if (t.last[i])
			printf("device %u    cycles %" PRIu64 " to %" PRIu64 "\n", i, t.first[i], t.last[i]);
	kinds_print(&t);
	return EXIT_OK;
}

int events_dump(const char *path, const struct events_filter *f)
{
	struct tally t = { 0 };
	return events_read(path, f, true, false, &t);
}

int events_count(const char *path, const struct events_filter *f)
{
	struct tally t = { 0 };
	int rc = events_read(path, f, false, false, &t);
	if (rc)
		return rc;
	kinds_print(&t);
	printf("  %-6s %-14s %" PRIu64 "\n", "", "all", t.all);
	return EXIT_OK;
}
