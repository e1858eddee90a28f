/* State of warps and compute units, shared by the dispatcher, the schedulers and the execution
 * engines. Internal to the compute unit: nothing outside model/ includes it.
 *
 * A register of a warp is one value a lane. It is kept in the cheapest form that can hold it:
 *   REP_UNIFORM  the same value in every lane: base
 *   REP_AFFINE   base + lane * stride (integer registers only)
 *   REP_WORD     32 bits a lane in v.w: integer registers sign-extended, f registers NaN-boxed
 *   REP_FULL     64 bits a lane in v.d
 * The form is no part of the result: all forms of a value are equal. Lanes that have ended or
 * never existed may hold anything. */
#ifndef GALENA_MODEL_WARP_H
#define GALENA_MODEL_WARP_H
#include "abi/events.h"
#include "model/cu/compute.h"
#include "model/cu/decode.h"
#include "model/mem/physmem.h"

enum { LANES = 32, PAGE_OPS = 1024 };
enum { PATH_SLICE = 4096 }; /* instructions that a path runs while others of its warp wait */
enum { REG_SINK = 64, REG_TMP = 65, REG_COUNT = 66 }; /* writes to x0 go to REG_SINK */
enum rep { REP_UNIFORM = 0, REP_AFFINE = 1, REP_WORD = 2, REP_FULL = 4 };

#define BOX 0xffffffff00000000ull /* upper half of an f register that holds fp32 */
#define ALL_LANES 0xffffffffu

struct vreg {
	union {
		uint64_t d[LANES];
		uint32_t w[LANES];
		double fd[LANES];
		float fs[LANES];
	};
} __attribute__((aligned(64)));

struct warp;
struct uop;
struct profile_cu;
struct profile_code;
typedef const struct uop *handler(struct warp *, const struct uop *);

/* One decoded instruction. The handler returns the next one; returning w->stop ends the loop. */
struct uop {
	handler *fn;
	int32_t imm;  /* branches and jal within the page: distance in uops */
	uint8_t rd;   /* REG_SINK for x0 and none */
	uint8_t rs1, rs2, rs3; /* 0 where there is none: x0 is uniform and always ready */
	uint8_t op, cls, rm, flags;
	uint32_t word;
	uint32_t latency; /* cycles from its issue to its result, of what is no memory access */
};

/* UOP_PURE: touches nothing but registers of its warp and goes on at the next uop, so that it may be executed
 * before the cycle at which it issues.
 * UOP_CHAINED: cannot issue in the cycle after the uop before it, whose result it wants. What is not known to be so may
 * be so.
 * UOP_RAW: not decoded yet. */
enum uop_flags { UOP_CALL = 1, UOP_RETURN = 2, UOP_PURE = 4, UOP_RAW = 8, UOP_CHAINED = 16 };

struct code_page {
	uint64_t va;
	uint32_t space;
	uint64_t epoch;           /* of the MMU when its translation was last checked */
	uint64_t pa;
	struct code_page *next;   /* in its hash chain */
	struct code_page *link;   /* the page that was last jumped to from here */
	struct profile_code *profile; /* NULL: nobody profiles */
	struct superblock_page *superblocks; /* where translated code may begin; NULL: nowhere */
	struct uop ops[PAGE_OPS + 1]; /* the last one leads to the next page */
};

/* Lanes that stand at the same instruction at the same call depth. */
struct path {
	uint64_t pc;
	uint32_t depth, mask;
};

/* Why the execution loop was left. */
enum why {
	WHY_NONE,
	WHY_SPLIT,   /* branch went both ways: split_mask to split_pc, the others to the next one */
	WHY_GOTO,    /* to goto_pc, looking at the other paths */
	WHY_COUNTER, /* reads cycle or instret */
	WHY_JALR,    /* jump to a different address in each lane */
	WHY_YIELD,   /* let the other paths of the warp run for a while */
	WHY_SYNC,    /* the lanes wait for the others of the warp */
	WHY_BARRIER,
	WHY_EXIT,
	WHY_FAULT,
	WHY_SUPERBLOCK,  /* stands where translated code can take over: cu->superblock */
};

#define STOP_NONE ((const struct uop *)UINTPTR_MAX)

struct lane_fault {
	enum fault code;
	enum access access;
	uint64_t address, pc;
	unsigned lane;
};

struct group;
struct cu;
struct superblocks;
struct superblock_page;
struct superblock_variant;
struct code;

