/* What LLVM calls behind the program's back: block copies and fills of a length known only at run
 * time. Eight bytes a step where both sides are aligned alike: there is no misaligned fast path. */
#include "builtins.h"

void *memcpy(void *to, const void *from, size_t n);
void *memmove(void *to, const void *from, size_t n);
void *memset(void *to, int value, size_t n);

/* The loops keep the optimiser from making them into the calls that they implement. */
#define KEEP_LOOP __asm volatile("")

void *memcpy(void *to, const void *from, size_t n)
{
	uchar *d = to;
	const uchar *s = from;
	if ((((ulong)d ^ (ulong)s) & 7) == 0) {
		for (; n && ((ulong)d & 7); n--)
			*d++ = *s++;
		for (; n >= 8; n -= 8, d += 8, s += 8) {
			*(ulong *)d = *(const ulong *)s;
			KEEP_LOOP;
		}
	}
	for (; n; n--) {
		*d++ = *s++;
		KEEP_LOOP;
	}
	return to;
}

void *memmove(void *to, const void *from, size_t n)
{
	uchar *d = to;
	const uchar *s = from;
	if ((ulong)d - (ulong)s >= n)
		return memcpy(to, from, n);
	bool words = (((ulong)d ^ (ulong)s) & 7) == 0;
	while (n && !(words && n >= 8 && (((ulong)d + n) & 7) == 0)) {
		n--;
		d[n] = s[n];
		KEEP_LOOP;
	}
	while (n >= 8) {
		n -= 8;
		*(ulong *)(d + n) = *(const ulong *)(s + n);
		KEEP_LOOP;
	}
	while (n) {
		n--;
		d[n] = s[n];
		KEEP_LOOP;
	}
	return to;
}

void *memset(void *to, int value, size_t n)
{
	uchar *d = to;
	ulong v = (uchar)value * 0x0101010101010101ul;
	for (; n && ((ulong)d & 7); n--) {
		*d++ = (uchar)value;
		KEEP_LOOP;
	}
	for (; n >= 8; n -= 8, d += 8) {
		*(ulong *)d = v;
		KEEP_LOOP;
	}
	for (; n; n--) {
		*d++ = (uchar)value;
		KEEP_LOOP;
	}
	return to;
}
