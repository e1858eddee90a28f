/* Predecoded instructions: what the engines execute. A handler executes one instruction for all running lanes of a warp. */
#ifndef GALENA_MODEL_UOP_H
#define GALENA_MODEL_UOP_H
#include "model/cu/register_file.h"

struct uop;
typedef const struct uop *handler(struct warp *, const struct uop *);

/* One decoded instruction. The handler returns the next one; returning w->stop ends the loop. */
struct uop {
	handler *fn;
	int32_t imm;  /* branches and jal within the page: distance in uops */
	uint8_t rd;   /* REG_SINK for x0 and none */
	uint8_t rs1, rs2, rs3; /* 0 where there is none: x0 is uniform and always ready */
	uint8_t op, cls, rm, flags;
	uint32_t word;
	uint8_t set;  /* in the scoreboard: scoreboard_register(rd) */
	uint32_t latency; /* cycles from its issue to its result, of what is no memory access */
};

/* UOP_PURE: touches nothing but registers of its warp and goes on at the next uop, so that it may be executed
 * before the cycle at which it issues.
 * UOP_CHAINED: cannot issue in the cycle after the uop before it, whose result it wants. What is not known to be so may
 * be so.
 * UOP_RAW: not decoded yet.
 * UOP_LINE: the first one of a line of the instruction cache. */
enum uop_flags { UOP_CALL = 1, UOP_RETURN = 2, UOP_PURE = 4, UOP_RAW = 8, UOP_CHAINED = 16, UOP_LINE = 32 };

/* Decodes a uop of w->code in place. */
void uop_decode(struct warp *, const struct uop *);
/* The engine's own handler of a decoded instruction of w->code. */
handler *uop_handler(const struct warp *, const struct uop *);
/* The handler of memory instructions while events are observed: the engine's own, and events of what it did. */
handler observe_access;

#endif
