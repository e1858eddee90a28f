#include "tools/galena.h"
#include "tools/trace_draw.h"
#include "tools/trace_events.h"
#include "tools/trace_names.h"
#include "traces/program_end.h"
#include "traces/replay.h"
#include "traces/trace_reader.h"
#include <argp.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The call that a device is in: its RETURN is that of this one. */
static struct { unsigned kind; uint64_t offset; } calls[TRACE_MAX_DEVICES];

static void return_print(const struct trace_record *r)
{
	static const char *const waits[] = { "irq", "limit", "idle" };
	const unsigned device = r->device % TRACE_MAX_DEVICES, kind = calls[device].kind;
	char text[512];
	if (kind == TRACE_WAIT)
		fputs(r->a < sizeof waits / sizeof *waits ? waits[r->a] : "?", stdout);
	else if (kind == TRACE_READ32 || kind == TRACE_READ64)
		fputs(register_value(text, sizeof text, calls[device].offset, r->a), stdout);
	printf("%sat cycle %" PRIu64 "\n", kind == TRACE_WRITE32 || kind == TRACE_WRITE64 ? "" : " ", r->b);
}

static void record_print(const struct trace_record *r, uint64_t n)
{
	char name[64], text[512];
	printf("%8" PRIu64 " dev%u %-9s ", n, r->device, trace_kind_name(r->kind));
	switch (r->kind) {
	case TRACE_OPEN:
		printf("%s %s %s\n", r->name, r->config, r->a ? "functional" : "timed");
		break;
	case TRACE_READ32:
	case TRACE_READ64:
	case TRACE_WRITE32:
	case TRACE_WRITE64:
		printf("%04" PRIx64 " %s", r->a, register_name(name, sizeof name, r->a));
		if (r->kind == TRACE_WRITE32 || r->kind == TRACE_WRITE64)
			printf(" = %s", register_value(text, sizeof text, r->a, r->b));
		putchar('\n');
		break;
	case TRACE_WAIT:
		printf("limit %" PRIu64 "\n", r->a);
		break;
	case TRACE_RETURN:
		return_print(r);
		break;
	case TRACE_READS:
		printf("hash %016" PRIx64 "\n", r->a);
		break;
	case TRACE_MEM_READ:
	case TRACE_MEM_WRITE:
	case TRACE_PAGE:
		printf("%010" PRIx64 " %" PRIu64 " bytes%s", r->a, r->b, r->kind == TRACE_PAGE ? " of delta :" : !r->ok ? " refused: not pinned" : r->data ? " :" : "");
		for (uint64_t i = 0; r->data && i < r->b && i < 16; i++)
			printf(" %02x", r->data[i]);
		puts(r->data && r->b > 16 ? " ..." : "");
		break;
	default:
		puts("");
	}
	if (r->kind == TRACE_WAIT || (r->kind >= TRACE_READ32 && r->kind <= TRACE_WRITE64)) {
		calls[r->device % TRACE_MAX_DEVICES].kind = r->kind;
		calls[r->device % TRACE_MAX_DEVICES].offset = r->a;
	}
}

/* Reads the whole file; prints records if dump. */
static int trace_read(const char *path, bool dump)
{
	const char *error = NULL;
	struct trace_record rec;
	uint64_t counts[TRACE_KINDS] = { 0 }, read = 0, written = 0, pages = 0, cycles = 0;
	struct trace_reader *r = trace_reader_open(path, &error);
	int n;
	if (!r)
		return fail(EXIT_FAILED, "%s", error);
	while ((n = trace_reader_next(r, &rec, &error)) > 0) {
		if (dump)
			record_print(&rec, trace_reader_position(r) - 1);
		else if (rec.kind == TRACE_OPEN)
			printf("device %u    %s %s %s\n", rec.device, rec.name, rec.config, rec.a ? "functional" : "timed");
		counts[rec.kind]++;
		pages += rec.kind == TRACE_PAGE ? rec.b : 0;
		read += rec.kind == TRACE_MEM_READ && rec.ok ? rec.b : 0;
		written += rec.kind == TRACE_MEM_WRITE && rec.ok ? rec.b : 0;
		if (rec.kind == TRACE_RETURN && rec.b > cycles)
			cycles = rec.b;
		if (trace_reader_position(r) % PROGRESS_RECORDS == 0)
			progress_show(trace_reader_progress(r), "reading");
	}
	progress_end();
	if (n == 0 && !dump) {
		printf("records     %" PRIu64 "\nhash        %016" PRIx64 "\nlast cycle  %" PRIu64 "\n",
		       trace_reader_position(r), trace_reader_hash(r), cycles);
		if (*program_end_text(trace_reader_end(r)))
			printf("end         %s\n", program_end_text(trace_reader_end(r)));
		printf("system memory read %" PRIu64 " bytes, written %" PRIu64 " bytes; pages: %" PRIu64 " bytes\n", read, written, pages);
		for (int k = 1; k < TRACE_KINDS; k++)
			if (k != TRACE_END)
			printf("  %-10s %" PRIu64 "\n", trace_kind_name(k), counts[k]);
	}
	if (n == 0 && dump && *program_end_text(trace_reader_end(r)))
		printf("# %s\n", program_end_text(trace_reader_end(r)));
	trace_reader_close(r);
	return n < 0 ? fail(EXIT_FAILED, "%s", error) : EXIT_OK;
}

