/* Divergence: which lanes of a warp run.
 *
 * A warp runs the split with the deepest call and, among those, the lowest pc; the others wait in
 * pending[], best last. Code is laid out so that the lanes of a branch meet again at a higher pc of
 * the same call depth, so running the lowest pc brings the splits together, and splits that meet
 * become one: no help from the compiler is needed.
 *
 * That order alone would starve: lanes that spin on a lock at a low pc keep the lane that holds it,
 * at a higher pc, from running. So a warp with pending splits changes over from time to time, in
 * turn, soon when the running split does atomics (run loops call divergence_yield). What is guaranteed:
 * every lane that has not ended and does not wait at a barrier runs again after a bounded number of
 * instructions of its warp, and every such warp of a resident work-group likewise. Locks between
 * lanes of one warp and between resident work-groups therefore make progress; a work-group that
 * waits for one that is not resident yet may wait for ever. */
#include "model/cu/warp.h"
#include <string.h>

static bool better(uint32_t depth_a, uint64_t pc_a, const struct warp_split *b)
{
	return depth_a > b->depth || (depth_a == b->depth && pc_a < b->pc);
}

/* Adds lanes to the pending splits, or to the one at the same place. */
static void insert(struct warp *w, uint64_t pc, uint32_t depth, uint32_t mask)
{
	unsigned i = w->num_pending;
	for (; i; i--) {
		struct warp_split *p = &w->pending[i - 1];
		if (p->pc == pc && p->depth == depth) {
			p->mask |= mask;
			return;
		}
		if (better(depth, pc, p))
			break;
	}
	memmove(&w->pending[i + 1], &w->pending[i], (w->num_pending - i) * sizeof(struct warp_split));
	w->pending[i] = (struct warp_split){ pc, depth, mask };
	w->num_pending++;
}

static void set_current(struct warp *w, uint64_t pc, uint32_t depth, uint32_t mask)
{
	w->depth = depth;
	w->mask = mask;
	w->partial = mask != w->live;
	w->stop = STOP_NONE;
	const struct uop *op = icache_fetch(w, pc);
	if (!op)
		return;
	w->op = op;
	if (!w->num_pending)
		return;
	const struct warp_split *next = &w->pending[w->num_pending - 1];
	if (next->depth == depth && next->pc > pc && next->pc >> 12 == pc >> 12)
		w->stop = op + (next->pc - pc) / 4;
}

/* Those that wait for the rest of the warp go on when no other lane of it can run: the rest has arrived,
 * has ended, or waits at a barrier, which cannot be passed before them. So no mix of the two, of ends and
 * of loops leaves a warp with nothing to run for ever. */
static void resume(struct warp *w)
{
	if (!w->num_pending) {
		for (unsigned i = 0; i < w->num_reconverging; i++)
			insert(w, w->reconverging[i].pc, w->reconverging[i].depth, w->reconverging[i].mask);
		w->num_reconverging = 0;
	}
	if (!w->num_pending) {
		w->mask = 0;
		w->partial = true;
		w->stop = STOP_NONE;
		return;
	}
	struct warp_split p = w->pending[--w->num_pending];
	if (!w->num_pending) { /* the next divergence begins anew */
		w->slice = SPLIT_SLICE;
		w->yielded = false;
	}
	set_current(w, p.pc, p.depth, p.mask);
}

void divergence_jump(struct warp *w, uint64_t pc)
{
	if (!w->num_pending || better(w->depth, pc, &w->pending[w->num_pending - 1])) {
		set_current(w, pc, w->depth, w->mask);
		return;
	}
	insert(w, pc, w->depth, w->mask);
	resume(w);
}

void divergence_refetch(struct warp *w, uint64_t pc) { set_current(w, pc, w->depth, w->mask); }

void divergence_branch(struct warp *w, uint32_t taken, uint64_t taken_pc, uint64_t other_pc)
{
	uint32_t others = w->mask & ~taken;
	insert(w, taken_pc, w->depth, taken);
	insert(w, other_pc, w->depth, others);
	resume(w);
}

void divergence_jump_lanes(struct warp *w, const uint64_t *targets)
{
	EACH_BIT(lane, w->mask)
		insert(w, targets[lane], w->depth, 1u << lane);
	resume(w);
}

void divergence_end(struct warp *w)
{
	w->live &= ~w->mask;
	resume(w);
}

void divergence_wait(struct warp *w, uint64_t pc)
{
	w->at_barrier[w->num_at_barrier++] = (struct warp_split){ pc, w->depth, w->mask };
	w->at_barrier_mask |= w->mask;
	resume(w);
}

void divergence_release(struct warp *w)
{
	for (unsigned i = 0; i < w->num_at_barrier; i++)
		insert(w, w->at_barrier[i].pc, w->at_barrier[i].depth, w->at_barrier[i].mask);
	w->num_at_barrier = 0;
	w->at_barrier_mask = 0;
	resume(w);
}

void divergence_reconverge(struct warp *w, uint64_t pc)
{
	w->reconverging[w->num_reconverging++] = (struct warp_split){ pc, w->depth, w->mask };
	resume(w);
}

void divergence_yield(struct warp *w)
{
	if (!w->num_pending)
		return;
	unsigned i = w->yields++ % w->num_pending;
	struct warp_split p = w->pending[i];
	memmove(&w->pending[i], &w->pending[i + 1], (w->num_pending - i - 1u) * sizeof(struct warp_split));
	w->num_pending--;
	insert(w, uop_pc(w, w->op), w->depth, w->mask);
	set_current(w, p.pc, p.depth, p.mask);
}
