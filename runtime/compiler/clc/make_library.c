/* Makes the kernel library, at build time: libclc and the project's own OpenCL C (as textual IR of
 * the front end), retargeted, merged (ours replaces libclc's), optimised, written as one bitcode
 * file; and splits that into the package that galena-clc reads.
 * usage: make_library OUTPUT.bc LIBCLC.bc FILE.ll...
 *        make_library --package OUTPUT.lib INPUT.bc */
#include "runtime/compiler/clc/clc.h"
#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Linker.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CSR(name, number, per_lane, doc) CSR_##name = (number),
enum lane_csr {
#include "abi/csr.def"
};
#undef CSR

/* Larger functions than this are called, not inlined at every use: instructions of IR. */
enum { INLINE_LIMIT = 300 };

/* Variables of the library whose names begin so are in local memory: the language has no such variables outside of
 * kernels, so its files declare them in global memory. */
#define LOCAL_PREFIX "galena_local_"

static void on_diagnostic(LLVMDiagnosticInfoRef info, void *arg)
{
	bool *failed = arg;
	if (LLVMGetDiagInfoSeverity(info) != LLVMDSError)
		return;
	char *text = LLVMGetDiagInfoDescription(info);
	clc_error("%s", text);
	LLVMDisposeMessage(text);
	*failed = true;
}

/* advice: follows the message of an error. */
static LLVMMemoryBufferRef read_file(const char *path, const char *advice)
{
	LLVMMemoryBufferRef buffer;
	char *message;
	if (!LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &message))
		return buffer;
	clc_error("cannot read %s: %s%s", path, message, advice);
	return NULL;
}

static LLVMModuleRef read_text(LLVMContextRef c, const char *path, const char *layout)
{
	LLVMMemoryBufferRef buffer = read_file(path, "");
	if (!buffer)
		return NULL;
	LLVMModuleRef module =
		retarget_parse(c, path, LLVMGetBufferStart(buffer), LLVMGetBufferSize(buffer), layout, 0);
	LLVMDisposeMemoryBuffer(buffer);
	for (LLVMValueRef v = module ? LLVMGetFirstGlobal(module) : NULL; v; v = LLVMGetNextGlobal(v))
		if (!strncmp(clc_name(v), LOCAL_PREFIX, sizeof LOCAL_PREFIX - 1))
			LLVMSetSection(v, CLC_LOCAL_SECTION);
	return module;
}

static LLVMModuleRef read_libclc(LLVMContextRef c, const char *path, const char *layout)
{
	LLVMMemoryBufferRef buffer = read_file(path, "; install the package libclc-19");
	LLVMModuleRef module;
	if (!buffer || LLVMParseBitcodeInContext2(c, buffer, &module))
		return NULL;
	LLVMDisposeMemoryBuffer(buffer);
	char *text = LLVMPrintModuleToString(module);
	LLVMDisposeModule(module);
	module = retarget_parse(c, "libclc", text, strlen(text), layout, RETARGET_NVPTX);
	LLVMDisposeMessage(text);
	return module;
}

/* Turns libclc's definition of a function that is ours, too, into a declaration. Ours may build on
 * theirs: what it declares as __libclc_NAME is libclc's NAME, kept under that name. */
static void drop_definitions(LLVMModuleRef libclc, LLVMModuleRef ours)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(ours); f; f = LLVMGetNextFunction(f)) {
		LLVMValueRef theirs = LLVMIsDeclaration(f) ? NULL : LLVMGetNamedFunction(libclc, clc_name(f));
		if (!theirs || LLVMIsDeclaration(theirs))
			continue;
		char *name = clc_format("%s", clc_name(theirs));
		char *kept = clc_format("__libclc_%s", name);
		LLVMSetValueName2(theirs, "", 0);
		LLVMValueRef declaration = LLVMAddFunction(libclc, name, LLVMGlobalGetValueType(theirs));
		LLVMReplaceAllUsesWith(theirs, declaration);
		if (LLVMGetNamedFunction(ours, kept))
			LLVMSetValueName2(theirs, kept, strlen(kept));
		else
			LLVMDeleteFunction(theirs);
		free(kept);
		free(name);
	}
}

/* What can be said of the result of an instruction: lo to hi - 1, in so many bits. */
static void set_range(LLVMContextRef c, LLVMValueRef i, unsigned bits, uint64_t lo, uint64_t hi)
{
	LLVMTypeRef type = LLVMIntTypeInContext(c, bits);
	LLVMMetadataRef ends[] = { LLVMValueAsMetadata(LLVMConstInt(type, lo, false)), LLVMValueAsMetadata(LLVMConstInt(type, hi, false)) };
	LLVMSetMetadata(i, LLVMGetMDKindIDInContext(c, "range", 5), LLVMMetadataAsValue(c, LLVMMDNodeInContext2(c, ends, 2)));
}

/* Ids within a work-group and its sizes are small positive numbers; ids of groups have 32 bits. */
static void csr_set_range(LLVMContextRef c, LLVMValueRef read)
{
	static const struct { unsigned csr; uint64_t lo, hi; } ranges[] = {
		{ CSR_local_id_x, 0, 1ull << 31 },   { CSR_local_id_y, 0, 1ull << 31 },   { CSR_local_id_z, 0, 1ull << 31 },
		{ CSR_local_size_x, 1, 1ull << 31 }, { CSR_local_size_y, 1, 1ull << 31 }, { CSR_local_size_z, 1, 1ull << 31 },
		{ CSR_lane_id, 0, 32 }, { CSR_subgroup_id, 0, 1ull << 31 }, { CSR_num_subgroups, 1, 1ull << 31 }, { CSR_subgroup_live, 1, 33 },
		{ CSR_group_id_x, 0, 1ull << 32 },   { CSR_group_id_y, 0, 1ull << 32 },   { CSR_group_id_z, 0, 1ull << 32 },
	};
	for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
		if (LLVMGetNumArgOperands(read) == 1 && LLVMConstIntGetZExtValue(LLVMGetOperand(read, 0)) == ranges[i].csr)
			set_range(c, read, 64, ranges[i].lo, ranges[i].hi);
}

