/* Code-cache entries by hand for the tests of translated superblocks (superblock.c): functions of the test program, written for the kernel of the
 * test, which its translator puts into a code-cache entry as they stand. */
#ifndef GALENA_TESTBENCH_MODEL_CODE_ENTRYS_H
#define GALENA_TESTBENCH_MODEL_CODE_ENTRYS_H
#include "model/engine/superblocks.h"

/* Each lane counts in x14 (steps of its lane) as often as the argument says, and stores each value. The loop is the
 * superblock: x14 and x10 (address) affine, x11 (count) uniform. */
#define LOOP_TAIL "1: add a4, a4, a2\n sw a4, 0(a0)\n addi a1, a1, -1\n bnez a1, 1b\n" EXIT
#define KERNEL ITEM "ld a1, 8(a0)\n ld a0, 0(a0)\n sh2add a0, s0, a0\n csrr a2, 0xcca\n li a4, 0\n" LOOP_TAIL
/* LONG: so many rounds that there is something to be measured. */
enum { LOOP_INSNS = 4, BEFORE = 11, LONG = 20000 };

/* ---- the code-cache entries: position-independent, without calls or constants in memory ---- */

#define BARE no_sanitize("address", "undefined", "thread"), no_profile_instrument_function
#define CODE_ENTRY(name) \
	static __attribute__((noinline, used, section("code_entry_" #name), BARE)) void name(struct warp *w, struct superblock_run *r)

/* What a damaged translation does wrong. */
enum { GOOD, BAD_REGISTER = 1, BAD_STORE = 2, NO_STORE = 4, FAR_STORE = 8, BAD_PC = 16, BEYOND = 32, LATE = 64, SLOWLY = 128 };

static inline __attribute__((always_inline, BARE)) void loop(struct warp *w, struct superblock_run *r, unsigned wrong)
{
	uint64_t begin = w->code->va + (uint64_t)((const char *)w->op - (const char *)w->code->ops) / sizeof(*w->op) * 4;
	uint64_t limit = r->limit + (wrong & BEYOND ? 2 * LOOP_INSNS : 0);
	for (;;) {
		for (volatile unsigned i = 0; wrong & SLOWLY && i < 10000; i++)
			;
		if (r->count + LOOP_INSNS > limit) {
			r->exit = SUPERBLOCK_LIMIT;
			r->pc = begin;
			break;
		}
		uint64_t va = w->base[10];
		const struct soft_tlb_entry *l = r->helpers->tlb(w, va, true);
		uint64_t at = l ? va + ((uint64_t)w->space << 47) - l->first : 0;
		if (!l || l->write < at + 128) {
			w->base[14] += w->base[12];
			w->stride[14] += w->stride[12];
			r->count++;
			r->exit = SUPERBLOCK_ACCESS;
			r->pc = begin + 4;
			break;
		}
		w->base[14] += w->base[12];
		w->stride[14] += w->stride[12];
		w->encoding[14] = ENC_AFFINE;
		uint8_t *host = l->host + at;
		uint64_t lanes[LANES];
		for (unsigned i = 0; i < LANES; i++) {
			lanes[i] = va + i * 4;
			__asm__ volatile("" ::: "memory"); /* no vectors, whose constants would be elsewhere */
		}
		if (r->log)
			r->helpers->note(r, w, w->mask, lanes, 4);
		for (unsigned i = 0; i < LANES; i++) {
			uint32_t value = (uint32_t)(w->base[14] + w->stride[14] * i);
			if (wrong & BAD_STORE && i == 5)
				value ^= 0x100;
			if (!(wrong & NO_STORE) || i != 7)
				*(volatile uint32_t *)(host + (wrong & FAR_STORE && i == 31 ? 128 : i * 4)) = value;
		}
		w->base[11]--;
		if (wrong & BAD_REGISTER)
			w->base[11] |= 1ull << 40;
		r->count += LOOP_INSNS;
		if (!(uint32_t)w->base[11]) {
			r->exit = SUPERBLOCK_EDGE;
			r->pc = begin + (wrong & BAD_PC ? 8 : 16);
			break;
		}
	}
	if (wrong & LATE)
		r->count--;
}

CODE_ENTRY(good) { loop(w, r, GOOD); }
CODE_ENTRY(bad_register) { loop(w, r, BAD_REGISTER); }
CODE_ENTRY(bad_store) { loop(w, r, BAD_STORE); }
CODE_ENTRY(no_store) { loop(w, r, NO_STORE); }
CODE_ENTRY(far_store) { loop(w, r, FAR_STORE); }
CODE_ENTRY(bad_pc) { loop(w, r, BAD_PC); }
CODE_ENTRY(beyond) { loop(w, r, BEYOND); }
CODE_ENTRY(late) { loop(w, r, LATE); }
CODE_ENTRY(slowly) { loop(w, r, SLOWLY); }

/* ---- the same loop under any mask: each lane counts as often as x11 of its own says ---- */

#define APART_TAIL "1: add a4, a4, a2\n sw a4, 0(a0)\n addi a1, a1, -1\n bnez a1, 1b\n add a4, a4, a2\n sw a4, 0(a0)\n" EXIT
#define APART ITEM "ld a1, 8(a0)\n ld a0, 0(a0)\n sh2add a0, s0, a0\n csrr a2, 0xcca\n li a4, 0\n slli a3, a2, 4\n add a1, a1, a3\n" APART_TAIL

enum { BAD_LANE = 1, BAD_WAITING = 2, STORE_WAITING = 4, STORE_WRONG = 8, BAD_WAY = 16, UNCOUNTED = 32 };

static inline __attribute__((always_inline, BARE)) uint64_t lane_of(const struct warp *w, unsigned reg, unsigned i)
{
	switch (w->encoding[reg]) {
	case ENC_WORD: return (uint64_t)(int32_t)w->v[reg].w[i];
	case ENC_FULL: return w->v[reg].d[i];
	default: return w->base[reg] + (w->encoding[reg] == ENC_AFFINE ? w->stride[reg] * i : 0);
	}
}

static inline __attribute__((always_inline, BARE)) void lanes_add(struct warp *w, unsigned reg, const uint64_t *what, uint32_t mask)
{
	uint64_t lanes[LANES];
	for (unsigned i = 0; i < LANES; i++) {
		lanes[i] = lane_of(w, reg, i) + (mask >> i & 1 ? what[i] : 0);
		__asm__ volatile("" ::: "memory");
	}
	for (unsigned i = 0; i < LANES; i++) {
		w->v[reg].d[i] = lanes[i];
		__asm__ volatile("" ::: "memory");
	}
	w->encoding[reg] = ENC_FULL;
}

static inline __attribute__((always_inline, BARE)) void apart(struct warp *w, struct superblock_run *r, unsigned wrong)
{
	uint64_t begin = w->code->va + (uint64_t)((const char *)w->op - (const char *)w->code->ops) / sizeof(*w->op) * 4;
	uint64_t end = begin + 16;
	uint32_t waiting = w->num_pending ? w->pending[0].mask : 0;
	r->pc = begin;
	r->exit = SUPERBLOCK_EDGE;
	if (w->num_pending > 1 || (waiting && w->pending[0].pc != end))
		return;
	while (r->pc == begin) {
		uint64_t va[LANES], step[LANES], less[LANES], value[LANES];
		uint32_t taken = 0, all = w->mask;
		unsigned bug = all != ALL_LANES ? wrong : GOOD; /* only then */
		if (r->count + LOOP_INSNS > r->limit || (waiting && r->slice < LOOP_INSNS)) {
			r->exit = SUPERBLOCK_LIMIT;
			break;
		}
		for (unsigned i = 0; i < LANES; i++) {
			va[i] = lane_of(w, 10, i);
			step[i] = lane_of(w, 12, i);
			less[i] = ~0ull;
			r->lanes += all >> i & 1 ? LOOP_INSNS : 0;
			__asm__ volatile("" ::: "memory");
		}
		lanes_add(w, 14, step, bug & BAD_WAITING ? ALL_LANES : all);
		lanes_add(w, 11, less, all);
		for (unsigned i = 0; i < LANES; i++) {
			value[i] = lane_of(w, 14, i) ^ (bug & STORE_WRONG && i == 30 ? 1u << 20 : 0);
			value[i] += !(all >> i & 1); /* what waits stores nothing, so nothing of it is seen */
			taken |= (uint32_t)(all >> i & 1 && lane_of(w, 11, i) != 0) << i;
			__asm__ volatile("" ::: "memory");
		}
		if (bug & STORE_WAITING)
			w->mask = ALL_LANES;
		if (r->log)
			r->helpers->note(r, w, w->mask, va, 4);
		r->helpers->store(w, va, 4, value);
		w->mask = all;
		if (bug & BAD_LANE && all >> 29 & 1)
			w->v[14].d[29] += 1ull << 35;
		r->count += LOOP_INSNS;
		r->slice -= waiting ? LOOP_INSNS : 0;
		if (bug & BAD_WAY)
			taken = 0;
		if (!taken) { /* those that wait are met */
			r->pc = end;
			r->divergent |= waiting != 0;
			w->mask = all | waiting;
			waiting = 0;
		} else if (taken != all) {
			r->divergent = true;
			waiting |= all & ~taken;
			w->mask = taken;
		}
	}
	if (!r->divergent)
		return;
	r->lanes += wrong & UNCOUNTED;
	w->num_pending = waiting != 0;
	w->pending[0].pc = end;
	w->pending[0].depth = w->depth;
	w->pending[0].mask = waiting;
}

CODE_ENTRY(apart_good) { apart(w, r, GOOD); }
CODE_ENTRY(apart_bad_lane) { apart(w, r, BAD_LANE); }
CODE_ENTRY(apart_bad_waiting) { apart(w, r, BAD_WAITING); }
CODE_ENTRY(apart_store_waiting) { apart(w, r, STORE_WAITING); }
CODE_ENTRY(apart_store_wrong) { apart(w, r, STORE_WRONG); }
CODE_ENTRY(apart_bad_way) { apart(w, r, BAD_WAY); }
CODE_ENTRY(apart_uncounted) { apart(w, r, UNCOUNTED); }

#define CODE_ENTRIES(X) X(good) X(bad_register) X(bad_store) X(no_store) X(far_store) X(bad_pc) X(beyond) X(late) X(slowly) \
	X(apart_good) X(apart_bad_lane) X(apart_bad_waiting) X(apart_store_waiting) X(apart_store_wrong) X(apart_bad_way) \
	X(apart_uncounted)
#define X(name) extern const char __start_code_entry_##name[], __stop_code_entry_##name[];
CODE_ENTRIES(X)
#undef X
static const struct { const char *name, *start, *stop; superblock_entry *fn; } code_entries[] = {
#define X(name) { #name, __start_code_entry_##name, __stop_code_entry_##name, name },
	CODE_ENTRIES(X)
#undef X
};

#endif
