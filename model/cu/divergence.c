/* Divergence: which lanes of a warp run.
 *
 * A warp runs the split with the deepest call and, among those, the lowest pc; the others wait in
 * pending[], best last. Code is laid out so that the lanes of a branch meet again at a higher pc of
 * the same call depth, so running the lowest pc brings the splits together, and splits that meet
 * become one: no help from the compiler is needed.
 *
 * That order alone would starve: lanes that spin on a lock at a low pc keep the lane that holds it,
 * at a higher pc, from running. So a warp with pending splits changes over from time to time, in
 * turn, soon when the running split does atomics (divergence_slice_end). What is guaranteed:
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

/* Where the running split has to stop: it meets the best pending one. A target that is no multiple of 4 can be jumped to, and is
 * passed then. One that a rotation chose meets none. */
static const struct uop *meeting(const struct warp *w, uint64_t pc)
{
	if (!w->num_pending || w->rotated)
		return STOP_NONE;
	const struct warp_split *best = &w->pending[w->num_pending - 1];
	if (best->depth != w->depth || best->pc <= pc || best->pc >> 12 != pc >> 12)
		return STOP_NONE;
	return w->op + (best->pc - pc + 3) / 4;
}

static void fetch(struct warp *w, uint64_t pc)
{
	w->partial = w->mask != w->live;
	w->stop = STOP_NONE;
	const struct uop *op = icache_fetch(w, pc);
	if (!op)
		return;
	w->op = op;
	w->stop = meeting(w, pc);
}

static void set_current(struct warp *w, uint64_t pc, uint32_t depth, uint32_t mask)
{
	w->depth = depth;
	w->mask = mask;
	w->rotated = false;
	if (w->num_pending && (int32_t)w->slice <= 0)
		divergence_slice_end(w, pc); /* before the fetch: one that does not run faults at nothing */
	else
		fetch(w, pc);
}

static void slice_begin(struct warp *w)
{
	w->slice = SPLIT_SLICE;
	w->yielded = false;
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
	if (!w->num_pending) /* the next divergence begins anew */
		slice_begin(w);
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

void divergence_refetch(struct warp *w, uint64_t pc) { fetch(w, pc); }

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

/* The pending splits take turns. One that stands where the running one does has met it. */
static void rotate(struct warp *w, uint64_t pc)
{
	const struct warp_split *best = &w->pending[w->num_pending - 1];
	if (best->pc == pc && best->depth == w->depth) {
		w->mask |= best->mask;
		w->num_pending--;
	}
	if (!w->num_pending) {
		slice_begin(w);
		set_current(w, pc, w->depth, w->mask);
		return;
	}
	unsigned i = w->yields++ % w->num_pending;
	struct warp_split p = w->pending[i];
	memmove(&w->pending[i], &w->pending[i + 1], (w->num_pending - i - 1u) * sizeof(struct warp_split));
	w->num_pending--;
	insert(w, pc, w->depth, w->mask);
	w->yielded = true;
	w->slice = SPLIT_BORROWED;
	w->depth = p.depth;
	w->mask = p.mask;
	w->rotated = true;
	fetch(w, p.pc);
}

void divergence_slice_end(struct warp *w, uint64_t pc)
{
	if (!w->yielded) {
		rotate(w, pc);
		return;
	}
	slice_begin(w);
	divergence_jump(w, pc);
}
