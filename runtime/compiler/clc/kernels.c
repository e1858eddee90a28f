/* Kernels: what the note says about them (from clang's metadata and the IR types), and the entry
 * stubs that load the arguments and call them. */
#include "runtime/compiler/clc/clc.h"
#include "abi/codes.h"
#include "abi/records.h"
#include <CL/cl.h>
#include <stdlib.h>
#include <string.h>

/* ---- the note ---- */

uint32_t note_string(struct note *note, const char *text, size_t length)
{
	if (!note->strings.size)
		bytes_add(&note->strings, "", 1);
	if (!length)
		return 0;
	/* the same text once: names of types come again and again */
	const char *data = note->strings.data;
	for (size_t at = 1; at + length < note->strings.size;) {
		size_t n = strlen(data + at);
		if (n == length && !memcmp(data + at, text, n))
			return (uint32_t)at;
		at += n + 1;
	}
	uint32_t offset = (uint32_t)note->strings.size;
	bytes_add(&note->strings, text, strnlen(text, length));
	bytes_add(&note->strings, "", 1);
	return offset;
}

uint32_t note_printf_add(struct note *note, uint32_t format, uint32_t slots)
{
	*CLC_ADD(note->printfs, note->header.num_printfs) = (struct note_printf){ .format = format, .num_args = slots };
	return note->header.num_printfs - 1;
}

void note_write(struct note *note, struct bytes *out)
{
	struct note_header *h = &note->header;
	note_string(note, "", 0);
	bytes_align(&note->strings, 8);
	h->magic = NOTE_MAGIC;
	h->version = NOTE_VERSION;
	h->string_bytes = (uint32_t)note->strings.size;
	h->toolchain = GALENA_TOOLCHAIN_HASH;
	bytes_add(out, h, sizeof *h);
	bytes_add(out, note->kernels, h->num_kernels * sizeof *note->kernels);
	bytes_add(out, note->args, h->num_args * sizeof *note->args);
	bytes_add(out, note->printfs, h->num_printfs * sizeof *note->printfs);
	bytes_add(out, note->strings.data, note->strings.size);
}

void note_free(struct note *note)
{
	free(note->kernels);
	free(note->args);
	free(note->printfs);
	free(note->strings.data);
}

/* ---- metadata ---- */

static unsigned kind_id(LLVMModuleRef module, const char *name)
{
	return LLVMGetMDKindIDInContext(LLVMGetModuleContext(module), name, (unsigned)strlen(name));
}

/* The node of a kind on a function, as a value, or NULL. */
static LLVMValueRef function_node(LLVMValueRef function, const char *name)
{
	LLVMModuleRef module = LLVMGetGlobalParent(function);
	unsigned kind = kind_id(module, name);
	size_t count;
	LLVMValueRef node = NULL;
	LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(function, &count);
	for (unsigned i = 0; i < count; i++)
		if (LLVMValueMetadataEntriesGetKind(entries, i) == kind)
			node = LLVMMetadataAsValue(LLVMGetModuleContext(module),
						   LLVMValueMetadataEntriesGetMetadata(entries, i));
	LLVMDisposeValueMetadataEntries(entries);
	return node;
}

struct node { LLVMValueRef *operands; unsigned count; };

static struct node node_read(LLVMValueRef function, const char *name)
{
	struct node n = { 0 };
	LLVMValueRef node = function_node(function, name);
	if (node) {
		n.count = LLVMGetMDNodeNumOperands(node);
		n.operands = clc_alloc(n.count * sizeof *n.operands);
		LLVMGetMDNodeOperands(node, n.operands);
	}
	return n;
}

static uint32_t node_string(struct note *note, struct node n, unsigned i)
{
	unsigned length = 0;
	const char *text = i < n.count ? LLVMGetMDString(n.operands[i], &length) : NULL;
	return note_string(note, text ? text : "", text ? length : 0);
}

static bool node_is(struct node n, unsigned i, const char *text)
{
	unsigned length = 0;
	const char *s = i < n.count ? LLVMGetMDString(n.operands[i], &length) : NULL;
	return s && length == strlen(text) && !memcmp(s, text, length);
}

