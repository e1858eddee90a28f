/* LLVM's optimiser and code generator for the device. */
#include "runtime/compiler/clc/clc.h"
#include <llvm-c/Error.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdio.h>
#include <string.h>

void backend_prepare(void)
{
	LLVMInitializeRISCVTargetInfo();
	LLVMInitializeRISCVTarget();
	LLVMInitializeRISCVTargetMC();
	LLVMInitializeRISCVAsmParser();
	LLVMInitializeRISCVAsmPrinter();
}

LLVMTargetMachineRef backend_machine(bool optimise)
{
	LLVMTargetRef target;
	char *message = NULL;
	backend_prepare();
	if (LLVMGetTargetFromTriple(CLC_TRIPLE, &target, &message)) {
		clc_error("LLVM has no RISC-V: %s", message);
		LLVMDisposeMessage(message);
		return NULL;
	}
	LLVMTargetMachineOptionsRef options = LLVMCreateTargetMachineOptions();
	LLVMTargetMachineOptionsSetCPU(options, "generic-rv64");
	LLVMTargetMachineOptionsSetFeatures(options, CLC_FEATURES);
	LLVMTargetMachineOptionsSetABI(options, CLC_ABI);
	LLVMTargetMachineOptionsSetCodeGenOptLevel(options, optimise ? LLVMCodeGenLevelDefault : LLVMCodeGenLevelLess);
	LLVMTargetMachineOptionsSetRelocMode(options, LLVMRelocStatic);
	LLVMTargetMachineOptionsSetCodeModel(options, LLVMCodeModelMedium);
	LLVMTargetMachineRef machine = LLVMCreateTargetMachineWithOptions(target, CLC_TRIPLE, options);
	LLVMDisposeTargetMachineOptions(options);
	return machine;
}

bool backend_run(LLVMModuleRef module, LLVMTargetMachineRef machine, const char *passes)
{
	LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
	/* Lanes are scalar: a vector is as many instructions as it has elements. */
	LLVMPassBuilderOptionsSetLoopVectorization(options, false);
	LLVMPassBuilderOptionsSetSLPVectorization(options, false);
	LLVMPassBuilderOptionsSetLoopInterleaving(options, false);
	LLVMPassBuilderOptionsSetInlinerThreshold(options, 1000);
	LLVMErrorRef error = LLVMRunPasses(module, passes, machine, options);
	LLVMDisposePassBuilderOptions(options);
	if (error) {
		char *message = LLVMGetErrorMessage(error);
		clc_error("optimiser: %s", message);
		LLVMDisposeErrorMessage(message);
		return false;
	}
	return true;
}

static bool is_runtime(const char *name)
{
	return !strcmp(name, "memcpy") || !strcmp(name, "memmove") || !strcmp(name, "memset");
}

/* LLVM's limits are those of processors that guess branches and fetch several instructions a cycle. Here every
 * instruction that only counts costs as much as one that works, and an array that is indexed by constants alone
 * needs no memory. Runtime: loops whose number of turns is known when they begin. */
static void set_limits(void)
{
	static const char *const limits[] = {
		"galena-clc", "-unroll-threshold=700", "-unroll-runtime", "-unroll-allow-partial", "-unroll-partial-threshold=150", "-unroll-runtime-multi-exit",
	};
	LLVMParseCommandLineOptions(sizeof limits / sizeof *limits, limits, NULL);
}

/* Vectors become scalars first: LLVM's limits and its register allocation count them as they will be. */
static const char first_passes[] = "always-inline,function(sroa,early-cse,scalarizer,simplifycfg)";
static const char unswitch_passes[] = "function(loop-mssa(loop-rotate,licm,simple-loop-unswitch<nontrivial>))";

static bool passes_run(LLVMModuleRef module, LLVMTargetMachineRef machine)
{
	if (!backend_run(module, machine, first_passes))
		return false;
	if (uniform_open(module)) {
		bool ok = backend_run(module, machine, unswitch_passes);
		uniform_close(module);
		if (!ok)
			return false;
	}
	return backend_run(module, machine, "default<O2>");
}

bool backend_optimise(LLVMModuleRef module, LLVMTargetMachineRef machine, bool optimise)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
		const char *name = clc_name(f);
		if (LLVMIsDeclaration(f))
			continue;
		LLVMSetLinkage(f, clc_is_entry(name) || is_runtime(name) ? LLVMExternalLinkage : LLVMInternalLinkage);
		LLVMSetVisibility(f, LLVMDefaultVisibility);
	}
	for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g)) {
		const char *section = LLVMGetSection(g);
		/* A variable in global memory keeps its value between launches and is seen by all of
		 * their work-items, which the optimiser must not doubt: it stays external. */
		if (LLVMIsDeclaration(g) || (section && !strcmp(section, CLC_LOCAL_SECTION)))
			continue;
		if (LLVMIsGlobalConstant(g))
			LLVMSetLinkage(g, LLVMInternalLinkage);
		else
			LLVMSetLinkage(g, LLVMExternalLinkage);
		LLVMSetVisibility(g, LLVMIsGlobalConstant(g) ? LLVMDefaultVisibility : LLVMHiddenVisibility);
	}
	if (!optimise)
		return backend_run(module, machine, "always-inline,globaldce,function(sroa,early-cse)");
	set_limits();
	return passes_run(module, machine);
}

LLVMMemoryBufferRef backend_emit(LLVMModuleRef module, LLVMTargetMachineRef machine, bool assembly)
{
	unsigned n = 0;
	LLVMMemoryBufferRef buffer;
	char *message = NULL;
	/* a section a function, so that our linker can leave out functions without a caller */
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
		if (LLVMIsDeclaration(f))
			continue;
		char section[32];
		snprintf(section, sizeof section, ".text.%u", n++);
		LLVMSetSection(f, section);
		/* compares: who translates the code sees where they lead, and a table is memory to be read */
		LLVMAddTargetDependentFunctionAttr(f, "no-jump-tables", "true");
	}
	if (LLVMTargetMachineEmitToMemoryBuffer(machine, module, assembly ? LLVMAssemblyFile : LLVMObjectFile, &message,
						&buffer)) {
		clc_error("code generator: %s", message);
		LLVMDisposeMessage(message);
		return NULL;
	}
	return buffer;
}
