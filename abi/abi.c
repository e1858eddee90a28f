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
