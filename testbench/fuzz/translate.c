/* Fuzzes galena-translate up to LLVM's passes: any bytes are a request that is refused with a reason, or code whose
 * graph, encodings and IR are sound. */
#include "testbench/fuzz/fuzz.h"
#include "translate/translate.h"
#include "superblock_hash.h"
#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void broken(const char *what)
{
	fprintf(stderr, "fuzz: %s\n", what);
	abort();
}

/* The version changes with every build and code comes in pages: a corpus has neither. Inputs that begin with 0 are
 * taken as they are. */
static uint8_t *of_this_build(const uint8_t *data, size_t *size)
{
	size_t whole = sizeof(struct superblock_request) + GALENA_PAGE_SIZE;
	uint8_t *copy = calloc(1, *size + whole);
	if (!copy)
		abort();
	memcpy(copy, data, *size);
	if (*size < sizeof(struct superblock_request) || *size > whole || !data[0])
		return copy;
	struct superblock_request *q = (struct superblock_request *)copy;
	q->magic = SUPERBLOCK_REQUEST_MAGIC;
	q->version = GALENA_SUPERBLOCK_VERSION;
	q->code_va &= ~(GALENA_PAGE_SIZE - 1);
	q->entry = q->code_va + (q->entry & 0xffc);
	q->code_bytes = GALENA_PAGE_SIZE;
	q->flags &= SUPERBLOCK_CHECK | SUPERBLOCK_MASKED;
	q->simd = (uint8_t)(SIMD_PORTABLE + q->simd % 3);
	for (unsigned i = 0; i < 64; i++)
		q->encoding[i] = (uint8_t)(1u << q->encoding[i] % 4 >> 1); /* 0, 1, 2, 4 */
	for (unsigned i = REG_F; i < 64; i++)
		q->encoding[i] = q->encoding[i] == ENC_AFFINE ? ENC_WORD : q->encoding[i];
	q->encoding[0] = ENC_UNIFORM;
	for (unsigned i = 0; i < 3; i++)
		q->id_encoding[i] %= 3;
	*size = whole;
	return copy;
}

static void graph_check(const struct superblock *r)
{
	if (!r->num_blocks || r->num_blocks > MAX_BLOCKS || r->num_items > MAX_INSNS)
		broken("a graph without blocks, or too large");
	for (uint32_t k = 0; k < r->num_blocks; k++) {
		const struct block *b = &r->blocks[k];
		if (!b->num_items || b->first + b->num_items > r->num_items || b->need < b->count)
			broken("a block without instructions");
		for (unsigned j = 0; j < 2; j++)
			if (b->next[j] != NO_BLOCK && b->next[j] >= r->num_blocks)
				broken("a block leads nowhere");
		for (unsigned i = 1; i < 64; i++)
			if (b->live >> i & 1 && r->heads[k].r[i].encoding == ENCODING_NONE)
				broken("a register is read that has no encoding");
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *why = NULL;
	uint8_t *copy = of_this_build(data, &size);
	const struct superblock_request *q = (const struct superblock_request *)copy;
	if (!request_check(q, size)) {
		struct superblock *r = superblock_build(q, copy + sizeof(*q), &why);
		if (!r && (!why || !*why))
			broken("nothing is translated, and nobody says why");
		if (r && !encodings_solve(r))
			abort();
		if (r) {
			struct lowered needs;
			char *message = NULL;
			LLVMContextRef context = LLVMContextCreate();
			graph_check(r);
			LLVMModuleRef module = lower_superblock(r, context, &needs);
			if (LLVMVerifyModule(module, LLVMReturnStatusAction, &message))
				broken(message);
			LLVMDisposeMessage(message);
			LLVMDisposeModule(module);
			LLVMContextDispose(context);
		}
		superblock_free(r);
	}
	free(copy);
	return 0;
}
