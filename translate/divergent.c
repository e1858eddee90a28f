/* Code for divergent lanes: which blocks have such code, and what it keeps. It runs the block at the lowest pc that
 * lanes wait at, with their mask, as the interpreter does (model/cu/divergence.c). A block is in it when lanes that disagreed
 * at a branch may come there: all of a SUPERBLOCK_MASKED superblock. Calls and returns are left to the interpreter. */
#include "translate/translate.h"
#include <stdlib.h>

enum { MAX_PARTED_ITEMS = 2000 };

static bool leaves_always(const struct item *item)
{
	return item->kind == KIND_EXIT || item->kind == KIND_CALL || item->kind == KIND_RETURN;
}

static uint64_t live_at(const struct superblock *r, const struct block *b) { return ~r->items[b->first].dead & ~1ull; }
static const struct item *last_item(const struct superblock *r, const struct block *b) { return &r->items[b->first + b->num_items - 1]; }

/* The encodings at the end of a block, before its branch. */
static struct encodings encodings_at_end(const struct superblock *r, uint32_t k)
{
	const struct block *b = &r->blocks[k];
	struct encodings f = r->heads[k];
	for (uint32_t n = 0; n + 1 < b->num_items; n++)
		encodings_step(r, &f, &r->items[b->first + n]);
	return f;
}

static bool diverges(const struct superblock *r, uint32_t k)
{
	const struct item *item = last_item(r, &r->blocks[k]);
	if (item->kind != KIND_BRANCH)
		return false;
	struct encodings f = encodings_at_end(r, k);
	return !encoding_uniform(&f.r[item->insn.rs1]) || !encoding_uniform(&f.r[item->insn.rs2]);
}

/* Marks what can be reached from the block, itself among it. */
static void flood(struct superblock *r, uint32_t from)
{
	struct block *b = &r->blocks[from];
	if (b->divergent)
		return;
	b->divergent = true;
	if (leaves_always(last_item(r, b)))
		return;
	for (unsigned j = 0; j < 2; j++)
		if (b->next[j] != NO_BLOCK)
			flood(r, b->next[j]);
}

static int by_pc(const void *a, const void *b)
{
	const struct item *const *x = a, *const *y = b;
	return (*x)->pc < (*y)->pc ? -1 : (*x)->pc > (*y)->pc;
}

/* The blocks in the order of their addresses. False: there are none, or too many. */
static bool blocks_order(struct superblock *r)
{
	const struct item *starts[MAX_DIVERGENT];
	uint32_t n = 0, items = 0;
	for (uint32_t k = 0; k < r->num_blocks; k++) {
		if (!r->blocks[k].divergent)
			continue;
		if (n == MAX_DIVERGENT)
			return false;
		starts[n++] = &r->items[r->blocks[k].first];
		items += r->blocks[k].num_items;
	}
	if (n == 0 || items > MAX_PARTED_ITEMS)
		return false;
	qsort(starts, n, sizeof(starts[0]), by_pc);
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < r->num_blocks; k++)
			if (r->blocks[k].divergent && &r->items[r->blocks[k].first] == starts[i]) {
				r->order[i] = k;
				r->blocks[k].rank = i;
			}
	r->num_divergent = n;
	return true;
}

/* Loops whose lanes do not part again are left at their start when all lanes run: there is better code for that. */
static void resumes_find(struct superblock *r)
{
	for (uint32_t i = 0; i < r->num_divergent; i++) {
		const struct block *b = &r->blocks[r->order[i]];
		for (unsigned j = 0; j < 2; j++) {
			struct block *to = b->next[j] == NO_BLOCK ? NULL : &r->blocks[b->next[j]];
			if (!to || !to->divergent || to->rank > i)
				continue;
			bool parts = false;
			for (uint32_t k = to->rank; k <= i; k++)
				parts |= r->blocks[r->order[k]].diverges;
			to->resume |= !parts;
		}
	}
	for (uint32_t i = 0; i < r->num_divergent; i++) { /* an inner loop's start may be one of a loop whose lanes part */
		const struct block *b = &r->blocks[r->order[i]];
		for (unsigned j = 0; j < 2; j++) {
			struct block *to = b->next[j] == NO_BLOCK ? NULL : &r->blocks[b->next[j]];
			if (to && to->divergent && to->rank <= i)
				for (uint32_t k = to->rank; k <= i; k++)
					to->resume &= !r->blocks[r->order[k]].diverges;
		}
	}
}

/* Registers that blocks pass on to each other and write: lanes that wait have values of their own. And those that are only
 * read. */
