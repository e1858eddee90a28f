/* What OpenCL has and a plain program has not: variables in local memory, no recursion, no calls
 * through pointers. */
#include "runtime/compiler/clc/clc.h"
#include "abi/address_map.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

static void make_own(LLVMValueRef v)
{
	if (LLVMIsDeclaration(v) || clc_is_entry(clc_name(v)))
		return;
	LLVMSetLinkage(v, LLVMInternalLinkage);
	LLVMSetVisibility(v, LLVMDefaultVisibility);
	char *name = clc_format("%s" CLC_OWN_SUFFIX, clc_name(v));
	LLVMSetValueName2(v, name, strlen(name));
	free(name);
}

void lower_own(LLVMModuleRef module)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		make_own(f);
	for (LLVMValueRef v = LLVMGetFirstGlobal(module); v; v = LLVMGetNextGlobal(v))
		make_own(v);
}

/* The name as the program has it, for messages. */
static int name_length(const char *name)
{
	size_t n = strlen(name), suffix = sizeof CLC_OWN_SUFFIX - 1;
	return (int)(n > suffix && !strcmp(name + n - suffix, CLC_OWN_SUFFIX) ? n - suffix : n);
}

/* ---- the call graph ---- */

struct graph_node { LLVMValueRef function; unsigned *callees; size_t num_callees; unsigned mark; };
struct graph { struct graph_node *nodes; size_t count; bool ok; };

static int compare_nodes(const void *a, const void *b)
{
	const struct graph_node *x = a, *y = b;
	return x->function < y->function ? -1 : x->function > y->function;
}

static struct graph_node *graph_find(struct graph *g, LLVMValueRef function)
{
	struct graph_node key = { .function = function };
	return bsearch(&key, g->nodes, g->count, sizeof key, compare_nodes);
}

/* The entry of a kernel, or NULL. */
static struct graph_node *graph_entry(struct graph *g, LLVMModuleRef module, const struct note *note, uint32_t kernel)
{
	char *name = clc_format(CLC_ENTRY_PREFIX "%s", note->strings.data + note->kernels[kernel].name);
	struct graph_node *n = graph_find(g, LLVMGetNamedFunction(module, name));
	free(name);
	return n;
}

static void graph_free(struct graph *g)
{
	for (size_t i = 0; i < g->count; i++)
		free(g->nodes[i].callees);
	free(g->nodes);
}

static void graph_scan(struct graph *g, struct graph_node *node)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(node->function); b; b = LLVMGetNextBasicBlock(b)) {
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
			if (!LLVMIsACallInst(i))
				continue;
			LLVMValueRef callee = LLVMGetCalledValue(i);
			if (LLVMIsAInlineAsm(callee))
				continue;
			if (!LLVMIsAFunction(callee)) {
				clc_error("function '%.*s' calls through a pointer, which OpenCL C does not allow",
					  name_length(clc_name(node->function)), clc_name(node->function));
				g->ok = false;
				continue;
			}
			struct graph_node *target = graph_find(g, callee);
			if (target)
				*CLC_ADD(node->callees, node->num_callees) = (unsigned)(target - g->nodes);
		}
	}
}

static struct graph graph_build(LLVMModuleRef module)
{
	struct graph g = { .ok = true };
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		if (!LLVMIsDeclaration(f))
			*CLC_ADD(g.nodes, g.count) = (struct graph_node){ .function = f };
	if (g.count)
		qsort(g.nodes, g.count, sizeof *g.nodes, compare_nodes);
	for (size_t i = 0; i < g.count; i++)
		graph_scan(&g, &g.nodes[i]);
	return g;
}

enum { UNSEEN, OPEN, CLOSED };

