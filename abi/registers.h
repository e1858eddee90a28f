/* Register offsets and fields, from registers.def, and what some of them hold, from values.def. REG_HOST_x and REG_CP_x are
 * offsets in their bank; a field gives REG_HOST_x_f (mask in place) and REG_HOST_x_f_LSB. */
#ifndef GALENA_ABI_REGISTERS_H
#define GALENA_ABI_REGISTERS_H
#include "abi/constants.h"
#include "abi/values.h"
#include <stdint.h>

enum {
#define REG(bank, name, offset, bits, count, sw, hw, effects, reset, doc) REG_##bank##_##name = (offset),
#define FIELD(bank, reg, name, lsb, width, sw, reset, doc)                                                    \
	REG_##bank##_##reg##_##name##_LSB = (lsb),                                                 \
	REG_##bank##_##reg##_##name = ((1ull << (width)) - 1) << (lsb),
#include "abi/registers.def"
#undef REG
#undef FIELD
};

/* A field of a value of its register, and a value at the place of the field: REG_GET(v, CP_FAULT_INFO_ACCESS). */
#define REG_GET(value, field) (((value) & REG_##field) >> REG_##field##_LSB)
#define REG_PUT(value, field) ((uint64_t)(value) << REG_##field##_LSB)

#endif
