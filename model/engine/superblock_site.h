/* Sites, variants, spots: what model/engine/superblock.c (where translated code begins, and how it is entered) and
 * model/engine/superblock_watch.c (what is hot, and which engine is faster) share.
 *
 * Threads: a spot and a superblock_unit belong to one compute unit. Sites are shared by the units of a device; their lists are
 * changed under superblock_lock, their figures are atomic. */
#ifndef GALENA_MODEL_SUPERBLOCK_SITE_H
#define GALENA_MODEL_SUPERBLOCK_SITE_H
#include "model/engine/superblocks.h"
#include "model/engine/workers.h"

enum {
	SPOTS = 64,            /* of a page, a power of two; half of them used at most */
	SITES = 64,
	VARIANTS = 4,          /* signatures of a site */
	TICKS_MICRO = 2000,    /* ticks of workers_time in a microsecond, roughly */
	TRIALS = 4,            /* sites that a turn tries */
};

enum variant_state { VARIANT_NONE, VARIANT_PENDING, VARIANT_READY, VARIANT_DEAD };

/* How often a unit ran a superblock, and why it left it. Units on other threads write to other cache lines. */
struct tally {
	uint64_t entered __attribute__((aligned(64)));
	uint64_t insns, left[SUPERBLOCK_EXITS];
};

/* Code for one signature of a site, there or on its way. */
struct superblock_variant {
	uint32_t state;              /* enum variant_state; READY is published with release */
	bool kicked;                /* its translator has been started once more, at a higher priority */
	struct superblock_code code;
	uint64_t encoding[8], care[8]; /* the encodings, 8 registers a word, and which of them matter */
	uint32_t ids, care_ids;      /* the same of the local ids */
	uint64_t asked_heat;         /* the site's, when it was asked for */
	struct superblock_request asked; /* without the guest's code */
	struct tally tally[WORKERS_MAX_JOBS]; /* a unit each */
};

static inline enum variant_state variant_state(const struct superblock_variant *v)
{
	return (enum variant_state)__atomic_load_n(&v->state, __ATOMIC_ACQUIRE);
}

/* Turns of a unit that ran the site's code, [1], and that interpreted it, [0]. */
struct contest {
	uint64_t ticks[2] __attribute__((aligned(64)));
	uint64_t insns[2];
	uint32_t turns[2];
	uint32_t draw;               /* the state that sides are drawn from */
};

enum verdict { SITE_TRIED /* being tried */, SITE_KEPT, SITE_GIVEN_UP };

/* A place in code, whatever address space it is in. */
struct superblock_site {
	struct superblock_site *next;
	struct superblock_request *request; /* encodings zero; its key is the site's */
	uint64_t low, high;          /* guest code of all variants */
	uint32_t generation;         /* of low and high */
	uint64_t privates;           /* registers that point into private memory where a variant begins */
	uint32_t num_variants, num_ready;
	uint64_t heat;               /* ticks that all units have interpreted here, estimated */
	uint64_t asked;              /* the same, when a translation was last asked for */
	/* which engine is faster here */
	uint32_t verdict;            /* enum verdict */
	int32_t score;               /* contests that the code has won, less those that it has lost */
	uint32_t contests, trials;
	uint64_t again;              /* workers_time at which it is tried again */
	struct superblock_variant variants[VARIANTS];
	struct contest contest[WORKERS_MAX_JOBS];
};

/* A marked instruction of a decoded page, and so of one unit. */
struct spot {
	uint16_t tag;                /* 1 + index of the instruction; 0: free */
	bool ripe;                   /* hot enough for the next step: the next warp that comes by takes it */
	bool no_more;                /* there is nothing to be had */
	uint32_t fuse;               /* eager: arrivals until spot_consider looks again */
	handler *fn;                 /* its own */
	struct superblock_site *site;    /* NULL: nothing was found or asked for yet */
	uint64_t epoch;              /* in which the site's code was compared with the space's */
	uint32_t generation;         /* of the site, then */
	uint64_t sampled;            /* ticks interpreted from here on, in the present census */
	uint64_t heat, next;         /* the same of all time, estimated; at which it is ripe */
	uint64_t step;               /* that next was raised by */
};

struct superblock_unit;
struct superblock_page {
	struct icache_page *page;
	struct superblock_unit *unit;
	struct superblock_page *next, **link; /* of the unit's */
	uint64_t wanted[PAGE_OPS / 64]; /* marked instructions, decoded or not */
	uint16_t num_spots;
	struct spot spots[SPOTS];
};

/* A turn of a warp from its first arrival at a site that is being tried. */
struct trial {
	struct superblock_site *site;
	const struct warp *warp;
	bool runs;                   /* the translated code */
	uint64_t ticks, insns;
};

struct superblock_unit {
	struct superblock_page *pages;
	struct superblock_turn next;
	bool looks;                  /* has run enough to look for what is hot: instructions are marked */
	/* The census: for a while every spot tells who comes by. */
	bool census;
	uint64_t from, before;       /* warp instructions at which the census began, and the one before ended */
	uint64_t period;             /* between two of them */
	uint64_t sampled;            /* ticks of all spots, in the present one */
	double rate;                 /* ticks of an instruction, in those before */
	struct spot *open;           /* that is being interpreted from */
	uint64_t since;              /* ticks */
	struct trial trial[TRIALS];
	uint32_t num_trials;
} __attribute__((aligned(128)));

struct superblocks {
	struct superblock_store store;
	enum compute_simd simd;
	bool eager;                  /* all is translated at once, and the run waits */
	uint64_t hot;                /* ticks of interpretation that are worth a translation */
	struct superblock_check *check;  /* GALENA_ENGINE=check */
	bool unable;                 /* the translator cannot be started: said once */
	uint32_t num_pending;        /* variants */
	struct superblock_site *sites[SITES];
	struct superblock_counters counters;
	struct superblock_unit unit[WORKERS_MAX_JOBS];
};

/* ---- model/engine/superblock.c ---- */

/* Looks what has come of the site's requests; the lock is held. */
void superblock_site_poll(struct superblocks *, struct superblock_site *, bool wait);

/* ---- model/engine/superblock_watch.c ---- */

static inline enum verdict site_verdict(const struct superblock_site *s)
{
	return (enum verdict)__atomic_load_n(&s->verdict, __ATOMIC_RELAXED);
}
static inline struct superblock_unit *superblock_unit(const struct cu *cu) { return &cu->superblocks->unit[cu->index]; }
void superblock_unit_init(const struct superblocks *, struct superblock_unit *);
/* A spot of the page has come or is on its way: the handler that it should have now. */
void superblock_spot_set(const struct superblocks *, struct superblock_unit *, struct superblock_page *, struct spot *);
/* A warp has come to the spot and is interpreted from there, or, NULL, runs translated code or ends its turn. */
void superblock_census_at(struct superblock_unit *, struct spot *);
/* Before code of a site that is being tried: false when this turn is interpreted from here on. */
bool superblock_try(struct warp *, struct spot *);
/* The site has new code: it is tried, whatever was found before. */
void superblock_try_anew(struct superblock_site *);

#endif
