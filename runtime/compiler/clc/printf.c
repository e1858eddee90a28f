/* printf: each call becomes a call of a function of its own that writes one record (struct
 * note_printf says how it looks) into the printf buffer. */
#include "runtime/compiler/clc/clc.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* The text of a constant string, or NULL. */
static const char *constant_string(LLVMValueRef pointer, size_t *length)
{
	while (LLVMIsAConstantExpr(pointer) &&
	       (LLVMGetConstOpcode(pointer) == LLVMBitCast || LLVMGetConstOpcode(pointer) == LLVMAddrSpaceCast))
		pointer = LLVMGetOperand(pointer, 0);
	if (!LLVMIsAGlobalVariable(pointer) || !LLVMIsGlobalConstant(pointer))
		return NULL;
	LLVMValueRef text = LLVMGetInitializer(pointer);
	if (text && LLVMIsAConstantAggregateZero(text)) { /* "" */
		*length = 0;
		return "";
	}
	if (!text || !LLVMIsConstantString(text))
		return NULL;
	const char *s = LLVMGetAsString(text, length);
	*length = strnlen(s, *length);
	return s;
}

/* Conversion letters of a format, in the order of the arguments. */
static void conversions(const char *format, size_t length, struct bytes *out)
{
	const char *end = format + length;
	for (const char *p = format; p < end; p++) {
		if (*p != '%')
			continue;
		if (++p < end && *p == '%')
			continue;
		while (p < end && strchr("-+ #0123456789.", *p))
			p++;
		if (p < end && *p == 'v')
			for (p++; p < end && isdigit((unsigned char)*p);)
				p++;
		while (p < end && strchr("hlLzjt", *p))
			p++;
		if (p < end)
			bytes_add(out, p, 1);
	}
}

struct lowering { LLVMModuleRef module; LLVMContextRef c; LLVMTypeRef i32, i64, f64, ptr; struct note *note; unsigned count; };

/* A string argument as its place in the note: constants, and choices between constants. */
static LLVMValueRef string_value(struct lowering *l, LLVMBuilderRef b, LLVMValueRef pointer, int depth)
{
	size_t length;
	const char *text = constant_string(pointer, &length);
	if (text)
		return LLVMConstInt(l->i64, note_string(l->note, text, length), false);
	if (LLVMIsAConstantPointerNull(pointer))
		return LLVMConstInt(l->i64, note_string(l->note, "(null)", 6), false);
	if (LLVMIsASelectInst(pointer) && depth < 16) {
		LLVMValueRef yes = string_value(l, b, LLVMGetOperand(pointer, 1), depth + 1);
		LLVMValueRef no = string_value(l, b, LLVMGetOperand(pointer, 2), depth + 1);
		return yes && no ? LLVMBuildSelect(b, LLVMGetOperand(pointer, 0), yes, no, "") : NULL;
	}
	return NULL;
}

/* A scalar in 8 bytes: integers extended, floating point as double, addresses as they are. */
static LLVMValueRef widen(struct lowering *l, LLVMBuilderRef b, LLVMValueRef v)
{
	switch (LLVMGetTypeKind(LLVMTypeOf(v))) {
	case LLVMHalfTypeKind: case LLVMFloatTypeKind: return LLVMBuildFPExt(b, v, l->f64, "");
	case LLVMPointerTypeKind: return LLVMBuildPtrToInt(b, v, l->i64, "");
	case LLVMIntegerTypeKind: return LLVMBuildSExtOrBitCast(b, v, l->i64, "");
	default: return v;
	}
}

