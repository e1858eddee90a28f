/* The Verilated page-table walkers (rtl/mmu/walker.sv) for C, of several geometries (testbench/rtl/walkers.sv). One clock. */
#ifndef GALENA_RTL_WALKER_SHIM_H
#define GALENA_RTL_WALKER_SHIM_H
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum walker_shim_end { WALKER_SHIM_OK, WALKER_SHIM_NOT_PRESENT, WALKER_SHIM_TABLE, WALKER_SHIM_ECC };

/* What stands at the inputs in a cycle. */
struct walker_shim_in {
	unsigned geometry;
	uint64_t context_table;
	bool walk;
	uint32_t space;
	uint64_t va;
	bool read_ready;
	bool word_valid, word_error; /* error: injected */
	unsigned word_number;
	uint64_t word;
	enum walker_shim_end word_fault; /* OK, TABLE or ECC */
	bool drop, drop_all;
	uint16_t asid;
};

/* What the outputs show in that cycle. */
struct walker_shim_out {
	bool walk_ready;
	unsigned walk_number;
	bool read_valid, read_kept;
	unsigned read_number, read_level;
	uint64_t read_address;
	bool end_valid, end_large;
	unsigned end_number;
	enum walker_shim_end end_fault;
	uint64_t end_leaf;
};

struct walker_shim;
/* Its registers hold random bits until they are written. NULL when out of memory. */
struct walker_shim *walker_shim_create(void);
void walker_shim_destroy(struct walker_shim *);
void walker_shim_reset(struct walker_shim *);
/* One cycle, up to its end. */
struct walker_shim_out walker_shim_step(struct walker_shim *, const struct walker_shim_in *);

#ifdef __cplusplus
}
#endif
#endif
