/* Vectors in memory, after the optimiser.
 *
 * The back end has no vectors: it loads and stores their elements one by one. For 8-bit and 16-bit elements that is
 * many accesses of a few bytes each, which a device does no faster than one of a whole word. So such a vector is
 * loaded and stored by words, and taken apart by shifts. A vector that is only copied is copied by words, whatever
 * its elements are. */
#include "runtime/compiler/clc/clc.h"
#include <llvm-c/Core.h>

enum { MAX_ELEMENTS = 16 };

/* How a vector lies in memory. */
struct shape {
	LLVMTypeRef type, element, word;
	unsigned count, bits;     /* elements; bits of one */
	unsigned words, per_word; /* elements in a word */
};

static unsigned element_bits(LLVMTypeRef type)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMIntegerTypeKind:
		return LLVMGetIntTypeWidth(type);
	case LLVMHalfTypeKind:
		return 16;
	case LLVMFloatTypeKind:
		return 32;
	case LLVMDoubleTypeKind:
		return 64;
	default:
		return 0;
	}
}

/* False when the type is no vector that fills words which its alignment lets be accessed. */
static bool shape_of(struct shape *s, LLVMContextRef c, LLVMTypeRef type, unsigned align)
{
	if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
		return false;
	s->type = type;
	s->element = LLVMGetElementType(type);
	s->count = LLVMGetVectorSize(type);
	s->bits = element_bits(s->element);
	unsigned total = s->bits * s->count, word = total < 64 ? total : 64;
	if (s->bits < 8 || (word & (word - 1)) || total % word || align * 8 < word || s->count > MAX_ELEMENTS)
		return false;
	s->word = LLVMIntTypeInContext(c, word);
	s->words = total / word;
	s->per_word = word / s->bits;
	return true;
}

static bool is_plain(LLVMValueRef access) { return !LLVMGetVolatile(access) && !LLVMGetOrdering(access); }

static LLVMValueRef constant(LLVMTypeRef type, unsigned value) { return LLVMConstInt(type, value, false); }

/* The address of a word of the vector at p. */
static LLVMValueRef word_at(LLVMBuilderRef b, const struct shape *s, LLVMValueRef p, unsigned i)
{
	LLVMValueRef index = constant(LLVMInt64TypeInContext(LLVMGetTypeContext(s->type)), i);
	return i ? LLVMBuildInBoundsGEP2(b, s->word, p, &index, 1, "") : p;
}

/* What a load says of the memory holds for the words, too: that nothing changes it. */
static LLVMValueRef word_load(LLVMBuilderRef b, const struct shape *s, LLVMValueRef load, unsigned i)
{
	unsigned align = LLVMGetAlignment(load), invariant = LLVMGetMDKindIDInContext(LLVMGetTypeContext(s->type), "invariant.load", 14);
	LLVMValueRef word = LLVMBuildLoad2(b, s->word, word_at(b, s, LLVMGetOperand(load, 0), i), "");
	LLVMSetAlignment(word, i && align > 8 ? 8 : align);
	if (LLVMGetMetadata(load, invariant))
		LLVMSetMetadata(word, invariant, LLVMGetMetadata(load, invariant));
	return word;
}

static void word_store(LLVMBuilderRef b, const struct shape *s, LLVMValueRef store, unsigned i, LLVMValueRef word)
{
	unsigned align = LLVMGetAlignment(store);
	LLVMValueRef at = LLVMBuildStore(b, word, word_at(b, s, LLVMGetOperand(store, 1), i));
	LLVMSetAlignment(at, i && align > 8 ? 8 : align);
}

/* ---- copies ---- */

/* Is the vector loaded only to be stored somewhere? */
static bool is_copied(LLVMValueRef load)
{
	LLVMContextRef c = LLVMGetTypeContext(LLVMTypeOf(load));
	struct shape s;
	for (LLVMUseRef u = LLVMGetFirstUse(load); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef store = LLVMGetUser(u);
		if (!LLVMIsAStoreInst(store) || LLVMGetOperand(store, 0) != load || !is_plain(store) ||
		    !shape_of(&s, c, LLVMTypeOf(load), LLVMGetAlignment(store)))
			return false;
	}
	return LLVMGetFirstUse(load) != NULL;
}

