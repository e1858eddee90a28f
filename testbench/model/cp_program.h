/* A program made of what compilers make of C: run by the command processor and by the host on the
 * same input, with equal results. Defined behaviour only. */
#ifndef GALENA_TESTBENCH_MODEL_CP_PROGRAM_H
#define GALENA_TESTBENCH_MODEL_CP_PROGRAM_H
#include <stdint.h>

enum { PROGRAM_RESULTS = 24, PROGRAM_WORDS = 256, PROGRAM_BLOCK = 0x20000, PROGRAM_STACK = 0x3ff00 };

struct program_block {
	uint64_t seed;
	uint64_t done;
	uint64_t result[PROGRAM_RESULTS];
	uint64_t words[PROGRAM_WORDS];
	uint8_t bytes[PROGRAM_WORDS];
};

static uint64_t program_next(uint64_t *s)
{
	*s ^= *s >> 12;
	*s ^= *s << 25;
	*s ^= *s >> 27;
	return *s * 0x2545f4914f6cdd1dull;
}

static uint64_t program_divide(uint64_t a, uint64_t b)
{
	int64_t sa = (int64_t)(a >> 1), sb = (int64_t)(b >> 3) + 1;
	int32_t wa = (int32_t)(a >> 33), wb = -(int32_t)(b >> 40) - 1;
	uint64_t r = a / (b | 1) + a % (b | 1) + (uint64_t)(-sa / sb) + (uint64_t)(-sa % sb);

	r += (uint64_t)(int64_t)(wa / wb) + (uint64_t)(int64_t)(wa % wb);
	return r + (uint32_t)a / ((uint32_t)b | 1) + (uint32_t)a % ((uint32_t)b | 1);
}

static uint64_t program_multiply(uint64_t a, uint64_t b)
{
	__int128 ss = (__int128)(int64_t)a * (int64_t)b;
	unsigned __int128 uu = (unsigned __int128)a * b;
	__int128 su = (__int128)(int64_t)a * (__int128)b;

	return (uint64_t)(ss >> 64) ^ (uint64_t)(uu >> 64) ^ (uint64_t)((unsigned __int128)su >> 64) ^ (uint32_t)a * (uint32_t)b;
}

static uint64_t program_shift(uint64_t a, uint64_t b)
{
	unsigned n = b & 63, m = b & 31;
	int64_t s = (int64_t)a;
	int32_t w = (int32_t)a;

	return (a << n) ^ (a >> n) ^ (uint64_t)(s >> n) ^ (uint64_t)((uint32_t)w << m) ^ (uint64_t)(int64_t)(w >> m) ^
	       (uint32_t)w >> m ^ (uint64_t)(int64_t)(int32_t)((uint32_t)w << m);
}

static uint64_t program_memory(struct program_block *b)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < PROGRAM_WORDS; i++) {
		uint64_t w = b->words[i];

		b->bytes[(w >> 8) % PROGRAM_WORDS] ^= (uint8_t)w;
		sum = sum * 31 + b->bytes[i] + (uint64_t)(int64_t)(int8_t)b->bytes[w % PROGRAM_WORDS];
		sum += ((uint16_t *)b->bytes)[w % (PROGRAM_WORDS / 2)];
		sum ^= (uint64_t)(int64_t)((int16_t *)b->bytes)[i / 2];
		((uint16_t *)b->bytes)[i / 2] = (uint16_t)sum;
		sum += ((uint32_t *)b->bytes)[i / 4] + (uint64_t)(int64_t)((int32_t *)b->bytes)[w % (PROGRAM_WORDS / 4)];
	}
	return sum;
}

static void program_sort(uint64_t *v, int low, int high)
{
	int i = low, j = high;
	int64_t pivot = (int64_t)v[(low + high) / 2];

	while (i <= j) {
		while ((int64_t)v[i] < pivot)
			i++;
		while ((int64_t)v[j] > pivot)
			j--;
		if (i <= j) {
			uint64_t t = v[i];

			v[i++] = v[j];
			v[j--] = t;
		}
	}
	if (low < j)
		program_sort(v, low, j);
	if (i < high)
		program_sort(v, i, high);
}

static uint64_t program_crc(const uint8_t *p, unsigned n)
{
	uint32_t crc = ~0u;

	for (unsigned i = 0; i < n; i++) {
		crc ^= p[i];
		for (unsigned k = 0; k < 8; k++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	return crc;
}

static uint64_t program_choose(uint64_t a, uint64_t b)
{
	switch (a % 9) {
	case 0: return a + b;
	case 1: return a - b;
	case 2: return a & b;
	case 3: return a | b;
	case 4: return a ^ b;
	case 5: return a < b;
	case 6: return (int64_t)a < (int64_t)b;
	case 7: return (uint32_t)a > (uint32_t)b ? a : b;
	}
	return (int32_t)a <= (int32_t)b ? 17 : (uint64_t)-2048;
}

static uint64_t program_atomic(uint64_t *v, uint64_t a)
{
	uint64_t r = __atomic_fetch_add(v, a, __ATOMIC_SEQ_CST);
	uint32_t *w = (uint32_t *)v;
	uint64_t expect = *v;

	r ^= __atomic_exchange_n(w, (uint32_t)(a >> 7), __ATOMIC_ACQ_REL);
	r += __atomic_fetch_and(w + 1, (uint32_t)a | 0xff00, __ATOMIC_RELAXED);
	r ^= __atomic_fetch_or(v, a << 3, __ATOMIC_RELAXED);
	r += __atomic_fetch_xor(w, (uint32_t)r, __ATOMIC_RELAXED);
	r += (uint64_t)__atomic_compare_exchange_n(v, &expect, a, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	expect = *v;
	r += (uint64_t)__atomic_compare_exchange_n(v, &expect, a * 3, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	return r ^ *v;
}

static void program_run(struct program_block *b)
{
	uint64_t s = b->seed, *r = b->result;

	for (unsigned i = 0; i < PROGRAM_WORDS; i++) {
		b->words[i] = program_next(&s);
		b->bytes[i] = (uint8_t)i;
	}
	for (unsigned i = 0; i + 1 < PROGRAM_WORDS; i++) {
		uint64_t x = b->words[i] >> (i % 60), y = b->words[i + 1] >> (i * 7 % 63);

		r[0] = r[0] * 5 + program_divide(x, y);
		r[1] = r[1] * 5 + program_multiply(x, y);
		r[2] = r[2] * 5 + program_multiply(b->words[i], b->words[i + 1]);
		r[3] = r[3] * 5 + program_shift(x, y);
		r[4] = r[4] * 5 + program_choose(x, y);
		r[5] = r[5] * 5 + program_choose(b->words[i], b->words[i + 1]);
		r[6] = r[6] * 5 + program_atomic(&r[7], x);
	}
	r[8] = program_memory(b);
	r[9] = program_crc(b->bytes, PROGRAM_WORDS);
	program_sort(b->words, 0, PROGRAM_WORDS - 1);
	r[10] = program_crc((const uint8_t *)b->words, sizeof(b->words));
	r[11] = s;
	b->done = 1;
}

#endif
