/* Host code: LLVM's passes and code generator, and from the object in memory a flat image that runs wherever it
 * lies. What would need the world outside (a library function, an absolute address) is refused. */
#include "translate/translate.h"
#include <elf.h>
#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SECTION_ALIGN = 64 };

static bool fail(const char *what, const char *why)
{
	fprintf(stderr, "galena-translate: %s: %s\n", what, why);
	return false;
}

/* Time is what code costs here: passes whose time grows with the square of a large superblock's blocks or live ranges, and
 * bring nothing measurable, get less to do. */
static const char *const limits[] = {
	"galena-translate",
	"-disable-x86-domain-reassignment",
	"-late-remat-update-threshold=10",
	"-grow-superblock-complexity-budget=100",
	"-tail-merge-threshold=20",
};

void emit_prepare(void)
{
	LLVMParseCommandLineOptions(sizeof limits / sizeof *limits, limits, NULL);
	LLVMInitializeX86TargetInfo();
	LLVMInitializeX86Target();
	LLVMInitializeX86TargetMC();
	LLVMInitializeX86AsmPrinter();
}

static LLVMTargetMachineRef machine_create(unsigned simd)
{
	static const char *const features[] = {
		[SIMD_PORTABLE] = "+sse2",
		[SIMD_AVX2] = "+avx2,+fma,+bmi,+bmi2,+lzcnt,+popcnt,+f16c",
		[SIMD_AVX512] = "+avx512f,+avx512vl,+avx512dq,+avx512bw,+avx2,+fma,+bmi,+bmi2,+lzcnt,+popcnt,+f16c",
	};
	LLVMTargetRef target;
	char *message = NULL;
	if (LLVMGetTargetFromTriple("x86_64-unknown-linux-gnu", &target, &message)) {
		fail("LLVM", message);
		LLVMDisposeMessage(message);
		return NULL;
	}
	LLVMTargetMachineOptionsRef options = LLVMCreateTargetMachineOptions();
	LLVMTargetMachineOptionsSetCPU(options, "x86-64");
	LLVMTargetMachineOptionsSetFeatures(options, features[simd]);
	LLVMTargetMachineOptionsSetCodeGenOptLevel(options, LLVMCodeGenLevelDefault);
	LLVMTargetMachineOptionsSetRelocMode(options, LLVMRelocPIC);
	LLVMTargetMachineOptionsSetCodeModel(options, LLVMCodeModelSmall);
	LLVMTargetMachineRef machine = LLVMCreateTargetMachineWithOptions(target, "x86_64-unknown-linux-gnu", options);
	LLVMDisposeTargetMachineOptions(options);
	return machine;
}

/* What lowering leaves to be cleaned up, and no more: the time until the code is there counts. */
static const char passes[] = "function(mem2reg,early-cse,simplifycfg,instcombine<no-verify-fixpoint>,"
			       "gvn,loop-mssa(licm),instcombine<no-verify-fixpoint>,simplifycfg)";

static bool optimise(LLVMModuleRef module, LLVMTargetMachineRef machine)
{
	LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
	LLVMErrorRef error = LLVMRunPasses(module, passes, machine, options);
	LLVMDisposePassBuilderOptions(options);
	if (!error)
		return true;
	char *message = LLVMGetErrorMessage(error);
	fail("optimiser", message);
	LLVMDisposeErrorMessage(message);
	return false;
}

/* ---- the object's sections, side by side ---- */

struct object {
	const uint8_t *bytes;
	const Elf64_Ehdr *header;
	const Elf64_Shdr *sections;
	uint64_t *place; /* of each section in the image; UINT64_MAX: not in it */
};

static bool allocated(const Elf64_Shdr *s)
{
	return (s->sh_flags & SHF_ALLOC) && s->sh_type == SHT_PROGBITS && s->sh_size;
}

/* Whether the section is needed at run time: unwind tables are not. */
static bool wanted(const struct object *o, const Elf64_Shdr *s)
{
	const char *names = (const char *)o->bytes + o->sections[o->header->e_shstrndx].sh_offset;
	return allocated(s) && strcmp(names + s->sh_name, ".eh_frame");
}

