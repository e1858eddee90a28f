/* Register offsets and fields, from registers.def, and what some of them hold, from values.def. REG_HOST_x and REG_CP_x are
 * offsets in their bank; a field gives REG_HOST_x_f (mask in place) and REG_HOST_x_f_LSB. */
#ifndef GALENA_ABI_REGISTERS_H
#define GALENA_ABI_REGISTERS_H
#include <stdint.h>

#define REG_BANK_CP_OFFSET 0x10000
#define REG_BANK_SIZE 0x10000
#define REG_QUEUES 16
#define REG_REGIONS 8 /* of the protection unit */

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

enum { FW_INTERFACE_VERSION = 2 };

#define FLAG(type, name, value, doc)
#define HOLDS(reg, field, type)
enum fw_state {
#define VALUES_fw_state
#define VALUE(type, name, value, doc) FW_##name = (value),
#include "abi/values.def"
#undef VALUE
#undef VALUES_fw_state
};
enum queue_state {
#define VALUES_queue_state
#define VALUE(type, name, value, doc) QUEUE_##name = (value),
#include "abi/values.def"
#undef VALUE
#undef VALUES_queue_state
};
enum queue_ctrl {
#define VALUES_queue_ctrl
#define VALUE(type, name, value, doc) QUEUE_CTRL_##name = (value),
#include "abi/values.def"
#undef VALUE
#undef VALUES_queue_ctrl
};
#undef FLAG
#undef HOLDS

#endif