static void registers_find(struct superblock *r)
{
	uint64_t all = 0, passed = 0, read = 0;
	for (uint32_t i = 0; i < r->num_divergent; i++) {
		struct block *b = &r->blocks[r->order[i]];
		uint64_t written = 0;
		passed |= live_at(r, b);
		for (uint32_t n = 0; n < b->num_items && !leaves_always(&r->items[b->first + n]); n++) {
			const struct insn *insn = &r->items[b->first + n].insn;
			int rd = insn_writes(insn);
			read |= insn_reads(insn) & ~written;
			written |= rd < 0 ? 0 : 1ull << rd;
		}
		all |= written;
		for (unsigned j = 0; j < 2; j++)
			if (b->next[j] != NO_BLOCK && r->blocks[b->next[j]].divergent)
				b->passed |= live_at(r, &r->blocks[b->next[j]]);
	}
	r->kept = all & passed;
	r->brought = (r->kept | read) & ~1ull;
}

/* The encoding that a kept register has: lanes of their own. */
static struct reg_encoding lifted(const struct reg_encoding *f, bool is_f)
{
	struct reg_encoding r = f->encoding == ENCODING_NONE ? *f : encoding_just(encoding_word(f) ? ENCODING_W : ENCODING_F);
	r.is_private = f->is_private;
	r.nans = is_f ? NANS_EXACT : NANS_CLEAN;
	return r;
}

/* The encodings that registers have where lanes part. A uniform or affine one of the entry is taken for words, if all that
 * is written to it is: the code checks that first. */
static struct encodings encodings_brought(const struct superblock *r)
{
	struct encodings f = { 0 };
	if (r->request->flags & SUPERBLOCK_MASKED) {
		encodings_at_entry(r, &f);
		for (unsigned i = 1; i < 64; i++)
			if (r->kept >> i & 1 && (f.r[i].encoding == ENCODING_U64 || f.r[i].encoding == ENCODING_A64))
				f.r[i].encoding = ENCODING_W;
		return f;
	}
	for (uint32_t k = 0; k < r->num_blocks; k++) {
		if (!r->blocks[k].splits)
			continue;
		struct encodings end = encodings_at_end(r, k);
		uint64_t live = live_at(r, &r->blocks[r->blocks[k].next[0]]) | live_at(r, &r->blocks[r->blocks[k].next[1]]);
		for (unsigned i = 1; i < 64; i++)
			if (live >> i & 1)
				f.r[i] = encoding_joined(&f.r[i], &end.r[i]);
	}
	f.r[0] = (struct reg_encoding){ .encoding = ENCODING_U32, .known = true };
	return f;
}

/* One encoding for a register in all blocks. */
static void encodings_divergent(struct superblock *r)
{
	struct encodings kept = encodings_brought(r);
	for (unsigned i = 1; i < 64; i++)
		if (r->kept >> i & 1)
			kept.r[i] = lifted(&kept.r[i], i >= REG_F);
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = 0; i < r->num_divergent; i++) {
			const struct block *b = &r->blocks[r->order[i]];
			struct encodings f = kept;
			for (uint32_t n = 0; n < b->num_items && !leaves_always(&r->items[b->first + n]); n++) {
				const struct item *item = &r->items[b->first + n];
				int rd = insn_writes(&item->insn);
				encodings_step(r, &f, item);
				if (rd < 0 || !(r->kept >> rd & 1))
					continue;
				struct reg_encoding now = lifted(&f.r[rd], rd >= REG_F), joined = encoding_joined(&kept.r[rd], &now);
				changed |= !encoding_same(&joined, &kept.r[rd]);
				kept.r[rd] = joined;
			}
		}
	}
	*r->divergent = kept;
}

bool divergent_solve(struct superblock *r)
{
	bool masked = r->request->flags & SUPERBLOCK_MASKED;
	for (uint32_t k = 0; k < r->num_blocks; k++)
		r->blocks[k].diverges = diverges(r, k);
	if (!masked && !(r->request->flags & SUPERBLOCK_DIVERGENT))
		return true;
	r->order = calloc(MAX_DIVERGENT, sizeof(*r->order));
	r->divergent = calloc(1, sizeof(*r->divergent));
	if (!r->order || !r->divergent)
		return false;
	if (masked)
		flood(r, 0);
	for (uint32_t k = 0; k < r->num_blocks; k++)
		for (unsigned j = 0; j < 2 && r->blocks[k].diverges && r->blocks[k].context == 0; j++)
			flood(r, r->blocks[k].next[j]);
	if (!blocks_order(r))
		return true;
	for (uint32_t k = 0; k < r->num_blocks; k++)
		r->blocks[k].splits = !masked && r->blocks[k].diverges && r->blocks[k].context == 0;
	resumes_find(r);
	registers_find(r);
	encodings_divergent(r);
	return true;
}
