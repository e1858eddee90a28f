/* What is read after the superblock is left: the code behind a barrier or an atomic is there to be examined, and what it
 * writes before it reads it need not be given back. Where that code cannot be followed, all registers are read. */
#include "translate/translate.h"
#include <stdlib.h>
#include <string.h>

enum { UNSEEN = 0, SEEN = 1 };
#define ALL_REGISTERS (~1ull)

struct continuation {
	const struct superblock *superblock;
	uint32_t num_words;
	uint32_t *order, count; /* instructions in the order in which they were found */
	uint8_t *state;
	uint64_t *live;
};

static bool inside(const struct continuation *b, uint64_t pc)
{
	return !(pc & 3) && pc - b->superblock->request->code_va < b->num_words * 4ull;
}

static uint32_t index_of(const struct continuation *b, uint64_t pc) { return (uint32_t)((pc - b->superblock->request->code_va) / 4); }

static void find(struct continuation *b, uint64_t pc)
{
	if (!inside(b, pc) || b->state[index_of(b, pc)] != UNSEEN)
		return;
	b->state[index_of(b, pc)] = SEEN;
	b->order[b->count++] = index_of(b, pc);
}

/* Decodes the instruction and where it leads; false: nothing is known of what comes after it. */
static bool successors(const struct continuation *b, uint32_t index, struct insn *i, uint64_t next[2], int *n)
{
	uint32_t word;
	memcpy(&word, b->superblock->code + index * 4ull, 4);
	*n = insn_decode(word, i) ? insn_next(i, b->superblock->request->code_va + index * 4ull, next) : -1;
	return *n >= 0;
}

uint64_t continuation_live(const struct continuation *b, uint64_t pc)
{
	return b && inside(b, pc) && b->state[index_of(b, pc)] == SEEN ? b->live[index_of(b, pc)] : ALL_REGISTERS;
}

static uint64_t live_before(const struct continuation *b, uint32_t index)
{
	struct insn i;
	uint64_t next[2], m = 0;
	int n;
	if (!successors(b, index, &i, next, &n))
		return ALL_REGISTERS;
	for (int k = 0; k < n; k++)
		m |= continuation_live(b, next[k]);
	if (insn_writes(&i) >= 0)
		m &= ~(1ull << insn_writes(&i));
	m |= insn_reads(&i);
	return m;
}

struct continuation *continuation_build(const struct superblock *r)
{
	struct continuation *b = calloc(1, sizeof(*b));
	if (!b)
		return NULL;
	b->superblock = r;
	b->num_words = r->request->code_bytes / 4;
	b->order = calloc(b->num_words, sizeof(*b->order));
	b->state = calloc(b->num_words, 1);
	b->live = calloc(b->num_words, sizeof(*b->live));
	if (!b->order || !b->state || !b->live) {
		continuation_free(b);
		return NULL;
	}
	for (uint32_t k = 0; k < r->num_items; k++)
		if (r->items[k].kind == KIND_EXIT)
			find(b, r->items[k].pc);
	for (uint32_t k = 0; k < b->count; k++) {
		struct insn i;
		uint64_t next[2];
		int n;
		successors(b, b->order[k], &i, next, &n);
		while (n > 0)
			find(b, next[--n]);
	}
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t k = b->count; k-- > 0;) {
			uint64_t m = live_before(b, b->order[k]);
			changed |= m != b->live[b->order[k]];
			b->live[b->order[k]] = m;
		}
	}
	return b;
}

void continuation_free(struct continuation *b)
{
	if (!b)
		return;
	free(b->order);
	free(b->state);
	free(b->live);
	free(b);
}
