/* SPIR-V compute shaders: read, checked as far as what is made of them needs it, and written as the textual IR that the front end would give.
 *
 * A module becomes one kernel. Its only argument is a struct spirv_block (abi/spirv_block.h) by value: the addresses of the descriptor sets, and
 * the push constants. Each function has the address of a frame as its first parameter, where variables of the module have their places: what
 * the block says, built-in variables, private variables; the optimiser takes it apart.
 *
 * Memory is reached by byte offsets, as the decorations have them; where there are none, spv_member_offset() and spv_stride() find them. What is not
 * known is an error that names the instruction. Nothing of the module is trusted: ids and counts are checked where they are used, and LLVM's parser
 * and verifier check types. */
#ifndef GALENA_CLC_SPIRV_H
#define GALENA_CLC_SPIRV_H
#include "runtime/compiler/clc/clc.h"

enum { SPIRV_MAGIC = 0x07230203, SPIRV_MAX_BOUND = 1 << 22, SPIRV_HEADER_WORDS = 5 };

enum spv_opcode {
#define OPCODE(name, number, words) OP_##name = number,
#include "runtime/compiler/clc/spirv_opcodes.def"
#undef OPCODE
};

enum spv_kind {
	SPV_NONE, SPV_VOID, SPV_BOOL, SPV_INT, SPV_FLOAT, SPV_VECTOR, SPV_MATRIX, SPV_ARRAY, SPV_RUNTIME_ARRAY, SPV_STRUCT, SPV_POINTER,
	SPV_FUNCTION_TYPE, SPV_IMAGE, SPV_SAMPLER, SPV_SAMPLED_IMAGE,
	SPV_STRING, SPV_EXT_SET, SPV_CONSTANT, SPV_VARIABLE, SPV_FUNCTION, SPV_LABEL, SPV_VALUE,
};

enum spv_storage { SPV_UNIFORM_CONSTANT = 0, SPV_INPUT = 1, SPV_UNIFORM = 2, SPV_WORKGROUP = 4, SPV_PRIVATE = 6, SPV_FUNCTION_STORAGE = 7,
	SPV_PUSH_CONSTANT = 9, SPV_IMAGE_STORAGE = 11, SPV_STORAGE_BUFFER = 12, SPV_PHYSICAL_STORAGE_BUFFER = 5349, SPV_NO_STORAGE = -1 };

enum { SPV_WORKGROUP_SIZE = 25 }; /* a built-in variable, or a constant */

struct spv_member { uint32_t type, offset, matrix_stride; bool has_offset, row_major; };

/* A pointer: how what it points at lies, as far as its type does not say. */
struct spv_place {
	uint32_t matrix_stride; /* of a matrix, or of a row of one */
	bool row_major;
	bool descriptors;       /* it points at descriptors, not at what these are of */
	bool strided;           /* at elements of a vector that are matrix_stride bytes apart */
	const char *root, *range; /* in a buffer: its address and its bytes, as operands; NULL: it is not known */
};

struct spv_id {
	enum spv_kind kind;
	uint32_t type;         /* of a value; of a pointer, vector, matrix, array: what of */
	const uint32_t *words; /* the instruction */
	uint32_t count;        /* of its words; elements of a vector, columns of a matrix, members of a struct, elements of an array */
	uint32_t width;        /* of a number, bits */
	bool is_signed;
	enum spv_storage storage;
	/* decorations */
	uint32_t builtin, set, binding, array_stride, spec_id;
	bool has_builtin, has_binding, has_spec_id;
	bool forward;          /* of a pointer: what of is not known yet */
	bool is_parameter;
	struct spv_member *members;
	uint32_t num_members;
	struct spv_place place;
	char *text;            /* of a constant: as an operand of the IR */
	uint64_t value;        /* of an integer or a bool */
	uint32_t frame;        /* of a variable: where in the frame */
	bool has_value;
};

struct spv_binding { uint32_t set, binding, offset; };
struct spv_special { uint32_t id; uint64_t value; };

struct spv {
	const uint32_t *words; size_t num_words;
	struct spv_id *ids; uint32_t bound;
	struct bytes globals, code;
	struct strings declarations;
	const char *entry_name;
	uint32_t entry, local_size[3], local_size_ids[3], frame_bytes;
	bool robust, failed;
	struct spv_binding *bindings; size_t num_bindings;
	struct spv_special *specials; size_t num_specials;
	unsigned temporaries;
	const uint32_t *at;    /* the instruction that is read */
};

