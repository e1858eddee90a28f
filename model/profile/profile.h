/* Where a device's cycles go, instruction by instruction, while the device is profiled.
 *
 * Decoding then puts profile_insn before the engine's handlers, as it does with observe_access; the run loops
 * know nothing of it, so results and cycles are those of a run without. Without a profile nothing here is touched:
 * struct cu has a pointer that is NULL.
 *
 * A cycle of a warp between its start and its end is either one in which it issues, charged to that
 * instruction, or one in which it waits, charged to what it waits for: the load whose value is not there, the
 * barrier, the branch; or to itself where another warp took the slot. A compute unit's cycle in which nothing
 * issues is charged to what the warp that issues next has waited for. So the cycles of all instructions add up
 * to the device's counters WARP_CYCLES and CU_BUSY.
 *
 * Of a protected job's instructions only sums are kept: which of them ran how often its data can have made. */
#ifndef GALENA_MODEL_PROFILE_H
#define GALENA_MODEL_PROFILE_H
#include "abi/profile.h"
#include "model/cu/dispatcher.h"

struct device;
struct profile;
/* path: the file to keep it in (profile_memory.h), or NULL. NULL with errno when there is no memory to be had. */
struct profile *profile_create(const struct device_config *, enum bus_speed, const char *path);
void profile_destroy(struct profile *);
/* What the compute unit keeps; lives as long as the profile. */
struct profile_cu *profile_of_cu(struct profile *, unsigned cu);

/* ---- called by the compute units, while the device is profiled ---- */
/* A page of code with these words at this address: the same one for the same content. Handlers that
 * profile_insn calls are kept in it. NULL without memory: what runs there is not counted.
 * What a protected job runs is kept apart. */
struct profile_code *profile_code_page(struct cu *, uint32_t space, uint64_t va, const uint32_t *words);
/* The handler to put in the place of fn, which is the one of op, in the page w->code. */
handler *profile_wrap(struct warp *, const struct uop *op, handler *fn);
void profile_dispatch_start(struct profile *, unsigned slot);
void profile_dispatch_end(struct profile *, const struct dispatch *, unsigned slot, bool failed);
void profile_warp_start(struct warp *, const struct dispatch *);
void profile_warp_end(struct warp *);
/* Around a unit's turn: it was busy in cycles [from, to). */
void profile_turn_start(struct cu *);
/* It is busy until cycle now without a turn: its warps wait. */
void profile_wait(const struct cu *, uint64_t now);
void profile_turn_end(struct cu *, uint64_t from, uint64_t to);

/* ---- called by the device ---- */
/* Host time of the blocks: from now on it is this one's. */
enum profile_block { PROFILE_BUS, PROFILE_CP, PROFILE_COMPUTE, PROFILE_DMA, PROFILE_MEDIA, PROFILE_BLOCKS };
void profile_block_enter(struct profile *, enum profile_block);
void profile_cp_cycles(struct profile *, uint64_t cycles);
/* The device that it is of. */
void profile_of(struct profile *, struct device *);
/* Keeps what the device has counted so far; at the end of each access. */
void profile_stamp(struct profile *);
/* Charges what the units' last instructions have left open: the device is closed. */
void profile_finish(struct profile *);

#endif
