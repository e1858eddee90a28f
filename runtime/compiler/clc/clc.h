/* galena-clc: OpenCL C to kernel objects. What its files share.
 *
 * options -> front end (clang, a child process, textual IR) -> retarget -> lower (printf, local
 * variables, entry stubs) -> library -> optimise -> code -> link (kernel object with its note).
 * Diagnostics go to stderr, which is the build log. Functions that return bool have said on stderr
 * what is wrong when they return false. One program at a time, one thread. */
#ifndef GALENA_CLC_H
#define GALENA_CLC_H
#include "abi/kernel_note.h"
#include "runtime/compiler/depend.h"
#include <elf.h>
#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CLC_TRIPLE "riscv64-unknown-unknown-elf"
#define CLC_FEATURES "+m,+a,+f,+d,+zba,+zbb,+zicond,+zfhmin,+experimental-zacas,+prefer-w-inst,-relax"
#define CLC_ABI "lp64d"
#define CLC_LOCAL_SECTION ".galena.local" /* marks a variable of local memory between the stages */
#define CLC_ENTRY_PREFIX "__galena_entry."
#define CLC_PRINTF_PREFIX "__galena_printf."
#define CLC_OWN_SUFFIX ".program" /* behind the names of the program's own functions and variables */
bool clc_is_entry(const char *function);

/* Exit status of galena-clc: minus enum compile_status. */
enum clc_exit { CLC_OK = 0, CLC_FAILED = 1, CLC_BAD_OPTIONS = 2, CLC_NO_COMPILER = 3, CLC_NO_MEMORY = 4 };

void clc_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* malloc, realloc, strdup, printf to a string that end the program when memory is out. */
void *clc_alloc(size_t size);
void *clc_realloc(void *p, size_t size);
char *clc_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *clc_vformat(const char *format, va_list) __attribute__((format(printf, 1, 0)));
/* file_load, which ends the program, too. */
void *clc_load(int fd, size_t *size, off_t at);
/* Room for one more at the end of an array of count items; the new item's address. */
#define CLC_ADD(items, count) ((items) = clc_realloc((items), ((count) + 1) * sizeof *(items)), &(items)[(count)++])
/* The name of a function or variable. */
const char *clc_name(LLVMValueRef);
/* An attribute with a number, or 0; and one without anything, for a function. */
LLVMAttributeRef clc_attribute(LLVMContextRef, const char *name, uint64_t value);
void clc_function_attribute(LLVMValueRef function, const char *name);
void clc_attribute_remove(LLVMValueRef function, LLVMAttributeIndex, const char *name);
/* A call of inline assembly. volatile_: it is not merged with another, and stays in its place. */
LLVMValueRef clc_assembly(LLVMBuilderRef, LLVMTypeRef, const char *text, const char *constraints, bool volatile_, LLVMValueRef *args);
/* Calls visit with every instruction, in their order; it may erase the one that it is given. True when one of the calls gave true. */
bool clc_each(LLVMModuleRef, bool (*visit)(LLVMBuilderRef, LLVMValueRef));
/* The constant of an integer type, or a vector of which it is every element. */
LLVMValueRef clc_splat(LLVMTypeRef, uint64_t value);

/* A growing list of strings it owns. items is always terminated by NULL. */
struct strings { char **items; size_t count; };
void strings_add(struct strings *, const char *text);
void strings_take(struct strings *, char *text); /* which is malloc'ed */
void strings_free(struct strings *);

/* A growing byte buffer. */
struct bytes { char *data; size_t size, room; };
void bytes_add(struct bytes *, const void *data, size_t size);
void bytes_text(struct bytes *, const char *text);
void bytes_format(struct bytes *, const char *format, ...) __attribute__((format(printf, 2, 3)));
void bytes_vformat(struct bytes *, const char *format, va_list) __attribute__((format(printf, 2, 0)));
/* In quotes, a backslash before quotes and backslashes. */
void bytes_quoted(struct bytes *, const char *text);
/* Pads with zeros to a multiple of align. */
void bytes_align(struct bytes *, size_t align);

/* ---- main.c ---- */
/* galena-clc, from the command line to its end. */
int clc_main(int argc, char **argv, char **envp);

/* ---- options.c ---- */
enum clc_action { CLC_BUILD, CLC_COMPILE, CLC_LINK };
struct clc_options {
	enum clc_action action;
	struct strings clang;     /* arguments for the front end */
	struct strings spirv;     /* options of a SPIR-V module (spirv.h) */
	char *text;               /* as the application gave them */
	bool create_library, enable_link_options, no_optimise, debug, no_lines;
};
/* Reads the options of clBuildProgram (CLC_BUILD), clCompileProgram or clLinkProgram. */
bool options_parse(struct clc_options *, enum clc_action, const char *text);
void options_free(struct clc_options *);

