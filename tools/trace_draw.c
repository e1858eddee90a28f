/* `galena trace draw`: which signals, of which cycles, read from a waveform (FST). */
#define _GNU_SOURCE
#include "tools/trace_draw.h"
#include "tools/galena.h"
#include <errno.h>
#include <fnmatch.h>
#include <fstapi.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct arguments { const char *file, *output, *signals, *title; uint64_t from, to, mark; bool list; };

/* ---- the waveform ---- */

struct listed { char *name; fstHandle handle; unsigned bits; };
struct reader {
	struct draw draw;
	struct listed *list; /* all signals of the file */
	size_t count, room;
	struct draw_signal **of; /* by handle */
	fstHandle handles;
};

static void list_signals(struct reader *r, void *fst)
{
	char scope[PATH_MAX] = "";
	struct fstHier *node;
	while ((node = fstReaderIterateHier(fst))) {
		char name[PATH_MAX + 256];
		if (node->htyp == FST_HT_SCOPE)
			snprintf(scope, sizeof scope, "%s", node->u.scope.name);
		if (node->htyp != FST_HT_VAR)
			continue;
		if (r->count == r->room)
			r->list = checked(realloc(r->list, (r->room = r->room * 2 + 256) * sizeof *r->list));
		snprintf(name, sizeof name, "%s.%s", scope, node->u.var.name);
		r->list[r->count++] = (struct listed){ checked(strdup(name)), node->u.var.handle, node->u.var.length };
		if (node->u.var.handle > r->handles)
			r->handles = node->u.var.handle;
	}
	r->of = checked(calloc((size_t)r->handles + 1, sizeof *r->of));
}

static bool take(struct reader *r, const struct listed *l)
{
	if (r->of[l->handle])
		return true;
	if (r->draw.num_signals == DRAW_SIGNALS)
		return false;
	struct draw_signal *s = checked(malloc(sizeof *s));
	*s = (struct draw_signal){ .name = l->name, .bits = l->bits };
	r->draw.signals[r->draw.num_signals++] = r->of[l->handle] = s;
	return true;
}

/* In the order of the patterns; of one, in that of the file. */
static int choose(struct reader *r, char *patterns)
{
	for (char *pattern; (pattern = strsep(&patterns, ","));) {
		bool any = false;
		for (size_t i = 0; i < r->count; i++) {
			if (fnmatch(pattern, r->list[i].name, 0))
				continue;
			any = true;
			if (!take(r, &r->list[i]))
				return fail(EXIT_USAGE, "trace draw: more than %d signals; name fewer with --signals", DRAW_SIGNALS);
		}
		if (!any)
			return fail(EXIT_USAGE, "trace draw: no signal of the waveform is called '%s'; `galena trace draw --list FILE` names them", pattern);
	}
	return EXIT_OK;
}

static void changed(void *user, uint64_t cycle, fstHandle handle, const unsigned char *text)
{
	struct reader *r = user;
	struct draw_signal *s = handle <= r->handles ? r->of[handle] : NULL;
	if (!s || cycle > r->draw.to)
		return;
	const uint64_t value = strtoull((const char *)text, NULL, 2); /* x: nothing is known yet; 0 */
	if (cycle <= r->draw.from) {
		s->before = value;
		return;
	}
	if (value == (s->num_changes ? s->changes[s->num_changes - 1].value : s->before))
		return;
	if (s->num_changes == s->room)
		s->changes = checked(realloc(s->changes, (s->room = s->room * 2 + 64) * sizeof *s->changes));
	s->changes[s->num_changes++] = (struct draw_change){ cycle, value };
}

/* Signals of which nothing is to be seen. */
static void quiet_drop(struct draw *d)
{
	unsigned kept = 0;
	for (unsigned i = 0; i < d->num_signals; i++)
		if (d->signals[i]->num_changes)
			d->signals[kept++] = d->signals[i];
	d->num_signals = kept;
}

