#include "abi/environment.h"
#include "abi/device_config.h"
#include "abi/injection.h"
#include "traces/output_name.h"
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct row { const char *name, *otherwise, *values; } rows[] = {
#define ENV(name, def, values, doc) { name, def, values },
#include "abi/environment.def"
#undef ENV
};
enum { NUM_ROWS = sizeof rows / sizeof rows[0] };

static _Thread_local char message[DEVICE_CONFIG_SPEC_MAX + 256];

/* values: "a|b|c". */
static const char *word_wrong(const char *values, const char *value)
{
	size_t at = (size_t)snprintf(message, sizeof message, "must be ");
	for (const char *word = values; *word;) {
		const size_t length = strcspn(word, "|");
		if (strlen(value) == length && !memcmp(word, value, length))
			return NULL;
		const char *next = word + length + (word[length] == '|');
		const char *between = !*next ? "" : strchr(next, '|') ? ", " : " or ";
		at += (size_t)snprintf(message + at, sizeof message - at, "%.*s%s", (int)length, word, between);
		word = next;
	}
	return message;
}

/* values: "N..M". */
static const char *number_wrong(const char *values, const char *value)
{
	char *end;
	const uint64_t least = strtoull(values, &end, 10), most = strtoull(end + 2, NULL, 10);
	errno = 0;
	const uint64_t n = strtoull(value, &end, 0);
	if (isdigit((unsigned char)*value) && !*end && !errno && n >= least && n <= most)
		return NULL;
	if (most == UINT64_MAX)
		snprintf(message, sizeof message, "must be a number");
	else
		snprintf(message, sizeof message, "must be a number from %llu to %llu", (unsigned long long)least,
			 (unsigned long long)most);
	return message;
}

static const char *config_wrong(const char *value)
{
	struct device_config ignored;
	return device_config_parse(value, &ignored, message, sizeof message) ? message : NULL;
}

static const char *file_wrong(const char *value)
{
	return !strcmp(value, "0") || !strcmp(value, "1") ? NULL : output_wrong(value);
}

static const char *value_wrong(const struct row *r, const char *value)
{
	if (!*value || !*r->values)
		return NULL;
	if (!strcmp(r->values, "file"))
		return file_wrong(value);
	if (!strcmp(r->values, "config"))
		return config_wrong(value);
	if (!strcmp(r->values, "inject"))
		return injection_wrong(value);
	return strstr(r->values, "..") ? number_wrong(r->values, value) : word_wrong(r->values, value);
}

const char *environment_wrong(const char *variable, const char *value)
{
	for (unsigned i = 0; i < NUM_ROWS; i++)
		if (!strcmp(rows[i].name, variable))
			return value_wrong(&rows[i], value);
	return NULL;
}

const char *environment_check(void)
{
	static _Thread_local char line[sizeof message + 256];
	for (unsigned i = 0; i < NUM_ROWS; i++) {
		const char *value = getenv(rows[i].name);
		const char *wrong = value ? value_wrong(&rows[i], value) : NULL;
		if (wrong) {
			snprintf(line, sizeof line, "%s=%.128s: %s", rows[i].name, value, wrong);
			return line;
		}
	}
	return NULL;
}

const char *environment_output(const char *after)
{
	for (unsigned i = 0; i < NUM_ROWS; i++) {
		const char *value = after || strcmp(rows[i].values, "file") ? NULL : getenv(rows[i].name);
		if (value && *value && strcmp(value, "0"))
			return rows[i].name;
		if (after && !strcmp(rows[i].name, after))
			after = NULL;
	}
	return NULL;
}

const char *environment_value(const char *variable)
{
	const char *set = getenv(variable);
	for (unsigned i = 0; (!set || !*set) && i < NUM_ROWS; i++)
		if (!strcmp(rows[i].name, variable))
			return rows[i].otherwise;
	return set ? set : "";
}
