/* The argument of a kernel that was made of a SPIR-V shader, and what descriptors are in memory. */
#ifndef GALENA_ABI_SPIRV_BLOCK_H
#define GALENA_ABI_SPIRV_BLOCK_H
#include <stdint.h>

enum { SPIRV_SETS = 8, SPIRV_PUSH_BYTES = 256, SPIRV_SINK_BYTES = 512 };
struct spirv_block {
	uint64_t sets[SPIRV_SETS]; /* device addresses of descriptor sets */
	uint64_t sink;             /* where accesses beyond a buffer go: reads to the first half, which is zero, others to the second */
	uint32_t base[3], pad;     /* of the work-groups' numbers */
	uint8_t push[SPIRV_PUSH_BYTES];
};
/* One descriptor. */
struct spirv_descriptor {
	uint64_t address;          /* of a buffer; of a struct image_desc */
	uint64_t range;            /* of a buffer, bytes; bits of a sampler */
};
_Static_assert(sizeof(struct spirv_block) % sizeof(uint64_t) == 0, "struct spirv_block");

#endif
