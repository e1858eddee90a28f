/* Functions of SPIR-V shaders: blocks, branches, calls; instructions go to the files of their kinds. */
#include "runtime/compiler/clc/spirv.h"
#include <stdlib.h>
#include <string.h>

static bool function(struct spv *s)
{
	const uint32_t *w = s->at, n = *w >> 16;
	struct spv_id *f = n == 5 ? spv_id(s, w[2]) : NULL, *type = f ? spv_type(s, w[4]) : NULL;
	if (!type || type->kind != SPV_FUNCTION_TYPE || !spv_type(s, w[1]) || f->kind != SPV_NONE)
		return spv_fail(s, "a function of no function type");
	f->kind = SPV_FUNCTION;
	f->type = w[1];
	spv_emit(s, "define internal %s @f%u(ptr %%frame", spv_ir(s, w[1]), w[2]);
	return true;
}

static bool parameter(struct spv *s)
{
	const uint32_t *w = s->at;
	if (*w >> 16 != 3 || !spv_type(s, w[1]) || !spv_id(s, w[2]))
		return spv_fail(s, "a parameter of no type");
	if (!spv_becomes(s, &s->ids[w[2]], w[1]))
		return false;
	s->ids[w[2]].is_parameter = true;
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
	if (!spv_becomes(s, &s->ids[w[2]], w[1]))
		return false;
	spv_emit(s, "  %s = phi %s", spv_value(s, w[2]), spv_ir(s, w[1]));
	for (uint32_t i = 3; i < n; i += 2) {
		struct spv_id *v = spv_id(s, w[i]);
		if (v && v->kind == SPV_NONE) /* it comes later */
			spv_becomes(s, v, w[1]);
		spv_emit(s, "%s [ %s, %%b%u ]", i > 3 ? "," : "", spv_value(s, w[i]), w[i + 1]);
	}
	spv_emit(s, "\n");
	spv_pointer_phi(s);
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
	case OP_Branch: return n == 2 ? spv_emit(s, "  br label %%b%u\n", w[1]), true : spv_fail(s, "a branch to nowhere");
	case OP_BranchConditional:
		if (n < 4)
			return spv_fail(s, "a branch to nowhere");
		spv_emit(s, "  br i1 %s, label %%b%u, label %%b%u\n", spv_value(s, w[1]), w[2], w[3]);
		return !s->failed;
	case OP_Switch: return branch_switch(s);
	case OP_Return: spv_emit(s, "  ret void\n"); return true;
	case OP_ReturnValue:
		type = n == 2 ? spv_id(s, w[1]) : NULL;
		if (!type)
			return spv_fail(s, "a return of no value");
		spv_emit(s, "  ret %s %s\n", spv_ir(s, type->type), spv_value(s, w[1]));
		return !s->failed;
	case OP_Unreachable: spv_emit(s, "  unreachable\n"); return true;
	}
	return spv_fail(s, "not an instruction of a compute shader");
}

static bool call(struct spv *s)
{
	const uint32_t *w = s->at, n = *w >> 16;
	if (n < 4 || !spv_type(s, w[1]) || !spv_id(s, w[2]) || !spv_id(s, w[3]))
		return spv_fail(s, "a call of nothing");
	if (!spv_becomes(s, &s->ids[w[2]], w[1]))
		return false;
	if (spv_type(s, w[1])->kind != SPV_VOID)
		spv_emit(s, "  %s =", spv_value(s, w[2]));
	spv_emit(s, " call %s @f%u(ptr %%frame", spv_ir(s, w[1]), w[3]);
	for (uint32_t i = 4; i < n; i++) {
		const struct spv_id *a = spv_id(s, w[i]);
		if (!a)
			return false;
		spv_emit(s, ", %s %s", spv_ir(s, a->type), spv_value(s, w[i]));
	}
	spv_emit(s, ")\n");
	spv_pointer_track(s, w[2]);
	return !s->failed;
}

/* The builtin waits for the whole work-group; its flags say what memory it orders. */
static void barrier(struct spv *s, const char *function)
{
	enum { LOCAL_AND_GLOBAL = 3 };
	spv_declare(s, "declare void @%s(i32) #2", function);
	spv_emit(s, "  call void @%s(i32 %d) #2\n", function, LOCAL_AND_GLOBAL);
}

