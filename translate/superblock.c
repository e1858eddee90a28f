/* The control-flow graph of a superblock: what direct branches and jumps reach from its entry. A function that is
 * called at a known address is part of the superblock, once for every chain of calls that leads to it: so a return
 * has one place to go to, which the code checks. Nothing of the request is believed: any bytes are a graph. */
#include "translate/translate.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 8, BLOCK_INSNS = 256, HASH = 1 << 14, NO_NODE = -1 };

struct context { uint32_t parent; uint64_t back; int32_t depth; };

/* An instruction in one chain of calls. */
struct node {
	struct item item;
	uint32_t context;
	int32_t next[2];
	uint32_t block;
	bool leader;
};

struct builder {
	const struct superblock_request *request;
	const uint8_t *code;
	struct node *nodes;
	int32_t num_nodes, hash[HASH];
	struct context contexts[MAX_CONTEXTS];
	uint32_t num_contexts;
};

static bool is_link(unsigned reg) { return reg == 1 || reg == 5; }

static bool csr_lowers(const struct insn *i)
{
	bool writes = i->op == OP_csrrw || i->op == OP_csrrwi || i->rs1 != 0;
	switch (i->imm) {
#define CSR(name, number, per_lane, doc) case number:
#include "abi/csr.def"
#undef CSR
		return !writes;
	}
	return false;
}

bool insn_lowers(const struct superblock_request *q, const struct insn *i)
{
	const struct isa_row *row = &isa_rows[i->op];
	bool rounds = i->rm == RM_RNE || i->rm == RM_DYN, wide = q->simd != SIMD_PORTABLE;
	switch ((enum isa_class)row->class) {
	case CLASS_ALU:
		return i->op != OP_sg_ballot;
	case CLASS_MUL:
	case CLASS_DIV:
	case CLASS_LOAD:
	case CLASS_STORE:
	case CLASS_BRANCH:
	case CLASS_JUMP:
		return true;
	case CLASS_FDIV:
		return rounds;
	case CLASS_FPU:
		switch ((enum isa_format)row->format) {
		case FMT_FX: case FMT_XF:
			return true; /* in every rounding mode */
		case FMT_FR4:
			return rounds && wide;
		default:
			break;
		}
		if (i->op == OP_fcvt_d_s || i->op == OP_fcvt_s_h || i->op == OP_fcvt_d_h)
			return true; /* exact */
		return rounds && i->op != OP_fcvt_h_d;
	case CLASS_SYSTEM:
		return (row->format == FMT_CSR || row->format == FMT_CSRI) && csr_lowers(i);
	default:
		return false;
	}
}

static uint32_t word_at(const struct builder *b, uint64_t pc)
{
	uint32_t w;
	memcpy(&w, b->code + (pc - b->request->code_va), 4);
	return w;
}

static bool inside(const struct builder *b, uint64_t pc)
{
	return !(pc & 3) && pc - b->request->code_va < b->request->code_bytes;
}

/* Node of an instruction, made when it is new; NO_NODE when there is no room. */
static int32_t node_at(struct builder *b, uint64_t pc, uint32_t context)
{
	uint32_t h = (uint32_t)((pc * 0x9e3779b97f4a7c15ull + context * 0xc2b2ae3d27d4eb4full) >> 50);
	for (; b->hash[h] != NO_NODE; h = (h + 1) % HASH) {
		const struct node *n = &b->nodes[b->hash[h]];
		if (n->item.pc == pc && n->context == context)
			return b->hash[h];
	}
	if (b->num_nodes == MAX_INSNS)
		return NO_NODE;
	b->nodes[b->num_nodes] = (struct node){ .item.pc = pc, .item.kind = KIND_EXIT, .context = context,
						.next = { NO_NODE, NO_NODE }, .block = NO_BLOCK };
	return b->hash[h] = b->num_nodes++;
}

/* The chain with one more call. 0: there is no room, or it is too long. */
static uint32_t context_push(struct builder *b, uint32_t parent, uint64_t back)
{
	for (uint32_t c = 1; c < b->num_contexts; c++)
		if (b->contexts[c].parent == parent && b->contexts[c].back == back)
			return c;
	if (b->num_contexts == MAX_CONTEXTS || b->contexts[parent].depth == MAX_DEPTH)
		return 0;
	b->contexts[b->num_contexts] = (struct context){ parent, back, b->contexts[parent].depth + 1 };
	return b->num_contexts++;
}

