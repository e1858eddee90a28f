#include "model/cu/csr.h"
#include "model/cu/cu.h"

enum csr_kind csr_kind(unsigned number)
{
	switch (number) {
	case CSR_FFLAGS:
	case CSR_FRM:
	case CSR_FCSR:
		return CSR_KIND_FP;
	case CSR_CYCLE:
	case CSR_INSTRET:
		return CSR_KIND_COUNTER;
#define CSR(name, number, per_lane, doc) case number:
#include "abi/csr.def"
#undef CSR
		return CSR_KIND_ID;
	}
	return CSR_KIND_NONE;
}

const struct local_ids *csr_local_ids(struct warp *w)
{
	const struct group *g = w->group;
	struct local_ids *e = &w->cu->ids[w->number % MAX_WARPS];
	if (e->size[0] == g->size[0] && e->size[1] == g->size[1] && e->first == w->first_id)
		return e;
	uint32_t x = w->first_id % g->size[0], y = w->first_id / g->size[0] % g->size[1];
	uint32_t z = w->first_id / g->size[0] / g->size[1];
	*e = (struct local_ids){ .size = { g->size[0], g->size[1] }, .first = w->first_id };
	for (unsigned i = 0; i < LANES; i++) {
		e->id[0][i] = x;
		e->id[1][i] = y;
		e->id[2][i] = z;
		if (++x == g->size[0]) {
			x = 0;
			if (++y == g->size[1]) {
				y = 0;
				z++;
			}
		}
	}
	for (unsigned d = 0; d < 3; d++) {
		const uint32_t *id = e->id[d];
		unsigned equal = 1, next = 1;
		for (unsigned i = 1; i < LANES; i++) {
			equal += id[i] == id[0];
			next += id[i] == id[0] + i;
		}
		e->encoding[d] = equal == LANES ? ENC_UNIFORM : next == LANES ? ENC_AFFINE : ENC_WORD;
	}
	return e;
}
