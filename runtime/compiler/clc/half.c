/* Halves that only move, after the optimiser.
 *
 * The back end promotes to float whatever it has no instruction for, which are also the operations on halves that
 * compute nothing: choosing between two, changing a sign. That takes two conversions, and a conversion makes another
 * NaN of a NaN. So these are done on the bits, as integers. */
#include "runtime/compiler/clc/clc.h"
#include <llvm-c/Core.h>
#include <string.h>

enum { SIGN = 0x8000, MAGNITUDE = 0x7fff };

/* The integers with the bits of a half, or of a vector of them; NULL for any other type. */
static LLVMTypeRef bits_type(LLVMTypeRef type)
{
	LLVMTypeRef i16 = LLVMInt16TypeInContext(LLVMGetTypeContext(type));
	if (LLVMGetTypeKind(type) == LLVMHalfTypeKind)
		return i16;
	if (LLVMGetTypeKind(type) != LLVMVectorTypeKind || LLVMGetTypeKind(LLVMGetElementType(type)) != LLVMHalfTypeKind)
		return NULL;
	return LLVMVectorType(i16, LLVMGetVectorSize(type));
}

static bool is_call(LLVMValueRef i, const char *intrinsic)
{
	return LLVMIsACallInst(i) && LLVMIsAFunction(LLVMGetCalledValue(i)) &&
	       LLVMGetIntrinsicID(LLVMGetCalledValue(i)) == LLVMLookupIntrinsicID(intrinsic, strlen(intrinsic));
}

/* The bits of what the instruction gives, or NULL when it is none of these. */
static LLVMValueRef on_bits(LLVMBuilderRef b, LLVMValueRef i, LLVMTypeRef bits)
{
	if (LLVMIsASelectInst(i)) {
		LLVMValueRef yes = LLVMBuildBitCast(b, LLVMGetOperand(i, 1), bits, "");
		return LLVMBuildSelect(b, LLVMGetOperand(i, 0), yes, LLVMBuildBitCast(b, LLVMGetOperand(i, 2), bits, ""), "");
	}
	bool negates = LLVMGetInstructionOpcode(i) == LLVMFNeg, copies = is_call(i, "llvm.copysign");
	if (!negates && !copies && !is_call(i, "llvm.fabs"))
		return NULL;
	LLVMValueRef x = LLVMBuildBitCast(b, LLVMGetOperand(i, 0), bits, "");
	if (negates)
		return LLVMBuildXor(b, x, clc_splat(bits, SIGN), "");
	x = LLVMBuildAnd(b, x, clc_splat(bits, MAGNITUDE), "");
	if (!copies)
		return x;
	LLVMValueRef sign = LLVMBuildBitCast(b, LLVMGetOperand(i, 1), bits, "");
	return LLVMBuildOr(b, x, LLVMBuildAnd(b, sign, clc_splat(bits, SIGN), ""), "");
}

static bool instruction_lower(LLVMBuilderRef b, LLVMValueRef i)
{
	LLVMTypeRef bits = bits_type(LLVMTypeOf(i));
	LLVMPositionBuilderBefore(b, i);
	LLVMValueRef v = bits ? on_bits(b, i, bits) : NULL;
	if (!v)
		return false;
	LLVMReplaceAllUsesWith(i, LLVMBuildBitCast(b, v, LLVMTypeOf(i), ""));
	LLVMInstructionEraseFromParent(i);
	return true;
}

void half_lower(LLVMModuleRef module) { clc_each(module, instruction_lower); }
