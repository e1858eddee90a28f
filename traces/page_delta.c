#include "traces/page_delta.h"
#include <string.h>

/* The memory is the application's: its other bytes, and what its threads do to it meanwhile, are no business of a sanitizer. */
#define UNJUDGED __attribute__((no_sanitize("address", "thread", "undefined"), noinline))

/* Copies what differs, word by word where it can. Returns whether anything did; marks has a bit for each byte that differs. */
static UNJUDGED bool differing(uint8_t *from, const volatile uint8_t *to, size_t length, uint64_t *marks, bool unknown)
{
	bool any = unknown;
	size_t i = 0;
	for (; !((uintptr_t)to % 8) && !((uintptr_t)from % 8) && i + 8 <= length; i += 8) {
		const uint64_t now = *(const volatile uint64_t *)(to + i), before = *(const uint64_t *)(from + i);
		if (now == before && !unknown)
			continue;
		any = true;
		*(uint64_t *)(from + i) = now;
		for (size_t k = 0; k < 8; k++)
			if (unknown || (now ^ before) >> 8 * k & 0xff)
				marks[(i + k) / 64] |= 1ull << (i + k) % 64;
	}
	for (; i < length; i++) {
		const uint8_t now = to[i];
		if (now == from[i] && !unknown)
			continue;
		any = true;
		from[i] = now;
		marks[i / 64] |= 1ull << i % 64;
	}
	return any;
}

static uint8_t *number_put(uint8_t *p, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*p++ = (uint8_t)v | 0x80;
	*p++ = (uint8_t)v;
	return p;
}

/* The extent that begins at `at`, up to the end of its bytes that differ: those that are 0, where there are many, are one of their own. */
static size_t extent_end(const uint8_t *bytes, const uint64_t *marks, size_t at, size_t length, bool *zero)
{
	enum { MANY = 8 };
	size_t end = at, zeros = 0;
	while (end < length && marks[end / 64] >> end % 64 & 1 && !bytes[end])
		end++;
	*zero = end - at >= MANY || end == length || !(marks[end / 64] >> end % 64 & 1);
	if (*zero)
		return end;
	for (; end < length && marks[end / 64] >> end % 64 & 1; end++) {
		zeros = bytes[end] ? 0 : zeros + 1;
		if (zeros == MANY)
			return end + 1 - zeros;
	}
	return end;
}

size_t delta_make(uint8_t *out, uint8_t *from, const void *to, size_t at, size_t length, bool unknown)
{
	uint64_t marks[GALENA_PAGE_SIZE / 64] = { 0 };
	uint8_t *p = out;
	if (!differing(from + at, to, length, marks, unknown))
		return 0;
	for (size_t i = 0, last = 0, end; i < length; i = end) {
		bool zero;
		end = i + 1;
		if (!(marks[i / 64] >> i % 64 & 1))
			continue;
		end = extent_end(from + at, marks, i, length, &zero);
		p = number_put(p, i - last + (last ? 0 : at));
		p = number_put(p, (end - i) << 1 | zero);
		if (!zero) {
			memcpy(p, from + at + i, end - i);
			p += end - i;
		}
		last = end;
	}
	return (size_t)(p - out);
}

static bool number_read(const uint8_t *delta, size_t size, size_t *at, uint64_t *v)
{
	*v = 0;
	for (unsigned shift = 0; *at < size && shift < 28; shift += 7) {
		const uint8_t b = delta[(*at)++];
		*v |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80))
			return true;
	}
	return false;
}

bool delta_read(const uint8_t *delta, size_t size, void (*apply)(void *ctx, size_t at, size_t length, const uint8_t *bytes), void *ctx)
{
	uint64_t stays, n;
	for (size_t at = 0, place = 0; at < size; place += n) {
		if (!number_read(delta, size, &at, &stays) || !number_read(delta, size, &at, &n))
			return false;
		const bool zero = n & 1;
		n >>= 1;
		place += stays;
		if (!n || place + n > GALENA_PAGE_SIZE || (!zero && n > size - at))
			return false;
		apply(ctx, place, n, zero ? NULL : delta + at);
		at += zero ? 0 : n;
	}
	return true;
}
