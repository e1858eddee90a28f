/* What the compiler calls for structures, freestanding or not. */
#include <stddef.h>

void *memset(void *to, int value, size_t len);
void *memcpy(void *restrict to, const void *restrict from, size_t len);

void *memset(void *to, int value, size_t len)
{
	for (char *p = to; len; len--)
		*p++ = (char)value;
	return to;
}

void *memcpy(void *restrict to, const void *restrict from, size_t len)
{
	const char *f = from;
	for (char *p = to; len; len--)
		*p++ = *f++;
	return to;
}
