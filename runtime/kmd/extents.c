/* First-fit allocation of a linear range: lowest address first, so that addresses depend on the
 * order of the calls alone. */
#include "runtime/kmd/driver.h"
#include <stdlib.h>
#include <string.h>

int extents_init(struct extents *e, uint64_t base, uint64_t size)
{
	*e = (struct extents){ .capacity = 8, .live = 0 };
	e->free = malloc(e->capacity * sizeof *e->free);
	if (!e->free)
		return KMD_NO_MEMORY;
	e->free[e->count++] = (struct extent){ base, size };
	return 0;
}

void extents_fini(struct extents *e)
{
	free(e->free);
	e->free = NULL;
}

uint64_t extents_alloc(struct extents *e, uint64_t size, uint64_t align)
{
	/* room for the split below and for giving back everything that is out */
	if (e->count + e->live + 3 > e->capacity) {
		unsigned capacity = 2 * (e->count + e->live + 3);
		struct extent *grown = malloc(capacity * sizeof *grown);
		if (!grown)
			return UINT64_MAX;
		memcpy(grown, e->free, e->count * sizeof *grown); /* not all that there is room for */
		free(e->free);
		e->free = grown;
		e->capacity = capacity;
	}
	for (unsigned i = 0; i < e->count; i++) {
		struct extent *f = &e->free[i];
		uint64_t base = (f->base + align - 1) & ~(align - 1), skip = base - f->base;
		if (skip > f->size || f->size - skip < size)
			continue;
		uint64_t rest = f->size - skip - size;
		if (skip && rest) {
			memmove(f + 2, f + 1, (e->count - i - 1) * sizeof *f);
			e->count++;
			f[1] = (struct extent){ base + size, rest };
			f->size = skip;
		} else if (skip) {
			f->size = skip;
		} else if (rest) {
			*f = (struct extent){ base + size, rest };
		} else {
			memmove(f, f + 1, (e->count - i - 1) * sizeof *f);
			e->count--;
		}
		e->live++;
		return base;
	}
	return UINT64_MAX;
}

void extents_free(struct extents *e, uint64_t base, uint64_t size)
{
	unsigned low = 0, high = e->count;
	while (low < high) {
		unsigned mid = (low + high) / 2;
		if (e->free[mid].base < base)
			low = mid + 1;
		else
			high = mid;
	}
	struct extent *f = &e->free[low];
	bool before = low && f[-1].base + f[-1].size == base;
	bool after = low < e->count && base + size == f->base;
	if (before && after) {
		f[-1].size += size + f->size;
		memmove(f, f + 1, (e->count - low - 1) * sizeof *f);
		e->count--;
	} else if (before) {
		f[-1].size += size;
	} else if (after) {
		f->base = base;
		f->size += size;
	} else {
		memmove(f + 1, f, (e->count - low) * sizeof *f);
		*f = (struct extent){ base, size };
		e->count++;
	}
	e->live--;
}
