#include "abi/codes.h"
#include "abi/device_config.h"
#include <string.h>

const struct device_config *device_config_find(const char *name)
{
#define PARAM(name, full, mini, doc) .name = (full),
	static const struct device_config full = { .name = "full",
#include "abi/config.def"
	};
#undef PARAM
#define PARAM(name, full, mini, doc) .name = (mini),
	static const struct device_config mini = { .name = "mini",
#include "abi/config.def"
	};
#undef PARAM
	if (!strcmp(name, full.name))
		return &full;
	if (!strcmp(name, mini.name))
		return &mini;
	return NULL;
}

const char *fault_name(int code)
{
	switch (code) {
#define FAULT(name, code, doc)                                                                     \
	case code:                                                                                 \
		return #name;
#include "abi/faults.def"
#undef FAULT
	}
	return "?";
}

const char *fault_text(int code)
{
	switch (code) {
#define FAULT(name, code, doc)                                                                     \
	case code:                                                                                 \
		return doc;
#include "abi/faults.def"
#undef FAULT
	}
	return "unknown fault code";
}