void spv_fence(struct spv *s) { barrier(s, "_Z9mem_fencej"); }

static bool control_barrier(struct spv *s)
{
	enum { WORKGROUP = 2, SUBGROUP = 3 };
	const struct spv_id *scope = spv_id(s, s->at[1]);
	if (!scope || !scope->has_value || (scope->value != WORKGROUP && scope->value != SUBGROUP))
		return spv_fail(s, "a barrier of another scope than a work-group or a subgroup");
	barrier(s, scope->value == SUBGROUP ? "_Z17sub_group_barrierj" : "_Z7barrierj");
	return true;
}

/* ---- instructions ---- */
static bool instruction(struct spv *s, uint16_t op)
{
	static bool (*const families[])(struct spv *, uint16_t, bool *) = { spv_pointer, spv_arith, spv_composite, spv_image, spv_group, spv_dot };
	switch (op) {
	case OP_Nop: case OP_Line: case OP_NoLine: case OP_LoopMerge: case OP_SelectionMerge: case OP_Name: case OP_MemberName: return true;
	case OP_ExtInst: return spv_ext_inst(s);
	case OP_FunctionCall: return call(s);
	case OP_Variable: return spv_variable_local(s);
	case OP_Load: return spv_load(s);
	case OP_Store: return spv_store(s);
	case OP_CopyMemory: return spv_copy_memory(s);
	case OP_AccessChain: case OP_InBoundsAccessChain: return spv_access_chain(s, false);
	case OP_PtrAccessChain: case OP_InBoundsPtrAccessChain: return spv_access_chain(s, true);
	case OP_ArrayLength: return spv_array_length(s);
	case OP_ControlBarrier: return control_barrier(s);
	case OP_MemoryBarrier: spv_fence(s); return true;
	case OP_Phi: return phi(s);
	case OP_AtomicLoad: case OP_AtomicStore: case OP_AtomicExchange: case OP_AtomicCompareExchange: case OP_AtomicCompareExchangeWeak: case OP_AtomicIIncrement: case OP_AtomicIDecrement: case OP_AtomicIAdd: case OP_AtomicISub: case OP_AtomicSMin: case OP_AtomicUMin: case OP_AtomicSMax: case OP_AtomicUMax: case OP_AtomicAnd: case OP_AtomicOr: case OP_AtomicXor:
		return spv_atomic(s);
	case OP_Branch: case OP_BranchConditional: case OP_Switch: case OP_Return: case OP_ReturnValue: case OP_Unreachable: return terminator(s, op);
	}
	for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
		bool known = true;
		const bool ok = families[i](s, op, &known);
		if (known)
			return ok;
	}
	return spv_fail(s, "an instruction that is not supported");
}

bool spv_functions(struct spv *s)
{
	enum { OUTSIDE, HEAD, BODY } where = OUTSIDE;
	for (size_t at = SPIRV_HEADER_WORDS; at < s->num_words; at += s->words[at] >> 16) {
		const uint16_t op = (uint16_t)s->words[at];
		s->at = s->words + at;
		if (!spv_words(s, s->num_words - at))
			return false;
		bool ok = true;
		if (op == OP_Function) {
			ok = where == OUTSIDE ? function(s) : spv_fail(s, "a function in a function");
			where = HEAD;
		} else if (where == OUTSIDE) {
			continue; /* declarations, which have been read */
		} else if (op == OP_FunctionParameter && where == HEAD) {
			ok = parameter(s);
		} else if (op == OP_Label) {
			ok = label(s, where == HEAD);
			where = BODY;
		} else if (op == OP_FunctionEnd) {
			ok = where == BODY || spv_fail(s, "a function without a body");
			spv_emit(s, "}\n");
			where = OUTSIDE;
		} else {
			ok = where == BODY ? instruction(s, op) : op == OP_Line || op == OP_NoLine || spv_fail(s, "an instruction outside of blocks");
		}
		if (!ok || s->failed)
			return false;
	}
	return where == OUTSIDE || spv_fail(s, "the last function has no end");
}
