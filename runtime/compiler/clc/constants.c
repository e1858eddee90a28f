/* Floating-point constants of a function side by side in memory, after the optimiser.
 *
 * The back end loads each from a place of its own, which takes an instruction for the address and one for the load.
 * In a table whose address is in a register it takes the load alone. Polynomials consist of little else. */
#include "runtime/compiler/clc/clc.h"
#include <llvm-c/Core.h>
#include <stdlib.h>
#include <string.h>

enum {
	FEW = 3,         /* fewer are not worth a register for the table's address */
	MAX_TABLE = 2048 /* bytes: what the offset of a load reaches */
};

/* A function's table: the constants of 8 bytes before those of 4. */
struct table {
	LLVMValueRef *items; /* unique, as constants are */
	size_t count, doubles;
	LLVMValueRef global;
};

static void visit_uses(LLVMValueRef function, void (*visit)(LLVMValueRef user, unsigned operand, void *arg), void *arg)
{
	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
		for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
			int count = LLVMIsACallInst(i) ? (int)LLVMGetNumArgOperands(i) : LLVMGetNumOperands(i);
			for (int o = 0; o < count; o++)
				visit(i, (unsigned)o, arg);
		}
}

/* A constant that the back end loads from memory: all but 0 and floats whose low bits are 0. NaN stays as it is: this
 * interface may change its bits. */
static bool is_costly(LLVMValueRef v)
{
	LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(v));
	LLVMBool inexact;
	if (!LLVMIsAConstantFP(v) || (kind != LLVMFloatTypeKind && kind != LLVMDoubleTypeKind))
		return false;
	double d = LLVMConstRealGetDouble(v, &inexact);
	float f = (float)d;
	uint64_t bits64;
	uint32_t bits32;
	memcpy(&bits64, &d, sizeof bits64);
	memcpy(&bits32, &f, sizeof bits32);
	return d == d && (kind == LLVMFloatTypeKind ? bits32 & 0xfff : bits64 != 0);
}

static size_t table_find(const struct table *t, LLVMValueRef v)
{
	size_t i = 0;
	while (i < t->count && t->items[i] != v)
		i++;
	return i;
}

static void table_add(LLVMValueRef user, unsigned operand, void *arg)
{
	struct table *t = arg;
	LLVMValueRef v = LLVMGetOperand(user, operand);
	if (!is_costly(v) || table_find(t, v) < t->count)
		return;
	*CLC_ADD(t->items, t->count) = v;
	if (LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMDoubleTypeKind) {
		t->items[t->count - 1] = t->items[t->doubles];
		t->items[t->doubles++] = v;
	}
}

static void table_build(struct table *t, LLVMModuleRef module)
{
	LLVMContextRef c = LLVMGetModuleContext(module);
	LLVMValueRef value = LLVMConstStructInContext(c, t->items, (unsigned)t->count, false);
	t->global = LLVMAddGlobal(module, LLVMTypeOf(value), "__galena_constants");
	LLVMSetInitializer(t->global, value);
	LLVMSetGlobalConstant(t->global, true);
	LLVMSetLinkage(t->global, LLVMInternalLinkage);
	/* else what is loaded would be known, and again a constant */
	LLVMSetExternallyInitialized(t->global, true);
	LLVMSetAlignment(t->global, 8);
}

/* The use becomes one of a load next to it. */
static void use_replace(LLVMValueRef user, unsigned operand, void *arg)
{
	struct table *t = arg;
	LLVMValueRef v = LLVMGetOperand(user, operand);
	size_t index = is_costly(v) ? table_find(t, v) : t->count;
	if (index == t->count)
		return;
	LLVMContextRef c = LLVMGetTypeContext(LLVMTypeOf(v));
	LLVMValueRef before = user;
	if (LLVMIsAPHINode(user)) {
		LLVMBasicBlockRef from = LLVMGetIncomingBlock(user, operand);
		/* a block that leads here twice brings the same value by both ways */
		for (unsigned o = 0; o < operand; o++)
			if (LLVMGetIncomingBlock(user, o) == from) {
				LLVMSetOperand(user, operand, LLVMGetOperand(user, o));
				return;
			}
		before = LLVMGetBasicBlockTerminator(from);
	}
	LLVMBuilderRef b = LLVMCreateBuilderInContext(c);
	LLVMPositionBuilderBefore(b, before);
	LLVMValueRef at = LLVMBuildStructGEP2(b, LLVMGlobalGetValueType(t->global), t->global, (unsigned)index, "");
	LLVMValueRef load = LLVMBuildLoad2(b, LLVMTypeOf(v), at, "");
	LLVMSetMetadata(load, LLVMGetMDKindIDInContext(c, "invariant.load", 14),
			LLVMMetadataAsValue(c, LLVMMDNodeInContext2(c, NULL, 0)));
	LLVMSetOperand(user, operand, load);
	LLVMDisposeBuilder(b);
}

void constants_lower(LLVMModuleRef module)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
		struct table t = { 0 };
		visit_uses(f, table_add, &t);
		if (t.count >= FEW && t.doubles * 8 + (t.count - t.doubles) * 4 <= MAX_TABLE) {
			table_build(&t, module);
			visit_uses(f, use_replace, &t);
		}
		free(t.items);
	}
}
