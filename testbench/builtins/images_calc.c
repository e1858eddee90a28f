/* Image builtins on the device's instruction set: runs under qemu-riscv64, without a C library.
 * Requests on standard input, results on standard output; see images_calc.h. */
#include "testbench/builtins/images_calc.h"
#include "testbench/builtins/freestanding.h"

typedef void read_fn(const struct image_desc *, uint64_t, const void *, const void *, void *, uint64_t);
typedef void write_fn(const struct image_desc *, const void *, const void *, uint64_t);

#define TYPES(X, k) X(k, f) X(k, i) X(k, u)
#define KINDS(X) TYPES(X, 1d) TYPES(X, 1da) TYPES(X, 2d) TYPES(X, 2da) TYPES(X, 3d)
#define DECLARE(k, t)                                                                              \
	read_fn read_##k##_##t##_si, read_##k##_##t##_sf, read_##k##_##t##_bare, read_##k##_##t##_rw; \
	write_fn write_##k##_##t;
KINDS(DECLARE)

static const struct { read_fn *read[4]; write_fn *write; } table[] = {
#define ENTRY(k, t)                                                                                \
	{ { read_##k##_##t##_si, read_##k##_##t##_sf, read_##k##_##t##_bare, read_##k##_##t##_rw }, write_##k##_##t },
	KINDS(ENTRY)
};

static _Alignas(64) unsigned char texels[IMAGE_BYTES];
static int32_t ints[IMAGE_CALLS][4];
static float floats[IMAGE_CALLS][4];
static uint32_t colours[IMAGE_CALLS][4];

void _start(void);
void _start(void)
{
	struct image_request q;
	int status = 0;
	while (transfer(SYS_READ, 0, &q, sizeof q)) {
		if (q.kind > 4 || q.type > 2 || q.how > WRITE || q.count > IMAGE_CALLS || q.bytes > IMAGE_BYTES ||
		    !transfer(SYS_READ, 0, texels, q.bytes) || !transfer(SYS_READ, 0, ints, q.count * sizeof *ints) ||
		    !transfer(SYS_READ, 0, floats, q.count * sizeof *floats) ||
		    !transfer(SYS_READ, 0, colours, q.count * sizeof *colours)) {
			status = 1;
			break;
		}
		q.desc.base += (uint64_t)texels;
		if (q.how == WRITE)
			table[q.kind * 3 + q.type].write(&q.desc, ints, colours, q.count);
		else
			table[q.kind * 3 + q.type].read[q.how](&q.desc, q.sampler, ints, floats, colours, q.count);
		transfer(SYS_WRITE, 1, colours, q.count * sizeof *colours);
		transfer(SYS_WRITE, 1, texels, q.bytes);
	}
	call(SYS_EXIT, status, 0, 0);
}
