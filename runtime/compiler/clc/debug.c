/* Debug information (-g): which line of which source an instruction comes from. The front end makes it, LLVM
 * keeps it through the optimiser, and the linker puts the sections into the object. Here: the sources
 * themselves, as programs come from strings, and the entry stubs, which have none of their own. */
#include "runtime/compiler/clc/clc.h"
#include "base/file.h"
#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char metadata_name[] = "galena.source";

const char *const clc_debug_sections[CLC_DEBUG_SECTIONS] = {
	CLC_DEBUG_PREFIX "info", CLC_DEBUG_PREFIX "abbrev", CLC_DEBUG_PREFIX "line", CLC_DEBUG_PREFIX "line_str",
	CLC_DEBUG_PREFIX "str", CLC_DEBUG_PREFIX "str_offsets", CLC_DEBUG_PREFIX "addr", CLC_DEBUG_PREFIX "rnglists",
};

static void source_add(LLVMModuleRef module, const char *name, size_t name_length, const char *text, size_t size)
{
	LLVMContextRef c = LLVMGetModuleContext(module);
	LLVMMetadataRef pair[] = { LLVMMDStringInContext2(c, name, name_length), LLVMMDStringInContext2(c, text, size) };
	LLVMAddNamedMetadataOperand(module, metadata_name, LLVMMetadataAsValue(c, LLVMMDNodeInContext2(c, pair, 2)));
}

void debug_sources_note(LLVMModuleRef module, const char *debug_name, const struct clc_source *source)
{
	struct strings seen = { 0 };
	size_t size;
	source_add(module, debug_name, strlen(debug_name), source->data, source->size);
	strings_add(&seen, debug_name);
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
		LLVMMetadataRef program = LLVMGetSubprogram(f);
		LLVMMetadataRef file = program ? LLVMDIScopeGetFile(program) : NULL;
		unsigned length = 0;
		const char *name = file ? LLVMDIFileGetFilename(file, &length) : "";
		bool known = !length;
		for (size_t i = 0; i < seen.count && !known; i++)
			known = strlen(seen.items[i]) == length && !memcmp(seen.items[i], name, length);
		if (known)
			continue;
		char *path = clc_format("%.*s", (int)length, name), *text = file_load_path(path, &size);
		strings_take(&seen, path);
		if (text) /* a header, while it is still there */
			source_add(module, name, length, text, size);
		free(text);
	}
	strings_free(&seen);
}

void debug_sources_write(LLVMModuleRef module, struct bytes *out)
{
	unsigned count = LLVMGetNamedMetadataNumOperands(module, metadata_name);
	LLVMValueRef *nodes = clc_alloc(count * sizeof *nodes);
	LLVMGetNamedMetadataOperands(module, metadata_name, nodes);
	for (unsigned i = 0; i < count; i++) {
		LLVMValueRef pair[2];
		if (LLVMGetMDNodeNumOperands(nodes[i]) != 2)
			continue;
		LLVMGetMDNodeOperands(nodes[i], pair);
		for (unsigned k = 0; k < 2; k++) {
			unsigned length = 0;
			const char *text = LLVMGetMDString(pair[k], &length);
			bytes_add(out, text, text ? strnlen(text, length) : 0);
			bytes_add(out, "", 1);
		}
	}
	free(nodes);
}

void debug_entry(LLVMValueRef entry, LLVMValueRef kernel)
{
	LLVMMetadataRef program = LLVMGetSubprogram(kernel);
	if (!program)
		return;
	/* One function at most may have it: the kernel's own code, of which nothing is left once it has been inlined,
	 * goes without. */
	LLVMSetSubprogram(entry, program);
	LLVMGlobalEraseMetadata(kernel, LLVMGetMDKindIDInContext(LLVMGetModuleContext(LLVMGetGlobalParent(kernel)), "dbg", 3));
}
