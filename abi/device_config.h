/* The parameters of a device, from config.def. */
#ifndef GALENA_ABI_DEVICE_CONFIG_H
#define GALENA_ABI_DEVICE_CONFIG_H
#include <stdint.h>

struct device_config {
	const char *name;
#define PARAM(name, full, mini, doc) uint32_t name;
#include "abi/config.def"
#undef PARAM
};

/* The named configuration ("full", "mini"), or NULL. */
const struct device_config *device_config_find(const char *name);

#endif
