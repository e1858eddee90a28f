/* Local memory (LDS) of a compute unit: banked memory that is shared by the warps of a work-group. */
#ifndef GALENA_MODEL_LDS_H
#define GALENA_MODEL_LDS_H
#include "abi/device_config.h"
#include "model/cu/register_file.h"

/* Local memory is allocated, and cleared between address spaces, in pieces of so many bytes. */
enum { LDS_GRANULE = 64, LDS_BANKS = 64 /* at most, as device_config.c has it */, LDS_PATTERNS_LOG = 5 };

/* Bank conflicts of all lanes' accesses of 4 bytes, by the distances of the lanes' addresses from lane 0's, which is
 * aligned: kept by the engine, because most warps access local memory as the warp before did. */
struct lds_pattern {
	uint64_t distance[LANES];
	uint32_t cycles, words; /* that the banks take, 0: nothing is kept here; different words */
} __attribute__((aligned(64)));

enum { LDS_NO_SPACE = -1 }; /* the data are of no space: cleared before a work-group has them */

struct lds {
	uint8_t *data;
	uint32_t *space;          /* address space of the data, by granule */
	uint32_t bytes, banks, bank_shift, latency;
	/* the access in progress */
	bool used;
	uint32_t cycles;
	uint64_t conflicts;       /* counter: cycles lost to bank conflicts */
	struct lds_pattern pattern[1 << LDS_PATTERNS_LOG]; /* by a hash of the distances */
};

static inline uint32_t lds_round(uint32_t bytes) { return (bytes + LDS_GRANULE - 1) / LDS_GRANULE * LDS_GRANULE; }

/* False when there is no memory. */
bool lds_init(struct lds *, const struct device_config *);
void lds_fini(struct lds *);
/* All bytes are 0. */
void lds_reset(struct lds *);
/* What work-groups of this address space, or of all, leave is not for the next ones: the space may be another one by then. */
void lds_forget(struct lds *, bool all, uint16_t asid);
/* First gap of so many bytes, a multiple of LDS_GRANULE, between the work-groups of groups[0] to groups[count - 1]; -1: there
 * is none. */
struct group;
int64_t lds_allocate(const struct lds *, const struct group *groups, unsigned count, uint32_t bytes);
/* Clears a work-group's part where it holds data of another address space, or of a protected job when this is none. Returns how many
 * granules. */
uint32_t lds_claim(struct lds *, const struct group *);

/* Cycles that the banks take for words, count of them, of which some may be equal: in a cycle, each bank reads or writes one
 * word of 4 bytes, for all lanes that want that one. *all: how many different words there are. */
COLD uint32_t lds_words_cycles(uint32_t *words, uint32_t count, uint32_t banks, uint32_t *all)
{
	uint32_t cycles = 0, chosen[LDS_BANKS];
	*all = 0;
	while (count) {
		uint64_t busy = 0;
		uint32_t left = 0;
		for (uint32_t i = 0; i < count; i++) {
			chosen[words[i] & (banks - 1)] = words[i];
			busy |= 1ull << (words[i] & (banks - 1));
		}
		for (uint32_t i = 0; i < count; i++) {
			words[left] = words[i];
			left += chosen[words[i] & (banks - 1)] != words[i];
		}
		cycles++;
		*all += (uint32_t)__builtin_popcountll(busy);
		count = left;
	}
	return cycles;
}

/* The same for the accesses of the lanes of mask, size bytes each at va. */
COLD uint32_t lds_bank_cycles(const uint64_t *va, uint32_t mask, unsigned size, uint32_t banks, uint32_t *all)
{
	uint32_t words[3 * LANES], count = 0, cycles = 0;
	uint8_t load[LDS_BANKS] = { 0 };
	if (__builtin_expect(mask == ALL_LANES && size <= 4, 1)) {
		uint64_t crossing = 0;
		for (unsigned i = 0; i < LANES; i++) {
			words[i] = (uint32_t)(va[i] / 4);
			crossing |= (va[i] & 3) + size > 4;
		}
		count = crossing ? 0 : LANES;
	}
	if (!count)
		for (uint32_t m = mask; m; m &= m - 1) {
			uint64_t a = va[__builtin_ctz(m)];
			for (uint64_t word = a / 4; word <= (a + size - 1) / 4; word++)
				words[count++] = (uint32_t)word;
		}
	/* words that grow from lane to lane are all different, as are those of different banks */
	bool grows = true;
	for (uint32_t i = 0; i < count; i++) {
		load[words[i] & (banks - 1)]++;
		grows &= i == 0 || words[i] > words[i - 1];
	}
	for (uint32_t i = 0; i < LDS_BANKS; i++)
		cycles = load[i] > cycles ? load[i] : cycles;
	*all = count;
	return cycles > 1 && !grows ? lds_words_cycles(words, count, banks, all) : cycles;
}

/* The cycles that so many different words take if no bank has more of them than another. */
static inline uint32_t lds_share(const struct lds *lds, uint32_t words) { return (words + lds->banks - 1) >> lds->bank_shift; }

/* An access whose words take the banks so many cycles: what exceeds the words' share of the banks is a conflict. */
static inline void lds_charge(struct lds *lds, uint32_t cycles, uint32_t words)
{
	lds->cycles = cycles;
	lds->conflicts += cycles - lds_share(lds, words);
	lds->used = true;
}

/* Timed: accesses of bytes at offset, side by side and each word of them wanted by some lane. */
static inline void lds_range(struct lds *lds, uint64_t offset, uint64_t bytes)
{
	const uint32_t words = (uint32_t)((offset + bytes - 1) / 4 - offset / 4 + 1);
	lds_charge(lds, lds_share(lds, words), words);
}

#endif
