/* Messages, paths; instructions and constants. */
#include "runtime/compiler/clc/clc.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void clc_error(const char *format, ...)
{
	va_list args;
	fputs("galena-clc: error: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

bool clc_is_entry(const char *function)
{
	return !strncmp(function, CLC_ENTRY_PREFIX, sizeof CLC_ENTRY_PREFIX - 1);
}

const char *clc_name(LLVMValueRef v)
{
	size_t length;
	return LLVMGetValueName2(v, &length);
}

LLVMAttributeRef clc_attribute(LLVMContextRef c, const char *name, uint64_t value)
{
	return LLVMCreateEnumAttribute(c, LLVMGetEnumAttributeKindForName(name, strlen(name)), value);
}

void clc_function_attribute(LLVMValueRef function, const char *name)
{
	LLVMContextRef c = LLVMGetModuleContext(LLVMGetGlobalParent(function));
	LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, clc_attribute(c, name, 0));
}

void clc_attribute_remove(LLVMValueRef function, LLVMAttributeIndex index, const char *name)
{
	LLVMRemoveEnumAttributeAtIndex(function, index, LLVMGetEnumAttributeKindForName(name, strlen(name)));
}

LLVMValueRef clc_assembly(LLVMBuilderRef b, LLVMTypeRef type, const char *text, const char *constraints, bool volatile_, LLVMValueRef *args)
{
	LLVMValueRef code = LLVMGetInlineAsm(type, text, strlen(text), constraints, strlen(constraints), volatile_, false,
					     LLVMInlineAsmDialectATT, false);
	return LLVMBuildCall2(b, type, code, args, LLVMCountParamTypes(type), "");
}

bool clc_each(LLVMModuleRef module, bool (*visit)(LLVMBuilderRef, LLVMValueRef))
{
	LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
	bool any = false;
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
			for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; i; i = next) {
				next = LLVMGetNextInstruction(i);
				any |= visit(b, i);
			}
	LLVMDisposeBuilder(b);
	return any;
}

LLVMValueRef clc_splat(LLVMTypeRef type, uint64_t value)
{
	if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
		return LLVMConstInt(type, value, false);
	unsigned count = LLVMGetVectorSize(type);
	LLVMValueRef *elements = clc_alloc(count * sizeof *elements), splat;
	for (unsigned i = 0; i < count; i++)
		elements[i] = LLVMConstInt(LLVMGetElementType(type), value, false);
	splat = LLVMConstVector(elements, count);
	free(elements);
	return splat;
}
