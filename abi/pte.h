/* Page-table entries: RISC-V Sv48 (privileged specification, 10.5), four levels, 4 KiB pages and
 * 2 MiB pages at level 1; the software bits carry Galena's attributes. Addresses are in the lower
 * half (below 2^47). Every access is a user access: a leaf without U denies it. The walker ignores
 * A, D and G (pinned pages are not aged). PAGE_TABLE faults: leaf at level 2 or 3, W without R, a
 * 2 MiB leaf whose address is not a multiple of 2 MiB, any of bits 63:54, level 0 without R, W, X. */
#ifndef GALENA_ABI_PTE_H
#define GALENA_ABI_PTE_H
#include <stdint.h>

#define PTE_V (1ull << 0)
#define PTE_R (1ull << 1)
#define PTE_W (1ull << 2)
#define PTE_X (1ull << 3)
#define PTE_U (1ull << 4)
#define PTE_A (1ull << 6)
#define PTE_D (1ull << 7)
#define PTE_UNCACHED (1ull << 8)  /* RSW 0: not held in device caches */
#define PTE_PROTECTED (1ull << 9) /* RSW 1: page lies in a protected region */
#define PTE_PPN_SHIFT 10
#define PTE_PPN_MASK (((1ull << 44) - 1) << PTE_PPN_SHIFT)

#define PT_LEVELS 4
#define PT_INDEX(va, level) (((va) >> (12 + 9 * (level))) & 0x1ff)

static inline uint64_t pte_address(uint64_t pte) { return (pte & PTE_PPN_MASK) >> PTE_PPN_SHIFT << 12; }
static inline uint64_t pte_make(uint64_t pa, uint64_t bits) { return (pa >> 12) << PTE_PPN_SHIFT | bits; }

#endif
