/* Fuzzes the reader of SPIR-V: an input is a module, behind a byte of options. Whatever it is, the reader ends, with text or with an error that it
 * has said. Under the fuzzer most changes are to whole words, so that modules stay well formed for longer. */
#include "runtime/compiler/clc/spirv.h"
#include "testbench/fuzz/fuzz.h"
#include "testbench/random.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max) __attribute__((weak));
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);
int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void *, size_t), void (*)(const volatile void *)) __attribute__((weak));

static bool said;

static void require(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "fuzz: %s\n", what);
	abort();
}

/* ---- what the reader leaves: it is a program that ends soon ---- */
enum { LIVE_BITS = 20, LIVE = 1 << LIVE_BITS };
static const volatile void *live[LIVE];
static bool recording;
static size_t num_live; /* no more than half of the places: what there is more of is not given back */

static size_t place_of(const volatile void *p)
{
	size_t i = (uintptr_t)p / 16 * 0x9e3779b97f4a7c15ull >> (64 - LIVE_BITS);
	while (live[i] != p && live[i])
		i = (i + 1) % LIVE;
	return i;
}

static void allocated(const volatile void *p, size_t size)
{
	(void)size;
	if (!recording || !p || num_live == LIVE / 2)
		return;
	const size_t i = place_of(p);
	num_live += live[i] != p;
	live[i] = p;
}

static void freed(const volatile void *p)
{
	if (!recording || !p)
		return;
	size_t i = place_of(p);
	if (live[i] != p)
		return;
	live[i] = NULL;
	num_live--;
	for (size_t k = (i + 1) % LIVE; live[k]; k = (k + 1) % LIVE) { /* what was behind it is found from its own place again */
		const volatile void *moved = live[k];
		live[k] = NULL;
		live[place_of(moved)] = moved;
	}
}

static void recording_begin(void)
{
	static bool installed;
	if (!installed && __sanitizer_install_malloc_and_free_hooks)
		__sanitizer_install_malloc_and_free_hooks(allocated, freed);
	installed = recording = true;
}

static void recording_end(void)
{
	recording = false;
	for (size_t i = 0; num_live; i++) {
		num_live -= live[i] != NULL;
		free((void *)(uintptr_t)live[i]);
		live[i] = NULL;
	}
}

/* ---- what the reader says (clc/util.c) ---- */
void clc_error(const char *format, ...)
{
	char line[256];
	va_list args;
	va_start(args, format);
	said = vsnprintf(line, sizeof line, format, args) > 0;
	va_end(args);
}

/* ---- one input ---- */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const given[] = { "-spirv-robust", "-spirv-constant=0:7", "-spirv-binding=0:0:0", "-spirv-binding=0:1:8" };
	struct strings options = { 0 };
	struct bytes ir = { 0 };
	if (!size)
		return 0;
	recording_begin();
	said = false;
	for (unsigned i = 0; i < sizeof given / sizeof *given; i++)
		if (data[0] >> i & 1)
			strings_add(&options, given[i]);
	uint8_t *module = clc_alloc(size - 1); /* of its size, to the byte */
	memcpy(module, data + 1, size - 1);
	if (spirv_is_module(module, size - 1)) {
		const bool ok = spirv_translate(module, size - 1, &options, &ir);
		require(ok || said, "a module is refused without a word");
		require(!ok || (ir.size && !ir.data[ir.size - 1]), "the text has no end");
	}
	recording_end();
	return 0;
}

/* ---- changes ---- */
static const struct { uint16_t number; uint8_t words; } known[] = {
#define OPCODE(name, number, words) { number, words },
#include "runtime/compiler/clc/spirv_opcodes.def"
#undef OPCODE
};

/* The place of an instruction, in words; 0: there is none. */
static size_t instruction(const uint32_t *words, size_t count, uint64_t *seed)
{
	size_t at[4096], n = 0;
	for (size_t i = 5; i < count && words[i] >> 16 && n < 4096; i += words[i] >> 16)
		at[n++] = i;
	return n ? at[splitmix64(seed) % n] : 0;
}

static size_t change(uint32_t *words, size_t count, size_t max, uint64_t *seed)
{
	const size_t at = instruction(words, count, seed);
	const size_t length = at ? words[at] >> 16 : 0;
	if (!at || at + length > count)
		return count;
	uint32_t *operand = &words[at + (length > 1 ? 1 + splitmix64(seed) % (length - 1) : 0)];
	const size_t from = instruction(words, count, seed), copied = words[from] >> 16;
	switch (splitmix64(seed) % 6) {
	case 0: /* another id */
		*operand = 1 + (uint32_t)(splitmix64(seed) % (words[3] % 65536 + 1));
		break;
	case 1: /* a small number */
		*operand = (uint32_t)(splitmix64(seed) % 40);
		break;
	case 2: /* a word of another instruction */
		*operand = words[from + splitmix64(seed) % copied % (count - from)];
		break;
	case 3: /* another instruction of the same words */
		words[at] = (words[at] & 0xffff0000) | known[splitmix64(seed) % (sizeof known / sizeof *known)].number;
		break;
	case 4: /* it is gone */
		memmove(words + at, words + at + length, (count - at - length) * sizeof *words);
		return count - length;
	default: /* a copy of another one before it */
		if (from + copied > count || count + copied > max)
			break;
		uint32_t copy[64];
		if (copied > 64)
			break;
		memcpy(copy, words + from, copied * sizeof *words);
		memmove(words + at + copied, words + at, (count - at) * sizeof *words);
		memcpy(words + at, copy, copied * sizeof *words);
		return count + copied;
	}
	return count;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed_)
{
	uint64_t seed = seed_;
	if (size < 25 || splitmix64(&seed) % 4 == 0)
		return LLVMFuzzerMutate(data, size, max);
	const size_t room = (max - 1) / 4;
	uint32_t *words = malloc(room * 4 + 4);
	require(words, "out of memory");
	size_t count = (size - 1) / 4 < room ? (size - 1) / 4 : room;
	memcpy(words, data + 1, count * 4);
	for (uint64_t n = 1 + splitmix64(&seed) % 4; n--;)
		count = change(words, count, room, &seed);
	memcpy(data + 1, words, count * 4);
	free(words);
	return 1 + count * 4;
}
