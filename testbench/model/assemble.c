/* RISC-V programs of tests: LLVM's assembler, in this process. To start clang for each would take a hundred times as long.
 * The library is loaded by the first program, so that tests that assemble nothing do without it. */
#include "testbench/model/rig.h"
#include <dlfcn.h>
#include <elf.h>
#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIBRARY "libLLVM.so.19.1"
#define TRIPLE "riscv64"
/* what the compute units execute, and nothing left to a linker */
#define FEATURES "+m,+a,+f,+d,+zicsr,+zicond,+zba,+zbb,+zfhmin,+experimental-zacas,-relax"

/* What of LLVM-C is used. */
#define FUNCTIONS(X) \
	X(LLVMInitializeRISCVTargetInfo) X(LLVMInitializeRISCVTarget) X(LLVMInitializeRISCVTargetMC) X(LLVMInitializeRISCVAsmParser) \
	X(LLVMInitializeRISCVAsmPrinter) X(LLVMGetTargetFromTriple) X(LLVMCreateTargetMachine) X(LLVMContextCreate) \
	X(LLVMContextSetDiagnosticHandler) X(LLVMGetDiagInfoDescription) X(LLVMContextDispose) X(LLVMModuleCreateWithNameInContext) \
	X(LLVMSetTarget) X(LLVMSetModuleInlineAsm2) X(LLVMTargetMachineEmitToMemoryBuffer) X(LLVMDisposeModule) \
	X(LLVMGetBufferStart) X(LLVMDisposeMemoryBuffer)
#define DECLARE(name) __typeof__(name) *name;
static struct { FUNCTIONS(DECLARE) } llvm;
static LLVMTargetMachineRef machine;

static _Noreturn void die(const char *what, const char *why)
{
	fprintf(stderr, "rig: %s: %s\n", what, why);
	abort();
}

static void load(void)
{
	LLVMTargetRef target;
	char *message;
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		die("no assembler", dlerror());
#define LOAD(name) \
	llvm.name = (__typeof__(llvm.name))dlsym(library, #name); \
	if (!llvm.name) \
		die(LIBRARY, dlerror());
	FUNCTIONS(LOAD)
	llvm.LLVMInitializeRISCVTargetInfo();
	llvm.LLVMInitializeRISCVTarget();
	llvm.LLVMInitializeRISCVTargetMC();
	llvm.LLVMInitializeRISCVAsmParser();
	llvm.LLVMInitializeRISCVAsmPrinter();
	if (llvm.LLVMGetTargetFromTriple(TRIPLE, &target, &message))
		die(TRIPLE, message);
	machine = llvm.LLVMCreateTargetMachine(target, TRIPLE, "generic-rv64", FEATURES, LLVMCodeGenLevelNone, LLVMRelocStatic,
					       LLVMCodeModelDefault);
	if (!machine)
		die("no machine", TRIPLE);
}

static void complain(LLVMDiagnosticInfoRef info, void *text)
{
	fprintf(stderr, "%s", (const char *)text);
	die("this is not assembled", llvm.LLVMGetDiagInfoDescription(info));
}

/* The words of the object's .text, which needs no relocation. */
static uint32_t *text_of(const uint8_t *object, size_t *num_words)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)(const void *)object;
	const Elf64_Shdr *sections = (const Elf64_Shdr *)(const void *)(object + header->e_shoff);
	const char *names = (const char *)object + sections[header->e_shstrndx].sh_offset;
	const Elf64_Shdr *text = NULL;
	for (unsigned i = 0; i < header->e_shnum; i++)
		if (!strcmp(names + sections[i].sh_name, ".text"))
			text = &sections[i];
		else if (!strcmp(names + sections[i].sh_name, ".rela.text"))
			die("this is not assembled", "it names what is not in it");
	if (!text)
		die("this is not assembled", "no .text");
	*num_words = text->sh_size / 4;
	uint32_t *words = malloc(text->sh_size + 1);
	return memcpy(words, object + text->sh_offset, *num_words * 4);
}

static uint32_t *assemble(const char *text, size_t *num_words)
{
	LLVMMemoryBufferRef object;
	char *message;
	if (!machine)
		load();
	LLVMContextRef context = llvm.LLVMContextCreate();
	llvm.LLVMContextSetDiagnosticHandler(context, complain, (void *)(uintptr_t)text);
	LLVMModuleRef module = llvm.LLVMModuleCreateWithNameInContext("program", context);
	llvm.LLVMSetTarget(module, TRIPLE);
	llvm.LLVMSetModuleInlineAsm2(module, text, strlen(text));
	if (llvm.LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMObjectFile, &message, &object))
		die("this is not assembled", message);
	uint32_t *words = text_of((const uint8_t *)llvm.LLVMGetBufferStart(object), num_words);
	llvm.LLVMDisposeMemoryBuffer(object);
	llvm.LLVMDisposeModule(module);
	llvm.LLVMContextDispose(context);
	return words;
}

/* Most programs run on several setups: what was assembled is kept. */
static struct assembled {
	struct assembled *next;
	char *text;
	size_t num_words;
	uint32_t *words;
} *all_assembled;

uint32_t *rig_assemble(const char *text, size_t *num_words)
{
	struct assembled *a = all_assembled;
	while (a && strcmp(a->text, text))
		a = a->next;
	if (!a) {
		a = malloc(sizeof(*a));
		a->text = strdup(text);
		a->words = assemble(text, &a->num_words);
		a->next = all_assembled;
		all_assembled = a;
	}
	*num_words = a->num_words;
	uint32_t *words = malloc(a->num_words * 4 + 1);
	return memcpy(words, a->words, a->num_words * 4);
}