/* Where jalr goes when the instruction before it, auipc, says so. */
static bool jalr_target(const struct builder *b, const struct item *item, uint64_t *target)
{
	struct insn before;
	if (!inside(b, item->pc - 4) || !insn_decode(word_at(b, item->pc - 4), &before))
		return false;
	if (before.op != OP_auipc || before.rd != item->insn.rs1 || before.rd == 0)
		return false;
	*target = (item->pc - 4 + (uint64_t)(int64_t)before.imm + (uint64_t)(int64_t)item->insn.imm) & ~1ull;
	return true;
}

/* Decodes the node and finds what follows it; an instruction whose successor has no room is an exit. */
static void node_expand(struct builder *b, int32_t index)
{
	struct node *n = &b->nodes[index];
	struct item *item = &n->item;
	uint64_t pc = item->pc, target = 0;
	uint32_t context = n->context;
	if (!inside(b, pc) || !insn_decode(word_at(b, pc), &item->insn) || !insn_lowers(b->request, &item->insn))
		return;
	const struct insn *i = &item->insn;
	uint64_t direct = pc + (uint64_t)(int64_t)i->imm;
	switch ((enum isa_class)isa_rows[i->op].class) {
	case CLASS_BRANCH:
		n->next[0] = node_at(b, pc + 4, context);
		n->next[1] = node_at(b, direct, context);
		item->kind = n->next[0] == n->next[1] ? KIND_JUMP : KIND_BRANCH;
		if (n->next[0] == NO_NODE || n->next[1] == NO_NODE)
			item->kind = KIND_EXIT;
		return;
	case CLASS_JUMP:
		if (b->request->flags & SUPERBLOCK_MASKED && (i->op != OP_jal || is_link(i->rd)))
			return; /* calls move a warp split before others */
		if (i->op == OP_jal && !is_link(i->rd)) {
			n->next[0] = node_at(b, direct, context);
			item->kind = n->next[0] == NO_NODE ? KIND_EXIT : KIND_JUMP;
			return;
		}
		if (i->op == OP_jal || (is_link(i->rd) && jalr_target(b, item, &target))) {
			uint32_t inner = context_push(b, context, pc + 4);
			n->next[0] = inner ? node_at(b, i->op == OP_jal ? direct : target, inner) : NO_NODE;
			item->kind = n->next[0] == NO_NODE ? KIND_EXIT : KIND_CALL;
			return;
		}
		if (i->rd == 0 && is_link(i->rs1) && context) {
			n->next[0] = node_at(b, b->contexts[context].back, b->contexts[context].parent);
			item->kind = n->next[0] == NO_NODE ? KIND_EXIT : KIND_RETURN;
		}
		return;
	default:
		n->next[0] = node_at(b, pc + 4, context);
		item->kind = n->next[0] == NO_NODE ? KIND_EXIT : KIND_PLAIN;
	}
}

/* A block begins where control comes from more than the instruction before. */
static void leaders(struct builder *b)
{
	uint8_t *seen = calloc((size_t)b->num_nodes, 1);
	if (!seen)
		abort();
	for (int32_t k = 0; k < b->num_nodes; k++)
		for (unsigned j = 0; j < 2; j++) {
			int32_t to = b->nodes[k].item.kind == KIND_EXIT ? NO_NODE : b->nodes[k].next[j];
			if (to == NO_NODE)
				continue;
			if (seen[to]++ || b->nodes[k].item.kind != KIND_PLAIN)
				b->nodes[to].leader = true;
			seen[to] = 1;
		}
	b->nodes[0].leader = true;
	free(seen);
}

/* The last node of the block that begins with a node. */
static const struct node *last_node(const struct builder *b, int32_t first)
{
	const struct node *n = &b->nodes[first];
	while (n->item.kind == KIND_PLAIN && !b->nodes[n->next[0]].leader)
		n = &b->nodes[n->next[0]];
	return n;
}