struct warp {
	/* what runs, and what the issue of an instruction looks at: one line of the host's cache */
	const struct uop *op;     /* its next instruction (when the loop is not running) */
	const struct uop *stop;   /* where the loop has to stop: here the best pending path stands */
	uint64_t retired;         /* warp instructions */
	struct cu *cu;
	struct code_page *code;   /* page of op */
	uint32_t ahead;           /* timed: how many instructions from op on are executed but have not issued */
	uint32_t slice;           /* instructions until another path runs, while some are pending */
	uint32_t mask, live;      /* lanes of the running path; lanes that have not ended */
	union {
		struct {
			uint16_t num_pending; /* the other paths */
			bool frm_any; /* a lane's rounding mode is not nearest even */
			bool yielded; /* the running path is not the best one */
		};
		uint32_t unusual; /* one of these */
	};
	bool partial;             /* mask != live: results must be merged into their registers */
	uint8_t why;              /* enum why */
	bool waits;               /* timed: op has been looked at; it can issue from the cycle in wake[] on */
	/* timed: cycle at which a register can be read */
	uint64_t ready[REG_COUNT] __attribute__((aligned(64)));
	/* registers */
	uint8_t rep[REG_COUNT];
	uint64_t base[REG_COUNT], stride[REG_COUNT];
	struct vreg *tmp;         /* four scratch registers, the CU's */
	uint32_t depth;           /* call depth of the running path */
	uint32_t space;
	uint8_t *lds;             /* the work-group's local memory */
	uint32_t local_bytes, private_bytes;
	uint64_t private_va;      /* backing of the warp's private memory; 0: none */
	/* the other paths, best last: deepest call, then lowest pc */
	uint16_t num_parked, num_synced;
	uint32_t waiting;          /* lanes of parked */
	uint32_t spin;             /* atomics done while other paths were pending */
	uint32_t yields;           /* how often path_yield has changed over */
	/* arguments of the reason for leaving */
	uint32_t split_mask;
	uint64_t split_pc, goto_pc;
	struct lane_fault fault;
	/* position */
	struct group *group;
	uint32_t slot;            /* warp slot of the CU */
	uint32_t first_id;        /* linear local id of lane 0 */
	uint32_t number;          /* of the work-group's warps */
	uint32_t first_live;      /* live at the start */
	uint64_t born;            /* cycle at which it began */
	uint64_t retry;           /* standing at a page fault: when the walk that found it is over */
	uint64_t counted;         /* timed: of the retired instructions, how many are in the counters */
	bool busy;                /* the slot is taken */
	bool replay;              /* page faults wait: why is WHY_FAULT and it cannot run until cu_replay */
	bool unresolved;          /* op is gone: goto_pc tells */
	uint32_t reserved;         /* lanes that hold an lr reservation */
	uint8_t frm[LANES];
	/* what follows needs no initial value; without timing, ready does not either */
	struct path pending[LANES];
	struct path parked[LANES]; /* waiting at a barrier; pc is the instruction after it */
	struct path synced[LANES]; /* the same, waiting for the warp */
	uint64_t reserved_va[LANES], reserved_value[LANES];
	struct vreg v[REG_COUNT];
};

struct group {
	bool busy;
	unsigned slot;            /* dispatch slot */
	bool hang;                /* its last warp does not end */
	uint64_t number;          /* of all groups of the dispatch */
	uint32_t space;
	uint32_t id[3], size[3];
	uint32_t live_warps;
	uint32_t live_items, waiting_items;
	uint32_t num_warps;
	uint32_t lds_offset, lds_bytes;
	uint64_t kernarg;
};

/* Where guest memory lies on the host: a run of addresses of one space that is one block there
 * and in physical memory, the same rights throughout. Engines and translated code use the entries so: bytes [va, va + n), va < VA_LOCAL_BASE,
 *         l = &cu->look[look_index(cu, va)], at = look_address(space, va) - l->first
 *         a load:  at < l->read && l->read - at >= n      a store:  at < l->write && l->write - at >= n
 * are l->host[at] to l->host[at + n - 1]. Of a gather or a scatter one entry may hold all lanes. If there is none,
 * look_get finds it, or lane_load and lane_store do the access. These three may change any entry, and so
 * may whatever comes between two calls of the engine's run: nothing of an entry is kept across them.
 * With timing or somebody looking an entry is a page, and with somebody looking read and write are 0, so that
 * every access asks look_get. With timing each access is also noted (timing_line, timing_range) at l->pa + at:
 * there the entries stand for the L1 TLB. */
