/* galena-translate: RISC-V superblocks to host code. What its files share.
 *
 * request -> superblock (decoded control-flow graph) -> encodings (static encoding of each register at each block, liveness)
 * -> LLVM IR (lower*.c) -> host code (emit.c) -> code-cache entry. model/engine/superblock.h is the contract. One request a process, one
 * thread; what is wrong with a request is said on standard error and ends in status 1. */
#ifndef GALENA_TRANSLATE_H
#define GALENA_TRANSLATE_H
#include "model/engine/superblock.h"

enum {
	MAX_INSNS = 6000,   /* of a superblock, calls counted as often as they are made */
	MAX_BLOCKS = 1500,
	MAX_CONTEXTS = 64,  /* chains of calls */
	MAX_STRETCH = 1024, /* instructions between two places that check the limit */
	MAX_DIVERGENT = 160,   /* blocks of the code for divergent lanes */
	NO_BLOCK = 0xffffffff,
};

/* ---- request.c ---- */

/* What is wrong with size bytes that are to be a request; NULL: nothing. */
const char *request_check(const struct superblock_request *, size_t size);

/* ---- superblock.c: the control-flow graph ---- */

enum insn_kind {
	KIND_PLAIN,
	KIND_BRANCH, /* ends its block */
	KIND_JUMP,   /* jal that is no call, or falls into the next block */
	KIND_CALL,   /* to a known place in the superblock */
	KIND_RETURN, /* to the place that called */
	KIND_EXIT,   /* for the interpreter */
};

struct item {
	struct insn insn;
	uint64_t pc;
	uint8_t kind; /* enum insn_kind */
	bool leaves;  /* the superblock may be left at this instruction */
	/* registers at this place: may have been written in the superblock; have been written in the block; no instruction reads them
	 * before they are written; are given back to the warp when the superblock is left here */
	uint64_t dirty, written, dead, stored;
};

struct block {
	uint32_t first, num_items; /* its instructions, with the one that it leaves to the interpreter */
	uint32_t count;           /* those that it executes */
	uint32_t next[2];         /* blocks that follow; branch: [0] not taken, [1] taken */
	uint64_t target;          /* call, return: address that the jump must go to */
	uint32_t context;         /* chain of calls */
	int32_t depth;            /* its length */
	uint32_t *preds, num_preds;
	bool checkpoint;          /* checks the limit */
	uint32_t need;            /* most instructions from its start to the next checkpoint or the end */
	/* encodings.c */
	uint64_t live, dirty;     /* at its start: registers that the code reads later, or gives back; that it may have written */
	/* divergent.c */
	bool diverges;            /* lanes may disagree at its branch */
	bool splits;              /* and go on in the code for divergent lanes */
	bool divergent;              /* is part of that code */
	bool resume;              /* which is left here when all lanes run */
	uint32_t rank;            /* its place in order */
	uint64_t passed;          /* registers that blocks after it may read */
};

struct superblock {
	const struct superblock_request *request;
	const uint8_t *code;
	struct item *items;
	uint32_t num_items;
	struct block *blocks;     /* in reverse postorder: a block's first predecessor is before it; [0] is the entry */
	uint32_t num_blocks;
	uint32_t *preds;          /* of all blocks */
	uint64_t low, high;       /* addresses of the instructions */
	struct encodings *heads;      /* of each block at its start */
	/* divergent.c: the code for divergent lanes, if there is any */
	uint32_t *order, num_divergent; /* its blocks, lowest pc first */
	struct encodings *divergent;      /* of the registers, in all of them */
	uint64_t kept, brought;   /* registers that its lanes have values of their own of; that it takes along, those among them */
};

/* NULL when there is nothing to translate: *why says why. The request and the code must outlive it. */
struct superblock *superblock_build(const struct superblock_request *, const uint8_t *code, const char **why);
void superblock_free(struct superblock *);
void superblock_dump(const struct superblock *);
/* Whether lowering knows the instruction. */
bool insn_lowers(const struct superblock_request *, const struct insn *);

