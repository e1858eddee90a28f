/* What a device counts, by place: CNT_x registers lie side by side, 64 bits each. */
#ifndef GALENA_ABI_COUNTERS_H
#define GALENA_ABI_COUNTERS_H
#include "abi/registers.h"
#include <stdint.h>

struct counter_values { uint64_t of[COUNTERS_MAX]; };
#define COUNTER_AT(offset) (((offset) - REG_HOST_CNT_LANE_INSNS) / 8)
#define COUNTER_VALUE(v, name) ((v)->of[COUNTER_AT(REG_HOST_CNT_##name)])

#endif