static uint64_t node_int(struct node n, unsigned i)
{
	return i < n.count && n.operands[i] && LLVMIsAConstantInt(n.operands[i]) ?
		LLVMConstIntGetZExtValue(n.operands[i]) : 0;
}

static bool function_is_kernel(LLVMValueRef function)
{
	return !LLVMIsDeclaration(function) && function_node(function, "kernel_arg_addr_space");
}

/* ---- description ---- */

enum { MAX_ARG_BYTES = 65536 }; /* many times what OpenCL lets the device have */

static LLVMAttributeRef parameter_attribute(LLVMValueRef function, unsigned index, const char *name)
{
	return LLVMGetEnumAttributeAtIndex(function, index + 1, LLVMGetEnumAttributeKindForName(name, strlen(name)));
}

struct layout { LLVMTypeRef type; uint32_t size, align; bool by_reference; };

/* How an argument lies in the argument block. */
static struct layout argument_layout(LLVMTargetDataRef data, LLVMValueRef function, unsigned index)
{
	LLVMAttributeRef byval = parameter_attribute(function, index, "byval");
	struct layout l = { .type = LLVMTypeOf(LLVMGetParam(function, index)) };
	if (byval) {
		l.type = LLVMGetTypeAttributeValue(byval);
		l.by_reference = true;
	}
	l.size = (uint32_t)LLVMABISizeOfType(data, l.type);
	l.align = LLVMABIAlignmentOfType(data, l.type);
	LLVMAttributeRef align = byval ? parameter_attribute(function, index, "align") : NULL;
	if (align && LLVMGetEnumAttributeValue(align) > l.align)
		l.align = (uint32_t)LLVMGetEnumAttributeValue(align);
	return l;
}

static uint64_t type_qualifiers(struct node n, unsigned i)
{
	static const struct { const char *word; uint64_t bit; } words[] = {
		{ "const", CL_KERNEL_ARG_TYPE_CONST }, { "restrict", CL_KERNEL_ARG_TYPE_RESTRICT },
		{ "volatile", CL_KERNEL_ARG_TYPE_VOLATILE }, { "pipe", CL_KERNEL_ARG_TYPE_PIPE },
	};
	unsigned length = 0;
	const char *s = i < n.count ? LLVMGetMDString(n.operands[i], &length) : "";
	uint64_t bits = 0;
	for (size_t w = 0; s && w < sizeof words / sizeof *words; w++)
		if (memmem(s, length, words[w].word, strlen(words[w].word)))
			bits |= words[w].bit;
	return bits;
}

static enum note_arg_kind argument_kind(LLVMValueRef function, unsigned i, struct node base, struct node access,
					uint64_t space)
{
	if (node_is(base, i, "sampler_t"))
		return NOTE_ARG_SAMPLER;
	if (i < access.count && !node_is(access, i, "none"))
		return NOTE_ARG_IMAGE;
	if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetParam(function, i))) != LLVMPointerTypeKind ||
	    parameter_attribute(function, i, "byval"))
		return NOTE_ARG_VALUE;
	return space == 3 ? NOTE_ARG_LOCAL : space == 2 ? NOTE_ARG_CONSTANT : NOTE_ARG_GLOBAL;
}

static uint32_t access_qualifier(struct node n, unsigned i)
{
	return node_is(n, i, "read_only") ? CL_KERNEL_ARG_ACCESS_READ_ONLY :
	       node_is(n, i, "write_only") ? CL_KERNEL_ARG_ACCESS_WRITE_ONLY :
	       node_is(n, i, "read_write") ? CL_KERNEL_ARG_ACCESS_READ_WRITE : CL_KERNEL_ARG_ACCESS_NONE;
}

static uint32_t address_qualifier(enum note_arg_kind kind, uint64_t space)
{
	switch (kind) {
	case NOTE_ARG_VALUE: case NOTE_ARG_SAMPLER: return CL_KERNEL_ARG_ADDRESS_PRIVATE;
	case NOTE_ARG_IMAGE: return CL_KERNEL_ARG_ADDRESS_GLOBAL;
	default: break;
	}
	return space == 1 ? CL_KERNEL_ARG_ADDRESS_GLOBAL : space == 2 ? CL_KERNEL_ARG_ADDRESS_CONSTANT :
	       space == 3 ? CL_KERNEL_ARG_ADDRESS_LOCAL : CL_KERNEL_ARG_ADDRESS_PRIVATE;
}

