/* What goes between images.c and images_calc.c. */
#ifndef GALENA_TESTBENCH_IMAGES_CALC_H
#define GALENA_TESTBENCH_IMAGES_CALC_H
#include "abi/records.h"

enum { IMAGE_CALLS = 4096, IMAGE_BYTES = 1 << 18 };
enum image_how { READ_INT, READ_FLOAT, READ_BARE, READ_RW, WRITE };

/* kind: 0 1D, 1 1D array, 2 2D, 3 2D array, 4 3D; type: 0 float, 1 int, 2 uint. The descriptor's base
 * is a byte offset into the texels. Follow: bytes of texels, then for every call int32[4] and
 * float[4] coordinates and a colour of 16 bytes. Back come 16 bytes a call and the texels. */
struct image_request {
	struct image_desc desc;
	uint64_t sampler;
	uint32_t kind, type, how, count, bytes, reserved;
};

#endif