/* ---- spirv.c ---- */
/* options: -spirv-entry=NAME, -spirv-constant=ID:VALUE, -spirv-binding=SET:BINDING:OFFSET, -spirv-robust. The result is NUL-terminated. */
bool spirv_translate(const void *module, size_t size, const struct strings *options, struct bytes *ir);
bool spirv_is_module(const void *data, size_t size);
/* Says what is wrong with the instruction that is read; false. */
bool spv_fail(struct spv *, const char *format, ...) __attribute__((format(printf, 2, 3)));
void spv_emit(struct spv *, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Emits an instruction of the IR that makes a new value; the name of that, "%tN", is valid until the program ends. */
const char *spv_let(struct spv *, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* An instruction of the IR makes the result of the instruction that is read. */
bool spv_result(struct spv *, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Declares a function of the library once; the line is all of it. */
void spv_declare(struct spv *, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- spirv_module.c ---- */
bool spv_read_module(struct spv *);
const char *spv_opcode_name(uint16_t opcode); /* without "Op"; NULL: it is none of spirv_opcodes.def */
/* The instruction that is read has its words, of so many that are left. */
bool spv_words(struct spv *, size_t left);
/* An id of the module. NULL, and said, when there is none of that number. */
struct spv_id *spv_id(struct spv *, uint32_t id);
struct spv_id *spv_type(struct spv *, uint32_t id);     /* of a type: the type itself */
struct spv_id *spv_type_of(struct spv *, uint32_t value);
/* The type of what a pointer points at; NULL, and nothing is said, when the value is no pointer. */
struct spv_id *spv_pointee(struct spv *, uint32_t value);
/* As an operand, without its type. */
const char *spv_value(struct spv *, uint32_t id);
/* The type in IR of values of a type; valid until the program ends. */
const char *spv_ir(struct spv *, uint32_t type);
/* Bytes and alignment in memory. */
uint64_t spv_size(struct spv *, uint32_t type);
uint64_t spv_align(struct spv *, uint32_t type);
uint64_t spv_stride(struct spv *, uint32_t array);
uint64_t spv_member_offset(struct spv *, const struct spv_id *structure, uint32_t member);
static inline bool spv_is_scalar(const struct spv_id *t) { return t->kind == SPV_BOOL || t->kind == SPV_INT || t->kind == SPV_FLOAT; }
/* The scalar of a vector, or the type itself. */
struct spv_id *spv_scalar(struct spv *, struct spv_id *type);
/* Elements of a vector, 1 of a scalar. */
static inline uint32_t spv_lanes(const struct spv_id *t) { return t->kind == SPV_VECTOR ? t->count : 1; }

/* An id is a value of the type from now on. False, and said, when it is something else. */
bool spv_becomes(struct spv *, struct spv_id *, uint32_t type);
/* The result of the instruction that is read is this operand. */
bool spv_define(struct spv *, const char *operand);

/* ---- spirv_memory.c ---- */
/* The addresses of the variables of the module, at the beginning of a function. */
bool spv_function_begin(struct spv *);
bool spv_variables_place(struct spv *);
bool spv_frame_fill(struct spv *);
bool spv_variable_local(struct spv *);
/* of_array: the first index counts what the base points at. */
bool spv_access_chain(struct spv *, bool of_array);
bool spv_load(struct spv *);
bool spv_store(struct spv *);
/* Stores a value of the type that a pointer points at. */
bool spv_store_value(struct spv *, uint32_t pointer, const char *value);
bool spv_copy_memory(struct spv *);
bool spv_array_length(struct spv *);
bool spv_atomic(struct spv *);

/* ---- spirv_code.c ---- */
bool spv_functions(struct spv *);
/* What comes before in memory is seen before what comes after, by all of the device. */
void spv_fence(struct spv *);
/* ---- spirv_arith.c: *known, true before, becomes false when the opcode is none of these ---- */
bool spv_arith(struct spv *, uint16_t opcode, bool *known);
/* ---- spirv_composite.c ---- */
bool spv_composite(struct spv *, uint16_t opcode, bool *known);
/* Part i of a value of a type that has parts; and the value with another part i, for a new one from "undef" on. */
const char *spv_extract(struct spv *, uint32_t type, const char *value, uint32_t i);
const char *spv_insert(struct spv *, uint32_t type, const char *whole, uint32_t part, const char *value, uint32_t i);
/* ---- spirv_math.c: GLSL.std.450 ---- */
bool spv_ext_inst(struct spv *);
/* How the library takes a number: as it is, or as an integer of a sign. */
enum spv_sign { SPV_AS_IT_IS, SPV_UNSIGNED, SPV_SIGNED };
/* What the library's names have for a number's type. */
const char *spv_letter(const struct spv_id *scalar, enum spv_sign);
/* Calls a function of the library of at most three arguments, which have the type that its result has. The result's name. */
const char *spv_call_math(struct spv *, const char *name, struct spv_id *type, unsigned count, const char *const *arguments);
/* ---- spirv_image.c ---- */
bool spv_image(struct spv *, uint16_t opcode, bool *known);
/* ---- spirv_pointer.c: pointers as values ---- */
bool spv_pointer(struct spv *, uint16_t opcode, bool *known);
/* Names what robust access knows of a pointer that has been defined: its buffer and the bytes of that. */
void spv_pointer_track(struct spv *, uint32_t id);
void spv_pointer_phi(struct spv *); /* of the phi that is read */
uint64_t spv_pointer_stride(struct spv *, uint32_t type); /* bytes from an element to the next one */
/* What memory operands ask for, whose mask is word at of the instruction, before its reads and after its writes. */
void spv_order_before(struct spv *, uint32_t at);
void spv_order_after(struct spv *, uint32_t at);
/* ---- spirv_group.c: subgroups ---- */
bool spv_group(struct spv *, uint16_t opcode, bool *known);
/* ---- spirv_dot.c: dot products of integers ---- */
bool spv_dot(struct spv *, uint16_t opcode, bool *known);
enum spv_ext_set { SPV_UNKNOWN_SET, SPV_GLSL_STD_450, SPV_NON_SEMANTIC }; /* the value of a SPV_EXT_SET */

#endif
