/* A warp on a bench: the same state goes through translated code and through the interpreter, and is compared.
 * What the model does around a superblock (when to make one, caching, turns) is not here. */
#ifndef GALENA_TESTBENCH_TRANSLATE_BED_H
#define GALENA_TESTBENCH_TRANSLATE_BED_H
#include "model/engine/superblock.h"
#include "testbench/model/rig.h"

enum {
	BED_DATA = 64 << 12,  /* bytes at bed_data_va that are mapped; the page after them is not */
	BED_LOCAL = 4096, BED_PRIVATE = 1024,
	BED_MAX_NOTES = 1 << 16,
};
static const uint64_t bed_data_va = 0x1000000000, bed_private_backing = 0x1800000000;

struct bed_note { uint64_t va; uint32_t size; };

struct bed {
	struct rig *rig;
	struct cu *cu;
	struct group group;
	struct local_ids ids;
	uint8_t *data, *private_data;
	uint32_t *code;        /* of the program, a page or more */
	uint64_t code_va;
	uint32_t code_bytes;
	enum compute_simd simd;
	struct bed_note *notes; /* of SUPERBLOCK_CHECK */
	unsigned num_notes;
};

struct bed_code {
	const struct code_entry *header;
	size_t size;
	superblock_entry *entry;   /* NULL: nothing to enter */
};

/* The host's vectors that simd names; NULL when the host has no such. */
struct bed *bed_create(enum compute_simd);
void bed_destroy(struct bed *);
/* Puts the program where it runs, with the interpreter's decoded instructions dropped. At most 16 pages. */
void bed_program(struct bed *, const uint32_t *words, unsigned num_words);
/* A warp at the start of the program, all registers 0, all lanes running. */
void bed_warp(struct bed *, struct warp *, uint64_t pc);
/* A register's encoding and lanes: WORD and FULL take all, AFFINE the first two, UNIFORM the first. */
void bed_register(struct warp *, unsigned reg, enum register_encoding, const uint64_t *lanes);
/* The request for a warp that stands at pc. */
size_t bed_request(const struct bed *, const struct warp *, uint64_t pc, uint32_t flags, uint8_t *request);
/* Runs the translator; its exit status, *out is filled when that is 0. */
int bed_translate(const uint8_t *request, size_t size, struct bed_code *out);
void bed_code_free(struct bed_code *);
/* Enters the code. */
void bed_enter(struct bed *, const struct bed_code *, struct warp *, struct superblock_run *, uint64_t limit);
/* The interpreter runs n instructions from pc. */
void bed_interpret(struct bed *, struct warp *, uint64_t pc, uint64_t n);
/* Compares what translated code left (w, r) with the interpreter after as many instructions from the state before;
 * memory before and after is in the two copies. What differs first is printed; false then. */
struct bed_memory { uint8_t data[BED_DATA], local[BED_LOCAL], private_data[32 * BED_PRIVATE]; };
void bed_save(const struct bed *, struct bed_memory *);
void bed_restore(struct bed *, const struct bed_memory *);
bool bed_compare(struct bed *, const struct warp *before, uint64_t pc, const struct bed_memory *memory_before,
		 const struct warp *w, const struct superblock_run *);

#endif
