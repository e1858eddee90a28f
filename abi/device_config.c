#include "abi/device_config.h"
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RELATION(name, condition)
#define PARAM(name, full, mini, least, most, rule, doc) .name = (full),
static const struct device_config full = { .name = "full",
#include "abi/config.def"
};
#undef PARAM
#define PARAM(name, full, mini, least, most, rule, doc) .name = (mini),
static const struct device_config mini = { .name = "mini",
#include "abi/config.def"
};
#undef PARAM

enum rule { ANY, POWER };
static const struct row {
	const char *name;
	size_t offset;
	uint32_t least, most;
	enum rule rule;
} rows[] = {
#define PARAM(name, full, mini, least, most, rule, doc) { #name, offsetof(struct device_config, name), least, most, rule },
#include "abi/config.def"
#undef PARAM
#undef RELATION
};

/* The text of a relation as people write it: without CONFIG( ). */
static const char *relation_text(char *out, size_t size, const char *condition)
{
	size_t n = 0;

	for (const char *p = condition; *p && n + 1 < size;) {
		if (!strncmp(p, "CONFIG(", 7))
			p += 7;
		else if (*p == ')')
			p++;
		else
			out[n++] = *p++;
	}
	out[n] = '\0';
	return out;
}

static int refuse(char *error, size_t n, const char *where, const char *name, const char *value, const char *rule)
{
	snprintf(error, n, "%s: %s cannot be '%s': %s", where, name, value, rule);
	return -1;
}

const struct device_config *device_config_find(const char *name)
{
	return !strcmp(name, full.name) ? &full : !strcmp(name, mini.name) ? &mini : NULL;
}

static int set(struct device_config *c, const char *name, const char *value, const char *where, char *error, size_t n)
{
	const struct row *row = rows;
	char rule[80], *end;
	unsigned long v;

	while (row < rows + sizeof(rows) / sizeof(*rows) && strcmp(row->name, name))
		row++;
	if (row == rows + sizeof(rows) / sizeof(*rows)) {
		snprintf(error, n, "%s: no parameter is called '%s'; the hardware manual lists them", where, name);
		return -1;
	}
	errno = 0;
	v = strtoul(value, &end, 0);
	if (errno || !*value || *end || *value == '-' || v < row->least || v > row->most || (row->rule == POWER && v & (v - 1))) {
		snprintf(rule, sizeof(rule), "it is %s from %u to %u", row->rule == POWER ? "a power of two" : "a number", row->least,
			 row->most);
		return refuse(error, n, where, name, value, rule);
	}
	*(uint32_t *)(void *)((char *)c + row->offset) = (uint32_t)v;
	return 0;
}

static int load(const char *path, struct device_config *c, char *error, size_t n)
{
	char line[512], name[128], value[128], where[600];
	FILE *f = fopen(path, "re");
	int status = 0;

	if (!f) {
		snprintf(error, n, "cannot read the configuration %s: %s; GALENA_CONFIG is full, mini, or such a file", path,
			 strerror(errno));
		return -1;
	}
	for (unsigned number = 1; !status && fgets(line, sizeof(line), f); number++) {
		char *comment = strchr(line, '#'), rest[2];
		int fields;

		if (comment)
			*comment = '\0';
		snprintf(where, sizeof(where), "%s, line %u", path, number);
		fields = sscanf(line, "%127s %127s %1s", name, value, rest);
		if (fields <= 0)
			continue;
		if (fields != 2) {
			snprintf(error, n, "%s: a line is a parameter and its value", where);
			status = -1;
		} else if (!strcmp(name, "base")) {
			const struct device_config *base = device_config_find(value);

			if (base)
				*c = *base;
			else
				snprintf(error, n, "%s: base is full or mini, not '%s'", where, value);
			status = base ? 0 : -1;
		} else {
			status = set(c, name, value, where, error, n);
		}
	}
	fclose(f);
	return status;
}

/* Each parameter can be right and the whole be none. */
static int whole(const struct device_config *c, char *error, size_t n)
{
	char rule[256], value[16];

#define PARAM(name, full, mini, least, most, rule, doc)
#define CONFIG(p) (uint64_t)c->p
#define RELATION(name, condition)                                                                  \
	if (!(condition)) {                                                                        \
		snprintf(value, sizeof(value), "%u", c->name);                                     \
		return refuse(error, n, "configuration", #name, value, relation_text(rule, sizeof(rule), #condition)); \
	}
#include "abi/config.def"
#undef PARAM
#undef RELATION
	return 0;
}

static int parse(const char *spec, struct device_config *out, char *error, size_t error_size)
{
	char copy[DEVICE_CONFIG_SPEC_MAX], *save = NULL;
	size_t len = strlen(spec);
	const struct device_config *base;

	if (len >= sizeof(copy)) {
		snprintf(error, error_size, "the configuration is longer than %zu characters", sizeof(copy) - 1);
		return -1;
	}
	memcpy(copy, spec, len + 1);
	char *word = strtok_r(copy, ",", &save);
	base = word ? device_config_find(word) : NULL;
	*out = base ? *base : full;
	if (!base && word && (strchr(word, '/') || (strlen(word) > 5 && !strcmp(word + strlen(word) - 5, ".conf")))) {
		if (load(word, out, error, error_size))
			return -1;
	} else if (!base) {
		snprintf(error, error_size,
			 "no device configuration is called '%s': set GALENA_CONFIG to full, mini or a file of parameters", spec);
		return -1;
	}
	while ((word = strtok_r(NULL, ",", &save))) {
		char *equals = strchr(word, '=');

		if (!equals) {
			snprintf(error, error_size, "configuration '%s': '%s' is not PARAMETER=VALUE", spec, word);
			return -1;
		}
		*equals = '\0';
		if (set(out, word, equals + 1, "GALENA_CONFIG", error, error_size))
			return -1;
	}
	out->name = NULL;
	return whole(out, error, error_size);
}

int device_config_parse(const char *spec, struct device_config *out, char *error, size_t error_size)
{
	int status = parse(spec, out, error, error_size);

	if (status) /* what it repeats of the specification may be anything; the message is one line */
		for (char *p = error; *p; p++)
			if (iscntrl((unsigned char)*p))
				*p = '?';
	return status;
}

void device_config_format(const struct device_config *c, char *buffer, size_t size)
{
	unsigned differences[2] = { 0, 0 };
	const struct device_config *const bases[2] = { &full, &mini };
	const struct device_config *base;
	int n;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (unsigned b = 0; b < 2; b++)
			differences[b] += *(const uint32_t *)(const void *)((const char *)c + rows[i].offset) !=
					  *(const uint32_t *)(const void *)((const char *)bases[b] + rows[i].offset);
	base = bases[differences[1] < differences[0]];
	n = snprintf(buffer, size, "%s", base->name);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows) && n > 0 && (size_t)n < size; i++) {
		uint32_t v = *(const uint32_t *)(const void *)((const char *)c + rows[i].offset);

		if (v != *(const uint32_t *)(const void *)((const char *)base + rows[i].offset))
			n += snprintf(buffer + n, size - (size_t)n, ",%s=%u", rows[i].name, v);
	}
}
