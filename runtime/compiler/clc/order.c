/* The order of instructions in long blocks, after the optimiser.
 *
 * Folding moves what depends on little to the front, and in a block of a thousand instructions, an unrolled hash,
 * that may be the half of it: values that wait for their use in more registers than there are, which are then kept in
 * private memory, 8 bytes a lane. The back end keeps to the order that it is given. So what only computes is put in
 * front of its first use. */
#include "runtime/compiler/clc/clc.h"
#include <llvm-c/Core.h>
#include <string.h>

/* Instructions. Shorter blocks seldom run out of registers, and their order is as good; of a longer one, each might be
 * looked at for each. */
enum { LONG = 1000, LONGEST = 10000 };

/* Does it nothing but make a value of its operands? */
static bool only_computes(LLVMValueRef i)
{
	if (LLVMIsACallInst(i)) {
		static const char *const pure[] = { "llvm.fsh", "llvm.bswap.", "llvm.smin.", "llvm.smax.", "llvm.umin.", "llvm.umax.",
						    "llvm.fmuladd.", "llvm.fma.", "llvm.ctlz.", "llvm.ctpop.", "llvm.fabs." };
		LLVMValueRef f = LLVMGetCalledValue(i);
		const char *name = LLVMIsAFunction(f) ? clc_name(f) : "";
		for (size_t p = 0; p < sizeof pure / sizeof *pure; p++)
			if (!strncmp(name, pure[p], strlen(pure[p])))
				return true;
		return false;
	}
	return LLVMIsABinaryOperator(i) || LLVMIsACastInst(i) || LLVMIsACmpInst(i) || LLVMIsASelectInst(i) ||
	       LLVMIsAGetElementPtrInst(i);
}

static bool uses(LLVMValueRef user, LLVMValueRef value)
{
	for (int o = 0; o < LLVMGetNumOperands(user); o++)
		if (LLVMGetOperand(user, (unsigned)o) == value)
			return true;
	return false;
}

/* From the end, so that users are in their final places. */
static void block_order(LLVMBuilderRef b, LLVMBasicBlockRef block)
{
	for (LLVMValueRef i = LLVMGetLastInstruction(block), before; i; i = before) {
		before = LLVMGetPreviousInstruction(i);
		if (!only_computes(i))
			continue;
		LLVMValueRef user = LLVMGetNextInstruction(i);
		while (user && !uses(user, i))
			user = LLVMGetNextInstruction(user);
		if (!user || user == LLVMGetNextInstruction(i))
			continue;
		LLVMInstructionRemoveFromParent(i);
		LLVMPositionBuilderBefore(b, user);
		LLVMInsertIntoBuilder(b, i);
	}
}

void order_lower(LLVMModuleRef module)
{
	LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block)) {
			unsigned n = 0;
			for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
				n++;
			if (n >= LONG && n <= LONGEST)
				block_order(b, block);
		}
	LLVMDisposeBuilder(b);
}
