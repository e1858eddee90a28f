/* GLSL.std.450: the functions of shaders are functions of the kernel library. */
#include "runtime/compiler/clc/spirv.h"
#include <stdlib.h>
#include <string.h>

const char *spv_letter(const struct spv_id *scalar, enum spv_sign sign)
{
	static const char *const integers[2][4] = { { "h", "t", "j", "m" }, { "c", "s", "i", "l" } };
	const bool is_signed = sign == SPV_SIGNED || (sign == SPV_AS_IT_IS && scalar->is_signed);
	if (scalar->kind == SPV_FLOAT)
		return scalar->width == 16 ? "Dh" : scalar->width == 32 ? "f" : "d";
	return integers[is_signed][scalar->width == 8 ? 0 : scalar->width == 16 ? 1 : scalar->width == 32 ? 2 : 3];
}

/* How the library mangles a number's type, or that of a vector of them. */
static char *mangled(struct spv *s, struct spv_id *type, enum spv_sign sign)
{
	const struct spv_id *scalar = spv_scalar(s, type);
	if (!scalar || (scalar->kind != SPV_FLOAT && scalar->kind != SPV_INT)) {
		spv_fail(s, "an operand that is no number");
		return clc_format("v");
	}
	return type->kind == SPV_VECTOR ? clc_format("Dv%u_%s", type->count, spv_letter(scalar, sign)) : clc_format("%s", spv_letter(scalar, sign));
}

struct argument { struct spv_id *type; const char *value; };

static const char *type_ir(struct spv *s, const struct spv_id *type) { return type ? spv_ir(s, (uint32_t)(type - s->ids)) : "void"; }

/* Calls name(arguments) of the library, whose result is of that type. The result's name. A vector type that has been there is a substitution: at most
 * two of them differ. */
static const char *call(struct spv *s, const char *name, const char *result, enum spv_sign sign, unsigned count, const struct argument *a)
{
	struct bytes symbol = { 0 }, parameters = { 0 }, values = { 0 };
	char *seen[2] = { NULL, NULL };
	bytes_format(&symbol, "_Z%zu%s", strlen(name), name);
	for (unsigned i = 0; i < count; i++) {
		char *m = mangled(s, a[i].type, sign);
		const bool first = seen[0] && !strcmp(seen[0], m), second = seen[1] && !strcmp(seen[1], m);
		bytes_text(&symbol, first ? "S_" : second ? "S0_" : m);
		if (m[0] == 'D' && m[1] == 'v' && !first && !second)
			seen[seen[0] != NULL] = m;
		else
			free(m);
		bytes_format(&values, "%s%s %s", i ? ", " : "", type_ir(s, a[i].type), a[i].value);
		bytes_format(&parameters, "%s%s", i ? ", " : "", type_ir(s, a[i].type));
	}
	bytes_add(&symbol, "", 1);
	bytes_add(&parameters, "", 1);
	bytes_add(&values, "", 1);
	spv_declare(s, "declare %s @%s(%s)", result, symbol.data, parameters.data);
	const char *r = spv_let(s, "call %s @%s(%s)", result, symbol.data, values.data);
	char *const texts[] = { seen[0], seen[1], symbol.data, parameters.data, values.data };
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		free(texts[i]);
	return r;
}

const char *spv_call_math(struct spv *s, const char *name, struct spv_id *type, unsigned count, const char *const *arguments)
{
	struct argument a[3];
	for (unsigned i = 0; i < count; i++)
		a[i] = (struct argument){ type, arguments[i] };
	return call(s, name, type_ir(s, type), SPV_AS_IT_IS, count, a);
}