struct look {
	uint64_t first;          /* look_address of the run */
	uint64_t read, write;    /* how many bytes of it engines may read and write: bytes, or 0 */
	uint8_t *host;
	uint64_t bytes;          /* of the run; 0: an empty entry */
	uint64_t pa;             /* physical address */
	bool cached;             /* through cache */
	uint8_t direct;          /* at host: LOOK_READ, LOOK_WRITE; not set: not allowed, or by way of cache or physmem */
} __attribute__((aligned(64)));
enum look_direct { LOOK_READ = 1, LOOK_WRITE = 2 };

enum { LDS_PATTERNS_LOG = 5, L1_WAYS = 16 /* at most */ };
enum { LOOK_MAX = 256, LOOK_RUNS = 16, MAX_WARPS = 16, ACCESS_LINES = 2 * LANES, ACCESS_PAGES = 4 * LANES };
/* Local memory is handed out, and cleared between address spaces, in pieces of so many bytes. */
enum { LDS_GRANULE = 64 };
/* How many lanes are in a mask: mostly all. */
static inline uint32_t lanes_count(uint32_t mask) { return mask == ALL_LANES ? LANES : (uint32_t)__builtin_popcount(mask); }
static inline uint32_t lds_round(uint32_t bytes) { return (bytes + LDS_GRANULE - 1) / LDS_GRANULE * LDS_GRANULE; }

/* Local ids of the lanes of a warp. */
struct id_entry {
	uint32_t size[2], first;
	uint8_t form[4];          /* enum rep of them, were all lanes live; 0 */
	uint32_t id[3][LANES];
};

/* Bank conflicts of all lanes' accesses of 4 bytes that are so many bytes behind lane 0's, which is aligned. */
struct lds_pattern {
	uint64_t apart[LANES];
	uint32_t rounds, words; /* turns that the banks take, 0: nothing is kept here; different words */
} __attribute__((aligned(64)));

struct engine;
enum { HOST_LINES = 128 }; /* bytes that host caches fetch together */
struct cu {
	struct compute *owner;
	struct mmu *mmu;
	struct physmem *mem;
	struct l2 *l2;            /* its view */
	struct code *code;
	bool ordered;             /* it has done atomics in memory in this quantum: units of lower numbers have ended theirs */
	const struct device_config *config;
	const struct engine *engine;
	struct superblocks *superblocks;   /* translated code, of all units; NULL: interpreted */
	struct superblock_variant *superblock; /* of WHY_SUPERBLOCK */
	unsigned index, unit;
	bool timed;
	uint64_t now;             /* cycle that it has reached */
	struct event_sink *events; /* NULL: nobody looks */
	struct profile_cu *profile; /* NULL: nobody profiles */
	uint64_t epoch;           /* of the MMU, for look[] */
	bool look_pages;          /* entries of look[] are pages: with timing or somebody looking */
	uint32_t look_shift;      /* 32 - logarithm of the entries in use */
	uint32_t look_grain;      /* logarithm of the bytes that share an entry */
	struct look look[LOOK_MAX];
	struct look run[LOOK_RUNS]; /* that were found last; look[] is filled from it */
	uint32_t next_run;
	struct { uint64_t va, now; uint32_t space; enum access access; enum fault fault; } refused; /* last; fault 0: none */
	/* with somebody looking: pages that the instruction in progress has asked for */
	struct { uint64_t va, pa; } seen[ACCESS_PAGES];
	uint32_t num_seen;
	struct vreg tmp[4];
	uint64_t targets[LANES];   /* of WHY_JALR */
	/* residents */
	struct warp *warps;       /* config->warps_per_cu */
	struct group groups[MAX_WARPS];
	/* by warp slot: first cycle at which it can issue; UINT64_MAX: it cannot run */
	uint64_t wake[MAX_WARPS] __attribute__((aligned(64)));
	unsigned live_warps;
	uint32_t next_warp;       /* functional: round robin */
	struct code_page *entry_page; /* where the last warp started; NULL: nowhere that is still known */
	uint8_t *lds;
	uint32_t *lds_space;       /* whose data is in it, by granule */
	bool blocked;             /* holds warps, none of which can run */
	struct id_entry ids[MAX_WARPS];
	bool room;                /* a group may fit that did not */
	uint64_t l1_owner;        /* serial of the dispatch that the L1 was emptied for */
	/* groups that the dispatcher has given it, one range a slot */
	struct { uint64_t next, end; } work[COMPUTE_SLOTS];
	uint32_t given;            /* slots that it has groups of yet to start */
	unsigned next_slot;
	/* what ended in this quantum */
	struct { uint64_t groups_done, end; bool faulted, stalled; uint64_t fault_cycle; struct compute_fault fault; } ended[COMPUTE_SLOTS];
	uint32_t ended_slots;      /* of which there is anything in ended[] */
	/* timing of the memory access in progress */
	uint32_t num_lines __attribute__((aligned(64)));
	uint32_t num_hashed, stamp;
	uint32_t line_shift;
	uint32_t tlb_cycles, lds_cycles;
	uint32_t atomic_lanes;
	bool uses_lds;
	uint64_t lsu_free;
	uint64_t *l1_tag;         /* line number + 1; 0: empty. l1_stride of them are a set */
	uint64_t *l1_used;        /* LRU stamp, a multiple of L1_WAYS, + way; of ways that are not there UINT64_MAX */
	uint32_t l1_sets, l1_stride;
	uint64_t l1_stamp;
	uint64_t lines[ACCESS_LINES]; /* physical line numbers, distinct neighbours */
	uint64_t line_seen[64];       /* hash of the first num_hashed of them */
	uint32_t line_stamp[64];
	struct lds_pattern lds_pattern[1 << LDS_PATTERNS_LOG]; /* by a hash of apart */
	uint32_t latency[CLASS_COUNT];
	/* counters, added up by compute_counters */
	struct compute_counters counters;
	/* What the dispatcher looks at between quanta, in a line of its own: all else stays in the caches of the host thread
	 * that runs the unit. */
	struct {
		uint64_t now;
		uint32_t given, ended_slots;
		bool busy, ordered;
		bool merge;        /* its views have something for the others */
		bool walked;       /* in that, what an L1 TLB did not have */
	} shown __attribute__((aligned(HOST_LINES)));
};

