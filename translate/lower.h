/* Making LLVM IR: what lower*.c share. A register's value is held as its encoding says (translate.h):
 *   U32, U64  x: i64; f: i32 of the box, i64
 *   A32, A64  i64 base and i64 stride
 *   W, F      <32 x i32>, <32 x i64>
 * Arithmetic is written once for scalars and vectors: LLVM's instructions take both. */
#ifndef GALENA_TRANSLATE_LOWER_H
#define GALENA_TRANSLATE_LOWER_H
#include "translate/translate.h"
#include <llvm-c/Core.h>

typedef LLVMValueRef value;
typedef LLVMTypeRef type;

struct val { value a, b; };

enum { MAX_WINDOWS = 3 * MAX_INSNS, MAX_GROUPS = 64 };

/* A range of addresses that lies at one host address, as a place of the code has found it last: variables of where it
 * begins, of the first offset at which an access would reach out of it, of the host address less the guest's. */
struct window {
	uint64_t from; /* who shares it */
	unsigned bytes;
	bool write;
	value low, room, delta;
};

/* Accesses of a block through one value of a register, within the range that low and high give; host: where low lies, once
 * that is known. */
struct access_group {
	uint32_t from;
	uint8_t reg;
	bool write;
	int64_t low, high;
	value host;
};

/* Loads of a size of a block through one value of a register whose lanes are at addresses of their own: whether one window
 * holds them all; whether they lie side by side, or each eight do; where lane 0's and each lane's value of it lies. */
struct lanes_group {
	uint32_t from;
	uint8_t reg, size;
	value in, row, by_eights, first, at;
};

struct lower {
	const struct superblock *superblock;
	LLVMContextRef context;
	LLVMModuleRef module;
	LLVMBuilderRef b;
	value function, warp, run;
	/* types */
	type i1, i8, i16, i32, i64, f32, f64, ptr;
	type w32, w64, wf32, wf64, wptr; /* a lane each */
	value lanes32, lanes64;          /* 0, 1, 2 ... */
	value unlikely;                  /* branch weights */
	unsigned prof;
	/* at the entry */
	LLVMBasicBlockRef entry, begin; /* variables; what comes before the first block, at its end */
	value cu, space, limit;
	struct lowered *needs;
	/* SUPERBLOCK_MASKED */
	/* code for divergent lanes, by rank: lanes that wait; where it is seen whether any do; the block */
	bool masked;                     /* it is being lowered */
	value waits[MAX_DIVERGENT];
	LLVMBasicBlockRef scan[MAX_DIVERGENT], body[MAX_DIVERGENT];
	struct val vars[64];             /* registers that are brought */
	value now, counter, lanes, slice_end, narrow; /* variables: mask of the block to run; executed; of that, by lanes; ... */
	LLVMBasicBlockRef gone;          /* there it is left */
	uint64_t ever_narrow;
	struct encodings plain;              /* what code for all lanes knows here */
	value live;                      /* lanes that there are: i32 */
	value mask;                      /* of the warp split that runs the block: i32 */
	value running;                   /* the same, an i1 a lane */
	/* the place that is being lowered */
	const struct block *block;
	const struct item *item;
	uint32_t done;                   /* instructions of the block before it */
	value left;                      /* instructions that may run, at the block's start; masked: have run */
	struct val r[64];
	struct encodings f;
	/* lower_mem.c */
	struct window windows[MAX_WINDOWS];
	unsigned num_windows;
	struct access_group groups[MAX_GROUPS]; /* of the block */
	unsigned num_groups;
	struct lanes_group lanes_groups[MAX_GROUPS];
	unsigned num_lanes_groups;
	value addresses, values;         /* memory for 32 of them */
};

/* ---- building ---- */
value in_lanes(value constant);                 /* the same in every lane */
value num(type, uint64_t);                       /* in every lane */
value sequence(type element, unsigned count, uint64_t first, uint64_t step); /* a vector of first, first + step ... */
value splat(struct lower *, value scalar, type); /* the same, of a value */
value intrinsic(struct lower *, const char *name, type, value *, unsigned n); /* overloaded on one type */
/* One that has two types in its name. */
value intrinsic_of(struct lower *, const char *name, type t, type other, value *args, unsigned n);
value field(struct lower *, value base, size_t offset); /* address of it */
value load_field(struct lower *, type, value base, size_t offset);
value variable(struct lower *, type, value initial); /* memory that LLVM makes registers of */
type value_type(const struct lower *, const struct reg_encoding *, unsigned reg); /* of a register of the encoding */
LLVMBasicBlockRef block_new(struct lower *, const char *name);