static void block_fill(struct builder *b, struct superblock *r, uint32_t index, int32_t node)
{
	struct block *k = &r->blocks[index];
	*k = (struct block){ .first = r->num_items, .next = { NO_BLOCK, NO_BLOCK }, .context = b->nodes[node].context,
			     .depth = b->contexts[b->nodes[node].context].depth };
	for (;;) {
		struct node *n = &b->nodes[node];
		r->items[r->num_items++] = n->item;
		k->num_items++;
		k->count += n->item.kind != KIND_EXIT;
		/* an exit is not executed here, and may lie outside of the text */
		if (n->item.kind != KIND_EXIT && n->item.pc < r->low)
			r->low = n->item.pc;
		if (n->item.kind != KIND_EXIT && n->item.pc + 4 > r->high)
			r->high = n->item.pc + 4;
		if (n->item.kind == KIND_CALL || n->item.kind == KIND_RETURN)
			k->target = b->nodes[n->next[0]].item.pc;
		if (n->item.kind != KIND_PLAIN)
			return;
		node = n->next[0];
		if (b->nodes[node].leader)
			return;
	}
}

/* The blocks in postorder of a walk from the entry, so that reversed every block follows one that leads to it. */
static bool blocks_find(struct builder *b, struct superblock *r)
{
	int32_t *stack = malloc(sizeof(*stack) * ((size_t)b->num_nodes * 2 + 2)), *order = malloc(sizeof(*order) * MAX_BLOCKS);
	uint8_t *state = calloc((size_t)b->num_nodes, 1);
	uint32_t depth = 0, n = 0;
	bool ok = stack && order && state;
	/* long runs of instructions are cut first: what is cut has to be known before the walk */
	for (int32_t k = 0; ok && k < b->num_nodes; k++) {
		int32_t at = k;
		for (unsigned run = 1; b->nodes[k].leader && b->nodes[at].item.kind == KIND_PLAIN; run++) {
			at = b->nodes[at].next[0];
			if (b->nodes[at].leader)
				break;
			if (run == BLOCK_INSNS) {
				b->nodes[at].leader = true;
				run = 0;
			}
		}
	}
	if (ok)
		stack[depth++] = 0;
	while (ok && depth) {
		int32_t node = stack[depth - 1];
		if (state[node]) { /* all that follows it is done */
			depth--;
			if (state[node] == 1) {
				state[node] = 2;
				if (n == MAX_BLOCKS) {
					ok = false;
					break;
				}
				order[n++] = node;
			}
			continue;
		}
		state[node] = 1;
		const struct node *last = last_node(b, node);
		for (unsigned j = 0; j < 2 && last->item.kind != KIND_EXIT; j++) {
			/* the taken branch is walked first: loops are contiguous in the reverse */
			int32_t to = last->next[1 - j];
			if (to != NO_NODE && !state[to])
				stack[depth++] = to;
		}
	}
	for (uint32_t k = 0; ok && k < n; k++)
		b->nodes[order[n - 1 - k]].block = k;
	r->num_blocks = n;
	for (uint32_t k = 0; ok && k < n; k++) {
		block_fill(b, r, k, order[n - 1 - k]);
		const struct node *last = last_node(b, order[n - 1 - k]);
		for (unsigned j = 0; j < 2 && last->item.kind != KIND_EXIT; j++)
			if (last->next[j] != NO_NODE)
				r->blocks[k].next[j] = b->nodes[last->next[j]].block;
		if (r->blocks[k].next[0] == r->blocks[k].next[1])
			r->blocks[k].next[1] = NO_BLOCK;
	}
	free(stack);
	free(order);
	free(state);
	return ok;
}

static bool preds_find(struct superblock *r)
{
	uint32_t *all = malloc(sizeof(*all) * MAX_BLOCKS * 2);
	if (!all)
		return false;
	r->preds = all;
	for (unsigned pass = 0; pass < 2; pass++) {
		for (uint32_t k = 0; k < r->num_blocks; k++)
			for (unsigned j = 0; j < 2; j++) {
				struct block *to = r->blocks[k].next[j] == NO_BLOCK ? NULL : &r->blocks[r->blocks[k].next[j]];
				if (!to)
					continue;
				if (pass)
					to->preds[to->num_preds] = k;
				to->num_preds++;
			}
		for (uint32_t k = 0; !pass && k < r->num_blocks; k++) {
			r->blocks[k].preds = all;
			all += r->blocks[k].num_preds;
			r->blocks[k].num_preds = 0;
		}
	}
	return true;
}

