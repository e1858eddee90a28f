/* What a mismatch is, in words. */
#include "lockstep/lockstep.h"
#include "abi/codes.h"
#include "model/cu/decode.h"
#include <inttypes.h>
#include <string.h>

static const char *const streams[LOCKSTEP_STREAMS] = { "warp", "queue", "transfers of queue", "waits of", "payload" };

static void print_stream(const struct lockstep_mismatch *m, FILE *f)
{
	const struct lockstep_key *k = &m->key;
	fprintf(f, "lockstep: the two devices differ: ");
	if (k->stream == LOCKSTEP_WARP)
		fprintf(f, "queue %u, dispatch %" PRIu64 ", work-group %" PRIu64 ", warp %" PRIu32 ", instruction %" PRIu64 "\n", k->queue, k->dispatch,
			k->group, k->number, m->ordinal);
	else if (k->stream == LOCKSTEP_PAYLOAD)
		fprintf(f, "payload at %#" PRIx64 ", signal %" PRIu64 "\n", k->dispatch, m->ordinal);
	else
		fprintf(f, "%s %u, event %" PRIu64 "\n", streams[k->stream], k->queue, m->ordinal);
}

static void print_record(const struct lockstep_mismatch *m, unsigned side, FILE *f)
{
	const struct lockstep_record *r = &m->record[side];
	const struct event_row *row = event_row(r->kind);
	char text[80];
	fprintf(f, "  %c: ", 'A' + (int)side);
	if (!m->there[side]) {
		fprintf(f, "nothing more\n");
		return;
	}
	fprintf(f, "cycle %" PRIu64 ", %s", r->cycle, unit_name(r->unit));
	if (m->key.stream != LOCKSTEP_WARP) {
		fprintf(f, ", %s %#" PRIx64 " %#" PRIx64 "\n", row ? row->text : "?", r->a, r->b);
		return;
	}
	if (r->kind == EVENT_WARP_END) {
		fprintf(f, ", the warp has ended after %" PRIu64 " instructions\n", r->b);
		return;
	}
	insn_disassemble((uint32_t)r->b, r->a, text, sizeof text);
	fprintf(f, ", warp slot %" PRIu32 ", pc %#" PRIx64 ", %s, lanes %08" PRIx32 ": %s\n", r->warp, r->a, row ? row->text : "?", (uint32_t)(r->b >> 32), text);
}

/* Number n of the lanes in the mask. */
static unsigned lane_of(uint32_t mask, unsigned n)
{
	for (; n; n--)
		mask &= mask - 1;
	return mask ? (unsigned)__builtin_ctz(mask) : 0;
}

static void print_words(const struct lockstep_mismatch *m, FILE *f)
{
	const struct lockstep_record *a = &m->record[0], *b = &m->record[1];
	static const char *const of[] = { "address", "value", "expected" };
	if (a->kind != b->kind || a->b != b->b || a->count != b->count || m->key.stream != LOCKSTEP_WARP)
		return;
	const unsigned each = a->kind == EVENT_RETIRE ? 1 : 1 + (unsigned)(a->kind - EVENT_LANES_LOAD);
	for (unsigned i = 0; i < a->count; i++)
		if (a->words[i] != b->words[i]) {
			fprintf(f, "  lane %u, %s: A %#" PRIx64 ", B %#" PRIx64 "\n", lane_of((uint32_t)(a->b >> 32), i / each),
				a->kind == EVENT_RETIRE ? "result" : of[i % each], a->words[i], b->words[i]);
			return;
		}
}

void lockstep_print(const struct lockstep *l, FILE *f)
{
	const struct lockstep_mismatch *m = lockstep_mismatch(l);
	if (!m)
		return;
	print_stream(m, f);
	print_record(m, 0, f);
	print_record(m, 1, f);
	if (m->there[0] && m->there[1])
		print_words(m, f);
}
