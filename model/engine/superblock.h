/* What the model and galena-translate, the program that makes host code from hot kernels, say to each other.
 *
 * A superblock is the control-flow graph that direct branches and jumps reach from one pc, inside the text around
 * it. A code-cache entry is host code for a superblock, made for one signature: the encodings (enum register_encoding) that the registers have when
 * it is entered. The model never makes code: it writes a request, starts the translator in the background and
 * goes on interpreting; when the code-cache entry is there it is mapped, and entered where a warp stands at its pc with the
 * encodings that it was made for.
 *
 *   galena-translate -o FILE     reads a request from standard input; writes FILE aside and renames it into
 *                                place, or to standard output when FILE is "-". Status 0: the code-cache entry is there;
 *                                1: it is not, and a line on standard error says why.
 *
 * Exactness: when a code-cache entry returns, the warp's registers and memory are those of the interpreter after
 * superblock_run.count instructions, about to execute the one at superblock_run.pc, none of whose effects has happened.
 * What a code-cache entry cannot do is an exit at that instruction; the interpreter does it. */
#ifndef GALENA_MODEL_SUPERBLOCK_H
#define GALENA_MODEL_SUPERBLOCK_H
#include "model/cu/cu.h"

/* "version" is GALENA_SUPERBLOCK_VERSION of the generated superblock_hash.h: a hash of what the layouts of struct warp,
 * struct cu, struct soft_tlb_entry and of this file come from. */
#define SUPERBLOCK_REQUEST_MAGIC 0x71657267u /* "greq" */
#define CODE_ENTRY_MAGIC 0x6f6c6267u    /* "gblo" */
enum { SUPERBLOCK_MAX_CODE = 64 << 10, SUPERBLOCK_MAX_TEXT = 16 << 20 };

enum superblock_flags {
	SUPERBLOCK_CHECK = 1,  /* helpers->note is called before every store */
	SUPERBLOCK_MASKED = 2, /* the code is entered with a mask, and with pending warp splits; see superblock_entry */
	SUPERBLOCK_DIVERGENT = 4,  /* lanes that disagree at a branch stay in the code, as far as it can be made for that */
};

/* Little-endian, followed by code_bytes bytes of guest code. Integers are the host's. */
struct superblock_request {
	uint32_t magic, version;
	uint64_t key[2];          /* the code-cache entry has to carry it: a hash of the rest, and of the translator */
	uint64_t code_va, entry;  /* address of the first byte of code (page aligned); the superblock's pc */
	uint64_t in_private;      /* bit i: xi is uniform and points into private memory; other loads and stores through it leave */
	uint32_t code_bytes;      /* a multiple of the page size, at most SUPERBLOCK_MAX_CODE */
	uint32_t flags;           /* enum superblock_flags */
	uint32_t private_bytes;   /* w->private_bytes of every warp that enters */
	uint8_t simd;             /* enum compute_simd, never SIMD_AUTO: host features to compile for (PORTABLE: the baseline) */
	uint8_t id_encoding[3];        /* encoding of CSR local_id_x, _y, _z: ENC_UNIFORM, ENC_AFFINE (stride 1) or ENC_WORD */
	uint8_t encoding[64];     /* enum register_encoding of x0..x31, f0..f31; what holds 0 in x0 is uniform */
};

/* Start of a code-cache entry. text: position-independent code and its constants, without external symbols or relocations
 * left; the model puts the whole file at a page boundary, read-only and executable, so text_offset decides the
 * alignment. text_bytes 0: the superblock is not worth entering or cannot be translated; this is kept, too. */
struct code_entry {
	uint32_t magic, version;
	uint64_t checksum;        /* XXH3_64bits of all that follows this field, to the end of the file */
	uint64_t key[2];          /* of the request */
	uint64_t needs;           /* bit i: register i is live-in, its encoding must be encoding[i] of the request */
	uint64_t low, high;       /* the guest code in the superblock lies in [low, high) */
	uint32_t text_offset, text_bytes;
	uint32_t entry_offset;    /* of the entry function, from text_offset */
	uint8_t needs_ids;        /* bit i: id_encoding[i] must be as in the request */
	uint8_t pad[3];
};

