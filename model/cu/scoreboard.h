/* The scoreboard of a warp: the cycle at which each register can be read. An instruction issues, in order, when its
 * operands and its destination are ready. */
#ifndef GALENA_MODEL_SCOREBOARD_H
#define GALENA_MODEL_SCOREBOARD_H
#include "abi/device_config.h"
#include "model/engine/uop.h"

struct scoreboard {
	uint64_t ready[REG_COUNT];
};

/* Cycle at which the operands and the destination of an instruction are ready. */
INLINE uint64_t scoreboard_ready(const struct scoreboard *s, const struct uop *op)
{
	const uint64_t *ready = s->ready;
	uint64_t a = ready[op->rs1], b = ready[op->rs2], c = ready[op->rs3], d = ready[op->rd];
	a = a > b ? a : b;
	c = c > d ? c : d;
	return a > c ? a : c;
}

/* Which register an instruction with this destination sets: that of REG_SINK is always ready. */
INLINE uint8_t scoreboard_register(uint8_t rd) { return rd == REG_SINK ? REG_TMP : rd; }

/* The instruction has issued; its result is there at this cycle. */
INLINE void scoreboard_set(struct scoreboard *s, const struct uop *op, uint64_t cycle)
{
	s->ready[op->set] = cycle;
}

/* Whether the second of two consecutive uops, the first one pure, waits for the first one's result. */
static inline bool scoreboard_chained(const struct uop *before, const struct uop *op)
{
	unsigned d = before->rd;
	return before->flags & UOP_PURE && before->latency > 1 && d != REG_SINK &&
	       (op->rs1 == d || op->rs2 == d || op->rs3 == d || op->rd == d);
}

/* Cycles from the issue of an instruction of this class to its result; memory accesses take what the LSU says. */
static inline uint32_t scoreboard_latency(const struct device_config *c, enum isa_class cls)
{
	switch (cls) {
	case CLASS_MUL:
		return c->mul_latency;
	case CLASS_DIV:
	case CLASS_FDIV:
		return c->div_latency;
	case CLASS_FPU:
		return c->fpu_latency;
	case CLASS_SG:
		return c->lds_latency;
	default:
		return c->alu_latency;
	}
}

#endif
