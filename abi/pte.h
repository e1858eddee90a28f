/* Page tables (words.def has the fields of an entry): four levels, 4 KiB pages and 2 MiB pages at level 1. Addresses are in the lower
 * half (below 2^47). Every access is a user access: a leaf without U denies it. PAGE_TABLE faults: leaf at level 2 or 3, W without R, a
 * 2 MiB leaf whose address is not a multiple of 2 MiB, any of the reserved bits, level 0 without R, W, X. */
#ifndef GALENA_ABI_PTE_H
#define GALENA_ABI_PTE_H
#include "abi/constants.h"
#include "abi/words.h"
#include <stdint.h>

#define PT_INDEX(va, level) (((va) >> (PT_PAGE_SHIFT + PT_INDEX_BITS * (level))) & ((1u << PT_INDEX_BITS) - 1))

static inline uint64_t pte_address(uint64_t pte) { return (pte & PTE_PPN) >> PTE_PPN_LSB << PT_PAGE_SHIFT; }
static inline uint64_t pte_make(uint64_t pa, uint64_t bits) { return (pa >> PT_PAGE_SHIFT) << PTE_PPN_LSB | bits; }

#endif