/* int printf.N(values...): begins a record, stores the values. 0, or -1 when there is no room. */
static LLVMValueRef record_function(struct lowering *l, LLVMTypeRef *types, unsigned count, uint32_t slots,
				    uint32_t index)
{
	char *name = clc_format(CLC_PRINTF_PREFIX "%u", l->count++);
	LLVMTypeRef begin_type = LLVMFunctionType(l->ptr, (LLVMTypeRef[]){ l->i32, l->i32 }, 2, false);
	LLVMValueRef begin = LLVMGetNamedFunction(l->module, "__galena_printf_begin");
	if (!begin)
		begin = LLVMAddFunction(l->module, "__galena_printf_begin", begin_type);
	LLVMValueRef f = LLVMAddFunction(l->module, name, LLVMFunctionType(l->i32, types, count, false));
	clc_function_attribute(f, "noinline");
	clc_function_attribute(f, "cold");
	clc_function_attribute(f, "nounwind");
	LLVMAddTargetDependentFunctionAttr(f, "no-builtins", "");
	free(name);

	LLVMBuilderRef b = LLVMCreateBuilderInContext(l->c);
	LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(l->c, f, "");
	LLVMBasicBlockRef store = LLVMAppendBasicBlockInContext(l->c, f, "");
	LLVMBasicBlockRef full = LLVMAppendBasicBlockInContext(l->c, f, "");
	LLVMPositionBuilderAtEnd(b, entry);
	LLVMValueRef head[] = { LLVMConstInt(l->i32, 8 + 8ull * slots, false), LLVMConstInt(l->i32, index, false) };
	LLVMValueRef record = LLVMBuildCall2(b, begin_type, begin, head, 2, "");
	LLVMBuildCondBr(b, LLVMBuildIsNull(b, record, ""), full, store);
	LLVMPositionBuilderAtEnd(b, full);
	LLVMBuildRet(b, LLVMConstAllOnes(l->i32));
	LLVMPositionBuilderAtEnd(b, store);
	uint32_t slot = 0;
	for (unsigned i = 0; i < count; i++) {
		LLVMValueRef v = LLVMGetParam(f, i);
		bool vector = LLVMGetTypeKind(types[i]) == LLVMVectorTypeKind;
		unsigned lanes = vector ? LLVMGetVectorSize(types[i]) : 1;
		for (unsigned e = 0; e < lanes; e++) {
			LLVMValueRef x = vector ? LLVMBuildExtractElement(b, v, LLVMConstInt(l->i32, e, false), "") : v;
			LLVMValueRef at = LLVMConstInt(l->i64, 8 + 8ull * slot++, false);
			at = LLVMBuildInBoundsGEP2(b, LLVMInt8TypeInContext(l->c), record, &at, 1, "");
			LLVMSetAlignment(LLVMBuildStore(b, widen(l, b, x), at), 8);
		}
	}
	LLVMBuildRet(b, LLVMConstNull(l->i32));
	LLVMDisposeBuilder(b);
	return f;
}

static bool lower_call(struct lowering *l, LLVMValueRef call)
{
	size_t length;
	unsigned count = LLVMGetNumArgOperands(call);
	const char *format = count ? constant_string(LLVMGetArgOperand(call, 0), &length) : NULL;
	if (!format) {
		clc_error("printf: the format has to be a string literal (OpenCL C, section 6.15.14)");
		return false;
	}
	struct bytes letters = { 0 };
	conversions(format, length, &letters);
	LLVMBuilderRef b = LLVMCreateBuilderInContext(l->c);
	LLVMPositionBuilderBefore(b, call);
	LLVMTypeRef *types = clc_alloc(count * sizeof *types);
	LLVMValueRef *values = clc_alloc(count * sizeof *values);
	uint32_t slots = 0;
	bool ok = true;
	for (unsigned i = 1; ok && i < count; i++) {
		LLVMValueRef v = LLVMGetArgOperand(call, i);
		if (i - 1 < letters.size && letters.data[i - 1] == 's') {
			v = string_value(l, b, v, 0);
			if (!v) {
				clc_error("printf: what %%s prints has to be a string literal (OpenCL C, section 6.15.14)");
				ok = false;
				break;
			}
		}
		values[i - 1] = v;
		types[i - 1] = LLVMTypeOf(v);
		slots += LLVMGetTypeKind(types[i - 1]) == LLVMVectorTypeKind ? LLVMGetVectorSize(types[i - 1]) : 1;
	}
	if (ok) {
		uint32_t index = note_printf_add(l->note, note_string(l->note, format, length), slots);
		LLVMValueRef f = record_function(l, types, count - 1, slots, index);
		LLVMValueRef result = LLVMBuildCall2(b, LLVMGlobalGetValueType(f), f, values, count - 1, "");
		LLVMReplaceAllUsesWith(call, result);
		LLVMInstructionEraseFromParent(call);
	}
	LLVMDisposeBuilder(b);
	free(types);
	free(values);
	free(letters.data);
	return ok;
}

bool lower_printf(LLVMModuleRef module, struct note *note)
{
	LLVMValueRef function = LLVMGetNamedFunction(module, "printf");
	LLVMContextRef c = LLVMGetModuleContext(module);
	if (!function || !LLVMIsDeclaration(function))
		return true;
	/* formats and strings that are chosen are only seen once variables have become values */
	if (LLVMGetFirstUse(function) && !backend_run(module, NULL, "function(sroa,instcombine<no-verify-fixpoint>,simplifycfg)"))
		return false;
	struct lowering l = { .module = module, .c = c, .i32 = LLVMInt32TypeInContext(c), .i64 = LLVMInt64TypeInContext(c),
			      .f64 = LLVMDoubleTypeInContext(c), .ptr = LLVMPointerTypeInContext(c, 0), .note = note };
	for (LLVMUseRef u = LLVMGetFirstUse(function), next; u; u = next) {
		next = LLVMGetNextUse(u);
		LLVMValueRef user = LLVMGetUser(u);
		if (!LLVMIsACallInst(user) || LLVMGetCalledValue(user) != function) {
			clc_error("printf is used as a value");
			return false;
		}
		if (!lower_call(&l, user))
			return false;
	}
	LLVMDeleteFunction(function);
	return true;
}
