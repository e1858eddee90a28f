/* Retired instructions as events, for an observer that takes their lanes. Decoding then puts retire_insn before the engine's
 * handlers, which do not know of it, and nothing is executed before the cycle in which it issues. */
#include "model/engine/retire.h"
#include "model/cu/fault.h"
#include <string.h>

bool retire_wanted(const struct cu *cu) { return EVENT_WANTED(cu->events) && cu->events->lanes; }

static void send(const struct warp *w, enum event_kind kind, uint64_t pc, uint32_t word, uint32_t mask, const uint64_t *words, unsigned count)
{
	const struct cu *cu = w->cu;
	const struct event e = { .cycle = cu->now, .kind = (uint16_t)kind, .unit = (uint16_t)cu->unit, .queue = (uint16_t)w->group->slot,
				 .asid = (uint16_t)w->space, .a = pc, .b = word | (uint64_t)mask << 32, .c = w->slot };
	cu->events->lanes(cu->events, &e, words, count);
}

void retire_event(const struct warp *w, uint64_t pc, uint32_t word, uint32_t mask, unsigned rd)
{
	uint64_t value[LANES], words[LANES];
	unsigned n = 0;
	if (rd != REG_SINK) {
		register_lanes(w, rd, value);
		EACH_BIT(lane, mask)
			words[n++] = value[lane];
	}
	send(w, EVENT_RETIRE, pc, word, mask, words, n);
}

/* What the lanes of a memory instruction access: read before it is executed, since it may write these registers. */
struct accesses {
	enum event_kind kind;
	unsigned each;                /* words of a lane */
	uint64_t of[3][LANES];        /* address, operand, expected */
};

static bool accesses_read(const struct warp *w, const struct uop *op, struct accesses *a)
{
	if (op->cls < CLASS_LOAD || op->cls > CLASS_ATOMIC)
		return false;
	a->kind = op->cls == CLASS_LOAD ? EVENT_LANES_LOAD : op->cls == CLASS_STORE ? EVENT_LANES_STORE : EVENT_LANES_ATOMIC;
	a->each = 1 + (unsigned)(a->kind - EVENT_LANES_LOAD);
	register_lanes(w, op->rs1, a->of[0]);
	for (unsigned i = 0; i < LANES; i++)
		a->of[0][i] += (uint64_t)(int64_t)op->imm;
	if (a->each > 1)
		register_lanes(w, op->rs2, a->of[1]);
	if (a->each > 2 && (op->op == OP_amocas_w || op->op == OP_amocas_d))
		register_lanes(w, op->rd, a->of[2]);
	else
		memset(a->of[2], 0, sizeof(a->of[2]));
	const unsigned bits = 8u << (op->word >> 12 & 3);
	for (unsigned i = 0; a->each == 2 && bits < 64 && i < LANES; i++)
		a->of[1][i] &= (1ull << bits) - 1;
	return true;
}

static void accesses_send(const struct warp *w, const struct accesses *a, uint64_t pc, uint32_t word, uint32_t mask)
{
	uint64_t words[EVENT_LANES_WORDS];
	unsigned n = 0;
	EACH_BIT(lane, mask)
		for (unsigned i = 0; i < a->each; i++)
			words[n++] = a->of[i][lane];
	if (n)
		send(w, a->kind, pc, word, mask, words, n);
}

const struct uop *retire_insn(struct warp *w, const struct uop *op)
{
	struct accesses a;
	const uint64_t pc = uop_pc(w, op), retired = w->retired;
	const uint32_t mask = w->mask, word = op->word;
	const unsigned rd = op->rd;
	const bool accesses = accesses_read(w, op, &a);
	const struct uop *next = (accesses ? observe_access : uop_handler(w, op))(w, op);
	if (w->retired == retired) {
		if (accesses)
			accesses_send(w, &a, pc, word, mask);
		if (w->exit != LEAVE_COUNTER) /* exec_continue has its value */
			retire_event(w, pc, word, mask, rd);
		return next;
	}
	if (accesses) /* it is taken back */
		accesses_send(w, &a, pc, word, fault_lanes_done(w));
	return next;
}
