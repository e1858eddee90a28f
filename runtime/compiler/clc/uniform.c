/* Branches that all work-items take alike, told from those that part them.
 *
 * A condition that a loop does not change can be tested in front of it, with a loop for either answer. Where all
 * lanes of a warp agree that saves the test in every turn: of an image's format, of a flag among the arguments.
 * Where they do not, the warp would go through both loops, one after the other. LLVM cannot tell, so the others are
 * hidden from it while it searches for such loops. What is taken for uniform here is a guess about speed alone. */
#include "runtime/compiler/clc/clc.h"
#include <llvm-c/Core.h>
#include <stdlib.h>
#include <string.h>

#define CSR(name, number, per_lane, doc) { number, per_lane },
static const struct { unsigned number; bool per_lane; } csrs[] = {
#include "abi/csr.def"
};
#undef CSR

/* How far a condition is followed through what it is made of. */
enum { MAX_DEPTH = 12 };

static bool csr_is_uniform(LLVMValueRef call)
{
	LLVMValueRef number = LLVMGetNumArgOperands(call) == 1 ? LLVMGetOperand(call, 0) : NULL;
	size_t length;
	const char *text = LLVMGetInlineAsmAsmString(LLVMGetCalledValue(call), &length);
	if (!number || !LLVMIsAConstantInt(number) || strncmp(text, "csrr ", 5))
		return false;
	for (size_t i = 0; i < sizeof csrs / sizeof *csrs; i++)
		if (csrs[i].number == LLVMConstIntGetZExtValue(number))
			return !csrs[i].per_lane;
	return false;
}

static unsigned invariant_load; /* kind of metadata, while there is a module */

/* Made of nothing but constants, CSRs of the warp, and memory that is the same for the whole launch: arguments,
 * its range, what images are. */
static bool is_uniform(LLVMValueRef v, unsigned depth)
{
	if (LLVMIsConstant(v))
		return true;
	if (!LLVMIsAInstruction(v) || depth == MAX_DEPTH)
		return false;
	if (LLVMIsALoadInst(v))
		return LLVMGetMetadata(v, invariant_load) != NULL;
	if (LLVMIsACallInst(v))
		return LLVMIsAInlineAsm(LLVMGetCalledValue(v)) && csr_is_uniform(v);
	if (!LLVMIsABinaryOperator(v) && !LLVMIsACastInst(v) && !LLVMIsACmpInst(v) && !LLVMIsASelectInst(v) && !LLVMIsAFreezeInst(v))
		return false;
	for (int i = 0; i < LLVMGetNumOperands(v); i++)
		if (!is_uniform(LLVMGetOperand(v, (unsigned)i), depth + 1))
			return false;
	return true;
}

/* What an instruction that decides between two ways decides by, its operand 0, or NULL. */
static LLVMValueRef condition_of(LLVMValueRef i)
{
	bool decides = (LLVMIsABranchInst(i) && LLVMIsConditional(i)) || LLVMIsASwitchInst(i) || LLVMIsASelectInst(i);
	LLVMValueRef condition = decides ? LLVMGetOperand(i, 0) : NULL;
	return condition && LLVMGetTypeKind(LLVMTypeOf(condition)) == LLVMIntegerTypeKind && !LLVMIsConstant(condition) ?
		       condition : NULL;
}

static const char hiding[] = "# hidden"; /* a comment to the assembler */

/* The condition as the result of an instruction that no pass knows and that stays in its place: it may change
 * something, though no memory of the program's. */
static LLVMValueRef hidden(LLVMBuilderRef b, LLVMValueRef condition)
{
	enum { INACCESSIBLE_MEMORY = 3 << 2 };
	static const struct { const char *name; uint64_t value; } facts[] = {
		{ "nounwind", 0 }, { "willreturn", 0 }, { "memory", INACCESSIBLE_MEMORY },
	};
	LLVMTypeRef type = LLVMTypeOf(condition);
	LLVMValueRef call = clc_assembly(b, LLVMFunctionType(type, &type, 1, false), hiding, "=r,0", true, &condition);
	for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
		LLVMAddCallSiteAttribute(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
					 clc_attribute(LLVMGetTypeContext(type), facts[i].name, facts[i].value));
	return call;
}

static bool is_hidden(LLVMValueRef i)
{
	size_t length;
	if (!LLVMIsACallInst(i) || !LLVMIsAInlineAsm(LLVMGetCalledValue(i)))
		return false;
	const char *text = LLVMGetInlineAsmAsmString(LLVMGetCalledValue(i), &length);
	return length == sizeof hiding - 1 && !memcmp(text, hiding, length);
}

static bool decides_uniformly(LLVMBuilderRef b, LLVMValueRef i)
{
	(void)b;
	return condition_of(i) && !LLVMIsASelectInst(i) && is_uniform(condition_of(i), 0);
}

static bool hide(LLVMBuilderRef b, LLVMValueRef i)
{
	LLVMValueRef condition = condition_of(i);
	if (!condition || is_uniform(condition, 0))
		return false;
	LLVMPositionBuilderBefore(b, i);
	LLVMSetOperand(i, 0, hidden(b, condition));
	return true;
}

static bool show(LLVMBuilderRef b, LLVMValueRef i)
{
	(void)b;
	if (!is_hidden(i))
		return false;
	LLVMReplaceAllUsesWith(i, LLVMGetOperand(i, 0));
	LLVMInstructionEraseFromParent(i);
	return true;
}

bool uniform_open(LLVMModuleRef module)
{
	invariant_load = LLVMGetMDKindIDInContext(LLVMGetModuleContext(module), "invariant.load", 14);
	return clc_each(module, decides_uniformly) && (clc_each(module, hide), true);
}

void uniform_close(LLVMModuleRef module) { clc_each(module, show); }
