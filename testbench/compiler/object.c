/* Kernel objects from anywhere: whatever the bytes, reading ends in an object whose parts are all
 * inside it, or in an error. usage: object [SEED [MUTANTS]] */
#include "testbench/random.h"
#include "testbench/compiler/support.h"
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static uint64_t seed;
static unsigned long mutants = 100000;

static uint64_t random64(void) { return splitmix64(&seed); }

/* Uses everything that an object gives out, so that a bad offset is an access outside. Returns a sum,
 * so that nothing is left out. */
static uint64_t use(const struct kernel_object *o)
{
	uint64_t sum = kernel_object_global_bytes(o) + strlen(kernel_object_options(o)) + kernel_object_type(o);
	for (size_t k = 0; k < kernel_object_num_kernels(o); k++) {
		const struct note_kernel *kernel = kernel_object_kernel(o, k);
		const struct note_arg *args = kernel_object_args(o, kernel);
		sum += strlen(kernel_object_string(o, kernel->name)) + strlen(kernel_object_string(o, kernel->attributes));
		assert_true(kernel->entry < kernel_object_image_size(o));
		for (uint32_t a = 0; a < kernel->num_args; a++) {
			sum += strlen(kernel_object_string(o, args[a].name)) +
			       strlen(kernel_object_string(o, args[a].type_name));
			assert_true((uint64_t)args[a].offset + args[a].size <= kernel->arg_bytes);
		}
	}
	for (size_t i = 0; i < kernel_object_num_printfs(o); i++)
		sum += strlen(kernel_object_string(o, kernel_object_printf(o, i)->format));
	uint64_t size = kernel_object_image_size(o);
	for (size_t i = 0; i < kernel_object_num_segments(o); i++) {
		const struct kernel_segment *s = kernel_object_segment(o, i);
		assert_true(s->address + s->mem_size <= size && s->file_size <= s->mem_size);
		assert_false(s->write && s->execute);
		for (uint64_t b = 0; b < s->file_size; b++)
			sum += ((const unsigned char *)s->data)[b];
	}
	if (size && size <= 1 << 24) { /* a mutant may ask for up to a GiB of zeros */
		char *image = malloc(size);
		assert_non_null(image);
		kernel_object_place(o, 0x1000, image);
		for (uint64_t b = 0; b < size; b += 64)
			sum += (unsigned char)image[b];
		free(image);
	}
	return sum;
}

static struct build sample(void)
{
	struct build b = build_source(
		"global int counter = 5; constant char *constant names[2] = {\"one\", \"two\"};\n"
		"kernel __attribute__((reqd_work_group_size(8, 1, 1))) void a(global int *o, float4 v, local int *l) {\n"
		"  printf(\"%d\\n\", o[1]); l[0] = v.x; o[0] = counter++ + names[o[1]][0] + l[o[2]]; }\n"
		"kernel void b(read_only image2d_t i, sampler_t s, global float4 *o) { o[0] = read_imagef(i, s, o[1].xy); }\n",
		"-cl-std=CL3.0");
	build_expect_ok(&b);
	return b;
}

static void every_truncation(void **state)
{
	(void)state;
	struct build b = sample();
	const char *error;
	for (size_t size = 0; size < b.size; size += size < 4096 || size + 4096 > b.size ? 1 : 61) {
		/* a copy of that size alone, so that reading behind it is found */
		char *cut = malloc(size ? size : 1);
		memcpy(cut, b.data, size);
		error = NULL;
		struct kernel_object *o = kernel_object_read(cut, size, &error);
		free(cut);
		if (o)
			use(o);
		else
			assert_non_null(error);
		/* the section headers stand last: nothing shorter is whole */
		assert_null(o);
		kernel_object_free(o);
	}
	build_free(&b);
}

static void mutate(unsigned char *bytes, size_t size)
{
	for (unsigned edits = 1 + (unsigned)(random64() % 4); edits; edits--) {
		/* often in the headers and in the note, where the structure is */
		size_t at = random64() % size;
		switch (random64() % 4) {
		case 0: at = random64() % 512; break;
		case 1: at = size - 1 - random64() % (size < 4096 ? size : 4096); break;
		default: break;
		}
		uint64_t value = random64();
		switch (random64() % 6) {
		case 0: bytes[at] ^= (unsigned char)(1u << value % 8); break;
		case 1: bytes[at] = (unsigned char)value; break;
		case 2: bytes[at] = value & 1 ? 0xff : 0; break;
		case 3:
			for (size_t i = 0; i < 4 && at + i < size; i++)
				bytes[at + i] = value & 1 ? 0xff : (unsigned char)(value >> (8 + 8 * i));
			break;
		case 4:
			for (size_t i = 0; i < 8 && (at & ~7ul) + i < size; i++)
				bytes[(at & ~7ul) + i] = (unsigned char)((value & 0xffff) >> 8 * i);
			break;
		case 5:
			for (size_t i = 0; i < 8 && (at & ~7ul) + i < size; i++)
				bytes[(at & ~7ul) + i] = 0xff;
			break;
		}
	}
}