static int read_and_draw(const struct arguments *a, FILE *out)
{
	struct reader r = { .draw = { .title = a->title ? a->title : a->file, .from = a->from, .to = a->to, .mark = a->mark } };
	void *fst = fstReaderOpen(a->file);
	if (!fst)
		return fail(EXIT_FAILED, "trace draw: %s is no waveform, or cannot be read; `galena run --wave FILE` records one", a->file);
	if (r.draw.to > fstReaderGetEndTime(fst))
		r.draw.to = fstReaderGetEndTime(fst);
	list_signals(&r, fst);
	if (!out) {
		for (size_t i = 0; i < r.count; i++)
			printf(r.list[i].bits > 1 ? "%s[%u:0]\n" : "%s\n", r.list[i].name, r.list[i].bits - 1);
		return EXIT_OK;
	}
	if (r.draw.from >= r.draw.to)
		return fail(EXIT_USAGE, "trace draw: the waveform ends at cycle %" PRIu64 ", --from is %" PRIu64, fstReaderGetEndTime(fst), a->from);
	if (a->signals) {
		const int rc = choose(&r, checked(strdup(a->signals)));
		if (rc)
			return rc;
	} else {
		for (size_t i = 0; i < r.count && take(&r, &r.list[i]); i++)
			;
	}
	for (size_t i = 0; i < r.count; i++)
		if (r.of[r.list[i].handle])
			fstReaderSetFacProcessMask(fst, r.list[i].handle);
	if (!fstReaderIterBlocks(fst, changed, &r, NULL))
		return fail(EXIT_FAILED, "trace draw: %s is damaged", a->file);
	fstReaderClose(fst);
	if (!a->signals)
		quiet_drop(&r.draw);
	draw_svg(out, &r.draw);
	return EXIT_OK;
}

/* ---- the command ---- */

/* In a process of its own: the library that reads waveforms trusts them. */
static int draw(const struct arguments *a, FILE *out)
{
	int status;
	fflush(NULL);
	pid_t child = fork();
	if (child < 0)
		return fail(EXIT_FAILED, "trace draw: cannot start a process: %s", strerror(errno));
	if (!child) {
		const int rc = read_and_draw(a, out);
		fflush(NULL);
		_exit(out && ferror(out) ? fail(EXIT_FAILED, "trace draw: the picture cannot be written in full") : rc);
	}
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : fail(EXIT_FAILED, "trace draw: %s is damaged", a->file);
}

enum { OPT_FROM = 256, OPT_TO, OPT_MARK, OPT_SIGNALS, OPT_TITLE, OPT_LIST };
static const struct argp_option options[] = {
	{ "signals", OPT_SIGNALS, "LIST", 0, "names or patterns, with commas between: host.irq_line,dma*.busy (those that change)", 0 },
	{ "list", OPT_LIST, NULL, 0, "only print the names of all signals", 0 },
	{ "from", OPT_FROM, "CYCLE", 0, "from this cycle on (the first)", 0 },
	{ "to", OPT_TO, "CYCLE", 0, "up to this one (the last)", 0 },
	{ "mark", OPT_MARK, "CYCLE", 0, "a line through all signals", 0 },
	{ "title", OPT_TITLE, "TEXT", 0, "above the picture (the file's name)", 0 },
	{ "output", 'o', "FILE", 0, "where the picture goes (standard output)", 0 },
	{ 0 },
};

static error_t option_parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;
	switch (key) {
	case OPT_FROM: a->from = cycle_parse(arg, state); return 0;
	case OPT_TO: a->to = cycle_parse(arg, state); return 0;
	case OPT_MARK: a->mark = cycle_parse(arg, state); return 0;
	case OPT_SIGNALS: a->signals = arg; return 0;
	case OPT_TITLE: a->title = arg; return 0;
	case OPT_LIST: a->list = true; return 0;
	case 'o': a->output = arg; return 0;
	case ARGP_KEY_ARG:
		if (a->file)
			argp_error(state, "unexpected argument '%s'", arg);
		a->file = arg;
		return 0;
	case ARGP_KEY_END:
		if (!a->file)
			argp_error(state, "which waveform?");
		if (a->from >= a->to)
			argp_error(state, "--from is not before --to");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int trace_draw(int argc, char **argv)
{
	static const struct argp argp = { options, option_parse, "FILE.fst",
		"Draws signals of a waveform that `galena run --wave` recorded, as SVG.\v"
		"  galena trace draw -o w.svg w.fst\n"
		"  galena trace draw --list w.fst\n"
		"  galena trace draw --signals 'host.irq_line,queue0.*,dma*.busy' --from 13700000 --to 13740000 -o w.svg w.fst\n\n"
		"Exit: 2 when an option is off, 3 when the waveform cannot be read or the picture not be written.", NULL, NULL, NULL };
	struct arguments a = { .to = UINT64_MAX, .mark = UINT64_MAX };
	argp_parse(&argp, argc, argv, 0, NULL, &a);
	if (a.list)
		return draw(&a, NULL);
	FILE *out = a.output ? fopen(a.output, "w") : stdout;
	if (!out)
		return fail(EXIT_USAGE, "--output=%s: cannot write: %s", a.output, strerror(errno));
	const int rc = draw(&a, out);
	if (a.output && (fclose(out) || rc))
		unlink(a.output);
	return rc;
}
