/* Masks and lowest bits of the fields of words in memory, from words.def: PTE_V, PTE_V_LSB. */
#ifndef GALENA_ABI_WORDS_H
#define GALENA_ABI_WORDS_H

enum {
#define WORD_FIELD(word, name, lsb, width, doc) word##_##name = ((1ull << (width)) - 1) << (lsb), word##_##name##_LSB = (lsb),
#include "abi/words.def"
#undef WORD_FIELD
};

#endif
