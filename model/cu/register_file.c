#include "model/cu/register_file.h"
#include "model/cu/warp.h"

uint64_t register_lane(const struct warp *w, unsigned reg, unsigned lane)
{
	switch ((enum register_encoding)w->encoding[reg]) {
	case ENC_UNIFORM:
		return w->base[reg];
	case ENC_AFFINE:
		return w->base[reg] + w->stride[reg] * lane;
	case ENC_WORD:
		return reg >= REG_F ? BOX | w->v[reg].w[lane] : sext32(w->v[reg].w[lane]);
	default:
		return w->v[reg].d[lane];
	}
}

void register_lanes(const struct warp *w, unsigned reg, uint64_t *values)
{
	for (unsigned i = 0; i < LANES; i++)
		values[i] = register_lane(w, reg, i);
}
