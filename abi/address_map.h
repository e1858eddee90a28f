/* Windows of the physical and the virtual address space, from address_map.def: x_BASE, x_SIZE. */
#ifndef GALENA_ABI_ADDRESS_MAP_H
#define GALENA_ABI_ADDRESS_MAP_H
#include "abi/constants.h"
#include <stdint.h>

#define WINDOW(name, space, base, size, doc)                                                       \
	static const uint64_t name##_BASE __attribute__((unused)) = (base);                        \
	static const uint64_t name##_SIZE __attribute__((unused)) = (size);
#include "abi/address_map.def"
#undef WINDOW

#define GALENA_PAGE_SIZE (1ull << GALENA_PAGE_SHIFT)
#define GALENA_PAGE_SHIFT PT_PAGE_SHIFT

#endif
