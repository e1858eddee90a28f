/* Streams, and the comparison of two sides record by record. */
#include "lockstep/lockstep.h"
#include "abi/codes.h"
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { BUCKETS = 1024, SLOTS = 0x200, UNITS = 64, WARPS = 64 };

/* A record as a stream keeps it: of the words, as many as there are. */
struct kept {
	struct kept *next;
	size_t bytes;               /* of record */
	struct lockstep_record record;
};

struct stream {
	struct lockstep_key key;
	struct stream *next;        /* in its bucket */
	struct kept *head, **tail;  /* what one side is ahead of the other */
	unsigned ahead;             /* that side */
	uint64_t compared;          /* records, but those that say what an instruction accesses */
	uint64_t digest[2];
	uint64_t beats[2][3];       /* of a transfer: source, destination and bytes of what has moved and was not compared */
	bool broken;                /* after a mismatch */
};

struct side {
	struct event_sink sink;
	struct lockstep *lockstep;
	unsigned index;
	uint64_t dispatches[SLOTS];            /* by slot */
	struct stream *warps[UNITS][WARPS];    /* of the warp in this slot of the unit */
	uint64_t digest;                       /* of streams that have ended */
};

struct lockstep {
	struct side sides[2];
	struct stream *buckets[BUCKETS];
	uint64_t instructions, compared;
	bool differs;
	struct lockstep_mismatch mismatch;
};

/* ---- streams ---- */
static struct stream **bucket(struct lockstep *l, const struct lockstep_key *k)
{
	return &l->buckets[XXH3_64bits(k, sizeof *k) % BUCKETS];
}

static struct stream *stream_get(struct lockstep *l, const struct lockstep_key *k)
{
	struct stream **at = bucket(l, k), *s = *at;
	while (s && memcmp(&s->key, k, sizeof *k))
		s = s->next;
	if (s)
		return s;
	s = calloc(1, sizeof *s);
	if (!s)
		abort();
	s->key = *k;
	s->tail = &s->head;
	s->next = *at;
	return *at = s;
}

static struct stream *stream_of_queue(struct lockstep *l, enum lockstep_stream stream, unsigned queue)
{
	return stream_get(l, &(struct lockstep_key){ .stream = (uint16_t)stream, .queue = (uint16_t)queue });
}

static void stream_free(struct lockstep *l, struct stream *s)
{
	for (unsigned i = 0; i < 2; i++)
		l->sides[i].digest += XXH3_64bits_withSeed(&s->key, sizeof s->key, s->digest[i]);
	for (struct kept *k; (k = s->head);) {
		s->head = k->next;
		free(k);
	}
	free(s);
}

/* ---- records ---- */
static size_t record_bytes(const struct lockstep_record *r) { return offsetof(struct lockstep_record, words) + r->count * sizeof *r->words; }

/* Where and when it happened may differ. */
static bool record_same(const struct lockstep_record *x, const struct lockstep_record *y)
{
	return x->kind == y->kind && x->a == y->a && x->b == y->b && x->count == y->count && !memcmp(x->words, y->words, x->count * sizeof *x->words);
}

static void differ(struct lockstep *l, struct stream *s, const struct lockstep_record *r0, const struct lockstep_record *r1)
{
	const struct lockstep_record *r[2] = { r0, r1 };
	s->broken = true;
	if (l->differs)
		return;
	l->differs = true;
	l->mismatch = (struct lockstep_mismatch){ .key = s->key, .ordinal = s->compared, .there = { r0 != NULL, r1 != NULL } };
	for (unsigned i = 0; i < 2; i++)
		if (r[i])
			memcpy(&l->mismatch.record[i], r[i], record_bytes(r[i]));
}

static void record_keep(struct stream *s, const struct lockstep_record *r)
{
	const size_t bytes = record_bytes(r);
	struct kept *k = malloc(offsetof(struct kept, record) + (bytes > sizeof(uint64_t) ? bytes : sizeof(uint64_t)));
	if (!k)
		abort();
	k->next = NULL;
	k->bytes = bytes;
	memcpy(&k->record, r, bytes);
	*s->tail = k;
	s->tail = &k->next;
}

