/* The texts of kernels/, as sources.awk writes them into the library. */
#ifndef GALENA_RUNTIME_OPENVX_SOURCES_H
#define GALENA_RUNTIME_OPENVX_SOURCES_H
struct source {
	const char *name; /* without .cl */
	const char *text;
};
extern const struct source sources[];
extern const unsigned source_count;
#endif
