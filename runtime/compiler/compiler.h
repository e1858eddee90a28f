/* From OpenCL C to kernel objects: runs galena-clc, with a cache on disk; reads kernel objects. */
#ifndef GALENA_RUNTIME_COMPILER_H
#define GALENA_RUNTIME_COMPILER_H
#include "abi/kernel_note.h"
#include <stdbool.h>
#include <stddef.h>

/* What messages and line tables call the source of a request: all that a build gives depends on its inputs alone, so the caller puts
 * its own name for it in. */
#define COMPILE_SOURCE_NAME "<program source>"

enum compile_action { COMPILE_BUILD, COMPILE_COMPILE, COMPILE_LINK };

struct compile_input { const char *name; const void *data; size_t size; };

struct compile_request {
	enum compile_action action;
	const char *options;           /* as the application gave them, may be NULL */
	/* BUILD, COMPILE: one source. LINK: kernel objects with bitcode (compiled or library). */
	const struct compile_input *inputs;
	size_t num_inputs;
	const struct compile_input *headers; /* COMPILE: name is the include name */
	size_t num_headers;
	bool debug;                    /* line tables, as with the option -g; GALENA_PROFILE sets it */
};

enum compile_status {
	COMPILE_OK = 0,
	COMPILE_FAILED = -1,       /* the program is at fault: log says why */
	COMPILE_BAD_OPTIONS = -2,  /* options not understood: log says which */
	COMPILE_NO_COMPILER = -3,  /* clang, galena-clc or the kernel library is missing or crashed: log says what and how to get it */
	COMPILE_NO_MEMORY = -4,
};

/* Thread-safe. *object (malloc'ed, *size bytes) and *log (malloc'ed string, never NULL, may be
 * empty) belong to the caller. The cache lies in GALENA_CACHE_DIR, or XDG_CACHE_HOME/galena, or
 * HOME/.cache/galena; keyed by a hash of everything the result depends on; GALENA_CACHE=0 turns
 * it off; an unwritable or damaged cache is never an error. */
enum compile_status compiler_run(const struct compile_request *, void **object, size_t *size, char **log);

/* A kernel object, read and checked. All pointers point into it or into the object's copy. */
struct kernel_object;
struct kernel_segment { uint64_t address; uint64_t file_size, mem_size; const void *data; bool write, execute; };

/* Checks everything before it is used. NULL with *error set (one line, static) when the bytes are
 * not a kernel object of this toolchain. The bytes are copied. */
struct kernel_object *kernel_object_read(const void *data, size_t size, const char **error);
void kernel_object_free(struct kernel_object *);
enum note_type kernel_object_type(const struct kernel_object *);
const char *kernel_object_string(const struct kernel_object *, uint32_t offset);
size_t kernel_object_num_kernels(const struct kernel_object *);
const struct note_kernel *kernel_object_kernel(const struct kernel_object *, size_t i);
const struct note_arg *kernel_object_args(const struct kernel_object *, const struct note_kernel *);
size_t kernel_object_num_printfs(const struct kernel_object *);
const struct note_printf *kernel_object_printf(const struct kernel_object *, size_t i);
uint64_t kernel_object_global_bytes(const struct kernel_object *);
/* The line that the instruction at an image address was made from (line_table.h); false: not known. */
struct line_place;
bool kernel_object_line(const struct kernel_object *, uint64_t address, struct line_place *);
const char *kernel_object_options(const struct kernel_object *);
/* The image to load: bytes from address 0 to image_size, page aligned segments. */
uint64_t kernel_object_image_size(const struct kernel_object *);
size_t kernel_object_num_segments(const struct kernel_object *);
const struct kernel_segment *kernel_object_segment(const struct kernel_object *, size_t i);
/* Writes the image as it must be in memory when loaded at device address base. */
void kernel_object_place(const struct kernel_object *, uint64_t base, void *image);

#endif
