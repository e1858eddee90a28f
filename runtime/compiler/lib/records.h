/* The structs of abi/records.def, with the types of OpenCL C. */
#ifndef GALENA_LIB_RECORDS_H
#define GALENA_LIB_RECORDS_H

typedef ulong uint64_t;
typedef uint uint32_t;
typedef ushort uint16_t;
typedef uchar uint8_t;
typedef int int32_t;
#define RECORD_BEGIN(name, size, doc) struct name {
#define RECORD_FIELD(name, type, field, offset, doc) type field;
#define RECORD_ARRAY(name, type, field, count, offset, doc) type field[count];
#define RECORD_END(name, size)                                                                     \
	}                                                                                          \
	__attribute__((aligned(8)));                                                               \
	_Static_assert(sizeof(struct name) == (size), #name);
#include "../../../abi/records.def"
#undef RECORD_BEGIN
#undef RECORD_FIELD
#undef RECORD_ARRAY
#undef RECORD_END

#endif