/* An implementation of the vector operations. */
struct engine {
	const char *name;
	handler *fn[OP_COUNT];        /* rounding mode nearest even or dynamic, targets in the page */
	handler *mode_fn[5][OP_COUNT]; /* static rounding modes; NULL: soft */
	handler *far_fn[OP_COUNT];    /* branches and jal out of the page */
	handler *undecoded, *page_end, *nop, *move, *soft, *csr_read, *csr_fp;
	/* Without timing: runs the warp from w->op, at most limit instructions; returns how many. */
	uint64_t (*run)(struct warp *, uint64_t limit);
	/* The same where there may be translated code. */
	uint64_t (*run_superblocks)(struct warp *, uint64_t limit);
	/* With timing: runs the unit from cu->now until a warp needs the scheduler (returned, w->why says
	 * why) or nothing can issue before cycle until (NULL). */
	struct warp *(*run_timed)(struct cu *, uint64_t until);
};

extern const struct engine engine_portable;
#if defined(__x86_64__)
extern const struct engine engine_avx2, engine_avx512;
#endif

/* Buffers lie far apart at round addresses: a plain index would put them all in one place. */
static inline unsigned look_index(const struct cu *cu, uint64_t va)
{
	return (uint32_t)(va >> cu->look_grain) * 0x9e3779b1u >> cu->look_shift;
}

/* Addresses of all spaces in one: those below 2^47, which are all that there are. */
static inline uint64_t look_address(uint32_t space, uint64_t va)
{
	return va + ((uint64_t)space << 47);
}

/* Where the byte of va lies, one of the entry's; NULL: not directly on the host. */
static inline uint8_t *look_host(const struct look *l, uint64_t address, enum look_direct how)
{
	return l->direct & how ? l->host + (address - l->first) : NULL;
}

/* ---- model/cu/code.c: decoded instructions ---- */
struct code *code_create(void);
void code_destroy(struct code *);
void code_flush(struct code *);
/* Sets w->code and returns the uop at pc; on a fault sets w->fault and w->why and returns NULL. */
const struct uop *code_at(struct warp *, uint64_t pc);
/* Decodes a uop of w->code in place. */
void code_decode(struct warp *, const struct uop *);
/* Calls visit for each instruction that the unit has decoded. */
void code_visit(struct cu *, void (*visit)(const struct cu *, struct code_page *, const struct uop *));
/* The page of va if it is decoded, and its translation was checked in this epoch. */
struct code_page *code_page_find(const struct cu *, uint32_t space, uint64_t va);
static inline uint64_t uop_pc(const struct warp *w, const struct uop *op)
{
	return w->code->va + (uint64_t)(op - w->code->ops) * 4;
}

