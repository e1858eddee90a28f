/* The command processor: an RV64IMAC + Zicsr hart, machine mode only, with local memory (TCM).
 *
 * It runs one instruction a cycle; loads and AMOs from outside the TCM wait for their data in timed
 * speed. Stores go to a buffer of CP_STORE_BUFFER entries, which the memory port empties in their order; loads from outside
 * the TCM and accesses of registers begin when it is empty. It executes from the TCM alone. Misaligned loads and stores work,
 * except at registers; misaligned atomics trap. WFI ends when the interrupt line is high, whatever
 * mie and mstatus say. A trap with mtvec = 0, or an exception before the first instruction of a
 * trap handler has retired, crashes it. Protected memory is a bus error
 * to it. */
#ifndef GALENA_MODEL_CP_H
#define GALENA_MODEL_CP_H
#include "abi/bus.h"
#include "abi/ports.h"
#include "model/mem/l2.h"
#include "model/mem/physmem.h"

struct cp_params {
	struct physmem *mem;
	struct l2 *l2;
	enum bus_speed speed;
	/* The register file: offset in the CP_MMIO window, bytes 4 or 8, offset aligned to it. They
	 * are called from cp_tick and may call any of these functions but cp_tick, cp_control and
	 * cp_destroy. False: the register is not ready, nothing was done, and the instruction begins anew at *cycle. A write may
	 * move *cycle, which is that of the instruction, to a later one: then it takes so much longer. */
	bool (*mmio_read)(void *ctx, uint32_t offset, unsigned bytes, uint64_t *value, uint64_t *cycle);
	bool (*mmio_write)(void *ctx, uint32_t offset, unsigned bytes, uint64_t value, uint64_t *cycle);
	void *ctx;
};

struct cp;
struct cp *cp_create(const struct cp_params *);
void cp_destroy(struct cp *);

/* Its ports (abi/ports.def). */
void cp_control(struct cp *, const struct cp_control *, uint64_t cycle);
void cp_fail(struct cp *, const struct cp_fail *, uint64_t cycle);
void cp_irq(struct cp *, const struct cp_irq *, uint64_t cycle);
enum cp_state cp_state(const struct cp *);
const struct cp_crash *cp_crash(const struct cp *);

/* Cycle of the next instruction; UINT64_MAX when it is stopped, crashed or waits. */
uint64_t cp_next(const struct cp *);
/* Lets its cycles up to until pass, or until it waits, crashes or cp_yield is called. The last instruction
 * may end after until. */
void cp_tick(struct cp *, uint64_t until);
void cp_yield(struct cp *);
/* The hart's own time, also from within mmio_read and mmio_write. */
uint64_t cp_cycle(const struct cp *);
/* Instructions retired since cp_create. */
uint64_t cp_insns(const struct cp *);
/* What its registers hold, for who looks at it between two instructions; x[0] is 0. */
struct cp_registers {
	uint64_t x[32], pc, mstatus, mie, mtvec, mscratch, mepc, mcause, mtval, minstret;
	uint64_t offset; /* of mcycle, behind CYCLE */
};
void cp_registers(const struct cp *, struct cp_registers *);

/* Local memory from outside. False when the range is not within it. */
bool cp_tcm_read(const struct cp *, uint64_t address, void *dst, size_t len);
bool cp_tcm_write(struct cp *, uint64_t address, const void *src, size_t len);

#endif
