/* The software TLB of a compute unit: where guest memory lies on the host. An entry is an extent: addresses of one space
 * that are one block on the host and in physical memory, the same rights throughout. Engines and translated code use
 * the entries so: bytes [va, va + n), va < VA_LOCAL_BASE,
 *         e = &cu->tlb.entry[soft_tlb_index(&cu->tlb, va)], at = soft_tlb_key(space, va) - e->first
 *         a load:  at < e->read && e->read - at >= n      a store:  at < e->write && e->write - at >= n
 * are e->host[at] to e->host[at + n - 1]. Of a gather or a scatter one entry may hold all lanes. If there is none,
 * soft_tlb_get finds it, or lsu_load and lsu_store do the access. These three may change any entry, and so may whatever
 * comes between two calls of the engine's run: nothing of an entry is kept across them.
 * With timing or observers of events an entry is a page; with observers, and in an exact unit, read and write are 0, so that every
 * access asks soft_tlb_get. An exact unit then asks its L1 TLB each time: an entry only hands on the answer; where its L1 holds data,
 * DRAM has no place on the host, so that its bytes come through the L1. With timing each access also goes to the coalescer at
 * e->pa + at, and the entries are some of those that the L1 TLB holds: which misses there are is up to that alone. */
#ifndef GALENA_MODEL_SOFT_TLB_H
#define GALENA_MODEL_SOFT_TLB_H
#include "abi/codes.h"
#include "model/cu/register_file.h"

struct soft_tlb_entry {
	uint64_t first;          /* soft_tlb_key of the extent */
	uint64_t read, write;    /* how many bytes of it engines may read and write: bytes, or 0 */
	uint8_t *host;
	uint64_t bytes;          /* of the extent; 0: an empty entry */
	uint64_t pa;             /* physical address */
	bool cached;             /* through cache */
	uint8_t direct;          /* at host: DIRECT_READ, DIRECT_WRITE; not set: not allowed, or by way of cache or physmem */
} __attribute__((aligned(64)));
enum soft_tlb_direct { DIRECT_READ = 1, DIRECT_WRITE = 2 };
enum { SOFT_TLB_LOG = 8, SOFT_TLB_ENTRIES = 1 << SOFT_TLB_LOG, SOFT_TLB_EXTENTS = 16, ACCESS_PAGES = 4 * LANES, COMING_PAGES = 64 };

struct soft_tlb {
	bool pages;              /* entries are pages: with timing or observers of events */
	uint32_t grain;          /* logarithm of the bytes that share an entry */
	struct soft_tlb_entry entry[SOFT_TLB_ENTRIES];
	struct soft_tlb_entry extent[SOFT_TLB_EXTENTS]; /* found last; entry[] is filled from it */
	uint32_t next_extent;
	struct { uint64_t va, now; uint32_t space; enum access access; enum fault fault; } refused; /* last; fault 0: none */
	/* With timing, and not exact: physical pages that are being walked for, and when they are there. */
	struct { uint64_t page, there; } coming[COMING_PAGES];
	uint64_t coming_until;   /* the last of them */
	/* with observers: pages that the instruction in progress has asked for */
	struct { uint64_t va, pa; } asked[ACCESS_PAGES];
	uint32_t num_asked;
};

/* Buffers lie far apart at round addresses: a plain index would put them all in one place. */
INLINE unsigned soft_tlb_index(const struct soft_tlb *t, uint64_t va)
{
	return (uint32_t)(va >> t->grain) * 0x9e3779b1u >> (32 - SOFT_TLB_LOG);
}

/* Addresses of all spaces in one: those below 2^47, which are all that there are. */
INLINE uint64_t soft_tlb_key(uint32_t space, uint64_t va) { return va + ((uint64_t)space << 47); }

/* Where the byte of this key lies, one of the entry's; NULL: not directly on the host. */
INLINE uint8_t *soft_tlb_host(const struct soft_tlb_entry *e, uint64_t key, enum soft_tlb_direct how)
{
	return e->direct & how ? e->host + (key - e->first) : NULL;
}

struct cu;
void soft_tlb_init(struct cu *);
/* Forgets all. */
void soft_tlb_flush(struct cu *);
/* The entry that holds va (at least the rest of its page), filled if need be; NULL: *fault says why. */
const struct soft_tlb_entry *soft_tlb_get(struct cu *, uint32_t space, uint64_t va, enum access, enum fault *);
/* With timing, after a translation: what the L1 TLB has replaced is no entry either. */
void soft_tlb_follow(struct cu *);
/* Has the access in progress, whose instruction issues at this cycle, wait for pages that are being walked for: engines do not ask
 * for those again. One that is on its way from the L2 TLB is not waited for. */
void soft_tlb_wait(struct cu *, uint64_t issue);

#endif