/* ---- model/cu/path.c: divergence ---- */
/* Each sets w->op, w->mask, w->stop for what runs next; w->why stays 0 unless a fetch faulted. When
 * no lane is left to run, w->mask is 0. */
void path_split(struct warp *, uint32_t taken, uint64_t taken_pc, uint64_t other_pc);
void path_goto(struct warp *, uint64_t pc);
void path_jump_lanes(struct warp *, const uint64_t *targets); /* of the lanes of w->mask */
void path_exit(struct warp *);                              /* the running lanes end */
void path_park(struct warp *, uint64_t pc);                 /* the running lanes wait, to go on at pc */
void path_release(struct warp *);                           /* the waiting lanes go on */
void path_sync(struct warp *, uint64_t pc);                 /* the running lanes wait for the others of the warp, to go on at pc */
void path_yield(struct warp *);                             /* the worst pending path becomes the running one */

/* ---- model/engine/look.c: where guest memory lies on the host ---- */
void look_init(struct cu *);
/* Forgets all. */
void look_reset(struct cu *);
/* Entry of the CU's lookaside that holds va (at least the rest of its page), filled if need be; NULL: *fault
 * says why. */
const struct look *look_get(struct cu *, uint32_t space, uint64_t va, enum access, enum fault *);

/* ---- model/cu/lsu.c: memory accesses that are not simple ---- */
/* One lane's access of 1, 2, 4 or 8 bytes at any address. */
enum fault lane_load(struct warp *, unsigned lane, uint64_t va, unsigned size, uint64_t *value);
enum fault lane_store(struct warp *, unsigned lane, uint64_t va, unsigned size, uint64_t value);
/* Executes an atomic for the lanes of w->mask; result in w->tmp[3].d. False after a fault. */
bool lsu_atomic(struct warp *, const struct uop *, const uint64_t *va, const uint64_t *operand,
		const uint64_t *expected, uint64_t *result);
void warp_fault(struct warp *, const struct uop *, enum fault, enum access, uint64_t va, unsigned lane);
/* Whether the pages that the lanes of w->mask access are there: to be asked before the first side effect
 * of a warp that replays. False after a fault. */
bool lsu_pages_present(struct warp *, const struct uop *, const uint64_t *va, unsigned size, enum access);
/* Where a byte of a lane's private memory lies. */
static inline uint64_t private_address(const struct warp *w, unsigned lane, uint64_t offset)
{
	return w->private_va + (offset / 4 * w->cu->config->lanes + lane) * 4 + (offset & 3);
}
/* Whether the fault is one that a replay may cure. */
static inline bool fault_replays(enum fault f)
{
	return f == FAULT_PAGE_NOT_PRESENT || f == FAULT_PAGE_READ || f == FAULT_PAGE_WRITE || f == FAULT_PAGE_EXEC;
}
/* Timed: adds the instructions that have issued and are not in the counters yet. */
static inline void warp_count_issued(const struct warp *w, struct compute_counters *counters)
{
	uint64_t n = w->retired - w->counted - w->ahead;
	counters->warp_insns += n;
	counters->lane_insns += n * (uint32_t)__builtin_popcount(w->mask);
}
/* Timed: has the counters up to date, before the running lanes change. */
static inline void warp_count(struct warp *w)
{
	warp_count_issued(w, &w->cu->counters);
	w->counted = w->retired;
}
/* Takes back the instruction in progress, which the run loop will count as retired. */
static inline void insn_uncount(struct warp *w)
{
	w->retired--;
	if (!w->cu->timed)
		w->cu->counters.lane_insns -= (uint32_t)__builtin_popcount(w->mask);
}
/* The handler of memory instructions while somebody looks: the engine's own, and events of what it did. */
handler observe_access;
/* Timed: notes physical accesses of the instruction in progress: each line once, in the order in which they come.
 * Nothing is hashed as long as there is one row alone, or lines come again right after themselves. */
