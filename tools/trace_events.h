/* What `galena trace` does with event files. */
#ifndef GALENA_TOOLS_TRACE_EVENTS_H
#define GALENA_TOOLS_TRACE_EVENTS_H
#include <stdbool.h>
#include <stdint.h>

/* Which events: NULL is any block, any kind. */
struct events_filter {
	const char *block, *kind;
	uint64_t from, to; /* cycles, both included */
};

/* The file is an event file. */
bool events_is(const char *path);
/* Each an exit code. kind and block that no row has: EXIT_USAGE. */
int events_info(const char *path);
int events_dump(const char *path, const struct events_filter *);
int events_count(const char *path, const struct events_filter *);

#endif
