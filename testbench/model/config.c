/* What the parameters of a configuration may be: the limits and relations of abi/config.def, and the messages. */
#include "abi/device_config.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum { ANY, POWER };
static const struct { const char *name; uint32_t full, mini, least, most; int rule; } rows[] = {
#define RELATION(name, condition)
#define PARAM(name, full, mini, least, most, rule, doc) { #name, full, mini, least, most, rule },
#include "abi/config.def"
#undef PARAM
#undef RELATION
};

static char error[512];

static int parse(const char *name, uint64_t value)
{
	char spec[128];
	struct device_config c;

	*error = 0;
	snprintf(spec, sizeof(spec), "full,%s=%llu", name, (unsigned long long)value);
	return device_config_parse(spec, &c, error, sizeof(error));
}

/* A value beyond a limit is refused by that limit; one that is within is, if at all, by a relation to others. */
static void test_limits(void **state)
{
	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char rule[128];

		snprintf(rule, sizeof(rule), "GALENA_CONFIG: %s cannot be '", rows[i].name);
		for (unsigned end = 0; end < 2; end++) {
			if (parse(rows[i].name, end ? rows[i].most : rows[i].least))
				assert_memory_equal(error, "configuration: ", 15);
			if (!end && !rows[i].least)
				continue;
			assert_int_equal(parse(rows[i].name, end ? rows[i].most + 1ull : rows[i].least - 1ull), -1);
			assert_memory_equal(error, rule, strlen(rule));
			assert_non_null(strstr(error, rows[i].rule == POWER ? "it is a power of two from " : "it is a number from "));
		}
		if (rows[i].rule != POWER || rows[i].least + 2 >= rows[i].most)
			continue;
		assert_int_equal(parse(rows[i].name, rows[i].least * 2 + 1), -1);
		assert_memory_equal(error, rule, strlen(rule));
	}
}

static void test_messages(void **state)
{
	(void)state;
	assert_int_equal(parse("lanes", 3), -1);
	assert_string_equal(error, "GALENA_CONFIG: lanes cannot be '3': it is a power of two from 1 to 32");
	assert_int_equal(parse("num_cu", 17), -1);
	assert_string_equal(error, "GALENA_CONFIG: num_cu cannot be '17': it is a number from 1 to 16");
	assert_int_equal(parse("lanes", 8), -1);
	assert_string_equal(error, "configuration: max_wg_size cannot be '512': max_wg_size <= warps_per_cu * lanes");
	assert_int_equal(parse("l1_bytes", 512), -1);
	assert_string_equal(error, "configuration: l1_bytes cannot be '512': l1_bytes >= l1_ways * line_bytes");
	assert_int_equal(parse("l2_bytes", 1024), -1);
	assert_string_equal(error, "configuration: l2_bytes cannot be '1024': l2_bytes >= l2_ways * line_bytes");
	assert_int_equal(parse("l1_data", 1), -1);
	assert_string_equal(error, "configuration: l1_data cannot be '1': l1_data <= exact");
	assert_int_equal(parse("exact=1,l1_data", 1), 0);
	assert_int_equal(parse("media_samples_cycle", 0), -1);
	assert_int_equal(parse("wings", 1), -1);
	assert_string_equal(error, "GALENA_CONFIG: no parameter is called 'wings'; the hardware manual lists them");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_limits), cmocka_unit_test(test_messages) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