/* CL_KERNEL_ATTRIBUTES: the attributes as the source has them, one blank between two. */
static void describe_attributes(LLVMValueRef function, struct note *note, struct note_kernel *kernel)
{
	struct bytes text = { 0 };
	static const char *const names[] = { "reqd_work_group_size", "work_group_size_hint" };
	uint32_t *const sizes[] = { kernel->reqd_local_size, kernel->hint_local_size };
	for (size_t a = 0; a < 2; a++) {
		struct node n = node_read(function, names[a]);
		if (n.count == 3) {
			for (unsigned d = 0; d < 3; d++)
				sizes[a][d] = (uint32_t)node_int(n, d);
			bytes_format(&text, "%s%s(%u,%u,%u)", text.size ? " " : "", names[a], sizes[a][0], sizes[a][1], sizes[a][2]);
		}
		free(n.operands);
	}
	struct node hint = node_read(function, "vec_type_hint");
	if (hint.count == 2 && hint.operands[0]) {
		LLVMTypeRef type = LLVMTypeOf(hint.operands[0]);
		bool is_signed = node_int(hint, 1);
		unsigned lanes = 1;
		if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) {
			lanes = LLVMGetVectorSize(type);
			type = LLVMGetElementType(type);
		}
		const char *name = "";
		switch (LLVMGetTypeKind(type)) {
		case LLVMHalfTypeKind: name = "half"; break;
		case LLVMFloatTypeKind: name = "float"; break;
		case LLVMDoubleTypeKind: name = "double"; break;
		case LLVMIntegerTypeKind:
			switch (LLVMGetIntTypeWidth(type)) {
			case 8: name = "char"; break;
			case 16: name = "short"; break;
			case 32: name = "int"; break;
			case 64: name = "long"; break;
			}
			break;
		default: break;
		}
		bool integer = LLVMGetTypeKind(type) == LLVMIntegerTypeKind;
		if (*name) {
			bytes_format(&text, "%svec_type_hint(%s%s", text.size ? " " : "", integer && !is_signed ? "u" : "", name);
			bytes_format(&text, lanes > 1 ? "%u)" : ")", lanes);
		}
	}
	free(hint.operands);
	/* by the front end, from -cl-std and -cl-uniform-work-group-size; it goes with the bitcode through links */
	static const char uniform[] = "uniform-work-group-size";
	LLVMAttributeRef attribute = LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, uniform, sizeof uniform - 1);
	unsigned length;
	if (attribute && !strncmp(LLVMGetStringAttributeValue(attribute, &length), "false", 5))
		kernel->flags |= NOTE_NON_UNIFORM;
	kernel->attributes = note_string(note, text.data, text.size);
	free(text.data);
}

static bool describe_kernel(LLVMValueRef function, LLVMTargetDataRef data, struct note *note, const char *name)
{
	enum { SPACE, ACCESS, TYPE, BASE, QUALIFIERS, NAME, NODES };
	static const char *const node_names[NODES] = { "kernel_arg_addr_space", "kernel_arg_access_qual", "kernel_arg_type", "kernel_arg_base_type",
						       "kernel_arg_type_qual", "kernel_arg_name" };
	struct node nodes[NODES];
	for (unsigned n = 0; n < NODES; n++)
		nodes[n] = node_read(function, node_names[n]);
	unsigned count = LLVMCountParams(function);
	uint32_t offset = 0;
	bool ok = count == nodes[SPACE].count;
	if (!ok)
		clc_error("kernel '%s': an argument has an empty type", name);

	struct note_kernel *kernel = CLC_ADD(note->kernels, note->header.num_kernels);
	*kernel = (struct note_kernel){ .first_arg = note->header.num_args, .num_args = count };
	kernel->name = note_string(note, name, strlen(name));
	note->args = clc_realloc(note->args, (note->header.num_args + count) * sizeof *note->args);
	for (unsigned i = 0; ok && i < count; i++) {
		struct note_arg *arg = &note->args[note->header.num_args++];
		struct layout l = argument_layout(data, function, i);
		uint64_t as = node_int(nodes[SPACE], i);
		offset = (offset + l.align - 1) / l.align * l.align;
		*arg = (struct note_arg){ .offset = offset, .size = l.size, .align = l.align };
		offset += l.size;
		arg->kind = argument_kind(function, i, nodes[BASE], nodes[ACCESS], as);
		arg->name = node_string(note, nodes[NAME], i);
		arg->type_name = node_string(note, nodes[TYPE], i);
		arg->address_qualifier = address_qualifier(arg->kind, as);
		arg->access_qualifier = access_qualifier(nodes[ACCESS], i);
		arg->type_qualifier = type_qualifiers(nodes[QUALIFIERS], i);
		LLVMAttributeRef align = parameter_attribute(function, i, "align");
		if (arg->kind == NOTE_ARG_LOCAL)
			arg->align = align ? (uint32_t)LLVMGetEnumAttributeValue(align) : 1;
	}
	kernel->arg_bytes = (offset + 7) / 8 * 8;
	if (ok && kernel->arg_bytes > MAX_ARG_BYTES) {
		clc_error("kernel '%s' has %u bytes of arguments, at most %d can be passed", name, kernel->arg_bytes,
			  MAX_ARG_BYTES);
		ok = false;
	}
	describe_attributes(function, note, kernel);
	for (unsigned n = 0; n < NODES; n++)
		free(nodes[n].operands);
	return ok;
}