static void record_add(struct side *side, struct stream *s, const struct lockstep_record *r)
{
	struct lockstep *l = side->lockstep;
	const uint64_t head[3] = { r->kind, r->a, r->b };
	uint64_t digest = XXH3_64bits_withSeed(head, sizeof head, s->digest[side->index]);
	if (r->count)
		digest = XXH3_64bits_withSeed(r->words, r->count * sizeof *r->words, digest);
	s->digest[side->index] = digest;
	if (s->broken)
		return;
	if (!s->head || s->ahead == side->index) {
		s->ahead = side->index;
		record_keep(s, r);
		return;
	}
	struct kept *other = s->head;
	if (record_same(&other->record, r)) {
		l->compared++;
		s->compared += !(r->kind >= EVENT_LANES_LOAD && r->kind <= EVENT_LANES_ATOMIC);
		l->instructions += r->kind == EVENT_RETIRE;
	} else if (side->index) {
		differ(l, s, &other->record, r);
	} else {
		differ(l, s, r, &other->record);
	}
	s->head = other->next;
	if (!s->head)
		s->tail = &s->head;
	free(other);
}

/* ---- events ---- */
static struct lockstep_record record_of(const struct event *e, uint64_t a, uint64_t b)
{
	struct lockstep_record r;
	r.kind = e->kind;
	r.unit = e->unit;
	r.warp = (uint32_t)e->c;
	r.cycle = e->cycle;
	r.a = a;
	r.b = b;
	r.count = 0;
	return r;
}

static void add(struct side *side, enum lockstep_stream stream, const struct event *e, uint64_t a, uint64_t b)
{
	const struct lockstep_record r = record_of(e, a, b);
	record_add(side, stream_of_queue(side->lockstep, stream, e->queue), &r);
}

/* How a transfer is cut into beats is no part of what it does: beats that go on from each other are one. */
static void beats_flush(struct side *side, struct stream *s, const struct event *e)
{
	uint64_t *b = s->beats[side->index];
	if (!b[2])
		return;
	struct event beat = *e;
	beat.kind = EVENT_DMA_BEAT;
	struct lockstep_record r = record_of(&beat, b[0], b[1]);
	r.count = 1;
	r.words[0] = b[2];
	memset(b, 0, sizeof s->beats[0]);
	record_add(side, s, &r);
}

static void beat_add(struct side *side, const struct event *e)
{
	struct stream *s = stream_of_queue(side->lockstep, LOCKSTEP_TRANSFER, e->queue);
	uint64_t *b = s->beats[side->index];
	if (b[2] && b[0] + b[2] == e->a && b[1] + b[2] == e->b) {
		b[2] += e->c;
		return;
	}
	beats_flush(side, s, e);
	b[0] = e->a;
	b[1] = e->b;
	b[2] = e->c;
}

static void warp_begins(struct side *side, const struct event *e)
{
	if (e->unit >= UNITS || e->a >= WARPS)
		return;
	side->warps[e->unit][e->a] = stream_get(side->lockstep, &(struct lockstep_key){ .stream = LOCKSTEP_WARP, .queue = e->queue,
		.number = (uint32_t)e->c, .dispatch = side->dispatches[e->queue % SLOTS], .group = e->b });
}

