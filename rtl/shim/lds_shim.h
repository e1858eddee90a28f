/* The Verilated banks of local memory (rtl/cu/lds.sv) for C, of several geometries (testbench/rtl/lds_units.sv). One clock. */
#ifndef GALENA_RTL_LDS_SHIM_H
#define GALENA_RTL_LDS_SHIM_H
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { LDS_SHIM_LANES = 32, LDS_SHIM_BANKS = 64, LDS_SHIM_PARTS = 3 };

struct lds_shim_access {
	uint32_t lanes;
	unsigned size; /* log2 of a lane's bytes */
	uint16_t offset[LDS_SHIM_LANES];
};

/* What stands at the inputs in a cycle. */
struct lds_shim_in {
	unsigned geometry;
	const struct lds_shim_access *access; /* NULL: none */
	bool round_ready;
};

/* What the outputs show in that cycle. */
struct lds_shim_out {
	bool access_ready, round_valid, last;
	unsigned conflicts;
	bool words[LDS_SHIM_LANES * LDS_SHIM_PARTS]; /* word p of lane l at l * PARTS + p */
	uint64_t banks;                              /* those that have a word */
	uint16_t row[LDS_SHIM_BANKS];
};

struct lds_shim;
/* Its registers hold random bits until they are written. NULL when out of memory. */
struct lds_shim *lds_shim_create(void);
void lds_shim_destroy(struct lds_shim *);
void lds_shim_reset(struct lds_shim *);
/* One cycle, up to its end. */
void lds_shim_step(struct lds_shim *, const struct lds_shim_in *, struct lds_shim_out *);

#ifdef __cplusplus
}
#endif
#endif