/* ---- encodings.c: what is known of the registers ---- */

enum encoding {
	ENCODING_NONE,  /* not reached */
	ENCODING_U32,   /* one value, a word (x: sign-extended, f: NaN-boxed) */
	ENCODING_U64,
	ENCODING_A32,   /* base + lane * stride, every lane a word; x only */
	ENCODING_A64,
	ENCODING_W,     /* a word a lane */
	ENCODING_F,     /* 64 bits a lane */
};

/* What is known of the NaNs of an f register. Arithmetic makes the canonical NaN of any; that is left undone until
 * the bits are read. */
enum nans {
	NANS_CLEAN, /* there are none but the canonical one */
	NANS_RAW,   /* any one is as good as the canonical one */
	NANS_EXACT, /* they are what they are */
};

enum { STRIDE_ANY = INT32_MIN };

struct reg_encoding {
	uint8_t encoding;       /* enum encoding */
	bool known;         /* uniform, and value is it */
	bool is_private;    /* may point into private memory */
	uint8_t nans;       /* f: enum nans */
	int32_t stride;     /* affine: constant, or STRIDE_ANY */
	uint64_t value;     /* f of encoding U32: its low 32 bits */
};

struct encodings { struct reg_encoding r[64]; };

static inline bool encoding_uniform(const struct reg_encoding *f) { return f->encoding == ENCODING_U32 || f->encoding == ENCODING_U64; }
static inline bool encoding_affine(const struct reg_encoding *f) { return f->encoding == ENCODING_A32 || f->encoding == ENCODING_A64; }
static inline bool encoding_word(const struct reg_encoding *f) { return f->encoding == ENCODING_U32 || f->encoding == ENCODING_A32 || f->encoding == ENCODING_W; }

/* Makes encodings those after the instruction. */
void encodings_step(const struct superblock *, struct encodings *, const struct item *);
/* Fills in heads, live, dirty and what items have of them. False without memory. */
bool encodings_solve(struct superblock *);
void encodings_dump(const struct superblock *);

struct reg_encoding encoding_just(enum encoding);
/* What is both one and the other. */
struct reg_encoding encoding_joined(const struct reg_encoding *, const struct reg_encoding *);
bool encoding_same(const struct reg_encoding *, const struct reg_encoding *);
/* The encodings that the request names. */
void encodings_at_entry(const struct superblock *, struct encodings *);

/* ---- divergent.c: code for divergent lanes ---- */

/* Finds which blocks have such code, and what it keeps; none when it would be too large. After encodings_solve's other
 * work, which calls it. False without memory. */
bool divergent_solve(struct superblock *);

/* ---- continuation.c: the code that follows where a superblock is left ---- */
struct continuation;
/* NULL without memory. */
struct continuation *continuation_build(const struct superblock *);
void continuation_free(struct continuation *);
/* Registers that may be read from an instruction on at which the superblock ends, itself among them. All when that is not
 * known, or beyond is NULL. */
uint64_t continuation_live(const struct continuation *, uint64_t pc);

/* ---- lower.c ---- */

/* IR of the superblock in a module of the context; what the registers must be is in needs, needs_ids. */
struct lowered { uint64_t needs; uint8_t needs_ids; };
typedef struct LLVMOpaqueModule *module_ref;
typedef struct LLVMOpaqueContext *context_ref;
module_ref lower_superblock(const struct superblock *, context_ref, struct lowered *);

/* ---- emit.c ---- */

struct image { uint8_t *bytes; size_t size, entry; };
/* Once a process, before the rest. */
void emit_prepare(void);
/* Optimises the module and makes a flat image of it; dump_ir: prints it before and after. NULL and a message on
 * standard error when that fails. */
bool emit_image(module_ref, unsigned simd, bool dump_ir, struct image *);

#endif
