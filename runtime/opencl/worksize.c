/* The choice of a work-group size. */
#include "runtime/opencl/worksize.h"
#include <stdbool.h>
#include <stdint.h>

/* Groups beyond this gain nothing: the warps of a unit are filled by several groups as well. */
enum { TARGET_ITEMS = 256, GROUPS_PER_CU = 4 };

/* Higher is better: lanes in use first, then rows that fill a warp, then size. */
static uint64_t worksize_score(unsigned lanes, size_t x, size_t items)
{
	const uint64_t warps = (items + lanes - 1) / lanes;
	const uint64_t used = items * 1024 / (warps * lanes);
	const uint64_t row = x < lanes ? x : lanes;
	return used << 32 | row << 16 | items;
}

void worksize_choose(const struct worksize_limits *limits, const size_t global[3], size_t local[3])
{
	const unsigned lanes = limits->lanes;
	uint64_t total = 1, best = 0;
	for (int d = 0; d < 3; d++)
		total = __builtin_mul_overflow(total, (uint64_t)global[d], &total) ? UINT64_MAX : total;
	uint64_t most = total / ((uint64_t)limits->num_cu * GROUPS_PER_CU);
	most = most < lanes ? lanes : most > TARGET_ITEMS ? TARGET_ITEMS : most;
	most = most > limits->max_items ? limits->max_items : most;
	local[0] = local[1] = local[2] = 1;
	for (size_t x = 1; x <= most && x <= global[0]; x++) {
		if (global[0] % x)
			continue;
		for (size_t y = 1; x * y <= most && y <= global[1]; y++) {
			if (global[1] % y)
				continue;
			for (size_t z = 1; x * y * z <= most && z <= global[2]; z++) {
				if (global[2] % z)
					continue;
				uint64_t score = worksize_score(lanes, x, x * y * z);
				if (score <= best)
					continue;
				best = score;
				local[0] = x, local[1] = y, local[2] = z;
			}
		}
	}
}