static void replay_progress(double part, void *arg)
{
	(void)arg;
	progress_show(part, "replaying");
}

static int trace_replay(const char *path, const char *config)
{
	struct replay_options o = { .config = config, .check_cycles = true, .progress = replay_progress };
	struct replay_result result;
	const char *error = NULL;
	unsetenv("GALENA_TRACE"); /* a replay is not recorded */
	unsetenv("GALENA_HASH");
	unsetenv("GALENA_INJECT"); /* what armed faults is in it */
	int rc = replay_run(path, &o, &result, &error);
	progress_end();
	if (rc < 0)
		return fail(EXIT_FAILED, "%s", error);
	if (rc > 0) {
		printf("differs at record %" PRIu64 ": %s\n", result.record, result.difference);
		return EXIT_DIFFERS;
	}
	if (config)
		printf("replayed %" PRIu64 " records on %s, every result as recorded: what the devices wrote, interrupts, registers but for times and "
		       "counters\n", result.records, config);
	else
		printf("replayed %" PRIu64 " records, every value, cycle, interrupt and byte as recorded; bus hash %016" PRIx64 "\n",
		       result.records, result.hash);
	if (*program_end_text(result.end))
		printf("then the %s\n", program_end_text(result.end));
	return EXIT_OK;
}

struct arguments { const char *verb, *file, *config; bool count, filtered; struct events_filter filter; };

enum { OPT_BLOCK = 256, OPT_KIND, OPT_FROM, OPT_TO, OPT_COUNT, OPT_CONFIG };

static const struct argp_option options[] = {
	{ "block", OPT_BLOCK, "NAME", 0, "dump of events: those of one block (driver, host, cp, mmu, ...)", 0 },
	{ "kind", OPT_KIND, "NAME", 0, "dump of events: those of one kind (irq-raise, tlb-fill, ...)", 0 },
	{ "from", OPT_FROM, "CYCLE", 0, "dump of events: those from this cycle on", 0 },
	{ "to", OPT_TO, "CYCLE", 0, "dump of events: those up to this cycle", 0 },
	{ "count", OPT_COUNT, NULL, 0, "dump of events: only their number, by kind", 0 },
	{ "config", OPT_CONFIG, "CONFIG", 0, "replay: on another configuration (full, mini, a file, each with any number of ,PARAMETER=VALUE), of which software sees the same; results are compared instead of accesses and cycles", 0 },
	{ 0 },
};

static error_t option_parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;
	switch (key) {
	case OPT_BLOCK: a->filter.block = arg; break;
	case OPT_KIND: a->filter.kind = arg; break;
	case OPT_FROM: a->filter.from = cycle_parse(arg, state); break;
	case OPT_TO: a->filter.to = cycle_parse(arg, state); break;
	case OPT_COUNT: a->count = true; break;
	case OPT_CONFIG:
		a->config = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num == 0)
			a->verb = arg;
		else if (state->arg_num == 1)
			a->file = arg;
		else
			argp_error(state, "unexpected argument '%s'", arg);
		return 0;
	case ARGP_KEY_END:
		if (!a->file)
			argp_error(state, "which verb, and which file?");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	a->filtered = true;
	return 0;
}

int command_trace(int argc, char **argv)
{
	static const struct argp argp = { options, option_parse, "info|dump|replay|draw FILE",
		"Looks at a bus trace or at an event file, replays a trace on the device without any runtime, or draws a waveform.\v"
		"  galena trace info t.bus     what it holds\n"
		"  galena trace dump t.bus     every record as a line\n"
		"  galena trace replay t.bus   make the same calls again and compare all that comes back\n"
		"  galena trace replay --config full,exact=1,l1_bytes=4096 t.bus   on other caches: compare what it comes to\n"
		"  galena trace dump --block mmu --from 20000 t.events\n"
		"  galena trace dump --count t.events\n"
		"  galena trace draw -o w.svg w.fst   signals over time; `galena trace draw --help`\n\n"
		"Exit: 0 as recorded, 1 the replay differs, 3 the trace cannot be read.", NULL, NULL, NULL };
	struct arguments a = { .filter.to = UINT64_MAX };
	if (argc > 1 && !strcmp(argv[1], "draw"))
		return trace_draw(argc - 1, argv + 1);
	argp_parse(&argp, argc, argv, 0, NULL, &a);
	bool events = events_is(a.file);
	if (a.filtered && (!events || strcmp(a.verb, "dump")))
		return fail(EXIT_USAGE, "trace: these options are for the dump of an event file");
	if (a.config && strcmp(a.verb, "replay"))
		return fail(EXIT_USAGE, "trace: --config is for replay");
	if (events && !strcmp(a.verb, "info"))
		return events_info(a.file);
	if (events && !strcmp(a.verb, "dump"))
		return a.count ? events_count(a.file, &a.filter) : events_dump(a.file, &a.filter);
	if (events && !strcmp(a.verb, "replay"))
		return fail(EXIT_USAGE, "trace: %s holds events; what can be replayed is recorded with --trace", a.file);
	if (!strcmp(a.verb, "info"))
		return trace_read(a.file, false);
	if (!strcmp(a.verb, "dump"))
		return trace_read(a.file, true);
	if (!strcmp(a.verb, "replay"))
		return trace_replay(a.file, a.config);
	return fail(EXIT_USAGE, "trace: no verb '%s'; `galena trace --help`", a.verb);
}
