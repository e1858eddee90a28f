#include "testbench/random.h"
#include "testbench/traces/damage.h"
#include "traces/stream.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
/* cmocka needs the three above */
#include <cmocka.h>

uint64_t random_number(uint64_t *s) { return splitmix64(s) >> splitmix64(s) % 64; }

static void file_put(const char *path, const uint8_t *bytes, size_t n)
{
	FILE *f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	fclose(f);
}

static uint8_t *file_get(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	assert_non_null(f);
	fseek(f, 0, SEEK_END);
	*n = (size_t)ftell(f);
	uint8_t *bytes = malloc(*n);
	assert_non_null(bytes);
	rewind(f);
	assert_int_equal(fread(bytes, 1, *n, f), *n);
	fclose(f);
	return bytes;
}

void damage_check(const char *path, const char *damaged, uint64_t seed, bool (*whole)(const char *path))
{
	enum { TIMES = 60, IN_HEADER = 20 };
	size_t n;
	uint8_t *bytes = file_get(path, &n);
	assert_true(whole(path));
	for (int i = 0; i < TIMES; i++) {
		file_put(damaged, bytes, splitmix64(&seed) % n);
		assert_false(whole(damaged));
	}
	for (int i = 0; i < TIMES; i++) {
		size_t at = splitmix64(&seed) % n;
		if (i < IN_HEADER)
			at %= sizeof(struct stream_header); /* the file is large, its header is not */
		if ((at >= 12 && at < 16) || (at >= 24 && at < 32))
			continue; /* reserved bytes of the header */
		uint8_t was = bytes[at];
		bytes[at] ^= (uint8_t)(1 << splitmix64(&seed) % 8);
		file_put(damaged, bytes, n);
		assert_false(whole(damaged));
		bytes[at] = was;
	}
	free(bytes);
}
