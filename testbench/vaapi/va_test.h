/* What the VA-API tests share: they are applications, linked with libva, which is pointed at the build tree before the first call. The display is
 * of the kit's render node. */
#ifndef GALENA_TESTBENCH_VA_TEST_H
#define GALENA_TESTBENCH_VA_TEST_H
#include "testbench/random.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <va/va.h>
#include <va/va_drm.h>
#include <va/va_drmcommon.h>
#include <va/va_vpp.h>
#include <cmocka.h>
#include "testbench/build_tree.h"

#define VA_OK(call) assert_int_equal((call), VA_STATUS_SUCCESS)
#define VA_FAILS(expected, call) assert_int_equal((call), (expected))

extern VADisplay va;       /* made by va_test_setup */
extern uint64_t va_seed;

/* Sets the environment and the seed (argv[1], GALENA_SEED, or 1). Before the first call. */
void va_test_init(int argc, char **argv);
int va_test_setup(void **state);
int va_test_teardown(void **state);
/* A display of its own, which display_close() ends. */
VADisplay display_open(void);
void display_close(VADisplay);

/* ---- pixels ---- */
/* Where the planes of a format are, by its definition: tests do not ask the driver. */
struct shape {
	uint32_t fourcc, rt;
	unsigned planes;
	struct { unsigned bytes, shift_x, shift_y; } plane[3]; /* bytes for each block of pixels */
	bool padding; /* bytes that mean nothing: X of RGBX */
};
enum { SHAPES = 19 };
extern const struct shape shapes[SHAPES];
const struct shape *shape_of(uint32_t fourcc);
unsigned shape_row(const struct shape *, unsigned plane, unsigned width);
unsigned shape_rows(const struct shape *, unsigned plane, unsigned height);
/* A surface of the format. */
VASurfaceID surface_make(const struct shape *, unsigned width, unsigned height);
VAImage image_make(uint32_t fourcc, unsigned width, unsigned height);
/* Planes, packed one after the other. */
size_t picture_bytes(const struct shape *, unsigned width, unsigned height);
uint8_t *picture_random(const struct shape *, unsigned width, unsigned height);
/* Copies to and from the mapped image, which has the format and at least the size. */
void image_write(const VAImage *, const struct shape *, unsigned width, unsigned height, const uint8_t *);
uint8_t *image_read(const VAImage *, const struct shape *, unsigned width, unsigned height);
/* By an image of the surface's own format. */
void surface_write(VASurfaceID, const struct shape *, unsigned width, unsigned height, const uint8_t *);
uint8_t *surface_read(VASurfaceID, const struct shape *, unsigned width, unsigned height);

#endif
