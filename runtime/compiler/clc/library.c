/* The kernel library: one bitcode file in which every function may be left out (linkonce), read
 * lazily, so that linking takes over what is called and nothing else. */
#include "runtime/compiler/clc/clc.h"
#include <llvm-c/BitReader.h>
#include <llvm-c/Linker.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* GALENA_KERNEL_LIBRARY, or ../share/galena/kernel.bc as seen from this program. */
static char *library_path(void)
{
	const char *given = getenv("GALENA_KERNEL_LIBRARY");
	char self[PATH_MAX];
	if (given && *given)
		return clc_format("%s", given);
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	self[n > 0 ? n : 0] = 0;
	for (int up = 0; up < 2; up++) {
		char *slash = strrchr(self, '/');
		if (slash)
			*slash = 0;
	}
	return clc_format("%s/share/galena/kernel.bc", self);
}

LLVMModuleRef library_open(LLVMContextRef context)
{
	char *path = library_path(), *message = NULL;
	LLVMMemoryBufferRef buffer;
	LLVMModuleRef module = NULL;
	if (LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &message)) {
		clc_error("the kernel library %s is missing (%s): run make, or install the kit again", path, message);
		LLVMDisposeMessage(message);
	} else if (LLVMGetBitcodeModuleInContext2(context, buffer, &module)) {
		clc_error("the kernel library %s is damaged: run make again", path);
		module = NULL;
	}
	free(path);
	return module;
}

/* OpenCL C 2.0 and later call builtins by generic pointers. Where the library has no such function,
 * the one for private pointers is the same code: all pointers of the device are generic. */
static void bind_generic(LLVMModuleRef module, LLVMModuleRef library)
{
	static const char mark[] = "U3AS4";
	for (LLVMValueRef f = LLVMGetFirstFunction(module), next; f; f = next) {
		next = LLVMGetNextFunction(f);
		size_t length;
		const char *name = LLVMGetValueName2(f, &length);
		if (!LLVMIsDeclaration(f) || !strstr(name, mark) || LLVMGetNamedFunction(library, name))
			continue;
		struct bytes plain = { 0 };
		while (*name) {
			if (!strncmp(name, mark, sizeof mark - 1))
				name += sizeof mark - 1;
			else
				bytes_add(&plain, name++, 1);
		}
		bytes_add(&plain, "", 1);
		LLVMValueRef known = LLVMGetNamedFunction(module, plain.data);
		if (LLVMGetNamedFunction(library, plain.data)) {
			if (known && known != f) {
				LLVMReplaceAllUsesWith(f, known);
				LLVMDeleteFunction(f);
			} else {
				LLVMSetValueName2(f, plain.data, plain.size - 1);
			}
		}
		free(plain.data);
	}
}

/* Functions that the back end calls for what the IR says without a call. They stay external: the
 * optimiser must not drop them before the back end has spoken, the linker drops them if it did not. */
static void declare_runtime(LLVMModuleRef module)
{
	static const struct { const char *intrinsic, *function; } table[] = {
		{ "llvm.memcpy.", "memcpy" }, { "llvm.memmove.", "memmove" }, { "llvm.memset.", "memset" },
	};
	LLVMContextRef c = LLVMGetModuleContext(module);
	for (LLVMValueRef f = LLVMGetFirstFunction(module), next; f; f = next) {
		next = LLVMGetNextFunction(f);
		size_t length;
		const char *name = LLVMGetValueName2(f, &length);
		for (size_t i = 0; i < sizeof table / sizeof *table; i++)
			if (!strncmp(name, table[i].intrinsic, strlen(table[i].intrinsic)) &&
			    !LLVMGetNamedFunction(module, table[i].function))
				LLVMAddFunction(module, table[i].function,
						LLVMFunctionType(LLVMVoidTypeInContext(c), NULL, 0, false));
	}
}

bool library_link(LLVMModuleRef module, LLVMModuleRef library)
{
	bind_generic(module, library);
	declare_runtime(module);
	if (LLVMLinkModules2(module, library)) {
		clc_error("the kernel library does not link with the program");
		return false;
	}
	return true;
}