static void side_event(struct event_sink *sink, const struct event *e)
{
	struct side *side = (struct side *)sink;
	struct stream *s;
	switch (e->kind) {
	case EVENT_DISPATCH:
		side->dispatches[e->queue % SLOTS]++;
		add(side, LOCKSTEP_QUEUE, e, e->a, e->b);
		break;
	case EVENT_DISPATCH_END:
	case EVENT_PACKET:
	case EVENT_PACKET_END:
		add(side, LOCKSTEP_QUEUE, e, e->a, e->b);
		break;
	case EVENT_WARP:
		warp_begins(side, e);
		break;
	case EVENT_WARP_END:
		s = e->unit < UNITS && e->a < WARPS ? side->warps[e->unit][e->a] : NULL;
		if (s) {
			const struct lockstep_record r = record_of(e, 0, e->b);
			record_add(side, s, &r);
			side->warps[e->unit][e->a] = NULL;
		}
		break;
	case EVENT_DMA_START:
	case EVENT_DMA_END:
		s = stream_of_queue(side->lockstep, LOCKSTEP_TRANSFER, e->queue);
		beats_flush(side, s, e);
		add(side, LOCKSTEP_TRANSFER, e, e->a, e->b);
		break;
	case EVENT_DMA_BEAT:
		beat_add(side, e);
		break;
	case EVENT_MEDIA_START:
	case EVENT_MEDIA_END:
		add(side, LOCKSTEP_TRANSFER, e, e->a, e->b);
		break;
	case EVENT_SEM_WAIT:
		add(side, LOCKSTEP_WAIT, e, e->a, e->b);
		break;
	case EVENT_SEM_WAKE: /* what the payload has come to depends on the schedule */
		add(side, LOCKSTEP_WAIT, e, e->a, e->c);
		break;
	case EVENT_SEM_SIGNAL: {
		const struct lockstep_record r = record_of(e, e->a, e->b);
		record_add(side, stream_get(side->lockstep, &(struct lockstep_key){ .stream = LOCKSTEP_PAYLOAD, .dispatch = e->a }), &r);
		break;
	}
	case EVENT_FAULT:
		add(side, LOCKSTEP_QUEUE, e, e->a, e->b);
		break;
	default:
		break;
	}
}

static void side_lanes(struct event_sink *sink, const struct event *e, const uint64_t *words, unsigned count)
{
	struct side *side = (struct side *)sink;
	struct stream *s = e->unit < UNITS && e->c < WARPS ? side->warps[e->unit][e->c] : NULL;
	struct lockstep_record r = record_of(e, e->a, e->b);
	if (!s)
		return;
	r.count = count;
	memcpy(r.words, words, count * sizeof *words);
	record_add(side, s, &r);
}

/* ---- the whole ---- */
struct lockstep *lockstep_create(void)
{
	struct lockstep *l = calloc(1, sizeof *l);
	for (unsigned i = 0; l && i < 2; i++)
		l->sides[i] = (struct side){ .sink = { .event = side_event, .lanes = side_lanes }, .lockstep = l, .index = i };
	return l;
}

static void streams_end(struct lockstep *l)
{
	for (unsigned i = 0; i < BUCKETS; i++)
		for (struct stream *s; (s = l->buckets[i]);) {
			l->buckets[i] = s->next;
			stream_free(l, s);
		}
	for (unsigned i = 0; i < 2; i++)
		memset(l->sides[i].warps, 0, sizeof l->sides[i].warps);
}

void lockstep_destroy(struct lockstep *l)
{
	if (!l)
		return;
	streams_end(l);
	free(l);
}

struct event_sink *lockstep_side(struct lockstep *l, unsigned side) { return &l->sides[side].sink; }

bool lockstep_settled(struct lockstep *l)
{
	for (unsigned i = 0; i < BUCKETS; i++)
		for (struct stream *s = l->buckets[i]; s; s = s->next)
			if (s->head && !s->broken)
				differ(l, s, s->ahead ? NULL : &s->head->record, s->ahead ? &s->head->record : NULL);
	streams_end(l);
	return !l->differs;
}

const struct lockstep_mismatch *lockstep_mismatch(const struct lockstep *l) { return l->differs ? &l->mismatch : NULL; }

uint64_t lockstep_digest(const struct lockstep *l, unsigned side)
{
	uint64_t digest = l->sides[side].digest;
	for (unsigned i = 0; i < BUCKETS; i++)
		for (const struct stream *s = l->buckets[i]; s; s = s->next)
			digest += XXH3_64bits_withSeed(&s->key, sizeof s->key, s->digest[side]);
	return digest;
}

uint64_t lockstep_instructions(const struct lockstep *l) { return l->instructions; }
uint64_t lockstep_compared(const struct lockstep *l) { return l->compared; }