/* Why a code-cache entry has returned. */
enum superblock_exit {
	SUPERBLOCK_LIMIT,    /* count may not grow: limit */
	SUPERBLOCK_EDGE,     /* pc lies outside of the superblock, or holds an instruction that it leaves to the interpreter */
	SUPERBLOCK_DIVERGED, /* the lanes disagree at the branch at pc, and the code is not made for that */
	SUPERBLOCK_ACCESS,   /* the access at pc is not simple, its page is not in the software TLB, or it faults */
	SUPERBLOCK_ENCODING,     /* a value at pc would not fit the encoding that the code was made for */
	SUPERBLOCK_EXITS,
};

struct superblock_run;
struct superblock_helpers {
	/* What interpreting an access does when it misses the software TLB: the entry that holds va, found now, which
	 * may change other entries. NULL when there is no host address for the access (fault, observed or cached memory):
	 * leave with SUPERBLOCK_ACCESS. Only where the interpreter would do the same next. */
	const struct soft_tlb_entry *(*tlb)(struct warp *, uint64_t va, bool write);
	/* An access of the lanes of w->mask, lane by lane in lane order, at any addresses: value is zero-extended. False when
	 * a lane faults: leave with SUPERBLOCK_ACCESS, the interpreter does the access again from its first lane, with the same
	 * values. */
	bool (*load)(struct warp *, const uint64_t *va, unsigned size, uint64_t *value);
	bool (*store)(struct warp *, const uint64_t *va, unsigned size, const uint64_t *value);
	/* SUPERBLOCK_CHECK: the lanes of mask are about to store size bytes each at va. */
	void (*note)(struct superblock_run *, struct warp *, uint32_t mask, const uint64_t *va, unsigned size);
};

struct superblock_run {
	uint64_t pc;      /* out: where to go on */
	uint64_t count;   /* in: 0; out: warp instructions executed */
	uint64_t limit;   /* in: at most so many; a code-cache entry leaves before a block, or the rest of a loop's turn, that may exceed it */
	uint32_t exit;    /* out: enum superblock_exit */
	uint64_t dead;    /* out: bit i: register i is written before it is read from pc on, and holds anything (in a legal encoding) */
	/* Warp splits. slice: in: instructions that the split may run while others are pending (SUPERBLOCK_MASKED); out, with divergent: what is left
	 * of that. lanes: out, with divergent: the executed instructions, each as often as lanes executed it; else all lanes of
	 * w->mask have executed them all. divergent: in: false; out: lanes have diverged: w->mask, w->pending and w->num_pending
	 * are new, and the split that stands at pc is the best one. */
	uint64_t slice, lanes;
	bool divergent;
	const struct local_ids *ids;          /* in: local ids of the warp's lanes */
	const struct superblock_helpers *helpers;
	void *log;        /* of note */
};

/* The entry function. Of a SUPERBLOCK_MASKED code-cache entry: see below. The model enters only with:
 * w->mask == w->live == ALL_LANES (so nothing is pending or waits), no dynamic rounding mode but
 * nearest even (!w->frm_any), !w->replay, no observer (cu->events NULL, cu->look_hide 0), functional speed,
 * config->lanes == LANES, the registers of needs in the encodings of the request, limit at least 1.
 *
 * At the return every register is in an encoding that model/cu/register_file.h allows (x0 uniform 0); registers that the superblock has
 * not written need not be stored, nor what they hold be touched. w->base of a register whose encoding is neither
 * uniform nor affine may be anything. w->depth counts calls inside the superblock as the interpreter would. Nothing
 * else of the warp, the group or the CU is written except by the helpers: what counts instructions is the model's.
 *
 * SUPERBLOCK_MASKED: entered with any mask that is not empty and any pending splits (none at a barrier or reconverging, none at another
 * call depth); w->mask, w->num_pending and w->pending say so, and superblock_run.slice. The code leaves at once, with count 0
 * and without divergent, where a pending split does not stand at the start of one of its blocks. While splits are pending, they split,
 * join and take turns by the rules of model/cu/divergence.c: the one at the lowest pc runs, until its slice is over (an exit).
 *
 * Exits, always: barrier, exit, sg_*, ecall, ebreak, what is no instruction, jalr but for calls and returns in the superblock (SUPERBLOCK_MASKED: all of
 * them), reads of other csrs than those of
 * abi/csr.def, csr writes, atomics, static rounding modes other than nearest even (but for conversions
 * from and to integers), whatever the code would not do bit for bit as exec_*.inc. */
typedef void superblock_entry(struct warp *, struct superblock_run *);

#endif
