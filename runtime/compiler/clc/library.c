/* The kernel library (package.h) at compile time: what a program calls, and what that calls in turn,
 * is linked with it; nothing else is even read. */
#include "runtime/compiler/clc/clc.h"
#include "runtime/compiler/clc/package.h"
#include "base/path.h"
#include <errno.h>
#include <fcntl.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/Linker.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static struct {
	const char *data; /* mapped for the life of the process */
	const struct package_header *header;
	const struct package_entry *entries;
	const uint32_t *uses;
} package;

bool library_open(void)
{
	char path[PATH_MAX];
	struct stat st;
	if (package.data)
		return true;
	kit_path(path, "GALENA_KERNEL_LIBRARY", "share/galena/kernel.lib");
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st)) {
		clc_error("the kernel library %s is missing (%s): run make, or install the kit again", path,
			  strerror(errno));
		goto fail;
	}
	package.data = mmap(NULL, (size_t)st.st_size ? (size_t)st.st_size : 1, PROT_READ, MAP_PRIVATE, fd, 0);
	package.header = (const struct package_header *)package.data;
	if (package.data == MAP_FAILED || (size_t)st.st_size < sizeof *package.header ||
	    package.header->magic != PACKAGE_MAGIC || package.header->size != (uint64_t)st.st_size) {
		clc_error("the kernel library %s is damaged: run make again", path);
		goto fail;
	}
	if (package.header->toolchain != GALENA_TOOLCHAIN_HASH) {
		clc_error("the kernel library %s belongs to another galena-clc: run make again", path);
		goto fail;
	}
	package.entries = (const struct package_entry *)(package.header + 1);
	package.uses = (const uint32_t *)(package.data + package.header->uses);
	close(fd);
	return true;
fail:
	if (fd >= 0)
		close(fd);
	package.data = NULL;
	return false;
}

/* The number of an entry, or -1. */
static long library_find(const char *name)
{
	long low = 0, high = (long)package.header->num_entries - 1;
	while (low <= high) {
		long middle = (low + high) / 2;
		int c = strcmp(name, package.data + package.entries[middle].name);
		if (!c)
			return middle;
		if (c < 0)
			high = middle - 1;
		else
			low = middle + 1;
	}
	return -1;
}

bool library_has(const char *name) { return library_find(name) >= 0; }

/* OpenCL C 2.0 and later call builtins by generic pointers. Where the library has no such function,
 * the one for private pointers is the same code: all pointers of the device are generic. */
static void bind_generic(LLVMModuleRef module)
{
	static const char mark[] = "U3AS4";
	for (LLVMValueRef f = LLVMGetFirstFunction(module), next; f; f = next) {
		next = LLVMGetNextFunction(f);
		const char *name = clc_name(f);
		if (!LLVMIsDeclaration(f) || !strstr(name, mark) || library_has(name))
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
		if (library_has(plain.data)) {
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
		for (size_t i = 0; i < sizeof table / sizeof *table; i++)
			if (!strncmp(clc_name(f), table[i].intrinsic, strlen(table[i].intrinsic)) &&
			    !LLVMGetNamedFunction(module, table[i].function))
				LLVMAddFunction(module, table[i].function,
						LLVMFunctionType(LLVMVoidTypeInContext(c), NULL, 0, false));
	}
}

/* A list of entries, each once. */
struct wanted { uint32_t *items; size_t count; bool *seen; };

static void want(struct wanted *w, long entry)
{
	if (entry < 0 || w->seen[entry])
		return;
	w->seen[entry] = true;
	w->items[w->count++] = (uint32_t)entry;
}

static LLVMModuleRef read_entry(LLVMContextRef context, uint32_t number)
{
	const struct package_entry *e = &package.entries[number];
	LLVMModuleRef module = NULL;
	LLVMMemoryBufferRef buffer =
		LLVMCreateMemoryBufferWithMemoryRange(package.data + e->bitcode, e->bitcode_size, "library", false);
	if (LLVMParseBitcodeInContext2(context, buffer, &module))
		module = NULL;
	LLVMDisposeMemoryBuffer(buffer);
	/* as functions that may be left out they would be, before anything calls them */
	for (LLVMValueRef f = module ? LLVMGetFirstFunction(module) : NULL; f; f = LLVMGetNextFunction(f))
		if (!LLVMIsDeclaration(f))
			LLVMSetLinkage(f, LLVMExternalLinkage);
	for (LLVMValueRef g = module ? LLVMGetFirstGlobal(module) : NULL; g; g = LLVMGetNextGlobal(g))
		if (!LLVMIsDeclaration(g))
			LLVMSetLinkage(g, LLVMExternalLinkage);
	return module;
}

bool library_link(LLVMModuleRef module)
{
	LLVMContextRef context = LLVMGetModuleContext(module);
	LLVMModuleRef all = NULL;
	struct wanted w = { .items = clc_alloc(package.header->num_entries * sizeof(uint32_t)),
			    .seen = clc_alloc(package.header->num_entries) };
	bool ok = true;
	bind_generic(module);
	declare_runtime(module);
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		if (LLVMIsDeclaration(f))
			want(&w, library_find(clc_name(f)));
	for (size_t i = 0; i < w.count; i++) {
		const struct package_entry *e = &package.entries[w.items[i]];
		for (uint32_t u = 0; u < e->num_uses; u++)
			want(&w, package.uses[e->first_use + u]);
	}
	/* among themselves first: the program's module may be large, and each link walks all of it */
	for (size_t i = 0; ok && i < w.count; i++) {
		LLVMModuleRef one = read_entry(context, w.items[i]);
		if (!one)
			ok = false;
		else if (!all)
			all = one;
		else
			ok = !LLVMLinkModules2(all, one);
	}
	if (ok && all)
		ok = !LLVMLinkModules2(module, all);
	if (!ok)
		clc_error("the kernel library does not link with the program: run make again");
	free(w.items);
	free(w.seen);
	return ok;
}