static void random_damage(void **state)
{
	(void)state;
	struct build b = sample();
	unsigned long read = 0, refused = 0;
	uint64_t sum = 0;
	print_message("seed %llu, %lu mutants\n", (unsigned long long)seed, mutants);
	for (unsigned long i = 0; i < mutants; i++) {
		uint64_t start = seed;
		const char *error = NULL;
		unsigned char *bytes = malloc(b.size);
		memcpy(bytes, b.data, b.size);
		mutate(bytes, b.size);
		struct kernel_object *o = kernel_object_read(bytes, b.size, &error);
		free(bytes); /* the object has its own copy */
		if (o) {
			sum += use(o);
			read++;
		} else if (!error || !*error || strchr(error, '\n')) {
			fail_msg("no error message, seed %llu", (unsigned long long)start);
		} else {
			refused++;
		}
		kernel_object_free(o);
	}
	print_message("%lu read, %lu refused (sum %llx)\n", read, refused, (unsigned long long)sum);
	/* both ends are reached: damage to code is not seen, damage to structure is */
	assert_true(read > mutants / 50 && refused > mutants / 50);
	build_free(&b);
}

static void expect_refused(const struct build *b, size_t offset, const void *value, size_t length, const char *text)
{
	const char *error = "";
	char *bytes = malloc(b->size);
	memcpy(bytes, b->data, b->size);
	memcpy(bytes + offset, value, length);
	struct kernel_object *o = kernel_object_read(bytes, b->size, &error);
	if (o || !strstr(error, text))
		fail_msg("offset %zu: %s, expected: %s", offset, o ? "read" : error, text);
	free(bytes);
}

/* Offset in the file of the note. */
static size_t note_offset(const struct build *b)
{
	uint32_t magic = NOTE_MAGIC;
	char *at = memmem(b->data, b->size, &magic, sizeof magic);
	assert_non_null(at);
	return (size_t)(at - (char *)b->data);
}

static void aimed_damage(void **state)
{
	(void)state;
	struct build b = sample();
	size_t note = note_offset(&b);
	const struct note_header *h = (const struct note_header *)((char *)b.data + note);
	size_t kernel = note + sizeof *h, arg = kernel + h->num_kernels * sizeof(struct note_kernel);
	uint64_t all = UINT64_MAX, one = 1;
	expect_refused(&b, 0, "x", 1, "no RISC-V ELF");
	expect_refused(&b, offsetof(Elf64_Ehdr, e_machine), &(uint16_t){ EM_X86_64 }, 2, "no RISC-V ELF");
	expect_refused(&b, offsetof(Elf64_Ehdr, e_type), &(uint16_t){ ET_REL }, 2, "type of the file");
	expect_refused(&b, note, "x", 1, "magic");
	expect_refused(&b, note + offsetof(struct note_header, version), &all, 4, "another version");
	expect_refused(&b, note + offsetof(struct note_header, toolchain), &one, 8, "another version");
	expect_refused(&b, note + offsetof(struct note_header, num_kernels), &all, 4, "counts");
	expect_refused(&b, note + offsetof(struct note_header, num_args), &one, 4, "note size");
	expect_refused(&b, note + offsetof(struct note_header, string_bytes), &one, 4, "note size");
	expect_refused(&b, note + offsetof(struct note_header, type), &(uint32_t){ NOTE_COMPILED }, 4, "type of the file");
	expect_refused(&b, kernel + offsetof(struct note_kernel, name), &all, 4, "name of a kernel");
	expect_refused(&b, kernel + offsetof(struct note_kernel, entry), &all, 8, "entry of a kernel");
	expect_refused(&b, kernel + offsetof(struct note_kernel, entry), &(uint64_t){ 2 }, 8, "entry of a kernel");
	expect_refused(&b, kernel + offsetof(struct note_kernel, first_arg), &all, 4, "arguments of a kernel");
	expect_refused(&b, kernel + offsetof(struct note_kernel, private_bytes), &one, 4, "private memory");
	expect_refused(&b, kernel + offsetof(struct note_kernel, private_bytes), &(uint32_t){ 0xfffffff0 }, 4, "private memory");
	expect_refused(&b, arg + offsetof(struct note_arg, offset), &all, 4, "outside the block");
	expect_refused(&b, arg + offsetof(struct note_arg, kind), &all, 4, "kind of an argument");
	expect_refused(&b, arg + offsetof(struct note_arg, size), &one, 4, "size of an argument");
	expect_refused(&b, arg + offsetof(struct note_arg, align), &(uint32_t){ 3 }, 4, "kind of an argument");
	size_t segment = sizeof(Elf64_Ehdr);
	expect_refused(&b, segment + offsetof(Elf64_Phdr, p_filesz), &all, 8, "segment lies outside");
	expect_refused(&b, segment + offsetof(Elf64_Phdr, p_offset), &all, 8, "segment lies outside");
	expect_refused(&b, segment + offsetof(Elf64_Phdr, p_memsz), &all, 8, "segment address");
	expect_refused(&b, segment + offsetof(Elf64_Phdr, p_vaddr), &one, 8, "segment address");
	expect_refused(&b, segment + offsetof(Elf64_Phdr, p_flags), &(uint32_t){ 7 }, 4, "writable and executable");
	build_free(&b);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_truncation),
		cmocka_unit_test(aimed_damage),
		cmocka_unit_test(random_damage),
	};
	seed = seed_take(argc, argv);
	if (argc > 2)
		mutants = strtoul(argv[2], NULL, 0);
	support_start();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	support_end();
	return failed;
}
