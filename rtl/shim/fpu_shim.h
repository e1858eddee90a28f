/* The Verilated floating-point units of a lane (rtl/cu/fpu_lane.sv) for C. One clock. */
#ifndef GALENA_RTL_FPU_SHIM_H
#define GALENA_RTL_FPU_SHIM_H
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { FPU_SHIM_FPU, FPU_SHIM_FDIV, FPU_SHIM_UNITS };

/* What stands at the inputs in a cycle: an instruction for one of the units or for none, and whether each result may go. */
struct fpu_shim_in {
	bool valid[FPU_SHIM_UNITS], ready[FPU_SHIM_UNITS];
	uint32_t insn;
	unsigned rm;
	uint64_t a, b, c;
};

/* What the outputs show in that cycle. */
struct fpu_shim_out {
	bool ready[FPU_SHIM_UNITS], valid[FPU_SHIM_UNITS];
	uint64_t result[FPU_SHIM_UNITS];
	unsigned flags[FPU_SHIM_UNITS];
};

struct fpu_shim;
/* Its registers hold random bits until they are written. NULL when out of memory. */
struct fpu_shim *fpu_shim_create(void);
void fpu_shim_destroy(struct fpu_shim *);
void fpu_shim_reset(struct fpu_shim *);
/* One cycle, up to its end. */
struct fpu_shim_out fpu_shim_step(struct fpu_shim *, const struct fpu_shim_in *);

#ifdef __cplusplus
}
#endif
#endif
