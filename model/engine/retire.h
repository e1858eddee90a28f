/* Events of retired instructions (retire.c). */
#ifndef GALENA_MODEL_RETIRE_H
#define GALENA_MODEL_RETIRE_H
#include "model/engine/uop.h"

struct cu;
/* The observer takes events of block retire. */
bool retire_wanted(const struct cu *);
/* The handler of every instruction then. */
handler retire_insn;
/* An instruction has retired, and the register that it writes has its values. */
void retire_event(const struct warp *, uint64_t pc, uint32_t word, uint32_t mask, unsigned rd);

#endif
