/* Reads line tables: the sections .debug_line and .debug_line_str of a kernel object, DWARF 5. */
#ifndef GALENA_RUNTIME_LINE_TABLE_H
#define GALENA_RUNTIME_LINE_TABLE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct line_place {
	const char *file; /* in the sections */
	unsigned line;    /* from 1 */
};

/* The line that the instruction at an image address was made from; of one that belongs to none, that of the instructions before
 * it in its function. False: there is none, or the table is damaged; any bytes may be given. No memory is allocated. */
bool line_table_find(const void *lines, size_t lines_size, const void *strings, size_t strings_size, uint64_t address,
		     struct line_place *out);

#endif
