#include "abi/injection.h"
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t kind_of(const char *name, size_t length)
{
	for (uint32_t k = 1; k < INJECT_KINDS; k++)
		if (strlen(injection_name((int)k)) == length && !memcmp(injection_name((int)k), name, length))
			return k;
	return 0;
}

/* A decimal, octal or hexadecimal number of at most max that ends where the word does, or at a comma. */
static bool number(const char *text, uint64_t max, uint64_t *value)
{
	char *end;
	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	*value = strtoull(text, &end, 0);
	return !errno && (!*end || *end == ',' || isspace((unsigned char)*end)) && *value <= max;
}

/* One "name=value"; NULL or what is wrong. */
static const char *option(const char *text, struct injection_request *r)
{
	uint64_t v = 0;
	if (!strncmp(text, "nth=", 4))
		return number(text + 4, UINT32_MAX, &v) && v ? (r->nth = (uint32_t)v, NULL) : "nth is a number from 1 on";
	if (!strncmp(text, "unit=", 5))
		return number(text + 5, INJECTION_ANY_UNIT, &v) ? (r->unit = (uint32_t)v, NULL) : "unit is a number up to 0xffff";
	if (!strncmp(text, "arg=", 4))
		return number(text + 4, UINT64_MAX, &r->arg) ? NULL : "arg is a number";
	if (!strncmp(text, "device=", 7))
		return number(text + 7, INJECTION_DEVICES - 1, &v) ? (r->device = (unsigned)v, NULL) : "device is a number up to 15";
	return "after a name come nth=N, unit=N, arg=N, device=N, with commas";
}

static const char *request_read(const char *text, int length, struct injection_request *r)
{
	const char *end = text + length, *comma = memchr(text, ',', (size_t)length);
	*r = (struct injection_request){ .nth = 1, .unit = INJECTION_ANY_UNIT, .text = text, .length = length };
	r->kind = kind_of(text, (size_t)((comma ? comma : end) - text));
	if (!r->kind)
		return "no fault has this name; `galena run --inject list` lists them";
	for (; comma; comma = memchr(comma + 1, ',', (size_t)(end - comma - 1))) {
		const char *wrong = option(comma + 1, r);
		if (wrong)
			return wrong;
	}
	return NULL;
}

int injection_next(const char **text, struct injection_request *r, const char **error)
{
	*text += strspn(*text, " \t\n");
	const int length = (int)strcspn(*text, " \t\n");
	if (!length)
		return 0;
	*error = request_read(*text, length, r);
	*text += length;
	return *error ? -1 : 1;
}

const char *injection_wrong(const char *text)
{
	static _Thread_local char message[256];
	struct injection_request r;
	const char *error;
	uint32_t armed[INJECTION_DEVICES] = { 0 };
	int got;
	while ((got = injection_next(&text, &r, &error)) > 0) {
		if (armed[r.device] >> r.kind & 1) {
			error = "a device has one armed fault of each kind";
			break;
		}
		armed[r.device] |= 1u << r.kind;
	}
	if (!got)
		return NULL;
	snprintf(message, sizeof message, "%.*s: %s", r.length < 120 ? r.length : 120, r.text, error);
	return message;
}
