/* Surfaces of media jobs: what is malformed, and which of their components lie side by side. */
#ifndef GALENA_MODEL_MEDIA_SURFACE_H
#define GALENA_MODEL_MEDIA_SURFACE_H
#include "abi/media.h"
#include "model/media/port.h"

enum { SURFACE_COMPONENTS = 4, SURFACE_ALPHA = 3, SURFACE_ROW_BYTES = MEDIA_SIZE_MAX * MEDIA_STEP_MAX };

/* Components of one shape in the same cells: they are read and written together. */
struct bundle {
	uint64_t address; /* of the first byte of the first cell that belongs to one of them */
	uint32_t pitch;
	struct cells cells;
	uint8_t shift_x, shift_y;
	unsigned count;
	struct {
		uint8_t number; /* of the component */
		uint8_t offset; /* of its sample in the cell */
		uint8_t bits;
	} part[SURFACE_COMPONENTS];
};

/* One bit a component that the surface has. */
unsigned surface_components(const struct media_surface *);
/* Whether the surface is well-formed; of its components, those of the mask, which it must have. */
bool surface_valid(const struct media_surface *, unsigned mask);
/* Samples of a row, or rows, of a component with this shift. */
static inline uint32_t surface_samples(uint32_t size, unsigned shift) { return (size + (1u << shift) - 1) >> shift; }
/* The bundles of the components of the mask, in the order of their first components. Returns their number. */
unsigned bundles_make(const struct media_surface *, unsigned mask, struct bundle out[SURFACE_COMPONENTS]);
/* The address of cell (x, y). */
static inline uint64_t bundle_address(const struct bundle *b, uint32_t x, uint32_t y)
{
	return b->address + (uint64_t)y * b->pitch + (uint64_t)x * b->cells.step;
}

#endif
