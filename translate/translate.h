/* galena-translate: RISC-V regions to host code. What its files share.
 *
 * request -> region (decoded control-flow graph) -> forms (static form of each register at each block, liveness)
 * -> LLVM IR (lower*.c) -> host code (emit.c) -> blob. model/engine/region.h is the contract. One request a process, one
 * thread; what is wrong with a request is said on standard error and ends in status 1. */
#ifndef GALENA_TRANSLATE_H
#define GALENA_TRANSLATE_H
#include "model/engine/region.h"

enum {
	MAX_INSNS = 6000,   /* of a region, calls counted as often as they are made */
	MAX_BLOCKS = 1500,
	MAX_CONTEXTS = 64,  /* chains of calls */
	MAX_STRETCH = 1024, /* instructions between two places that look at the limit */
	MAX_PARTED = 160,   /* blocks of the code for lanes that have parted */
	NO_BLOCK = 0xffffffff,
};

/* ---- request.c ---- */

/* What is wrong with size bytes that are to be a request; NULL: nothing. */
const char *request_check(const struct region_request *, size_t size);

/* ---- region.c: the control-flow graph ---- */

enum insn_kind {
	KIND_PLAIN,
	KIND_BRANCH, /* ends its block */
	KIND_JUMP,   /* jal that is no call, or falls into the next block */
	KIND_CALL,   /* to a known place in the region */
	KIND_RETURN, /* to the place that called */
	KIND_EXIT,   /* for the interpreter */
};

struct item {
	struct insn insn;
	uint64_t pc;
	uint8_t kind; /* enum insn_kind */
	bool leaves;  /* the region may be left at this instruction */
	/* registers at this place: may have been written in the region; have been written in the block; nobody reads them
	 * before they are written; are given back to the warp when the region is left here */
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
	bool checkpoint;          /* looks at the limit */
	uint32_t need;            /* most instructions from its start to the next checkpoint or the end */
	/* forms.c */
	uint64_t live, dirty;     /* at its start: registers that the code reads later, or gives back; that it may have written */
	/* parted.c */
	bool diverges;            /* lanes may disagree at its branch */
	bool splits;              /* and go on in the code for parted lanes */
	bool parted;              /* is part of that code */
	bool resume;              /* which is left here when all lanes run */
	uint32_t rank;            /* its place in order */
	uint64_t passed;          /* registers that blocks after it may read */
};

struct region {
	const struct region_request *request;
	const uint8_t *code;
	struct item *items;
	uint32_t num_items;
	struct block *blocks;     /* in reverse postorder: a block's first predecessor stands before it; [0] is the entry */
	uint32_t num_blocks;
	uint32_t *preds;          /* of all blocks */
	uint64_t low, high;       /* addresses of the instructions */
	struct forms *heads;      /* of each block at its start */
	/* parted.c: the code for lanes that have parted, if there is any */
	uint32_t *order, num_parted; /* its blocks, lowest pc first */
	struct forms *parted;      /* of the registers, in all of them */
	uint64_t kept, brought;   /* registers that its lanes have values of their own of; that it takes along, those among them */
};

/* NULL when there is nothing to translate: *why says why. The request and the code must outlive it. */
struct region *region_build(const struct region_request *, const uint8_t *code, const char **why);
void region_free(struct region *);
void region_dump(const struct region *);
/* Whether lowering knows the instruction. */
bool insn_lowers(const struct region_request *, const struct insn *);

/* ---- forms.c: what is known of the registers ---- */

enum form {
	FORM_NONE,  /* not reached */
	FORM_U32,   /* one value, a word (x: sign-extended, f: NaN-boxed) */
	FORM_U64,
	FORM_A32,   /* base + lane * stride, every lane a word; x only */
	FORM_A64,
	FORM_W,     /* a word a lane */
	FORM_F,     /* 64 bits a lane */
};

/* What is known of the NaNs of an f register. Arithmetic makes the canonical NaN of any; that is left undone until
 * somebody looks at the bits. */
enum nans {
	NANS_CLEAN, /* there are none but the canonical one */
	NANS_RAW,   /* any one stands for the canonical one */
	NANS_EXACT, /* they are what they are */
};

enum { STRIDE_ANY = INT32_MIN };

struct reg_form {
	uint8_t form;       /* enum form */
	bool known;         /* uniform, and value is it */
	bool is_private;    /* may point into private memory */
	uint8_t nans;       /* f: enum nans */
	int32_t stride;     /* affine: constant, or STRIDE_ANY */
	uint64_t value;     /* f of form U32: its low 32 bits */
};

struct forms { struct reg_form r[64]; };

static inline bool form_uniform(const struct reg_form *f) { return f->form == FORM_U32 || f->form == FORM_U64; }
static inline bool form_affine(const struct reg_form *f) { return f->form == FORM_A32 || f->form == FORM_A64; }
static inline bool form_word(const struct reg_form *f) { return f->form == FORM_U32 || f->form == FORM_A32 || f->form == FORM_W; }

/* Makes forms those after the instruction. */
void forms_step(const struct region *, struct forms *, const struct item *);
/* Fills in heads, live, dirty and what items have of them. False without memory. */
bool forms_solve(struct region *);
void forms_dump(const struct region *);

struct reg_form form_just(enum form);
/* What is both one and the other. */
struct reg_form form_joined(const struct reg_form *, const struct reg_form *);
bool form_same(const struct reg_form *, const struct reg_form *);
/* The forms that the request names. */
void forms_at_entry(const struct region *, struct forms *);

/* ---- parted.c: code for lanes that have parted ---- */

/* Finds which blocks have such code, and what it keeps; none when it would be too large. After forms_solve's other
 * work, which calls it. False without memory. */
bool parted_solve(struct region *);

/* ---- beyond.c: the code that follows where a region is left ---- */
struct beyond;
/* NULL without memory. */
struct beyond *beyond_build(const struct region *);
void beyond_free(struct beyond *);
/* Registers that may be read from an instruction on at which the region ends, itself among them. All when that is not
 * known, or beyond is NULL. */
uint64_t beyond_live(const struct beyond *, uint64_t pc);

/* ---- lower.c ---- */

/* IR of the region in a module of the context; what the registers must be is in needs, needs_ids. */
struct lowered { uint64_t needs; uint8_t needs_ids; };
typedef struct LLVMOpaqueModule *module_ref;
typedef struct LLVMOpaqueContext *context_ref;
module_ref lower_region(const struct region *, context_ref, struct lowered *);

/* ---- emit.c ---- */

struct image { uint8_t *bytes; size_t size, entry; };
/* Once a process, before the rest. */
void emit_prepare(void);
/* Optimises the module and makes a flat image of it; dump_ir: prints it before and after. NULL and a message on
 * standard error when that fails. */
bool emit_image(module_ref, unsigned simd, bool dump_ir, struct image *);

#endif
