/* The order of blocks, after the optimiser.
 *
 * A warp runs those of its lanes that are at the lowest address. So lanes that part at a branch meet again where the
 * ways join, if that place is behind both ways: else those that come there first go on alone: a ballot that the
 * source has behind an if sees half of the lanes, and what is common to both ways, to the kernel's end, runs twice. LLVM's
 * placement puts what is seldom run behind the end, and the end of a loop's turn in front of the loop
 * where that saves a jump; here it is switched off, and blocks are in a weak topological order (F. Bourdoncle,
 * "Efficient chaotic iteration strategies with widenings", 1993): each behind all that lead to it but by a loop's way
 * back, and a loop's blocks together, what leaves it behind them. */
#include "runtime/compiler/clc/clc.h"
#include <llvm-c/Core.h>
#include <llvm-c/Support.h>
#include <stdlib.h>

/* Blocks of one function: the search goes as deep as there are. */
enum { LARGEST = 20000, DONE = ~0u };

/* number: when the search came here; 0 before that. */
struct node { LLVMBasicBlockRef block; unsigned number; };
struct search {
	struct node *nodes; /* by address */
	size_t count;
	struct node **stack, **order; /* order fills from the end */
	size_t depth, first;
	unsigned numbers;
};

static int compare_nodes(const void *a, const void *b)
{
	const struct node *x = a, *y = b;
	return x->block < y->block ? -1 : x->block > y->block;
}

static struct node *node_find(struct search *s, LLVMBasicBlockRef block)
{
	struct node key = { .block = block };
	return bsearch(&key, s->nodes, s->count, sizeof key, compare_nodes);
}

static unsigned visit(struct search *s, struct node *n);

/* The way that comes last here is placed first: a branch's first successor falls through. */
static void visit_successors(struct search *s, struct node *n, unsigned *head, bool *loops)
{
	LLVMValueRef end = LLVMGetBasicBlockTerminator(n->block);
	for (unsigned i = end ? LLVMGetNumSuccessors(end) : 0; i-- > 0;) {
		struct node *to = node_find(s, LLVMGetSuccessor(end, i));
		unsigned reached = to->number ? to->number : visit(s, to);
		if (head && reached <= *head) {
			*head = reached;
			*loops = true;
		}
	}
}

/* Puts what is reached from a block, and is not placed yet, in front of all that is. Gives the number of the outermost
 * block that a way leads back to. */
static unsigned visit(struct search *s, struct node *n)
{
	s->stack[s->depth++] = n;
	const unsigned own = n->number = ++s->numbers;
	unsigned head = own;
	bool loops = false;
	visit_successors(s, n, &head, &loops);
	if (head != own)
		return head;
	n->number = DONE;
	struct node *last = s->stack[--s->depth];
	if (loops) { /* a loop that begins here: once more through its blocks, without the ways back */
		for (; last != n; last = s->stack[--s->depth])
			last->number = 0;
		visit_successors(s, n, NULL, NULL);
	}
	s->order[--s->first] = n;
	return head;
}

static void function_layout(LLVMValueRef function)
{
	struct search s = { .count = LLVMCountBasicBlocks(function) };
	if (s.count < 2 || s.count > LARGEST)
		return;
	s.first = s.count;
	s.nodes = clc_alloc(s.count * sizeof *s.nodes);
	s.stack = clc_alloc(s.count * sizeof *s.stack);
	s.order = clc_alloc(s.count * sizeof *s.order);
	size_t n = 0;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
		s.nodes[n++].block = b;
	qsort(s.nodes, n, sizeof *s.nodes, compare_nodes);
	visit(&s, node_find(&s, LLVMGetEntryBasicBlock(function)));
	for (size_t i = s.first + 1; i < s.count; i++)
		LLVMMoveBasicBlockAfter(s.order[i]->block, s.order[i - 1]->block);
	free(s.nodes);
	free(s.stack);
	free(s.order);
}

void layout_lower(LLVMModuleRef module)
{
	static const char *const as_given[] = { "galena-clc", "-disable-block-placement" };
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		if (!LLVMIsDeclaration(f))
			function_layout(f);
	LLVMParseCommandLineOptions(sizeof as_given / sizeof *as_given, as_given, NULL);
}