static bool find_cycle(struct graph *g, unsigned at)
{
	struct graph_node *n = &g->nodes[at];
	n->mark = OPEN;
	for (size_t i = 0; i < n->num_callees; i++) {
		unsigned mark = g->nodes[n->callees[i]].mark;
		if (mark == OPEN) {
			const char *name = clc_name(g->nodes[n->callees[i]].function);
			clc_error("function '%.*s' calls itself: recursion is not supported (OpenCL C, section 6.11)",
				  name_length(name), name);
			return true;
		}
		if (mark == UNSEEN && find_cycle(g, n->callees[i]))
			return true;
	}
	n->mark = CLOSED;
	return false;
}

bool lower_check_calls(LLVMModuleRef module)
{
	struct graph g = graph_build(module);
	for (unsigned i = 0; g.ok && i < g.count; i++)
		if (g.nodes[i].mark == UNSEEN && find_cycle(&g, i))
			g.ok = false;
	graph_free(&g);
	return g.ok;
}

/* ---- local memory ---- */

static bool is_local(LLVMValueRef global)
{
	const char *section = LLVMGetSection(global);
	return section && !strncmp(section, CLC_LOCAL_SECTION, sizeof CLC_LOCAL_SECTION - 1);
}

/* Marks the functions that use a value, through constant expressions. */
static void mark_users(struct graph *g, LLVMValueRef value)
{
	for (LLVMUseRef u = LLVMGetFirstUse(value); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef user = LLVMGetUser(u);
		if (LLVMIsAInstruction(user)) {
			struct graph_node *n =
				graph_find(g, LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)));
			if (n)
				n->mark = 1;
		} else {
			mark_users(g, user);
		}
	}
}

/* Does a marked function lie on a path from here? seen stops repeated visits. */
static bool reaches_mark(struct graph *g, unsigned at, bool *seen)
{
	if (g->nodes[at].mark)
		return true;
	if (seen[at])
		return false;
	seen[at] = true;
	for (size_t i = 0; i < g->nodes[at].num_callees; i++)
		if (reaches_mark(g, g->nodes[at].callees[i], seen))
			return true;
	return false;
}

bool lower_locals_place(LLVMModuleRef module, LLVMTargetDataRef data, struct note *note)
{
	struct graph g = graph_build(module);
	bool *seen = clc_alloc(g.count * sizeof *seen), *reached = clc_alloc(note->header.num_kernels * sizeof *reached);
	for (LLVMValueRef v = LLVMGetFirstGlobal(module); v; v = LLVMGetNextGlobal(v)) {
		if (!is_local(v))
			continue;
		LLVMTypeRef type = LLVMGlobalGetValueType(v);
		uint64_t size = LLVMABISizeOfType(data, type), offset = 0;
		unsigned align = LLVMGetAlignment(v);
		if (align < LLVMABIAlignmentOfType(data, type))
			align = LLVMABIAlignmentOfType(data, type);
		for (size_t i = 0; i < g.count; i++)
			g.nodes[i].mark = 0;
		mark_users(&g, v);
		/* one offset, behind all that the kernels that reach it have already */
		for (uint32_t k = 0; k < note->header.num_kernels; k++) {
			struct note_kernel *kernel = &note->kernels[k];
			struct graph_node *n = graph_entry(&g, module, note, k);
			memset(seen, 0, g.count * sizeof *seen);
			reached[k] = n && reaches_mark(&g, (unsigned)(n - g.nodes), seen);
			if (reached[k] && kernel->local_bytes > offset)
				offset = kernel->local_bytes;
		}
		offset = (offset + align - 1) / align * align;
		if (offset + size > VA_LOCAL_SIZE) {
			clc_error("variable '%.*s' of %llu bytes does not fit into local memory: a work-group has %llu bytes",
				  name_length(clc_name(v)), clc_name(v), (unsigned long long)size,
				  (unsigned long long)VA_LOCAL_SIZE);
			g.ok = false;
			break;
		}
		for (uint32_t k = 0; k < note->header.num_kernels; k++)
			if (reached[k])
				note->kernels[k].local_bytes = (uint32_t)(offset + size);
		char *section = clc_format(CLC_LOCAL_SECTION ".%llu", (unsigned long long)offset);
		LLVMSetSection(v, section);
		free(section);
	}
	free(seen);
	free(reached);
	graph_free(&g);
	return g.ok;
}