/* ---- frontend.c ---- */
struct clc_source { const char *data; size_t size; };
struct frontend {
	struct strings args;
	int in, out;
	int pid;
	char *debug_name; /* of the source in debug information */
	char *rule;       /* the files that clang has read, as a rule of make */
};
/* This process has clang loaded: from now on a fork that calls clang's main() is the front end. */
void frontend_loaded(int (*main)(int argc, char **argv, char **envp));
/* Starts clang on a source. headers: directory of the program's own headers, or NULL. */
enum clc_exit frontend_start(struct frontend *, const struct clc_options *, const struct clc_source *,
			     const char *headers, const char *source_name);
/* Waits for it; *ir is the textual IR, malloc'ed. */
enum clc_exit frontend_finish(struct frontend *, char **ir, size_t *size);

/* ---- limits.c ---- */
/* Bounds processor time and memory of this process and its children; signals that tell of too much of them, or of a
 * crash, end it with an error of the build. */
void limits_start(void);
/* In a fork that becomes another program: signals are as they were before. */
void limits_forget(void);
/* False, and an error, when a source is too long. */
bool limits_source(size_t size);
/* Says why clang was ended by a signal. */
enum clc_exit limits_clang(int number);
/* Whether the file has reached the size that files may have. */
bool limits_file_full(int fd);

/* ---- depend.c ---- */
/* The list of dependencies (depend.h) of a program. rule: what clang found, as a rule of make. headers: as of frontend_start. */
void depend_list(struct bytes *out, const struct clc_options *, const char *headers, const struct clc_source *, const char *rule);

/* ---- retarget.c ---- */
enum retarget_flags {
	RETARGET_NVPTX = 1, /* names with nvptx's number of the constant address space */
	RETARGET_DEBUG = 2, /* has debug information, to be kept */
};
/* Rewrites textual IR of the SPIR front end for the device: triple, data layout, one flat address
 * space, images as pointers, samplers and events as 64-bit integers, attributes of other targets
 * dropped. The names of variables in local memory are added to locals. NUL-terminated result. */
void retarget_text(struct bytes *out, const char *ir, size_t size, const char *layout, unsigned flags,
		   struct strings *locals);
/* Retargets and parses; variables of local memory get their mark. NULL after an error. */
LLVMModuleRef retarget_parse(LLVMContextRef, const char *name, const char *ir, size_t size, const char *layout,
			     unsigned flags);

/* ---- kernels.c ---- */
/* The note of an object while it grows. */
struct note {
	struct note_header header;
	struct note_kernel *kernels;
	struct note_arg *args;
	struct note_printf *printfs;
	struct bytes strings;
};
uint32_t note_string(struct note *, const char *text, size_t length);
uint32_t note_printf_add(struct note *, uint32_t format, uint32_t slots);
/* The section's bytes. */
void note_write(struct note *, struct bytes *out);
void note_free(struct note *);

/* Describes every kernel of the module in the note and gives each an entry stub, in the same order. */
bool kernels_lower(LLVMModuleRef, LLVMTargetDataRef, struct note *);
/* After the optimiser: entry stubs end the work-item instead of returning. */
void kernels_close(LLVMModuleRef);

/* ---- lower.c ---- */
/* Makes the program's own functions and variables private to it and gives them distinct names, so that none is
 * taken for one of the library's. */
void lower_own(LLVMModuleRef);
/* Flags of the kernels in the note, from the optimised module. */
void lower_flags(LLVMModuleRef, struct note *);
/* Refuses what a device program cannot do: recursion, calls through pointers. */
bool lower_check_calls(LLVMModuleRef);
/* Gives the variables of local memory their addresses; local_bytes of the kernels in the note. */
bool lower_locals_place(LLVMModuleRef, LLVMTargetDataRef, struct note *);
/* Prepares them for the optimiser (before); replaces them by their addresses (after). */
void lower_locals_open(LLVMModuleRef);
void lower_locals_close(LLVMModuleRef);
/* ---- division.c ---- */
/* Makes every divisor one that LLVM can divide by: before the optimiser. */
void division_guard(LLVMModuleRef);
/* ---- half.c ---- */
/* Halves that are chosen or change their sign, on their bits: after the optimiser. */
void half_lower(LLVMModuleRef);
/* ---- vectors.c ---- */
/* Vectors in memory: copies by the word, vectors of 8-bit and 16-bit elements as words: after the optimiser. */
void vectors_lower(LLVMModuleRef);
/* ---- uniform.c ---- */
/* Hides every condition that lanes may differ in, from there to uniform_close. False, and nothing is done, when
 * there is no branch whose condition they share. */
