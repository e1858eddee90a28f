/* The section ".galena" of a kernel object: what the runtime has to know about it.
 *
 * A kernel object is an ELF64 RISC-V file of type ET_DYN, image addresses counted from 0, one or
 * more PT_LOAD segments (text first, then read-only data, data, bss; page aligned, so that text
 * can be mapped R+X, constants R, variables R+W), and R_RISCV_RELATIVE relocations in ".rela.dyn"
 * alone: loading it at address A is copying the segments to A and adding A where they say.
 * A compiled-but-not-linked object or a library is an ELF64 file of type ET_REL with the program
 * as LLVM bitcode in section ".llvmbc" and the header below (kernels 0).
 * The section is a struct note_header, then kernels, arguments, printf formats, then strings
 * (NUL-terminated; offsets are into the string part; 0 is the empty string). Little endian. */
#ifndef GALENA_ABI_KERNEL_NOTE_H
#define GALENA_ABI_KERNEL_NOTE_H
#include <stdint.h>

#define NOTE_SECTION ".galena"
/* With debug information: the sources that it names. For each file its name and its text, a 0 behind each. */
#define NOTE_SOURCES ".galena.sources"
#define NOTE_MAGIC 0x544f4e47u /* "GNOT" */
enum { NOTE_VERSION = 1 };

enum note_type { NOTE_EXECUTABLE = 1, NOTE_COMPILED = 2, NOTE_LIBRARY = 3 };

struct note_header {
	uint32_t magic, version;
	uint32_t type;          /* enum note_type */
	uint32_t num_kernels, num_args, num_printfs;
	uint32_t string_bytes;
	uint32_t options;       /* string: build options as given */
	uint64_t global_bytes;  /* program-scope variables in global memory, bytes */
	uint64_t toolchain;     /* hash of compiler version and kernel library: a binary of another one is refused */
};

enum note_kernel_flags { NOTE_USES_PRINTF = 1, NOTE_USES_BARRIER = 2, NOTE_USES_FP64 = 4,
	NOTE_NON_UNIFORM = 8 /* the last work-group of a dimension may be smaller */ };

struct note_kernel {
	uint32_t name;          /* string */
	uint32_t flags;
	uint64_t entry;         /* image address */
	uint32_t first_arg, num_args;
	uint32_t arg_bytes;     /* size of the argument block behind struct kernarg_header */
	uint32_t local_bytes;   /* static local memory */
	uint32_t private_bytes; /* of one lane: stack of the deepest call path, multiple of 16 */
	uint32_t reqd_local_size[3]; /* zeros when not given */
	uint32_t hint_local_size[3];
	uint32_t attributes;    /* string: CL_KERNEL_ATTRIBUTES */
};

enum note_arg_kind {
	NOTE_ARG_VALUE,    /* size bytes by value */
	NOTE_ARG_GLOBAL,   /* 8-byte device address of a buffer, or 0 */
	NOTE_ARG_CONSTANT, /* the same, constant */
	NOTE_ARG_LOCAL,    /* 8 bytes: VA_LOCAL_BASE + offset, the runtime allots it after local_bytes */
	NOTE_ARG_IMAGE,    /* 8-byte device address of a struct image_desc */
	NOTE_ARG_SAMPLER,  /* 8 bytes: sampler bits, enum note_sampler */
};

struct note_arg {
	uint32_t name, type_name; /* strings */
	uint32_t kind;            /* enum note_arg_kind */
	uint32_t offset;          /* in the argument block */
	uint32_t size, align;     /* NOTE_ARG_LOCAL: align is that of the pointed-to type */
	uint32_t address_qualifier, access_qualifier; /* CL_KERNEL_ARG_ADDRESS_..., _ACCESS_... */
	uint64_t type_qualifier;  /* CL_KERNEL_ARG_TYPE_... bits */
};

/* A sampler as kernels see it: the bits that clang gives sampler literals. */
enum note_sampler {
	NOTE_SAMPLER_ADDRESS_SHIFT = 1, /* 3 bits: 0 none, 1 clamp_to_edge, 2 clamp, 3 repeat, 4 mirrored_repeat */
	NOTE_SAMPLER_NORMALIZED = 1,    /* bit 0 */
	NOTE_SAMPLER_NEAREST = 0x10,
	NOTE_SAMPLER_LINEAR = 0x20,
};

/* A printf call in the program. A record in the printf buffer is: uint32_t bytes (whole record,
 * multiple of 8), uint32_t index of this struct, then the arguments, each in 8-byte slots:
 * scalars in one slot (integers extended to 64 bits, floating point as double), vectors one slot
 * an element, %s the offset of its text in the strings (what is no literal is refused). num_args
 * counts slots. A record that does not fit is dropped and leaves what the buffer held: the reader
 * stops at a size of 0, so zero the buffer first. */
struct note_printf {
	uint32_t format;   /* string */
	uint32_t num_args;
};

#endif