static void copy_lower(LLVMBuilderRef b, const struct shape *s, LLVMValueRef load)
{
	LLVMValueRef words[MAX_ELEMENTS];
	if (!LLVMIsALoadInst(load) || !is_copied(load))
		return;
	LLVMPositionBuilderBefore(b, load);
	for (unsigned i = 0; i < s->words; i++)
		words[i] = word_load(b, s, load, i);
	for (LLVMUseRef u; (u = LLVMGetFirstUse(load));) {
		LLVMValueRef store = LLVMGetUser(u);
		LLVMPositionBuilderBefore(b, store);
		for (unsigned i = 0; i < s->words; i++)
			word_store(b, s, store, i, words[i]);
		LLVMInstructionEraseFromParent(store);
	}
	LLVMInstructionEraseFromParent(load);
}

/* ---- narrow elements ---- */

static LLVMTypeRef narrow_type(const struct shape *s) { return LLVMIntTypeInContext(LLVMGetTypeContext(s->type), s->bits); }

static void load_lower(LLVMBuilderRef b, const struct shape *s, LLVMValueRef load)
{
	LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(s->type));
	LLVMValueRef vector = LLVMGetPoison(s->type), word = NULL;
	LLVMPositionBuilderBefore(b, load);
	for (unsigned i = 0; i < s->count; i++) {
		unsigned shift = i % s->per_word * s->bits;
		if (!shift)
			word = word_load(b, s, load, i / s->per_word);
		LLVMValueRef part = shift ? LLVMBuildLShr(b, word, constant(s->word, shift), "") : word;
		part = LLVMBuildBitCast(b, LLVMBuildTrunc(b, part, narrow_type(s), ""), s->element, "");
		vector = LLVMBuildInsertElement(b, vector, part, constant(i32, i), "");
	}
	LLVMReplaceAllUsesWith(load, vector);
}

static void store_lower(LLVMBuilderRef b, const struct shape *s, LLVMValueRef store)
{
	LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(s->type));
	LLVMValueRef vector = LLVMGetOperand(store, 0), word = NULL;
	LLVMPositionBuilderBefore(b, store);
	for (unsigned i = 0; i < s->count; i++) {
		unsigned shift = i % s->per_word * s->bits;
		LLVMValueRef part = LLVMBuildExtractElement(b, vector, constant(i32, i), "");
		part = LLVMBuildZExt(b, LLVMBuildBitCast(b, part, narrow_type(s), ""), s->word, "");
		word = shift ? LLVMBuildOr(b, word, LLVMBuildShl(b, part, constant(s->word, shift), ""), "") : part;
		if (i % s->per_word == s->per_word - 1)
			word_store(b, s, store, i / s->per_word, word);
	}
}

static void narrow_lower(LLVMBuilderRef b, const struct shape *s, LLVMValueRef access)
{
	if (s->bits > 16)
		return;
	if (LLVMIsALoadInst(access))
		load_lower(b, s, access);
	else
		store_lower(b, s, access);
	LLVMInstructionEraseFromParent(access);
}

/* Calls lower with every plain load and store of a vector, from the end of each block: what is erased by the way,
 * a copy's stores, lies behind. */
static void accesses_lower(LLVMModuleRef module, void (*lower)(LLVMBuilderRef, const struct shape *, LLVMValueRef))
{
	LLVMContextRef c = LLVMGetModuleContext(module);
	LLVMBuilderRef b = LLVMCreateBuilderInContext(c);
	struct shape s;
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
			for (LLVMValueRef i = LLVMGetLastInstruction(block), before; i; i = before) {
				before = LLVMGetPreviousInstruction(i);
				LLVMValueRef value = LLVMIsALoadInst(i) ? i : LLVMIsAStoreInst(i) ? LLVMGetOperand(i, 0) : NULL;
				if (value && is_plain(i) && shape_of(&s, c, LLVMTypeOf(value), LLVMGetAlignment(i)))
					lower(b, &s, i);
			}
	LLVMDisposeBuilder(b);
}

void vectors_lower(LLVMModuleRef module)
{
	accesses_lower(module, copy_lower);
	accesses_lower(module, narrow_lower);
}
