/* The Verilated command processor (rtl/cp/cp.sv) for C. One clock. */
#ifndef GALENA_RTL_CP_SHIM_H
#define GALENA_RTL_CP_SHIM_H
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What stands at the inputs in a cycle, but for what answers in it. */
struct cp_shim_in {
	bool run, fail, irq, hold;
	uint64_t entry, cause, cycle;
	unsigned taken;
	struct { bool valid; uint64_t data; } reg;
	struct { bool valid; uint64_t data; uint32_t version; bool held; } answer;
};

enum cp_shim_op { CP_SHIM_LOAD, CP_SHIM_STORE, CP_SHIM_RESERVE, CP_SHIM_TRY, CP_SHIM_MODIFY };
enum { CP_SHIM_STORES = 8 };

/* What the outputs show then. Sizes are logarithms. */
struct cp_shim_out {
	struct { bool valid, write; uint32_t offset; unsigned size; uint64_t data; } reg; /* offset and write also when it is not valid */
	struct { bool valid; enum cp_shim_op op; unsigned size; uint64_t address, data; uint32_t version; } mem;
	unsigned stores;
	struct { unsigned size; uint64_t address, data; } store[CP_SHIM_STORES];
	struct { bool valid; unsigned size; uint32_t address; uint64_t data; } tcm; /* a write */
	struct { bool valid; unsigned rd; uint64_t value; } write;
	bool retires;
};

/* What it holds behind a cycle. */
struct cp_shim_registers {
	unsigned state;
	uint64_t crash_cause, crash_pc, crash_address;
	uint64_t pc, mstatus, mie, mtvec, mscratch, mepc, mcause, mtval, minstret, offset;
};

struct cp_shim;
/* tcm: its local memory, of 0x40000 bytes and 8 more, which it reads and writes. NULL when out of memory. */
struct cp_shim *cp_shim_create(uint8_t *tcm);
void cp_shim_destroy(struct cp_shim *);
void cp_shim_reset(struct cp_shim *);
/* A cycle: what the outputs show with these inputs, if registers are ready and memory refuses nothing; what they show with the register not
 * ready, or the access refused; and the end of the cycle. */
void cp_shim_show(struct cp_shim *, const struct cp_shim_in *, struct cp_shim_out *);
void cp_shim_refuse(struct cp_shim *, bool register_ready, bool mem_fault, struct cp_shim_out *);
void cp_shim_end(struct cp_shim *, struct cp_shim_registers *);

#ifdef __cplusplus
}
#endif
#endif
