/* Integer divisions, before the optimiser.
 *
 * To LLVM a division by zero, and one whose quotient does not fit, is undefined behaviour: it may drop the code around
 * it, and takes the quotient of two bytes for a byte. In OpenCL C its value is unspecified, and nothing else happens
 * (6.3.a): the other elements of a vector, whatever the program does later. So the divisor becomes one that LLVM can
 * divide by. */
#include "runtime/compiler/clc/clc.h"
#include <llvm-c/Core.h>

static LLVMTypeRef element_type(LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
}

/* Whether every element is known, and neither 0 nor -1. */
static bool is_harmless(LLVMValueRef divisor)
{
	LLVMTypeRef type = LLVMTypeOf(divisor);
	unsigned count = LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 0;
	if (!LLVMIsConstant(divisor))
		return false;
	for (unsigned i = 0; i < (count ? count : 1); i++) {
		LLVMValueRef e = count ? LLVMGetAggregateElement(divisor, i) : divisor;
		if (!e || !LLVMIsAConstantInt(e) || LLVMConstIntGetSExtValue(e) + 1ull <= 1)
			return false;
	}
	return true;
}

/* The divisor, 1 where it is 0. */
static LLVMValueRef nonzero(LLVMBuilderRef b, LLVMValueRef divisor)
{
	LLVMTypeRef type = LLVMTypeOf(divisor);
	divisor = LLVMBuildFreeze(b, divisor, "");
	LLVMValueRef zero = LLVMBuildICmp(b, LLVMIntEQ, divisor, LLVMConstNull(type), "");
	return LLVMBuildSelect(b, zero, clc_splat(type, 1), divisor, "");
}

/* The divisor, 1 where the quotient would be one more than the largest number. */
static LLVMValueRef fitting(LLVMBuilderRef b, LLVMValueRef dividend, LLVMValueRef divisor)
{
	LLVMTypeRef type = LLVMTypeOf(divisor);
	LLVMValueRef least = clc_splat(type, 1ull << (LLVMGetIntTypeWidth(element_type(type)) - 1));
	LLVMValueRef minus = LLVMBuildICmp(b, LLVMIntEQ, divisor, LLVMConstAllOnes(type), "");
	LLVMValueRef overflow = LLVMBuildAnd(b, minus, LLVMBuildICmp(b, LLVMIntEQ, dividend, least, ""), "");
	return LLVMBuildSelect(b, overflow, clc_splat(type, 1), divisor, "");
}

/* Signed ones of up to 32 bits are done with 64, where every quotient fits. */
static LLVMValueRef divide_signed(LLVMBuilderRef b, LLVMOpcode op, LLVMValueRef dividend, LLVMValueRef divisor)
{
	LLVMTypeRef type = LLVMTypeOf(dividend), wide = LLVMInt64TypeInContext(LLVMGetTypeContext(type));
	if (LLVMGetIntTypeWidth(element_type(type)) > 32) {
		dividend = LLVMBuildFreeze(b, dividend, "");
		return LLVMBuildBinOp(b, op, dividend, fitting(b, dividend, nonzero(b, divisor)), "");
	}
	if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
		wide = LLVMVectorType(wide, LLVMGetVectorSize(type));
	dividend = LLVMBuildSExt(b, dividend, wide, "");
	divisor = LLVMBuildSExt(b, nonzero(b, divisor), wide, "");
	return LLVMBuildTrunc(b, LLVMBuildBinOp(b, op, dividend, divisor, ""), type, "");
}

static bool divisor_guard(LLVMBuilderRef b, LLVMValueRef i)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(i);
	bool is_signed = op == LLVMSDiv || op == LLVMSRem;
	if ((!is_signed && op != LLVMUDiv && op != LLVMURem) || is_harmless(LLVMGetOperand(i, 1)))
		return false;
	LLVMPositionBuilderBefore(b, i);
	if (!is_signed) {
		LLVMSetOperand(i, 1, nonzero(b, LLVMGetOperand(i, 1)));
	} else {
		LLVMReplaceAllUsesWith(i, divide_signed(b, op, LLVMGetOperand(i, 0), LLVMGetOperand(i, 1)));
		LLVMInstructionEraseFromParent(i);
	}
	return true;
}

void division_guard(LLVMModuleRef module) { clc_each(module, divisor_guard); }