bool uniform_open(LLVMModuleRef);
void uniform_close(LLVMModuleRef);
/* ---- constants.c ---- */
/* Floating-point constants from a table of each function: after the optimiser. */
void constants_lower(LLVMModuleRef);
/* ---- order.c ---- */
/* In long blocks, what only computes is moved in front of its first use: after the optimiser. */
void order_lower(LLVMModuleRef);
/* ---- layout.c ---- */
/* Blocks are ordered so that lanes reconverge behind a branch; once, the last thing before code is generated, which is for the whole
 * process switched to keep that order. */
void layout_lower(LLVMModuleRef);
/* ---- atomics.c ---- */
/* Makes atomic loads and stores instructions that the device takes for atomics: after the optimiser. */
void atomics_lower(LLVMModuleRef);

/* ---- printf.c ---- */
bool lower_printf(LLVMModuleRef, struct note *);

/* ---- debug.c ---- */
/* Notes the text of every source file that debug information names, as far as it can be read, in the module,
 * where it stays when modules are linked. debug_name: what it calls the program's own source. */
void debug_sources_note(LLVMModuleRef, const char *debug_name, const struct clc_source *);
/* What has been noted: for each file its name and its text, each with a 0 behind it. */
void debug_sources_write(LLVMModuleRef, struct bytes *out);
/* The entry stub takes the debug information of its kernel, which will be inlined there. */
void debug_entry(LLVMValueRef entry, LLVMValueRef kernel);

/* ---- library.c ---- */
/* Maps the kernel library. */
bool library_open(void);
bool library_has(const char *name);
/* Links what the module needs with it. */
bool library_link(LLVMModuleRef module);
/* ---- package.c, at build time ---- */
bool package_write(LLVMModuleRef, struct bytes *out);

/* ---- backend.c ---- */
/* What need not be done again for each program. */
void backend_prepare(void);
LLVMTargetMachineRef backend_machine(bool optimise);
bool backend_run(LLVMModuleRef, LLVMTargetMachineRef, const char *passes);
/* Internalises all but the entries, optimises. */
bool backend_optimise(LLVMModuleRef, LLVMTargetMachineRef, bool optimise);
LLVMMemoryBufferRef backend_emit(LLVMModuleRef, LLVMTargetMachineRef, bool assembly);

/* ---- link.c, stack.c, object.c ---- */
enum segment { SEG_TEXT, SEG_RODATA, SEG_DATA, SEG_BSS, SEG_COUNT };
/* Line tables and what they need. */
#define CLC_DEBUG_PREFIX ".debug_"
enum { CLC_DEBUG_SECTIONS = 8 };
extern const char *const clc_debug_sections[CLC_DEBUG_SECTIONS];
struct image_function { char *name; uint64_t address, size; };
/* A laid out program: addresses counted from 0. */
struct image {
	struct bytes bytes[SEG_COUNT];        /* SEG_BSS: no bytes, size alone */
	uint64_t address[SEG_COUNT];
	Elf64_Rela *relative; size_t num_relative; /* R_RISCV_RELATIVE */
	struct bytes attributes;              /* .riscv.attributes of the code, for tools */
	struct bytes debug[CLC_DEBUG_SECTIONS]; /* in the order of clc_debug_sections; none without -g */
	struct bytes sources;                 /* debug_sources_write */
	struct image_function *functions; size_t num_functions;
};
struct elf_input { const void *data; size_t size; };
/* Names that no input defines are added to missing; then the result is false with nothing said. */
bool image_link(struct image *, const struct elf_input *inputs, size_t count, struct strings *missing);
const struct image_function *image_function_find(const struct image *, const char *name);
void image_free(struct image *);
/* Bytes of stack along the deepest call path from a function. */
bool stack_depth(const struct image *, const struct image_function *, uint32_t *bytes);
/* Writes an ET_DYN object; or, with an image of NULL, an ET_REL object with bitcode. */
bool object_write(struct bytes *out, const struct image *, struct note *, const void *bitcode, size_t bitcode_size);
/* The bitcode of a compiled object or a library; NULL (said) if it is something else. */
const void *object_bitcode(const void *data, size_t size, const char *name, size_t *bitcode_size);

#endif