/* ---- entry stubs ---- */

/* Is memory behind a pointer only read, as far as can be seen from its uses? */
static bool only_read(LLVMValueRef pointer)
{
	for (LLVMUseRef u = LLVMGetFirstUse(pointer); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef user = LLVMGetUser(u);
		if (LLVMIsALoadInst(user) && !LLVMGetVolatile(user))
			continue;
		if (LLVMIsAGetElementPtrInst(user) && only_read(user))
			continue;
		if (LLVMIsAMemCpyInst(user) && LLVMGetOperand(user, 0) != pointer)
			continue;
		return false;
	}
	return true;
}

static LLVMValueRef csr_read(LLVMContextRef c, LLVMBuilderRef builder, unsigned csr)
{
	/* word for word what the library has (galena.h), so that both are one to the optimiser */
	LLVMTypeRef i32 = LLVMInt32TypeInContext(c);
	LLVMTypeRef type = LLVMFunctionType(LLVMInt64TypeInContext(c), &i32, 1, false);
	LLVMValueRef number = LLVMConstInt(i32, csr, false);
	LLVMValueRef call = clc_assembly(builder, type, "csrr $0, $1", "=r,i", false, &number);
	LLVMAddCallSiteAttribute(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, clc_attribute(c, "nounwind", 0));
	LLVMAddCallSiteAttribute(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, clc_attribute(c, "memory", 0));
	return call;
}

/* A struct by value: read where it lies when it is only read, else a copy of the work-item's own. */
static LLVMValueRef struct_argument(LLVMBuilderRef b, LLVMValueRef kernel, unsigned i, LLVMValueRef at, struct layout l)
{
	LLVMContextRef c = LLVMGetModuleContext(LLVMGetGlobalParent(kernel));
	if (!only_read(LLVMGetParam(kernel, i))) {
		LLVMValueRef copy = LLVMBuildAlloca(b, l.type, "");
		LLVMSetAlignment(copy, l.align);
		LLVMBuildMemCpy(b, copy, l.align, at, l.align, LLVMConstInt(LLVMInt64TypeInContext(c), l.size, false));
		return copy;
	}
	static const char *const facts[] = { "readonly", "noalias", "nocapture" };
	for (size_t f = 0; f < sizeof facts / sizeof *facts; f++)
		LLVMAddAttributeAtIndex(kernel, i + 1, clc_attribute(c, facts[f], 0));
	return at;
}

/* void entry(void) { kernel(arguments from the block behind struct kernarg_header); }
 * It returns as long as there is an optimiser to be told so: what leads to code without an end is
 * cold to it, and calls there are not inlined. described: what the note says of the arguments. */
