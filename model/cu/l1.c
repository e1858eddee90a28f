#include "model/cu/l1.h"
#include <stdlib.h>
#include <string.h>

static size_t bytes(const struct l1 *l1) { return (size_t)(l1->last_set + 1) * l1->stride * sizeof(uint64_t); }

static void clear(struct l1 *l1)
{
	memset(l1->tag, 0, bytes(l1));
	for (uint32_t i = 0; i < (l1->last_set + 1) * l1->stride; i++)
		l1->used[i] = i % l1->stride < l1->ways ? i % l1->stride : UINT64_MAX;
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
	if (!l1->tag || !l1->used)
		return false;
	clear(l1);
	return true;
}

void l1_fini(struct l1 *l1)
{
	l1_data_destroy(l1);
	free(l1->tag);
	free(l1->used);
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
	clear(l1);
}
