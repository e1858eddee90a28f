/* Random programs of one instruction class, and operands for them. A program loads operands from a
 * table, runs each instruction on its own and stores what it gives, so that a difference names the
 * instruction. The same words run on the device, in the oracle and under qemu. */
#ifndef GALENA_TESTBENCH_ORACLE_PROGRAM_H
#define GALENA_TESTBENCH_ORACLE_PROGRAM_H
#include "model/cu/decode.h"
#include <stddef.h>
#include <stdint.h>

enum {
	ITEMS = 1024,        /* work-items of a run */
	GROUP = 256,         /* of a work-group */
	CASES = 64,          /* instructions under test in a program */
	MAX_OUTS = 200,      /* values that an item stores */
	MAX_WORDS = 4096,
	AREA_BYTES = 128,    /* of an item, for loads, stores, atomics */
	SHARED_WORDS = 64,   /* 64-bit words that all items change together */
	COLUMN = ITEMS * 8,  /* bytes of a table column: one value an item */
};

/* Columns of the table: operands of x10 to x17, of f0 to f9, then these; behind them the areas. */
enum { COL_X = 0, NUM_X = 8, COL_F = COL_X + NUM_X, NUM_F = 10, COL_MASK = COL_F + NUM_F, COL_PRESET, COL_FPRESET, COL_POINTER,
	COL_FRM, COL_SHARED, COL_OUT, COL_AREAS = COL_OUT + MAX_OUTS };
#define TABLE_VA 0x2000000000ull
#define AREAS_VA (TABLE_VA + (uint64_t)COL_AREAS * COLUMN)
#define TABLE_BYTES ((uint64_t)COL_AREAS * COLUMN + ITEMS * AREA_BYTES)
enum { PRIVATE_BYTES = AREA_BYTES };

enum oracle_class { ORACLE_ALU, ORACLE_MUL, ORACLE_DIV, ORACLE_FP32, ORACLE_FP64, ORACLE_FDIV, ORACLE_CONVERT, ORACLE_COMPARE,
	ORACLE_LOAD, ORACLE_STORE, ORACLE_ATOMIC, ORACLE_BRANCH, ORACLE_JUMP, ORACLE_CSR, ORACLE_CLASSES };
extern const char *const oracle_class_names[ORACLE_CLASSES];

/* An instruction under test: which words of the program, which outputs it stores, how many count. */
struct test_case { uint16_t first, count, out, outs; bool qemu; };

struct program {
	enum oracle_class class;
	uint32_t words[MAX_WORDS];
	unsigned count, entry; /* words; where the part begins that every implementation runs */
	struct test_case cases[CASES];
	unsigned num_cases, num_outs;
	bool qemu;             /* qemu 7.2 can run it */
};

struct values { uint64_t state; };
uint64_t values_next(struct values *);
static inline uint64_t values_below(struct values *r, uint64_t n) { return values_next(r) % n; }

/* Makes a program. Where its first word will stand makes no difference. */
void program_make(struct program *, enum oracle_class, struct values *);
/* Fills the table's operands and areas for it. */
void program_operands(const struct program *, uint8_t *table, struct values *);

#endif
