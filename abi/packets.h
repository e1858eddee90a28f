/* Packets of the ring queues, from packets.def: struct packet_x, enum packet_type PACKET_X. */
#ifndef GALENA_ABI_PACKETS_H
#define GALENA_ABI_PACKETS_H
#include "abi/constants.h"
#include "abi/records.h"
#include "abi/values.h"
#include <stddef.h>
#include <stdint.h>

#define PACKET_BEGIN(name, code, doc) enum { PACKET_CODE_##name = (code) };
#define PACKET_FIELD(name, type, field, offset, doc)
#define PACKET_ARRAY(name, type, field, count, offset, doc)
#define PACKET_END(name)
#include "abi/packets.def"
#undef PACKET_BEGIN
#undef PACKET_FIELD
#undef PACKET_ARRAY
#undef PACKET_END

#define PACKET_BEGIN(name, code, doc)                                                              \
	struct packet_##name {                                                                     \
		struct packet_head head;
#define PACKET_FIELD(name, type, field, offset, doc) type field;
#define PACKET_ARRAY(name, type, field, count, offset, doc) type field[count];
#define PACKET_END(name)                                                                           \
	}                                                                                          \
	__attribute__((packed, aligned(8)));                                                       \
	_Static_assert(sizeof(struct packet_##name) <= PACKET_SIZE, #name);
#include "abi/packets.def"
#undef PACKET_BEGIN
#undef PACKET_FIELD
#undef PACKET_ARRAY
#undef PACKET_END

#define PACKET_BEGIN(name, code, doc)
#define PACKET_FIELD(name, type, field, offset, doc)                                               \
	_Static_assert(offsetof(struct packet_##name, field) == (offset), #name "." #field);
#define PACKET_ARRAY(name, type, field, count, offset, doc) PACKET_FIELD(name, type, field, offset, doc)
#define PACKET_END(name)
#include "abi/packets.def"
#undef PACKET_BEGIN
#undef PACKET_FIELD
#undef PACKET_ARRAY
#undef PACKET_END

union packet {
	struct packet_head head;
#define PACKET_BEGIN(name, code, doc) struct packet_##name name;
#define PACKET_FIELD(name, type, field, offset, doc)
#define PACKET_ARRAY(name, type, field, count, offset, doc)
#define PACKET_END(name)
#include "abi/packets.def"
#undef PACKET_BEGIN
#undef PACKET_FIELD
#undef PACKET_ARRAY
#undef PACKET_END
	uint64_t words[PACKET_SIZE / 8];
};
_Static_assert(sizeof(union packet) == PACKET_SIZE, "packet");

#endif