/* By number: a function of as many arguments, of the types that the operands have; how the library takes integers. */
static const struct function { uint8_t number, arguments; const char *name; enum spv_sign sign; } functions[] = {
	{ 1, 1, "rint", 0 }, { 2, 1, "rint", 0 }, { 3, 1, "trunc", 0 }, { 4, 1, "fabs", 0 }, { 5, 1, "abs", SPV_SIGNED }, { 6, 1, "sign", 0 },
	{ 7, 1, "shader_sign", SPV_SIGNED }, { 8, 1, "floor", 0 }, { 9, 1, "ceil", 0 }, { 10, 1, "shader_fract", 0 }, { 11, 1, "radians", 0 }, { 12, 1, "degrees", 0 },
	{ 13, 1, "sin", 0 }, { 14, 1, "cos", 0 }, { 15, 1, "tan", 0 }, { 16, 1, "asin", 0 }, { 17, 1, "acos", 0 }, { 18, 1, "atan", 0 }, { 19, 1, "sinh", 0 },
	{ 20, 1, "cosh", 0 }, { 21, 1, "tanh", 0 }, { 22, 1, "asinh", 0 }, { 23, 1, "acosh", 0 }, { 24, 1, "atanh", 0 }, { 25, 2, "atan2", 0 }, { 26, 2, "pow", 0 },
	{ 27, 1, "exp", 0 }, { 28, 1, "log", 0 }, { 29, 1, "exp2", 0 }, { 30, 1, "log2", 0 }, { 31, 1, "sqrt", 0 }, { 32, 1, "rsqrt", 0 }, { 37, 2, "fmin", 0 },
	{ 38, 2, "min", SPV_UNSIGNED }, { 39, 2, "min", SPV_SIGNED }, { 40, 2, "fmax", 0 }, { 41, 2, "max", SPV_UNSIGNED }, { 42, 2, "max", SPV_SIGNED }, { 43, 3, "clamp", 0 },
	{ 44, 3, "clamp", SPV_UNSIGNED }, { 45, 3, "clamp", SPV_SIGNED }, { 46, 3, "shader_mix", 0 }, { 48, 2, "step", 0 }, { 49, 3, "smoothstep", 0 }, { 50, 3, "fma", 0 },
	{ 53, 2, "ldexp", SPV_SIGNED }, { 54, 1, "shader_pack_snorm4x8", 0 }, { 55, 1, "shader_pack_unorm4x8", 0 }, { 56, 1, "shader_pack_snorm2x16", 0 },
	{ 57, 1, "shader_pack_unorm2x16", 0 }, { 58, 1, "shader_pack_half", 0 }, { 59, 1, "shader_pack_double", SPV_UNSIGNED },
	{ 60, 1, "shader_unpack_snorm2x16", SPV_UNSIGNED }, { 61, 1, "shader_unpack_unorm2x16", SPV_UNSIGNED }, { 62, 1, "shader_unpack_half", SPV_UNSIGNED },
	{ 63, 1, "shader_unpack_snorm4x8", SPV_UNSIGNED }, { 64, 1, "shader_unpack_unorm4x8", SPV_UNSIGNED }, { 65, 1, "shader_unpack_double", 0 }, { 66, 1, "length", 0 },
	{ 67, 2, "distance", 0 }, { 68, 2, "cross", 0 }, { 69, 1, "normalize", 0 }, { 70, 3, "shader_face_forward", 0 }, { 71, 2, "shader_reflect", 0 },
	{ 72, 3, "shader_refract", 0 }, { 73, 1, "shader_find_lowest", SPV_UNSIGNED }, { 74, 1, "shader_find_highest", SPV_SIGNED },
	{ 75, 1, "shader_find_highest", SPV_UNSIGNED }, { 79, 2, "fmin", 0 }, { 80, 2, "fmax", 0 }, { 81, 3, "clamp", 0 },
};

/* The argument that an operand is. */
static struct argument operand(struct spv *s, unsigned i)
{
	const uint32_t id = s->at[5 + i];
	return (struct argument){ spv_type_of(s, id), spv_value(s, id) };
}

