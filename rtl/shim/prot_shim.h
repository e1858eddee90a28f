/* The Verilated protection unit (rtl/prot/protection.sv) for C. One clock. */
#ifndef GALENA_RTL_PROT_SHIM_H
#define GALENA_RTL_PROT_SHIM_H
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PROT_SHIM_REGIONS = 8 };

/* What stands at the inputs in a cycle. */
struct prot_shim_in {
	uint64_t dram_end;
	struct { bool valid; unsigned region; uint64_t base, limit; } set;
	bool cleared;
	struct { bool valid; unsigned unit; bool job; uint64_t address; unsigned bytes, access; } check;
};

/* What the outputs show in that cycle. */
struct prot_shim_out {
	bool changes;
	uint64_t base[PROT_SHIM_REGIONS], limit[PROT_SHIM_REGIONS];
	struct { bool valid; unsigned fault; } verdict;
};

struct prot_shim;
/* Its registers hold random bits until it is reset. NULL when out of memory. */
struct prot_shim *prot_shim_create(void);
void prot_shim_destroy(struct prot_shim *);
void prot_shim_reset(struct prot_shim *);
/* One cycle, up to its end. */
struct prot_shim_out prot_shim_step(struct prot_shim *, const struct prot_shim_in *);

#ifdef __cplusplus
}
#endif
#endif
