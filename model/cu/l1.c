#include "model/cu/l1.h"
#include <stdlib.h>
#include <string.h>

static size_t bytes(const struct l1 *l1) { return (size_t)(l1->last_set + 1) * l1->stride * sizeof(uint64_t); }

static void set_clear(struct l1 *l1, size_t set)
{
	memset(l1->tag + set, 0, l1->stride * sizeof(*l1->tag));
	for (uint32_t way = 0; way < l1->stride; way++)
		l1->used[set + way] = way < l1->ways ? way : UINT64_MAX;
}

bool l1_init(struct l1 *l1, const struct device_config *c, struct l2 *l2)
{
	uint32_t sets = 1;
	while (sets * 2 * c->l1_ways * c->line_bytes <= c->l1_bytes) /* a power of two */
		sets *= 2;
	*l1 = (struct l1){ .last_set = sets - 1, .stride = c->l1_ways > L1_VECTOR ? c->l1_ways : L1_VECTOR, .ways = c->l1_ways,
			   .latency = c->l1_latency, .line_bytes = c->line_bytes, .l2 = l2, .owner = UINT64_MAX };
	l1->tag = aligned_alloc(64, bytes(l1));
	l1->used = aligned_alloc(64, bytes(l1));
	l1->filled = calloc(sets / 64 + 1, sizeof(*l1->filled));
	if (!l1->tag || !l1->used || !l1->filled)
		return false;
	for (size_t set = 0; set < sets; set++)
		set_clear(l1, set * l1->stride);
	return true;
}

void l1_fini(struct l1 *l1)
{
	l1_data_destroy(l1);
	free(l1->tag);
	free(l1->used);
	free(l1->filled);
}

void l1_invalidate(struct l1 *l1, uint64_t owner)
{
	if (l1->owner == owner)
		return;
	l1->owner = owner;
	l1_empty(l1);
}

void l1_empty(struct l1 *l1)
{
	if (l1->stamp == l1->emptied) /* no line has been looked for since */
		return;
	l1->emptied = l1->stamp;
	for (size_t i = 0; i <= l1->last_set / 64; i++)
		for (; l1->filled[i]; l1->filled[i] &= l1->filled[i] - 1)
			set_clear(l1, (i * 64 + (size_t)__builtin_ctzll(l1->filled[i])) * l1->stride);
}