/* Of a matrix: its determinant, or column by column its inverse. */
static bool of_matrix(struct spv *s, bool inverse)
{
	const struct argument m = operand(s, 0);
	struct argument columns[4];
	if (!m.type || m.type->kind != SPV_MATRIX)
		return spv_fail(s, "not a matrix");
	struct spv_id *column = spv_type(s, m.type->type);
	const uint32_t n = m.type->count, matrix = (uint32_t)(m.type - s->ids);
	for (uint32_t i = 0; i < n; i++)
		columns[i] = (struct argument){ column, spv_extract(s, matrix, m.value, i) };
	if (!inverse)
		return spv_define(s, call(s, "shader_determinant", spv_ir(s, s->at[1]), SPV_AS_IT_IS, n, columns));
	const char *whole = "undef";
	for (uint32_t i = 0; i < n; i++) {
		char *name = clc_format("shader_inverse%u", i);
		whole = spv_insert(s, matrix, whole, m.type->type, call(s, name, type_ir(s, column), SPV_AS_IT_IS, n, columns), i);
		free(name);
	}
	return spv_define(s, whole);
}

/* Two results: of the structure that the instruction gives, or one of them through a pointer. */
static bool two_results(struct spv *s, const char *first, const char *second, bool is_struct)
{
	const struct argument x = operand(s, 0);
	const struct spv_id *structure = spv_type(s, s->at[1]);
	if (!is_struct) {
		const struct spv_id *to = spv_pointee(s, s->at[6]);
		if (!to)
			return spv_fail(s, "the second result goes to no pointer");
		const char *value = call(s, second, type_ir(s, to), SPV_AS_IT_IS, 1, &x);
		return spv_store_value(s, s->at[6], value) && spv_define(s, call(s, first, spv_ir(s, s->at[1]), SPV_AS_IT_IS, 1, &x));
	}
	if (!structure || structure->kind != SPV_STRUCT || structure->num_members != 2)
		return spv_fail(s, "the result is no structure of two members");
	const char *whole = "undef";
	for (unsigned i = 0; i < 2; i++) {
		const uint32_t part = structure->members[i].type;
		whole = spv_insert(s, s->at[1], whole, part, call(s, i ? second : first, spv_ir(s, part), SPV_AS_IT_IS, 1, &x), i);
	}
	return spv_define(s, whole);
}

bool spv_ext_inst(struct spv *s)
{
	enum { DETERMINANT = 33, INVERSE = 34, MODF = 35, MODF_STRUCT = 36, FREXP = 51, FREXP_STRUCT = 52, OPERANDS_AT = 5 };
	const uint32_t *w = s->at, n = *w >> 16;
	const struct spv_id *set = spv_id(s, w[3]);
	if (!set || set->kind != SPV_EXT_SET || !spv_type(s, w[1]))
		return spv_fail(s, "an instruction of no set");
	if (set->value == SPV_NON_SEMANTIC)
		return true;
	if (set->value != SPV_GLSL_STD_450 || n <= OPERANDS_AT)
		return spv_fail(s, "an instruction of a set that is not GLSL.std.450, or without operands");
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
		const struct function *f = &functions[i];
		struct argument a[3];
		if (f->number != w[4])
			continue;
		if (n != (unsigned)OPERANDS_AT + f->arguments)
			return spv_fail(s, "%u operands of %s", n - OPERANDS_AT, f->name);
		for (unsigned k = 0; k < f->arguments; k++)
			a[k] = operand(s, k);
		return spv_define(s, call(s, f->name, spv_ir(s, w[1]), f->sign, f->arguments, a));
	}
	switch (w[4]) {
	case DETERMINANT: case INVERSE: return of_matrix(s, w[4] == INVERSE);
	case MODF: return n > OPERANDS_AT + 1 ? two_results(s, "shader_fraction", "trunc", false) : spv_fail(s, "no pointer");
	case MODF_STRUCT: return two_results(s, "shader_fraction", "trunc", true);
	case FREXP: return n > OPERANDS_AT + 1 ? two_results(s, "shader_mantissa", "shader_exponent", false) : spv_fail(s, "no pointer");
	case FREXP_STRUCT: return two_results(s, "shader_mantissa", "shader_exponent", true);
	}
	return spv_fail(s, "function %u of GLSL.std.450 is not supported", w[4]);
}
