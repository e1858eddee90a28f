/* The parameters of a device, from config.def. */
#ifndef GALENA_ABI_DEVICE_CONFIG_H
#define GALENA_ABI_DEVICE_CONFIG_H
#include <stddef.h>
#include <stdint.h>

struct device_config {
	const char *name;
#define PARAM(name, full, mini, least, most, rule, doc) uint32_t name;
#define RELATION(name, condition)
#include "abi/config.def"
#undef PARAM
};

/* The most that a parameter can be, for arrays. */
enum {
#define PARAM(name, full, mini, least, most, rule, doc) CONFIG_MOST_##name = (most),
#include "abi/config.def"
#undef PARAM
#undef RELATION
};

/* The named configuration ("full", "mini"), or NULL. */
const struct device_config *device_config_find(const char *name);

enum { DEVICE_CONFIG_SPEC_MAX = 4096 };

/* Makes *out from a specification: "full" or "mini", or the path of a file (it has a '/' or ends in
 * ".conf"), then any number of ",PARAMETER=VALUE". A line of a file is "base NAME" or "PARAMETER
 * VALUE"; '#' begins a comment. Returns 0; or -1 with one line in error that says what is wrong and
 * where. out->name is then not set: the caller gives it one. */
int device_config_parse(const char *spec, struct device_config *out, char *error, size_t error_size);
/* Writes the specification that gives this configuration again, without files, into buffer. */
void device_config_format(const struct device_config *, char *buffer, size_t size);

#endif
