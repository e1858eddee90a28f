/* The Verilated register block (rtl/regs.awk; docs/rtl.md has its ports) for C. One clock; inputs are set, then the clock steps. */
#ifndef GALENA_RTL_REGS_SHIM_H
#define GALENA_RTL_REGS_SHIM_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An access of a master: 0 the host, 1 the command processor. size is log2 of its bytes, 0 to 3. */
struct regs_shim_access {
	bool valid, write;
	unsigned master, size;
	uint32_t address;
	uint64_t data;
};

struct regs_shim_response {
	bool valid, error;
	uint64_t data;
};

struct regs_shim;
/* device_index is what DEVICE_INDEX reads. Its registers hold nothing until regs_shim_reset. NULL when out of memory. */
struct regs_shim *regs_shim_create(uint32_t device_index);
void regs_shim_destroy(struct regs_shim *);
/* Resets it; the access that stands is dropped. */
void regs_shim_reset(struct regs_shim *);
/* A port of the hardware's side: of the register that is row number reg of the table, what the block has for the hardware (out) or of
 * it. Bit n is in bit n % 8 of byte n / 8. NULL where there is none. Inputs may be written at any time. */
uint8_t *regs_shim_port(struct regs_shim *, unsigned reg, bool out, size_t *bytes);
/* Whose access the strobes are of. */
unsigned regs_shim_master(const struct regs_shim *);
/* Puts an access, or none, on the bus for the next step, which comes after it, and tells whether the step does it. To be called again
 * when inputs have changed. */
bool regs_shim_access(struct regs_shim *, const struct regs_shim_access *);
/* One clock edge, after which the outputs and the response are those of the new cycle. The access still stands on the bus. */
struct regs_shim_response regs_shim_step(struct regs_shim *);

#ifdef __cplusplus
}
#endif
#endif
