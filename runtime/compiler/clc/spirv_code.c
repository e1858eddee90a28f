/* Functions of SPIR-V shaders: blocks, branches, calls; instructions go to the files of their kinds. */
#include "runtime/compiler/clc/spirv.h"
#include <stdlib.h>
#include <string.h>

static bool function(struct spv *s)
{
	const uint32_t *w = s->at, n = *w >> 16;
	struct spv_id *f = n == 5 ? spv_id(s, w[2]) : NULL, *type = f ? spv_type(s, w[4]) : NULL;
	if (!type || type->kind != SPV_FUNCTION_TYPE || !spv_type(s, w[1]))
		return spv_fail(s, "a function of no function type");
	f->kind = SPV_FUNCTION;
	f->type = w[1];
	s->function_type = w[4];
	spv_emit(s, "define internal %s @f%u(ptr %%frame", spv_ir(s, w[1]), w[2]);
	return true;
}

static bool parameter(struct spv *s)
{
	const uint32_t *w = s->at;
	if (*w >> 16 != 3 || !spv_type(s, w[1]) || !spv_id(s, w[2]))
		return spv_fail(s, "a parameter of no type");
	s->ids[w[2]].kind = SPV_VALUE;
	s->ids[w[2]].type = w[1];
	spv_emit(s, ", %s %s", spv_ir(s, w[1]), spv_value(s, w[2]));
	return !s->failed;
}

/* ---- blocks ---- */
/* first: of its function. */
static bool label(struct spv *s, bool first)
{
	const uint32_t *w = s->at;
	if (*w >> 16 != 2 || !spv_id(s, w[1]))
		return spv_fail(s, "a label without a number");
	spv_emit(s, first ? ") #1 {\nb%u:\n" : "b%u:\n", w[1]);
	return !first || spv_function_begin(s);
}

static bool phi(struct spv *s)
{
	const uint32_t *w = s->at, n = *w >> 16;
	if (n < 5 || n % 2 == 0 || !spv_type(s, w[1]) || !spv_id(s, w[2]))
		return spv_fail(s, "a phi without pairs of values and blocks");
	s->ids[w[2]].kind = SPV_VALUE;
	s->ids[w[2]].type = w[1];
	struct bytes pairs = { 0 };
	for (uint32_t i = 3; i < n; i += 2) {
		struct spv_id *v = spv_id(s, w[i]);
		if (v && v->kind == SPV_NONE) { /* it comes later */
			v->kind = SPV_VALUE;
			v->type = w[1];
		}
		char *pair = clc_format("%s [ %s, %%b%u ]", i > 3 ? "," : "", spv_value(s, w[i]), w[i + 1]);
		bytes_text(&pairs, pair);
		free(pair);
	}
	bytes_add(&pairs, "", 1);
	spv_emit(s, "  %s = phi %s%s\n", spv_value(s, w[2]), spv_ir(s, w[1]), pairs.data);
	free(pairs.data);
	return !s->failed;
}

static bool branch_switch(struct spv *s)
{
	const uint32_t *w = s->at, n = *w >> 16;
	const struct spv_id *type = n >= 3 ? spv_type_of(s, w[1]) : NULL;
	if (!type || type->kind != SPV_INT)
		return spv_fail(s, "a switch of no integer");
	const uint32_t words = type->width > 32 ? 2 : 1;
	spv_emit(s, "  switch i%u %s, label %%b%u [", type->width, spv_value(s, w[1]), w[2]);
	for (uint32_t i = 3; i + words < n; i += words + 1) {
		const uint64_t value = w[i] | (words > 1 ? (uint64_t)w[i + 1] << 32 : 0), mask = type->width < 64 ? (1ull << type->width) - 1 : ~0ull;
		spv_emit(s, " i%u %llu, label %%b%u", type->width, (unsigned long long)(value & mask), w[i + words]);
	}
	spv_emit(s, " ]\n");
	return !s->failed;
}

static bool terminator(struct spv *s, uint16_t op)
{
	const uint32_t *w = s->at, n = *w >> 16;
	const struct spv_id *type;
	switch (op) {
	case 249: return n == 2 ? spv_emit(s, "  br label %%b%u\n", w[1]), true : spv_fail(s, "a branch to nowhere");
	case 250:
		if (n < 4)
			return spv_fail(s, "a branch to nowhere");
		spv_emit(s, "  br i1 %s, label %%b%u, label %%b%u\n", spv_value(s, w[1]), w[2], w[3]);
		return !s->failed;
	case 251: return branch_switch(s);
	case 253: spv_emit(s, "  ret void\n"); return true;
	case 254:
		type = n == 2 ? spv_id(s, w[1]) : NULL;
		if (!type)
			return false;
		spv_emit(s, "  ret %s %s\n", spv_ir(s, type->type), spv_value(s, w[1]));
		return !s->failed;
	case 255: spv_emit(s, "  unreachable\n"); return true;
	}
	return spv_fail(s, "not an instruction of a compute shader");
}