void lower_locals_open(LLVMModuleRef module)
{
	/* Other work-items write to it: to the optimiser it is memory of another owner. Yet it stays a
	 * variable of its own, which aliases no other. */
	for (LLVMValueRef v = LLVMGetFirstGlobal(module); v; v = LLVMGetNextGlobal(v)) {
		if (!is_local(v))
			continue;
		LLVMSetInitializer(v, NULL);
		LLVMSetLinkage(v, LLVMExternalLinkage);
	}
}

void lower_locals_close(LLVMModuleRef module)
{
	LLVMContextRef c = LLVMGetModuleContext(module);
	for (LLVMValueRef v = LLVMGetFirstGlobal(module), next; v; v = next) {
		next = LLVMGetNextGlobal(v);
		if (!is_local(v))
			continue;
		uint64_t offset = strtoull(LLVMGetSection(v) + sizeof CLC_LOCAL_SECTION, NULL, 10);
		LLVMValueRef address = LLVMConstInt(LLVMInt64TypeInContext(c), VA_LOCAL_BASE + offset, false);
		LLVMReplaceAllUsesWith(v, LLVMConstIntToPtr(address, LLVMTypeOf(v)));
		LLVMDeleteGlobal(v);
	}
}

/* ---- what a kernel uses ---- */

static bool is_double(LLVMTypeRef type)
{
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	return kind == LLVMDoubleTypeKind ||
	       (kind == LLVMVectorTypeKind && LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMDoubleTypeKind);
}

static unsigned instruction_flags(LLVMValueRef i)
{
	unsigned flags = is_double(LLVMTypeOf(i)) ? NOTE_USES_FP64 : 0;
	for (int o = 0; o < LLVMGetNumOperands(i); o++)
		if (is_double(LLVMTypeOf(LLVMGetOperand(i, (unsigned)o))))
			flags |= NOTE_USES_FP64;
	if (!LLVMIsACallInst(i))
		return flags;
	LLVMValueRef callee = LLVMGetCalledValue(i);
	size_t length;
	const char *text = LLVMIsAInlineAsm(callee) ? LLVMGetInlineAsmAsmString(callee, &length) : NULL;
	static const char barrier[] = ".insn i 0x0b, 0,";
	if (text && length >= sizeof barrier - 1 && !memcmp(text, barrier, sizeof barrier - 1))
		flags |= NOTE_USES_BARRIER;
	if (LLVMIsAFunction(callee) && !strncmp(clc_name(callee), CLC_PRINTF_PREFIX, sizeof CLC_PRINTF_PREFIX - 1))
		flags |= NOTE_USES_PRINTF;
	return flags;
}

static unsigned reached_flags(struct graph *g, unsigned at, bool *seen)
{
	unsigned flags = 0;
	if (seen[at])
		return 0;
	seen[at] = true;
	LLVMValueRef f = g->nodes[at].function;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			flags |= instruction_flags(i);
	for (size_t i = 0; i < g->nodes[at].num_callees; i++)
		if (strncmp(clc_name(g->nodes[g->nodes[at].callees[i]].function), CLC_PRINTF_PREFIX,
			    sizeof CLC_PRINTF_PREFIX - 1))
			flags |= reached_flags(g, g->nodes[at].callees[i], seen);
	return flags;
}

void lower_flags(LLVMModuleRef module, struct note *note)
{
	struct graph g = graph_build(module);
	bool *seen = clc_alloc(g.count * sizeof *seen);
	for (uint32_t k = 0; k < note->header.num_kernels; k++) {
		struct graph_node *n = graph_entry(&g, module, note, k);
		memset(seen, 0, g.count * sizeof *seen);
		note->kernels[k].flags |= n ? reached_flags(&g, (unsigned)(n - g.nodes), seen) : 0;
	}
	free(seen);
	graph_free(&g);
}
