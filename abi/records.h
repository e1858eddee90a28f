/* Structures in memory that host, firmware and device share, from records.def, packets.def. */
#ifndef GALENA_ABI_RECORDS_H
#define GALENA_ABI_RECORDS_H
#include <stddef.h>
#include <stdint.h>

#define RECORD_BEGIN(name, size, doc) struct name {
#define RECORD_FIELD(name, type, field, offset, doc) type field;
#define RECORD_ARRAY(name, type, field, count, offset, doc) type field[count];
#define RECORD_END(name, size)                                                                     \
	}                                                                                          \
	__attribute__((packed, aligned(8)));                                                       \
	_Static_assert(sizeof(struct name) == (size), #name);
#include "abi/records.def"
#undef RECORD_BEGIN
#undef RECORD_FIELD
#undef RECORD_ARRAY
#undef RECORD_END

#define RECORD_BEGIN(name, size, doc)
#define RECORD_FIELD(name, type, field, offset, doc)                                               \
	_Static_assert(offsetof(struct name, field) == (offset), #name "." #field);
#define RECORD_ARRAY(name, type, field, count, offset, doc) RECORD_FIELD(name, type, field, offset, doc)
#define RECORD_END(name, size)
#include "abi/records.def"
#undef RECORD_BEGIN
#undef RECORD_FIELD
#undef RECORD_ARRAY
#undef RECORD_END

#endif
