#include "checkers/shadow.h"
#include "abi/address_map.h"
#include "abi/packets.h"
#include <stdlib.h>
#include <string.h>

#define HUGE_PTE (1ull << 63)
#define HUGE_SIZE (1ull << 21)
#define HUGE_KEY (1ull << 63)
enum { MAX_PAGES = 1 << 26 };

void shadow_fini(struct shadow *s)
{
	free(s->pins[0].of);
	free(s->pins[1].of);
	table_free(&s->entries);
	free(s->buffers);
}

/* ---- pinned pages ---- */
/* The page's number among those of its list, counted from 0. */
static unsigned pin_place(uint64_t pa, uint64_t *n)
{
	const unsigned list = pa >= SYSTEM_MANUAL_BASE;
	*n = (pa - (list ? SYSTEM_MANUAL_BASE : SYSTEM_BASE)) / SHADOW_PAGE;
	return list;
}

static void pin_set(struct shadow *s, uint64_t pa, enum shadow_pin pin)
{
	uint64_t n;
	struct shadow_pins *pins = &s->pins[pin_place(pa, &n)];
	if (pa < SYSTEM_BASE || n >= MAX_PAGES)
		return;
	if (n >= pins->count) {
		uint64_t grown = pins->count ? pins->count : 1024;
		while (grown <= n)
			grown *= 2;
		uint8_t *p = realloc(pins->of, grown);
		if (!p) {
			s->short_of_memory = true;
			return;
		}
		memset(p + pins->count, PIN_NEVER, grown - pins->count);
		pins->of = p;
		pins->count = grown;
	}
	pins->of[n] = (uint8_t)pin;
	s->notes_pins = true;
}

enum shadow_pin shadow_pin(const struct shadow *s, uint64_t pa)
{
	uint64_t n;
	const struct shadow_pins *pins = &s->pins[pin_place(pa, &n)];
	if (pa < SYSTEM_BASE || !s->notes_pins || s->short_of_memory)
		return PIN_WRITE;
	return n < pins->count ? (enum shadow_pin)pins->of[n] : PIN_NEVER;
}

/* ---- page tables ---- */
static uint64_t key_of(uint16_t asid, uint64_t va, bool huge)
{
	return (uint64_t)asid << 40 | va >> (huge ? 21 : 12) | 1ull << 57 | (huge ? HUGE_KEY : 0);
}

static const struct shadow_entry *entry_look(const struct shadow *s, uint16_t asid, uint64_t va)
{
	const struct shadow_entry *small = table_find(&s->entries, key_of(asid, va, false));
	if (small && small->pte)
		return small;
	const struct shadow_entry *huge = table_find(&s->entries, key_of(asid, va, true));
	return huge && (huge->pte || !small) ? huge : small;
}

const struct shadow_entry *shadow_entry(struct shadow *s, uint16_t asid, uint64_t va)
{
	uint64_t key = key_of(asid, va, false), at = (key ^ key >> 8) % SHADOW_FOUND;
	if (s->found[at].key != key) {
		s->found[at].entry = entry_look(s, asid, va);
		s->found[at].key = key;
	}
	return s->found[at].entry;
}

uint64_t shadow_address(const struct shadow_entry *e, uint64_t va)
{
	if (!e->pte)
		return UINT64_MAX;
	return e->pa + va % (e->key & HUGE_KEY ? HUGE_SIZE : SHADOW_PAGE);
}

bool shadow_invalidated(const struct shadow *s, const struct shadow_entry *e, uint16_t asid)
{
	return s->invalidated > e->sequence || s->invalidated_asid[asid] > e->sequence || e->invalidated > e->sequence;
}

static void entry_change(struct shadow *s, struct shadow_entry *e, const struct event *v, uint64_t pa, uint64_t pte)
{
	e->pa = pa;
	e->pte = pte;
	e->cycle = v->cycle;
	e->sequence = s->sequence;
}

static void map(struct shadow *s, const struct event *v)
{
	struct shadow_entry *e = table_add(&s->entries, key_of(v->asid, v->a, v->c & HUGE_PTE), sizeof *e);
	memset(s->found, 0, sizeof s->found);
	s->short_of_memory |= !e;
	if (e)
		entry_change(s, e, v, v->b & ~(v->c & HUGE_PTE ? HUGE_SIZE - 1 : SHADOW_PAGE - 1), v->c);
	s->notes_maps = true;
}