static inline void timing_hash(struct cu *cu, uint64_t line)
{
	cu->line_seen[line & 63] = line;
	cu->line_stamp[line & 63] = cu->stamp;
}
static inline bool timing_noted(struct cu *cu, uint64_t line)
{
	for (; cu->num_hashed < cu->num_lines; cu->num_hashed++)
		timing_hash(cu, cu->lines[cu->num_hashed]);
	if (cu->line_stamp[line & 63] != cu->stamp)
		return false;
	if (cu->line_seen[line & 63] == line)
		return true;
	for (uint32_t i = 0; i < cu->num_lines; i++)
		if (cu->lines[i] == line)
			return true;
	return false;
}
static inline void timing_add(struct cu *cu, uint64_t line)
{
	uint32_t n = cu->num_lines;
	if (n && (cu->lines[n - 1] == line || n == ACCESS_LINES || timing_noted(cu, line)))
		return;
	cu->lines[n] = line;
	cu->num_lines = n + 1;
}
static inline void timing_line(struct cu *cu, uint64_t pa) { timing_add(cu, pa >> cu->line_shift); }
static inline void timing_range(struct cu *cu, uint64_t pa, uint64_t bytes)
{
	uint64_t line = pa >> cu->line_shift, last = (pa + bytes - 1) >> cu->line_shift;
	if (cu->num_lines) {
		for (; line <= last; line++)
			timing_add(cu, line);
		return;
	}
	uint32_t n = 0;
	do
		cu->lines[n++] = line;
	while (__builtin_expect(line++ != last, 0));
	cu->num_lines = n;
}
static inline void timing_forget(struct cu *cu)
{
	cu->stamp += cu->num_hashed != 0;
	cu->num_lines = cu->num_hashed = 0;
}

/* ---- model/cu/softops.c: one lane's floating point through softfloat, and lane values ---- */
uint64_t soft_execute(unsigned op, unsigned rm, uint64_t a, uint64_t b, uint64_t c);
/* A lane's value of a register, and all of them. */
uint64_t warp_lane(const struct warp *, unsigned reg, unsigned lane);
void warp_lanes(const struct warp *, unsigned reg, uint64_t *values);

/* ---- model/cu/cu.c ---- */
bool cu_init(struct cu *, struct compute *, const struct compute_params *, const struct engine *, unsigned index);
void cu_fini(struct cu *);
/* Runs to cycle until, starting work-groups of its ranges as there is room. apart: side by side with others, on any
 * thread; then, when all have, cu_end for each with shown.merge, one after the other. */
void cu_run(struct cu *, uint64_t until, bool apart);
void cu_end(struct cu *);
/* Gives it a range of a slot's groups at cycle now. */
void cu_give(struct cu *, unsigned slot, uint64_t first, uint64_t count, uint64_t now);
/* What ended was seen. */
void cu_ended(struct cu *, unsigned slot);
/* Brings shown up to date. */
void cu_show(struct cu *);
/* Counts what its warps have done so far, while somebody profiles. */
void cu_profile_end(struct cu *);
/* Names a lane of the slot that runs, with its program counter unless the job is protected; false: none does. */
bool cu_running(const struct cu *, unsigned slot, struct compute_fault *);
/* Throws out the groups of a slot. */
void cu_kill(struct cu *, unsigned slot);
/* Something may run again, at the earliest in cycle now. */
void cu_unblock(struct cu *, uint64_t now);
/* The slot's warps that stand at a page fault try again. */
void cu_replay(struct cu *, unsigned slot, uint64_t now);
/* Cycles that its resident warps have been there, added up; 0 without timing. */
uint64_t cu_resident_cycles(const struct cu *);
/* Local ids of the lanes of a warp, kept by the unit. */
const struct id_entry *cu_local_ids(struct warp *);
/* Drops decoded instructions: the warps remember their pc and find it again when they run. */
void cu_unresolve(struct cu *);

/* ---- model/cu/compute.c ---- */
struct superblocks *compute_superblocks(struct compute *);
/* The dispatch in a slot, as the CUs need it. */
struct dispatch {
	bool busy;
	struct packet_dispatch packet;
	uint32_t groups[3];       /* number of groups in each dimension */
	uint64_t total, next, done;
	uint32_t units;           /* that may run it; never 0 */
	uint64_t scratch, scratch_size;
	uint32_t space;
	uint64_t start, end;
	uint64_t serial;          /* counts dispatches */
	bool replay;              /* page faults wait */
	bool stalled;             /* one does, and was reported */
	bool hang;                /* its last work-group never ends */
};
const struct dispatch *compute_dispatch(const struct compute *, unsigned slot);
/* Before a unit does what must be ordered between units (atomics in memory): returns when the units before it have
 * ended the quantum. */
void compute_order(struct cu *);

#endif
