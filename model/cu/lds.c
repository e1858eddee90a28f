#include "model/cu/lds.h"
#include "model/cu/warp.h"
#include <stdlib.h>
#include <string.h>

bool lds_init(struct lds *lds, const struct device_config *c)
{
	lds->bytes = lds_round(c->lds_bytes);
	lds->banks = c->lds_banks;
	lds->latency = c->lds_latency;
	lds->data = calloc(1, lds->bytes);
	lds->space = calloc(lds->bytes / LDS_GRANULE, sizeof(*lds->space));
	return lds->data && lds->space;
}

void lds_fini(struct lds *lds)
{
	free(lds->data);
	free(lds->space);
}

int64_t lds_allocate(const struct lds *lds, const struct group *groups, unsigned count, uint32_t bytes)
{
	uint32_t at = 0;
	for (bool moved = true; moved;) {
		moved = false;
		for (unsigned i = 0; i < count; i++) {
			const struct group *g = &groups[i];
			if (g->busy && at < g->lds_offset + g->lds_bytes && g->lds_offset < at + bytes) {
				at = g->lds_offset + g->lds_bytes;
				moved = true;
			}
		}
	}
	return at + bytes <= lds->bytes ? (int64_t)at : -1;
}

void lds_claim(struct lds *lds, const struct group *g)
{
	for (uint32_t i = g->lds_offset / LDS_GRANULE; i < (g->lds_offset + g->lds_bytes) / LDS_GRANULE; i++)
		if (lds->space[i] != g->space) {
			memset(lds->data + (size_t)i * LDS_GRANULE, 0, LDS_GRANULE);
			lds->space[i] = g->space;
		}
}

/* The same for words of which some are equal. */
static uint32_t words_cycles(uint32_t *words, uint32_t count, uint32_t banks, uint32_t *all)
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

uint32_t lds_bank_cycles(const uint64_t *va, uint32_t mask, unsigned size, uint32_t banks, uint32_t *all)
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
	return cycles > 1 && !grows ? words_cycles(words, count, banks, all) : cycles;
}
