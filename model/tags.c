#include "model/tags.h"
#include <stdlib.h>
#include <string.h>

bool tags_init(struct tags *t, uint32_t sets, uint32_t ways)
{
	size_t all = (size_t)sets * ways;

	memset(t, 0, sizeof(*t));
	t->sets = sets;
	t->ways = ways;
	t->set_shift = (uint32_t)__builtin_ctz(sets);
	t->words = (ways + 7) / 8;
	t->lines = calloc(all, sizeof(*t->lines));
	t->signs = calloc((size_t)sets * t->words, sizeof(*t->signs));
	t->older = malloc(all);
	t->newer = malloc(all);
	t->last = malloc(sets);
	t->dirty = calloc(sets, sizeof(*t->dirty));
	if (!t->lines || !t->signs || !t->older || !t->newer || !t->last || !t->dirty) {
		tags_fini(t);
		return false;
	}
	/* empty ways are filled from the first on */
	for (size_t i = 0; i < all; i++) {
		t->older[i] = (uint8_t)((i - 1) % ways);
		t->newer[i] = (uint8_t)((i + 1) % ways);
	}
	memset(t->last, (int)ways - 1, sets);
	return true;
}

void tags_fini(struct tags *t)
{
	free(t->lines);
	free(t->signs);
	free(t->older);
	free(t->newer);
	free(t->last);
	free(t->dirty);
	memset(t, 0, sizeof(*t));
}