static bool relocate(const struct object *o, const Elf64_Shdr *table, struct image *out)
{
	uint64_t base = o->place[table->sh_info];
	const Elf64_Shdr *symbols = &o->sections[table->sh_link];
	const Elf64_Sym *symbol = (const Elf64_Sym *)(o->bytes + symbols->sh_offset);
	const Elf64_Rela *r = (const Elf64_Rela *)(o->bytes + table->sh_offset);
	for (size_t n = table->sh_size / sizeof(*r); n--; r++) {
		const Elf64_Sym *s = &symbol[ELF64_R_SYM(r->r_info)];
		const char *name = (const char *)o->bytes + o->sections[symbols->sh_link].sh_offset + s->st_name;
		if (s->st_shndx == SHN_UNDEF || s->st_shndx >= o->header->e_shnum || o->place[s->st_shndx] == UINT64_MAX)
			return fail("the code needs what is not in it", name);
		uint64_t at = base + r->r_offset, target = o->place[s->st_shndx] + s->st_value + (uint64_t)r->r_addend;
		uint32_t word = (uint32_t)(target - at);
		uint64_t wide = target - at;
		switch (ELF64_R_TYPE(r->r_info)) {
		case R_X86_64_PC32:
		case R_X86_64_PLT32:
			memcpy(out->bytes + at, &word, 4);
			break;
		case R_X86_64_PC64:
			memcpy(out->bytes + at, &wide, 8);
			break;
		default:
			return fail("the code has an address in it", name);
		}
	}
	return true;
}

static bool flatten(const uint8_t *bytes, struct image *out)
{
	struct object o = { .bytes = bytes, .header = (const Elf64_Ehdr *)bytes };
	bool ok = true;
	o.sections = (const Elf64_Shdr *)(bytes + o.header->e_shoff);
	o.place = malloc(o.header->e_shnum * sizeof(*o.place));
	if (!o.place)
		return fail("object", "no memory");
	out->size = 0;
	for (unsigned i = 0; i < o.header->e_shnum; i++) {
		const Elf64_Shdr *s = &o.sections[i];
		o.place[i] = UINT64_MAX;
		if (!wanted(&o, s))
			continue;
		uint64_t align = s->sh_addralign > SECTION_ALIGN ? s->sh_addralign : SECTION_ALIGN;
		out->size = (out->size + align - 1) & ~(align - 1);
		o.place[i] = out->size;
		out->size += s->sh_size;
	}
	out->bytes = calloc(1, out->size + 1);
	ok = out->bytes != NULL || fail("object", "no memory");
	for (unsigned i = 0; ok && i < o.header->e_shnum; i++)
		if (o.place[i] != UINT64_MAX)
			memcpy(out->bytes + o.place[i], bytes + o.sections[i].sh_offset, o.sections[i].sh_size);
	for (unsigned i = 0; ok && i < o.header->e_shnum; i++) {
		const Elf64_Shdr *s = &o.sections[i];
		if (s->sh_type == SHT_RELA && o.place[s->sh_info] != UINT64_MAX)
			ok = relocate(&o, s, out);
		if (s->sh_type != SHT_SYMTAB)
			continue;
		const Elf64_Sym *symbol = (const Elf64_Sym *)(bytes + s->sh_offset);
		const char *names = (const char *)bytes + o.sections[s->sh_link].sh_offset;
		for (size_t n = s->sh_size / sizeof(*symbol); n--; symbol++)
			if (!strcmp(names + symbol->st_name, "superblock") && symbol->st_shndx < o.header->e_shnum)
				out->entry = o.place[symbol->st_shndx] + symbol->st_value;
	}
	free(o.place);
	return ok;
}

static void dump(LLVMModuleRef module, const char *when)
{
	char *text = LLVMPrintModuleToString(module);
	printf("; %s\n%s\n", when, text);
	LLVMDisposeMessage(text);
}

bool emit_image(module_ref module, unsigned simd, bool dump_ir, struct image *out)
{
	LLVMMemoryBufferRef object;
	char *message = NULL;
	LLVMTargetMachineRef machine = machine_create(simd);
	if (!machine)
		return false;
	LLVMTargetDataRef data = LLVMCreateTargetDataLayout(machine);
	LLVMSetModuleDataLayout(module, data);
	LLVMDisposeTargetData(data);
	LLVMSetTarget(module, "x86_64-unknown-linux-gnu");
	if (dump_ir)
		dump(module, "as lowered");
	bool ok = optimise(module, machine);
	if (ok && dump_ir)
		dump(module, "optimised");
	if (ok && LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMObjectFile, &message, &object)) {
		ok = fail("code generator", message);
		LLVMDisposeMessage(message);
	} else if (ok) {
		ok = flatten((const uint8_t *)LLVMGetBufferStart(object), out);
		LLVMDisposeMemoryBuffer(object);
	}
	LLVMDisposeTargetMachine(machine);
	return ok;
}
