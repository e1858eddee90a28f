/* What packets of the media unit point at, from media.def. */
#ifndef GALENA_ABI_MEDIA_H
#define GALENA_ABI_MEDIA_H
#include "abi/constants.h"
#include "abi/values.h"
#include <stddef.h>
#include <stdint.h>

#define RECORD_BEGIN(name, size, doc) struct name {
#define RECORD_FIELD(name, type, field, offset, doc) type field;
#define RECORD_ARRAY(name, type, field, count, offset, doc) type field[count];
#define RECORD_TABLE(name, type, field, rows, columns, offset, doc) type field[rows][columns];
#define RECORD_END(name, size)                                                                     \
	};                                                                                         \
	_Static_assert(sizeof(struct name) == (size), #name);
#include "abi/media.def"
#undef RECORD_BEGIN
#undef RECORD_FIELD
#undef RECORD_ARRAY
#undef RECORD_TABLE
#undef RECORD_END

#define RECORD_BEGIN(name, size, doc)
#define RECORD_FIELD(name, type, field, offset, doc)                                               \
	_Static_assert(offsetof(struct name, field) == (offset), #name "." #field);
#define RECORD_ARRAY(name, type, field, count, offset, doc) RECORD_FIELD(name, type, field, offset, doc)
#define RECORD_TABLE(name, type, field, rows, columns, offset, doc) RECORD_FIELD(name, type, field, offset, doc)
#define RECORD_END(name, size)
#include "abi/media.def"
#undef RECORD_BEGIN
#undef RECORD_FIELD
#undef RECORD_ARRAY
#undef RECORD_TABLE
#undef RECORD_END

#endif