/* CSR reads do not depend on who else runs; loads of what does not change say so, and those of the sizes of images
 * and work-groups, too, that they are positive. */
static void annotate(LLVMContextRef c, LLVMValueRef f)
{
	static const char prefix[] = "galena_invariant_";
	bool invariant = !strncmp(clc_name(f), prefix, sizeof prefix - 1);
	static const char *const positive[] = { "_enqueued", "_image_width", "_image_height", "_image_depth", "_image_array_size",
						"_image_element_size", "_image_channels" };
	bool sizes = false;
	for (size_t i = 0; invariant && i < sizeof positive / sizeof *positive; i++)
		sizes |= strstr(clc_name(f), positive[i]) != NULL;
	unsigned kind = LLVMGetMDKindIDInContext(c, "invariant.load", 14);
	unsigned convergent = LLVMGetEnumAttributeKindForName("convergent", 10);
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
			if (LLVMIsALoadInst(i) && invariant && !LLVMIsAAllocaInst(LLVMGetOperand(i, 0))) {
				LLVMSetMetadata(i, kind, LLVMMetadataAsValue(c, LLVMMDNodeInContext2(c, NULL, 0)));
				if (sizes && LLVMTypeOf(i) == LLVMInt32TypeInContext(c))
					set_range(c, i, 32, 1, 1ull << 31);
			}
			if (!LLVMIsACallInst(i) || !LLVMIsAInlineAsm(LLVMGetCalledValue(i)))
				continue;
			size_t length;
			const char *text = LLVMGetInlineAsmAsmString(LLVMGetCalledValue(i), &length);
			if (length > 5 && !memcmp(text, "csrr ", 5)) {
				csr_set_range(c, i);
				LLVMRemoveCallSiteEnumAttribute(i, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
								convergent);
			}
		}
	}
}

static unsigned instruction_count(LLVMValueRef f)
{
	unsigned n = 0;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			n++;
	return n;
}

/* Every definition may be left out by who links with the library. */
static void make_optional(LLVMModuleRef module)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
		if (LLVMIsDeclaration(f))
			continue;
		LLVMSetLinkage(f, LLVMLinkOnceODRLinkage);
		if (instruction_count(f) > INLINE_LIMIT)
			clc_attribute_remove(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "alwaysinline");
		/* out of line here, where many call it; in a program the optimiser may see that one does */
		if (!strncmp(clc_name(f), "__galena_late_", 14))
			clc_attribute_remove(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "noinline");
	}
	for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g))
		if (!LLVMIsDeclaration(g) && LLVMGetLinkage(g) != LLVMAppendingLinkage)
			LLVMSetLinkage(g, LLVMLinkOnceODRLinkage);
}

static int make_package(const char *output, const char *input)
{
	LLVMContextRef c = LLVMContextCreate();
	LLVMMemoryBufferRef buffer = read_file(input, "");
	LLVMModuleRef module;
	struct bytes package = { 0 };
	if (!buffer || LLVMParseBitcodeInContext2(c, buffer, &module) || !package_write(module, &package))
		return 1;
	FILE *file = fopen(output, "w");
	bool ok = file && fwrite(package.data, 1, package.size, file) == package.size;
	if ((file && fclose(file)) || !ok)
		clc_error("cannot write %s", output);
	return !ok;
}

static int run(int argc, char **argv)
{
	bool failed = false;
	if (argc == 4 && !strcmp(argv[1], "--package"))
		return make_package(argv[2], argv[3]);
	if (argc < 4) {
		clc_error("usage: make_library OUTPUT.bc LIBCLC.bc FILE.ll...");
		return 1;
	}
	LLVMContextRef c = LLVMContextCreate();
	LLVMContextSetDiagnosticHandler(c, on_diagnostic, &failed);
	LLVMTargetMachineRef machine = backend_machine(true);
	if (!machine)
		return 1;
	char *layout = LLVMCopyStringRepOfTargetData(LLVMCreateTargetDataLayout(machine));
	LLVMModuleRef ours = NULL, libclc = read_libclc(c, argv[2], layout);
	if (!libclc)
		return 1;
	for (int i = 3; i < argc; i++) {
		LLVMModuleRef module = read_text(c, argv[i], layout);
		if (!module)
			return 1;
		if (!ours)
			ours = module;
		else if (LLVMLinkModules2(ours, module))
			return 1;
	}
	for (LLVMValueRef f = LLVMGetFirstFunction(ours); f; f = LLVMGetNextFunction(f))
		annotate(c, f);
	/* libclc is optimised already; ours alone, before the merge */
	if (!backend_run(ours, machine, "default<O2>"))
		return 1;
	drop_definitions(libclc, ours);
	if (LLVMLinkModules2(libclc, ours) || failed)
		return 1;
	make_optional(libclc);
	return LLVMWriteBitcodeToFile(libclc, argv[1]) != 0;
}

int main(int argc, char **argv)
{
	/* The process ends here: nothing of LLVM's is given back one by one. */
	int status = run(argc, argv);
	fflush(NULL);
	_exit(status);
}