static void unmap(struct shadow *s, const struct event *v)
{
	memset(s->found, 0, sizeof s->found);
	for (uint64_t va = v->a, end = va + v->b; va < end;) {
		struct shadow_entry *huge = va % HUGE_SIZE || end - va < HUGE_SIZE ? NULL : table_find(&s->entries, key_of(v->asid, va, true));
		if (huge && huge->pte) {
			entry_change(s, huge, v, 0, 0);
			va += HUGE_SIZE;
			continue;
		}
		struct shadow_entry *e = table_find(&s->entries, key_of(v->asid, va, false));
		if (e && e->pte)
			entry_change(s, e, v, 0, 0);
		va += SHADOW_PAGE;
	}
}

static void invalidate(struct shadow *s, const struct event *v)
{
	enum { ALL, SPACE, PAGE };
	if (v->b == ALL)
		s->invalidated = s->sequence;
	else if (v->b == SPACE)
		s->invalidated_asid[v->asid] = s->sequence;
	for (int huge = 0; v->b == PAGE && huge < 2; huge++) {
		struct shadow_entry *e = table_find(&s->entries, key_of(v->asid, v->a, huge));
		if (e)
			e->invalidated = s->sequence;
	}
}

/* ---- buffers ---- */
/* How many lie at or below an address. */
static size_t buffers_below(const struct shadow *s, uint16_t asid, uint64_t va)
{
	size_t low = 0, high = s->num_buffers;
	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct shadow_buffer *b = &s->buffers[middle];
		if (b->asid < asid || (b->asid == asid && b->va <= va))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool buffer_holds(const struct shadow_buffer *b, uint16_t asid, uint64_t va)
{
	return b->asid == asid && va - b->va < b->bytes;
}

const struct shadow_buffer *shadow_buffer(struct shadow *s, uint16_t asid, uint64_t va)
{
	if (s->found_buffer < s->num_buffers && buffer_holds(&s->buffers[s->found_buffer], asid, va))
		return &s->buffers[s->found_buffer];
	size_t n = buffers_below(s, asid, va);
	if (!n || !buffer_holds(&s->buffers[n - 1], asid, va))
		return NULL;
	s->found_buffer = n - 1;
	return &s->buffers[n - 1];
}

/* A buffer takes the place of all that lay where it begins. */
static void buffer_begin(struct shadow *s, const struct event *v)
{
	size_t at = buffers_below(s, v->asid, v->a), end;
	if (at && s->buffers[at - 1].asid == v->asid && v->a - s->buffers[at - 1].va < s->buffers[at - 1].bytes)
		at--;
	for (end = at; end < s->num_buffers && s->buffers[end].asid == v->asid &&
		       (end == at ? s->buffers[end].va < v->a + v->b : s->buffers[end].va - v->a < v->b); end++)
		;
	if (s->num_buffers + 1 > s->max_buffers) {
		size_t max = s->max_buffers ? 2 * s->max_buffers : 256;
		struct shadow_buffer *p = realloc(s->buffers, max * sizeof *p);
		if (!p) {
			s->short_of_memory = true;
			return;
		}
		s->buffers = p;
		s->max_buffers = max;
	}
	memmove(&s->buffers[at + 1], &s->buffers[end], (s->num_buffers - end) * sizeof *s->buffers);
	s->num_buffers = s->num_buffers + 1 - (end - at);
	s->buffers[at] = (struct shadow_buffer){ .va = v->a, .bytes = v->b, .begun = v->cycle, .asid = v->asid, .live = true,
						     .imported = v->c & BUFFER_IMPORTED, .consistent = v->c & BUFFER_CONSISTENT };
	s->notes_buffers = true;
}

static void buffer_end(struct shadow *s, const struct event *v)
{
	size_t n = buffers_below(s, v->asid, v->a);
	struct shadow_buffer *b = n ? &s->buffers[n - 1] : NULL;
	if (!b || b->asid != v->asid || b->va != v->a)
		return;
	b->live = false;
	b->ended = v->cycle;
}

/* ---- queues ---- */
const struct shadow_queue *shadow_queue(const struct shadow *s, const struct event *v)
{
	return v->queue < SHADOW_QUEUES ? &s->queues[v->queue] : NULL;
}

static void queue_event(struct shadow_queue *q, const struct event *v)
{
	switch (v->kind) {
	case EVENT_QUEUE_BIND:
		*q = (struct shadow_queue){ .bound = v->a != 0, .asid = v->asid, .desc = v->a, .read = v->b, .packets = v->c,
					   .bound_at = v->cycle };
		break;
	case EVENT_PACKET:
		q->in_packet = true;
		q->packet = v->a;
		q->type = (unsigned)v->b;
		q->flags = (unsigned)v->c;
		if (v->a > q->read)
			q->read = v->a;
		break;
	case EVENT_PACKET_END:
		if (v->a + 1 > q->read)
			q->read = v->a + 1;
		break;
	}
}

/* ---- protection ---- */
bool shadow_any_protected(const struct shadow *s, uint64_t pa, uint64_t bytes)
{
	if (pa >= s->end_protected || pa + bytes <= s->first_protected)
		return false;
	for (unsigned i = 0; i < SHADOW_REGIONS; i++)
		if (s->regions[i].base < s->regions[i].limit && pa < s->regions[i].limit && pa + bytes > s->regions[i].base)
			return true;
	return false;
}

bool shadow_all_protected(const struct shadow *s, uint64_t pa, uint64_t bytes)
{
	uint64_t end = pa + bytes;
	for (bool found = true; pa < end && found;) { /* regions may follow each other */
		found = false;
		for (unsigned i = 0; i < SHADOW_REGIONS && !found; i++)
			if (pa >= s->regions[i].base && pa < s->regions[i].limit) {
				pa = s->regions[i].limit;
				found = true;
			}
	}
	return pa >= end;
}

bool shadow_protected_job(const struct shadow *s, const struct event *v)
{
	const struct shadow_queue *q = shadow_queue(s, v);
	return q && q->in_packet && (q->flags & PACKET_PROTECTED);
}

static void region_event(struct shadow *s, const struct event *v)
{
	if (v->c >= SHADOW_REGIONS)
		return;
	s->regions[v->c].base = v->a;
	s->regions[v->c].limit = v->b;
	s->first_protected = UINT64_MAX;
	s->end_protected = 0;
	for (unsigned i = 0; i < SHADOW_REGIONS; i++)
		if (s->regions[i].base < s->regions[i].limit) {
			s->first_protected = s->regions[i].base < s->first_protected ? s->regions[i].base : s->first_protected;
			s->end_protected = s->regions[i].limit > s->end_protected ? s->regions[i].limit : s->end_protected;
		}
}

void shadow_event(struct shadow *s, const struct event *v)
{
	s->sequence++;
	switch (v->kind) {
	case EVENT_PIN: pin_set(s, v->a, v->b ? PIN_WRITE : PIN_READ); break;
	case EVENT_UNPIN: pin_set(s, v->a, PIN_GONE); break;
	case EVENT_MAP: map(s, v); break;
	case EVENT_UNMAP: unmap(s, v); break;
	case EVENT_TLB_INVALIDATE: invalidate(s, v); break;
	case EVENT_CONTEXT_TABLE: s->invalidated = s->sequence; break;
	case EVENT_BUFFER: buffer_begin(s, v); break;
	case EVENT_BUFFER_END: buffer_end(s, v); break;
	case EVENT_QUEUE_BIND:
	case EVENT_PACKET:
	case EVENT_PACKET_END:
		s->notes_packets |= v->kind == EVENT_PACKET_END;
		if (v->queue < SHADOW_QUEUES)
			queue_event(&s->queues[v->queue], v);
		break;
	case EVENT_REGION: region_event(s, v); break;
	case EVENT_RESET: /* memory and what is pinned stay */
		s->notes_packets = false; /* another firmware may follow */
		s->invalidated = s->sequence;
		memset(s->queues, 0, sizeof s->queues);
		memset(s->regions, 0, sizeof s->regions);
		s->first_protected = s->end_protected = 0;
		break;
	}
}
