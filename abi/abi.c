/* Names of what the tables define. */
#include "abi/codes.h"
#include "abi/events.h"
#include <stddef.h>

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

const struct event_row *event_row(unsigned kind)
{
	static const struct event_row rows[EVENT_KINDS] = {
#define EVENT(name, id, block, text, a, b, c, doc) [id] = { #name, #block, text, a, b, c },
#include "abi/events.def"
#undef EVENT
	};
	return kind < EVENT_KINDS && rows[kind].name ? &rows[kind] : NULL;
}

const char *injection_name(int code)
{
	switch (code) {
#define INJECTION(name, code, block, arg, doc)                                                     \
	case code:                                                                                 \
		return #name;
#include "abi/injections.def"
#undef INJECTION
	}
	return "?";
}

const char *unit_name(unsigned unit)
{
	static const char *const engines[] = { "DMA0", "DMA1", "DMA2", "DMA3", "DMA4", "DMA5", "DMA6", "DMA7" };
	static const char *const cus[] = { "CU0", "CU1", "CU2", "CU3", "CU4", "CU5", "CU6", "CU7", "CU8", "CU9", "CU10",
					   "CU11", "CU12", "CU13", "CU14", "CU15" };
	_Static_assert(UNIT_CU - UNIT_DMA == sizeof(engines) / sizeof(*engines), "names of DMA engines");
	if (unit >= UNIT_CU && unit < UNIT_CU + sizeof(cus) / sizeof(*cus))
		return cus[unit - UNIT_CU];
	if (unit >= UNIT_DMA && unit < UNIT_CU)
		return engines[unit - UNIT_DMA];
	switch (unit) {
#define UNIT(name, id, doc)                                                                        \
	case id:                                                                                   \
		return #name;
#include "abi/units.def"
#undef UNIT
	}
	return "?";
}
