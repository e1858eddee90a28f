/* Fuzzes the reader of kernel objects: what it accepts can be used by its word alone. */
#define _GNU_SOURCE
#include "runtime/compiler/compiler.h"
#include "abi/kernel_note.h"
#include "testbench/fuzz/fuzz.h"
#include "toolchain_hash.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t sum; /* so that what is read is used */

static void use_kernel(const struct kernel_object *o, const struct note_kernel *k)
{
	const struct note_arg *args = kernel_object_args(o, k);
	sum += strlen(kernel_object_string(o, k->name)) + strlen(kernel_object_string(o, k->attributes));
	if (k->entry >= kernel_object_image_size(o)) {
		fprintf(stderr, "fuzz: a kernel's entry lies outside the image\n");
		abort();
	}
	for (uint32_t i = 0; i < k->num_args; i++) {
		sum += strlen(kernel_object_string(o, args[i].name)) + strlen(kernel_object_string(o, args[i].type_name));
		if ((uint64_t)args[i].offset + (args[i].kind == NOTE_ARG_VALUE ? args[i].size : 8) > k->arg_bytes) {
			fprintf(stderr, "fuzz: an argument lies outside the argument block\n");
			abort();
		}
	}
}

/* The hash of the toolchain changes with every build, a corpus does not. */
static uint8_t *of_this_build(const uint8_t *data, size_t size)
{
	uint32_t magic = NOTE_MAGIC;
	uint64_t hash = GALENA_TOOLCHAIN_HASH;
	uint8_t *copy = malloc(size + 1), *note;
	if (!copy)
		abort();
	memcpy(copy, data, size);
	note = memmem(copy, size, &magic, 4);
	if (note && (size_t)(copy + size - note) >= sizeof(struct note_header))
		memcpy(note + offsetof(struct note_header, toolchain), &hash, 8);
	return copy;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *error = NULL;
	uint8_t *copy = of_this_build(data, size);
	struct kernel_object *o = kernel_object_read(copy, size, &error);
	free(copy);
	if (!o) {
		if (!error || !*error)
			abort();
		return 0;
	}
	for (size_t i = 0; i < kernel_object_num_kernels(o); i++)
		use_kernel(o, kernel_object_kernel(o, i));
	for (size_t i = 0; i < kernel_object_num_printfs(o); i++)
		sum += strlen(kernel_object_string(o, kernel_object_printf(o, i)->format));
	sum += strlen(kernel_object_options(o));
	uint64_t bytes = kernel_object_image_size(o);
	if (bytes <= 16 << 20) {
		void *image = malloc(bytes ? bytes : 1);
		if (image)
			kernel_object_place(o, 0x1000000000, image);
		free(image);
	}
	kernel_object_free(o);
	return 0;
}
