/* What words, registers and their fields hold, from values.def: an enum for each type. */
#ifndef GALENA_ABI_VALUES_H
#define GALENA_ABI_VALUES_H

#define HOLDS(reg, field, type)
enum fw_state {
#define VALUES_fw_state
#define VALUE(type, name, value, doc) FW_##name = (value),
#define FLAG VALUE
#include "abi/values.def"
#undef VALUES_fw_state
#undef VALUE
#undef FLAG
};
enum queue_state {
#define VALUES_queue_state
#define VALUE(type, name, value, doc) QUEUE_##name = (value),
#define FLAG VALUE
#include "abi/values.def"
#undef VALUES_queue_state
#undef VALUE
#undef FLAG
};
enum queue_ctrl {
#define VALUES_queue_ctrl
#define VALUE(type, name, value, doc) QUEUE_CTRL_##name = (value),
#define FLAG VALUE
#include "abi/values.def"
#undef VALUES_queue_ctrl
#undef VALUE
#undef FLAG
};
enum queue_priority {
#define VALUES_queue_priority
#define VALUE(type, name, value, doc) PRIORITY_##name = (value),
#define FLAG VALUE
#include "abi/values.def"
#undef VALUES_queue_priority
#undef VALUE
#undef FLAG
};
enum queue_flags {
#define VALUES_queue_flags
#define VALUE(type, name, value, doc) QUEUE_##name = (value),
#define FLAG VALUE
#include "abi/values.def"
#undef VALUES_queue_flags
#undef VALUE
#undef FLAG
};
enum access {
#define VALUES_access
#define VALUE(type, name, value, doc) ACCESS_##name = (value),
#define FLAG VALUE
#include "abi/values.def"
#undef VALUES_access
#undef VALUE
#undef FLAG
};
enum cp_state {
#define VALUES_cp_state
#define VALUE(type, name, value, doc) CP_##name = (value),
#define FLAG VALUE
#include "abi/values.def"
#undef VALUES_cp_state
#undef VALUE
#undef FLAG
};
enum tlb_scope {
#define VALUES_tlb_scope
#define VALUE(type, name, value, doc) TLB_##name = (value),
#define FLAG VALUE
#include "abi/values.def"
#undef VALUES_tlb_scope
#undef VALUE
#undef FLAG
};
enum sem_mode {
#define VALUES_sem_mode
#define VALUE(type, name, value, doc) SEM_##name = (value),
#define FLAG VALUE
#include "abi/values.def"
#undef VALUES_sem_mode
#undef VALUE
#undef FLAG
};
enum cache_op {
#define VALUES_cache_op
#define VALUE(type, name, value, doc) CACHE_##name = (value),
#define FLAG VALUE
#include "abi/values.def"
#undef VALUES_cache_op
#undef VALUE
#undef FLAG
};
enum packet_flags {
#define VALUES_packet_flags
#define VALUE(type, name, value, doc) PACKET_##name = (value),
#define FLAG VALUE
#include "abi/values.def"
#undef VALUES_packet_flags
#undef VALUE
#undef FLAG
};
enum buffer_flags {
#define VALUES_buffer_flags
#define VALUE(type, name, value, doc) BUFFER_##name = (value),
#define FLAG VALUE
#include "abi/values.def"
#undef VALUES_buffer_flags
#undef VALUE
#undef FLAG
};
enum media_flags {
#define VALUES_media_flags
#define VALUE(type, name, value, doc) MEDIA_##name = (value),
#define FLAG VALUE
#include "abi/values.def"
#undef VALUES_media_flags
#undef VALUE
#undef FLAG
};
enum bus_speed {
#define VALUES_bus_speed
#define VALUE(type, name, value, doc) BUS_##name = (value),
#define FLAG VALUE
#include "abi/values.def"
#undef VALUES_bus_speed
#undef VALUE
#undef FLAG
};
enum bus_wait {
#define VALUES_bus_wait
#define VALUE(type, name, value, doc) BUS_WAIT_##name = (value),
#define FLAG VALUE
#include "abi/values.def"
#undef VALUES_bus_wait
#undef VALUE
#undef FLAG
};
#undef HOLDS

#endif
