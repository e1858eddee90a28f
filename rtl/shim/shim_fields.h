/* Structures of more than 64 bits at the ports of Verilated modules. For C++. */
#ifndef GALENA_RTL_SHIM_FIELDS_H
#define GALENA_RTL_SHIM_FIELDS_H
#include <initializer_list>
#include <stdint.h>

struct field {
	unsigned bits;
	uint64_t value;
};

/* A packed structure of more than 64 bits, in n words: its first field is in the highest bits. */
static inline void pack(uint32_t *words, unsigned n, std::initializer_list<field> fields)
{
	unsigned lsb = 0;

	for (unsigned i = 0; i < n; i++)
		words[i] = 0;
	for (const field *f = fields.end(); f-- != fields.begin();)
		for (unsigned done = 0, part; done < f->bits; done += part, lsb += part) {
			part = f->bits - done < 32 - lsb % 32 ? f->bits - done : 32 - lsb % 32;
			words[lsb / 32] |= (uint32_t)(f->value >> done & ((1ull << part) - 1)) << lsb % 32;
		}
}

/* Bits of one from the lowest, lsb, on. */
static inline uint64_t bits(const uint32_t *words, unsigned lsb, unsigned n)
{
	uint64_t value = 0;

	for (unsigned done = 0, part; done < n; done += part, lsb += part) {
		part = n - done < 32 - lsb % 32 ? n - done : 32 - lsb % 32;
		value |= (words[lsb / 32] >> lsb % 32 & ((1ull << part) - 1)) << done;
	}
	return value;
}

#endif