static bool call(struct spv *s)
{
	const uint32_t *w = s->at, n = *w >> 16;
	if (n < 4 || !spv_type(s, w[1]) || !spv_id(s, w[2]) || !spv_id(s, w[3]))
		return spv_fail(s, "a call of nothing");
	struct bytes arguments = { 0 };
	for (uint32_t i = 4; i < n; i++) {
		const struct spv_id *a = spv_id(s, w[i]);
		if (!a)
			return false;
		char *text = clc_format(", %s %s", spv_ir(s, a->type), spv_value(s, w[i]));
		bytes_text(&arguments, text);
		free(text);
	}
	bytes_add(&arguments, "", 1);
	s->ids[w[2]].kind = SPV_VALUE;
	s->ids[w[2]].type = w[1];
	if (spv_type(s, w[1])->kind == SPV_VOID)
		spv_emit(s, "  call void @f%u(ptr %%frame%s)\n", w[3], arguments.data);
	else
		spv_emit(s, "  %s = call %s @f%u(ptr %%frame%s)\n", spv_value(s, w[2]), spv_ir(s, w[1]), w[3], arguments.data);
	free(arguments.data);
	return !s->failed;
}

/* The builtin waits for the whole work-group; its flags say what memory it orders. */
static void barrier(struct spv *s, const char *function)
{
	enum { LOCAL_AND_GLOBAL = 3 };
	char *line = clc_format("declare void @%s(i32) #2", function);
	spv_declare(s, line);
	free(line);
	spv_emit(s, "  call void @%s(i32 %d) #2\n", function, LOCAL_AND_GLOBAL);
}

/* ---- instructions ---- */
static bool instruction(struct spv *s, uint16_t op)
{
	bool known = true, ok;
	switch (op) {
	case 0: case 8: case 317: case 246: case 247: case 5: case 6: return true;
	case 12: return spv_ext_inst(s);
	case 57: return call(s);
	case 59: return spv_variable_local(s);
	case 61: return spv_load(s);
	case 62: return spv_store(s);
	case 63: return spv_copy_memory(s);
	case 65: case 66: return spv_access_chain(s);
	case 68: return spv_array_length(s);
	case 224: barrier(s, "_Z7barrierj"); return true;
	case 225: barrier(s, "_Z9mem_fencej"); return true;
	case 245: return phi(s);
	case 227: case 228: case 229: case 230: case 231: case 232: case 233: case 234: case 235: case 236: case 237: case 238: case 239: case 240: case 241: case 242:
		return spv_atomic(s);
	case 249: case 250: case 251: case 253: case 254: case 255: return terminator(s, op);
	}
	ok = spv_arith(s, op, &known);
	if (!known)
		ok = spv_composite(s, op, &known);
	if (!known)
		ok = spv_image(s, op, &known);
	return known ? ok : spv_fail(s, "an instruction that is not supported");
}

bool spv_functions(struct spv *s)
{
	enum { HEADER = 5, FUNCTION = 54, PARAMETER = 55, END = 56, LABEL = 248 };
	enum { OUTSIDE, HEAD, BODY } where = OUTSIDE;
	for (size_t at = HEADER; at < s->num_words; at += s->words[at] >> 16) {
		const uint16_t op = (uint16_t)s->words[at];
		const uint32_t n = s->words[at] >> 16;
		s->at = s->words + at;
		if (!n || n > s->num_words - at)
			return spv_fail(s, "%u words where %zu are left", n, s->num_words - at);
		bool ok = true;
		if (op == FUNCTION) {
			ok = where == OUTSIDE ? function(s) : spv_fail(s, "a function in a function");
			where = HEAD;
		} else if (where == OUTSIDE) {
			continue; /* declarations, which have been read */
		} else if (op == PARAMETER && where == HEAD) {
			ok = parameter(s);
		} else if (op == LABEL) {
			ok = label(s, where == HEAD);
			where = BODY;
		} else if (op == END) {
			ok = where == BODY || spv_fail(s, "a function without a body");
			spv_emit(s, "}\n");
			where = OUTSIDE;
		} else {
			ok = where == BODY ? instruction(s, op) : op == 8 || op == 317 || spv_fail(s, "an instruction outside of blocks");
		}
		if (!ok || s->failed)
			return false;
	}
	return where == OUTSIDE || spv_fail(s, "the last function has no end");
}
