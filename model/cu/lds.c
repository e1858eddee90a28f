#include "model/cu/lds.h"
#include "model/cu/warp.h"
#include <stdlib.h>
#include <string.h>

bool lds_init(struct lds *lds, const struct device_config *c)
{
	lds->bytes = lds_round(c->lds_bytes);
	lds->banks = c->lds_banks;
	lds->bank_shift = (uint32_t)__builtin_ctz(c->lds_banks);
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

void lds_reset(struct lds *lds)
{
	memset(lds->data, 0, lds->bytes);
	memset(lds->space, 0, lds->bytes / LDS_GRANULE * sizeof(*lds->space));
}

void lds_forget(struct lds *lds, bool all, uint16_t asid)
{
	for (uint32_t i = 0; i < lds->bytes / LDS_GRANULE; i++)
		if (all || (uint16_t)lds->space[i] == asid)
			lds->space[i] = LDS_NO_SPACE;
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

uint32_t lds_claim(struct lds *lds, const struct group *g)
{
	uint32_t cleared = 0;
	for (uint32_t i = g->lds_offset / LDS_GRANULE; i < (g->lds_offset + g->lds_bytes) / LDS_GRANULE; i++)
		if (lds->space[i] != g->space) {
			memset(lds->data + (size_t)i * LDS_GRANULE, 0, LDS_GRANULE);
			lds->space[i] = g->space;
			cleared++;
		}
	return cleared;
}