/* ---- registers in the encoding that an instruction wants ---- */
value get_u64(struct lower *, unsigned reg);     /* uniform */
value get_u32(struct lower *, unsigned reg);
value get_words(struct lower *, unsigned reg);   /* low words of the lanes */
value get_fulls(struct lower *, unsigned reg);
/* Any of these four. */
value get_bits(struct lower *, unsigned reg, bool word, bool uniform);
value get_base(struct lower *, unsigned reg);    /* uniform or affine */
value get_stride(struct lower *, unsigned reg);
value stride_value(struct lower *, const struct val *, const struct reg_encoding *);
value get_single(struct lower *, unsigned reg, bool uniform); /* NaNs may be raw */
value get_double(struct lower *, unsigned reg, bool uniform);
value convert_bits(struct lower *, struct val, const struct reg_encoding *from, bool is_f, bool wide); /* lanes */
/* The same value in a encoding that can hold it. */
struct val convert(struct lower *, struct val, const struct reg_encoding *from, const struct reg_encoding *to, bool is_f);
/* rd's new value, whose encoding is *f. */
void put(struct lower *, unsigned rd, const struct reg_encoding *f, value a, value b);
const struct reg_encoding *encoding_of(const struct lower *, unsigned reg);

/* Puts a register into the warp, in a legal encoding. */
void give_back(struct lower *, unsigned reg);

/* ---- lower_window.c ---- */
/* Ends the LLVM block; likely: then is. */
void branch(struct lower *, value condition, LLVMBasicBlockRef then, LLVMBasicBlockRef other, bool likely);
/* Goes on in a block, which is returned. */
LLVMBasicBlockRef enter(struct lower *, LLVMBasicBlockRef);
/* The helper at that offset of struct superblock_helpers. */
value helper(struct lower *, size_t which);
/* The window of accesses through one value of a register: its place in l->windows. */
unsigned window_of(struct lower *, unsigned reg, unsigned bytes, bool write);
/* Looks for the bytes at va and opens the window there; goes to done, or to fail when there is none. */
void window_open(struct lower *, unsigned window, value va, unsigned bytes, bool write, LLVMBasicBlockRef done,
		 LLVMBasicBlockRef fail);
/* Host address of the bytes at va; goes to fail when they do not lie together. reg: through which they are reached. */
value window_place(struct lower *, unsigned reg, value va, unsigned bytes, bool write, LLVMBasicBlockRef fail);

/* ---- lower_mask.c: code for divergent lanes ---- */
/* Makes what all of it uses. */
void mask_variables(struct lower *);
/* SUPERBLOCK_MASKED: from the entry to the first block, with the warp splits. */
void mask_entry(struct lower *);
/* From a branch at which the lanes of taken disagree with the others. */
void mask_part(struct lower *, value taken);
/* At the start of a block: its mask and registers; whether it may run. */
void mask_block(struct lower *);
void mask_check(struct lower *);
/* At the end of a block: on to the next, or by a branch; taken: i1 when it is uniform, else i32. */
void mask_end(struct lower *);
void mask_branch(struct lower *, value taken, bool uniform);
/* Leaves the superblock before the instruction; why and where are said. */
void mask_leave(struct lower *);
/* When all blocks are lowered. */
void mask_finish(struct lower *);

/* ---- leaving ---- */
/* Goes on when ok; else leaves the superblock before the instruction. */
void guard(struct lower *, value ok, enum superblock_exit);
void leave(struct lower *, uint64_t pc, enum superblock_exit); /* ends the LLVM block */

/* ---- instructions; out is the encoding of the result ---- */
void lower_int(struct lower *, const struct insn *, const struct reg_encoding *out);
void lower_fp(struct lower *, const struct insn *, const struct reg_encoding *out);
void lower_load(struct lower *, const struct insn *, const struct reg_encoding *out);
void lower_store(struct lower *, const struct insn *);
value canonical(struct lower *, value bits, bool single);

#define AND(x, y) LLVMBuildAnd(l->b, x, y, "")
#define OR(x, y) LLVMBuildOr(l->b, x, y, "")
#define XOR(x, y) LLVMBuildXor(l->b, x, y, "")
#define NOT(x) LLVMBuildNot(l->b, x, "")
#define ADD(x, y) LLVMBuildAdd(l->b, x, y, "")
#define SUB(x, y) LLVMBuildSub(l->b, x, y, "")
#define MUL(x, y) LLVMBuildMul(l->b, x, y, "")
#define NEG(x) LLVMBuildNeg(l->b, x, "")
#define SHL(x, y) LLVMBuildShl(l->b, x, y, "")
#define LSHR(x, y) LLVMBuildLShr(l->b, x, y, "")
#define ASHR(x, y) LLVMBuildAShr(l->b, x, y, "")
#define ICMP(p, x, y) LLVMBuildICmp(l->b, LLVMInt##p, x, y, "")
#define FCMP(p, x, y) LLVMBuildFCmp(l->b, LLVMReal##p, x, y, "")
#define SELECT(c, x, y) LLVMBuildSelect(l->b, c, x, y, "")
#define TRUNC(x, t) LLVMBuildTrunc(l->b, x, t, "")
#define SEXT(x, t) LLVMBuildSExt(l->b, x, t, "")
#define ZEXT(x, t) LLVMBuildZExt(l->b, x, t, "")
#define BITCAST(x, t) LLVMBuildBitCast(l->b, x, t, "")
#define TYPE(x) LLVMTypeOf(x)
/* a number of the same type */
#define LIKE(x, n) num(TYPE(x), n)

#endif
