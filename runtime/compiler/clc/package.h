/* The kernel library as galena-clc reads it: every function and table of the library as a small
 * bitcode module of its own, with the list of those that it uses, found by name. Little endian. */
#ifndef GALENA_CLC_PACKAGE_H
#define GALENA_CLC_PACKAGE_H
#include <stdint.h>

#define PACKAGE_MAGIC 0x42494c4b414e4c47ull

struct package_header {
	uint64_t magic;
	uint64_t toolchain;      /* of the galena-clc that it was made with */
	uint64_t size;           /* of the file */
	uint32_t num_entries;    /* struct package_entry follow, ordered by name */
	uint32_t uses;           /* offset of a table of uint32_t: numbers of entries */
};

struct package_entry {
	uint32_t name, name_length;   /* offset in the file; NUL-terminated */
	uint32_t bitcode, bitcode_size;
	uint32_t first_use, num_uses; /* in the table of uses */
};

#endif