static void build_stub(LLVMModuleRef module, LLVMTargetDataRef data, LLVMValueRef kernel, const char *name, const struct note_arg *described)
{
	LLVMContextRef c = LLVMGetModuleContext(module);
	LLVMTypeRef void_type = LLVMFunctionType(LLVMVoidTypeInContext(c), NULL, 0, false);
	char *entry_name = clc_format(CLC_ENTRY_PREFIX "%s", name);
	LLVMValueRef entry = LLVMAddFunction(module, entry_name, void_type);
	LLVMBuilderRef b = LLVMCreateBuilderInContext(c);
	LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(c, entry, ""));
	clc_function_attribute(entry, "nounwind");
	clc_function_attribute(entry, "norecurse");
	LLVMAddTargetDependentFunctionAttr(entry, "no-builtins", "");
	free(entry_name);

	LLVMValueRef base = LLVMBuildIntToPtr(b, csr_read(c, b, CSR_kernarg), LLVMPointerTypeInContext(c, 0), "");
	unsigned count = LLVMCountParams(kernel);
	LLVMValueRef *args = clc_alloc(count * sizeof *args);
	unsigned invariant = kind_id(module, "invariant.load");
	LLVMValueRef empty = LLVMMetadataAsValue(c, LLVMMDNodeInContext2(c, NULL, 0));
	bool called = LLVMGetFirstUse(kernel) != NULL;
	for (unsigned i = 0; i < count; i++) {
		struct layout l = argument_layout(data, kernel, i);
		LLVMValueRef at = LLVMConstInt(LLVMInt64TypeInContext(c), sizeof(struct kernarg_header) + described[i].offset, false);
		args[i] = LLVMBuildInBoundsGEP2(b, LLVMInt8TypeInContext(c), base, &at, 1, "");
		if (!l.by_reference) {
			args[i] = LLVMBuildLoad2(b, l.type, args[i], "");
			LLVMSetAlignment(args[i], l.align);
			LLVMSetMetadata(args[i], invariant, empty);
		} else if (!called) {
			clc_attribute_remove(kernel, i + 1, "byval");
			args[i] = struct_argument(b, kernel, i, args[i], l);
		}
	}
	if (!called)
		debug_entry(entry, kernel);
	LLVMValueRef call = LLVMBuildCall2(b, LLVMGlobalGetValueType(kernel), kernel, args, count, "");
	for (unsigned i = 0; i < count; i++) {
		static const char *const kept[] = { "byval", "align" };
		for (size_t k = 0; k < 2; k++) {
			LLVMAttributeRef a = parameter_attribute(kernel, i, kept[k]);
			if (a && parameter_attribute(kernel, i, "byval"))
				LLVMAddCallSiteAttribute(call, i + 1, a);
		}
	}
	LLVMBuildRetVoid(b);
	LLVMDisposeBuilder(b);
	free(args);
	if (!called) {
		clc_attribute_remove(kernel, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "noinline");
		clc_function_attribute(kernel, "alwaysinline");
	}
}

/* The end of a work-item, in place of a return. */
static void exit_build(LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef at)
{
	LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(LLVMGetModuleContext(module)), NULL, 0, false);
	LLVMPositionBuilderBefore(b, at);
	clc_assembly(b, type, ".insn i 0x0b, 1, x0, x0, 0", "~{memory}", true, NULL);
	LLVMBuildUnreachable(b);
	LLVMInstructionEraseFromParent(at);
}

void kernels_close(LLVMModuleRef module)
{
	LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
		if (!clc_is_entry(clc_name(f)))
			continue;
		clc_function_attribute(f, "noreturn");
		for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
			if (LLVMIsAReturnInst(LLVMGetBasicBlockTerminator(block)))
				exit_build(module, b, LLVMGetBasicBlockTerminator(block));
	}
	LLVMDisposeBuilder(b);
}

bool kernels_lower(LLVMModuleRef module, LLVMTargetDataRef data, struct note *note)
{
	size_t count = 0;
	LLVMValueRef *kernels = NULL;
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		if (function_is_kernel(f))
			*CLC_ADD(kernels, count) = f;
	bool ok = true;
	for (size_t i = 0; ok && i < count; i++) {
		char *name = clc_format("%s", clc_name(kernels[i]));
		ok = describe_kernel(kernels[i], data, note, name);
		if (ok)
			build_stub(module, data, kernels[i], name, note->args + note->kernels[i].first_arg);
		free(name);
	}
	free(kernels);
	return ok;
}