/* Loops check the limit when they begin a turn; so do long stretches without loops. */
static void checkpoints_find(struct superblock *r)
{
	r->blocks[0].checkpoint = true;
	for (uint32_t k = 0; k < r->num_blocks; k++)
		for (unsigned j = 0; j < 2; j++)
			if (r->blocks[k].next[j] != NO_BLOCK && r->blocks[k].next[j] <= k)
				r->blocks[r->blocks[k].next[j]].checkpoint = true;
	for (uint32_t k = r->num_blocks; k-- > 0;) {
		struct block *b = &r->blocks[k];
		b->need = b->count;
		for (unsigned j = 0; j < 2; j++) {
			struct block *to = b->next[j] == NO_BLOCK ? NULL : &r->blocks[b->next[j]];
			if (!to || to->checkpoint)
				continue;
			if (b->count + to->need > MAX_STRETCH)
				to->checkpoint = true;
			else if (b->count + to->need > b->need)
				b->need = b->count + to->need;
		}
	}
}

static struct superblock *build(struct builder *b, const char **why)
{
	struct superblock *r = calloc(1, sizeof(*r));
	*why = "no memory";
	if (!r)
		return NULL;
	r->request = b->request;
	r->code = b->code;
	r->low = UINT64_MAX;
	b->nodes = malloc(sizeof(*b->nodes) * MAX_INSNS);
	r->items = calloc(MAX_INSNS, sizeof(*r->items));
	r->blocks = calloc(MAX_BLOCKS, sizeof(*r->blocks));
	if (!b->nodes || !r->items || !r->blocks)
		goto err_superblock;
	memset(b->hash, 0xff, sizeof(b->hash));
	node_at(b, b->request->entry, 0);
	for (int32_t k = 0; k < b->num_nodes; k++)
		node_expand(b, k);
	*why = "the instruction at the entry is the interpreter's";
	if (b->nodes[0].item.kind == KIND_EXIT)
		goto err_superblock;
	leaders(b);
	*why = "too many blocks";
	if (!blocks_find(b, r))
		goto err_superblock;
	*why = "no memory";
	if (!preds_find(r))
		goto err_superblock;
	checkpoints_find(r);
	free(b->nodes);
	*why = NULL;
	return r;
err_superblock:
	free(b->nodes);
	superblock_free(r);
	return NULL;
}

struct superblock *superblock_build(const struct superblock_request *q, const uint8_t *code, const char **why)
{
	*why = "the entry lies outside of the code";
	if (q->entry - q->code_va >= q->code_bytes || q->entry & 3)
		return NULL;
	struct builder *b = calloc(1, sizeof(*b));
	*why = "no memory";
	if (!b)
		return NULL;
	b->request = q;
	b->code = code;
	b->num_contexts = 1;
	struct superblock *r = build(b, why);
	free(b);
	return r;
}

void superblock_free(struct superblock *r)
{
	if (!r)
		return;
	free(r->items);
	free(r->blocks);
	free(r->preds);
	free(r->heads);
	free(r->order);
	free(r->divergent);
	free(r);
}

void superblock_dump(const struct superblock *r)
{
	static const char *const kinds[] = { "", "", "", "  (call)", "  (return)", "  (leaves)" };
	char text[96];
	for (uint32_t k = 0; k < r->num_blocks; k++) {
		const struct block *b = &r->blocks[k];
		printf("block %u  depth %d  need %u%s  to", k, b->depth, b->need, b->checkpoint ? "  checkpoint" : "");
		for (unsigned j = 0; j < 2; j++)
			if (b->next[j] != NO_BLOCK)
				printf(" %u", b->next[j]);
		printf("\n");
		for (uint32_t i = b->first;; i++) {
			const struct item *item = &r->items[i];
			uint32_t word = 0;
			if (item->pc - r->request->code_va < r->request->code_bytes && !(item->pc & 3))
				memcpy(&word, r->code + (item->pc - r->request->code_va), 4);
			insn_disassemble(word, item->pc, text, sizeof(text));
			printf("  %" PRIx64 "  %s%s\n", item->pc, text, kinds[item->kind]);
			if (i + 1 == b->first + b->num_items)
				break;
		}
	}
}
