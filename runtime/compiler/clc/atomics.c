/* Atomic loads and stores as instructions of the A extension.
 *
 * The back end makes them plain loads and stores with fences around, which is all that a processor with coherent
 * caches needs. To the device they must differ from accesses without an order: compute units see each
 * other's memory in order where they do atomics (and on silicon these go past the L1 caches). So a load becomes a
 * load-reserved, and a store an exchange whose result is not used. Pointers no longer
 * tell local from global memory here; the unit knows by the address. */
#include "runtime/compiler/clc/clc.h"
#include <llvm-c/Core.h>
#include <stdio.h>

/* The integer type that is as wide, where the A extension has instructions for it; else NULL. */
static LLVMTypeRef word_type(LLVMTypeRef type, LLVMContextRef c)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMFloatTypeKind:
		return LLVMInt32TypeInContext(c);
	case LLVMDoubleTypeKind:
	case LLVMPointerTypeKind:
		return LLVMInt64TypeInContext(c);
	case LLVMIntegerTypeKind:
		return LLVMGetIntTypeWidth(type) == 32 || LLVMGetIntTypeWidth(type) == 64 ? type : NULL;
	default:
		return NULL;
	}
}

static LLVMValueRef converted(LLVMBuilderRef b, LLVMValueRef v, LLVMTypeRef to)
{
	LLVMTypeRef from = LLVMTypeOf(v);

	if (from == to)
		return v;
	if (LLVMGetTypeKind(to) == LLVMPointerTypeKind)
		return LLVMBuildIntToPtr(b, v, to, "");
	if (LLVMGetTypeKind(from) == LLVMPointerTypeKind)
		return LLVMBuildPtrToInt(b, v, to, "");
	return LLVMBuildBitCast(b, v, to, "");
}

static void load_lower(LLVMBuilderRef b, LLVMTypeRef word, LLVMValueRef load)
{
	LLVMValueRef pointer = LLVMGetOperand(load, 0);
	LLVMTypeRef pointer_type = LLVMTypeOf(pointer);
	LLVMAtomicOrdering order = LLVMGetOrdering(load);
	char text[32];
	snprintf(text, sizeof text, "lr.%c%s $0, ($1)", LLVMGetIntTypeWidth(word) == 32 ? 'w' : 'd',
			      order == LLVMAtomicOrderingSequentiallyConsistent ? ".aqrl" :
			      order == LLVMAtomicOrderingAcquire		? ".aq" :
										  "");
	LLVMTypeRef type = LLVMFunctionType(word, &pointer_type, 1, false);
	LLVMValueRef value = clc_assembly(b, type, text, "=r,r,~{memory}", true, &pointer);
	LLVMReplaceAllUsesWith(load, converted(b, value, LLVMTypeOf(load)));
}

static bool access_lower(LLVMBuilderRef b, LLVMValueRef i)
{
	bool is_load = LLVMIsALoadInst(i);
	if ((!is_load && !LLVMIsAStoreInst(i)) || LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic)
		return false;
	LLVMValueRef value = is_load ? i : LLVMGetOperand(i, 0);
	LLVMTypeRef word = word_type(LLVMTypeOf(value), LLVMGetTypeContext(LLVMTypeOf(i)));
	if (!word)
		return false;
	LLVMPositionBuilderBefore(b, i);
	if (is_load)
		load_lower(b, word, i);
	else
		LLVMBuildAtomicRMW(b, LLVMAtomicRMWBinOpXchg, LLVMGetOperand(i, 1), converted(b, value, word), LLVMGetOrdering(i), false);
	LLVMInstructionEraseFromParent(i);
	return true;
}

void atomics_lower(LLVMModuleRef module) { clc_each(module, access_lower); }
