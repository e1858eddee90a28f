/* What packets of the media unit point at: surfaces, jobs of video processing, JPEG pictures. Little endian; addresses are virtual.
 * docs/hardware/media.md has the arithmetic. */
#ifndef GALENA_ABI_MEDIA_H
#define GALENA_ABI_MEDIA_H
#include <stdint.h>

enum {
	MEDIA_SIZE_MAX = 16384,  /* samples of a row, rows */
	MEDIA_TAPS_MAX = 16,
	MEDIA_STEP_MAX = 8,
	MEDIA_SHIFT_MAX = 2,
	MEDIA_WEIGHT_BITS = 14,
	MEDIA_WEIGHT_ONE = 1 << MEDIA_WEIGHT_BITS, /* of filters and of the matrix */
};

/* ---- surfaces ---- */
/* One component: sample (x, y) lies at address + y * pitch + x * step. It has (width + 2^shift_x - 1) >> shift_x samples in a row, rows
 * likewise. A format is where its components are: NV12 has U and V one byte apart, with step 2 and both shifts 1. */
struct media_component {
	uint64_t address;
	uint32_t pitch;
	uint8_t step;              /* 1 to MEDIA_STEP_MAX, at least the bytes of a sample */
	uint8_t shift_x, shift_y;  /* 0, 1 or 2 */
	uint8_t bits;              /* 8: a byte; 10: the high bits of two bytes, the others are written as 0; 0: there is none */
};
struct media_surface {
	uint32_t width, height;    /* 1 to MEDIA_SIZE_MAX */
	uint64_t reserved;         /* zero */
	struct media_component component[4]; /* Y, U, V or R, G, B; alpha */
};

/* ---- video processing ---- */
/* How samples of a destination's row (or column) are made of a source's. The table has an entry for each sample of the rectangle, from its
 * first one on: an int32_t with the first sample of the source, then taps weights (int16_t) whose sum is MEDIA_WEIGHT_ONE, then padding
 * to a multiple of 4 bytes. Samples outside the source are its nearest ones. */
struct media_filter {
	uint64_t table;            /* a multiple of 4 */
	uint32_t taps;             /* 1 to MEDIA_TAPS_MAX */
	uint32_t reserved;         /* zero */
};
enum media_flags {
	MEDIA_MATRIX = 1,          /* components 0 to 2 go through the matrix; those that the source does not have are 0 */
	MEDIA_BLEND = 2,           /* the result is blended over what the destination holds, by alpha */
	MEDIA_SOURCE_ALPHA = 4,    /* and by component 3 of the source */
};
/* For each component of the destination, at its resolution: all components of the source that it needs are filtered, along x, then along y;
 * then comes the matrix, then the blend, then it is rounded. Samples are numbers of 16 bits, of which the bits of the component are the
 * highest; each step rounds to nearest and clamps to 16 bits. Without a matrix, component i is made of component i. A component 3 that the
 * source does not have is opaque. The destination shares no bytes with the source or the tables. */
struct media_process {
	struct media_surface src, dst;
	/* of the destination, in samples of a component without shifts; x and y are multiples of its subsampling, and so are width and
	 * height where the rectangle does not end with the surface */
	uint32_t x, y, width, height;
	/* [the destination's component has a shift][the source's has one], in that direction; those that no component needs are not read */
	struct media_filter filter_x[2][2], filter_y[2][2];
	int32_t matrix[3][4];      /* rows; the sum, and the last column, are samples times MEDIA_WEIGHT_ONE */
	uint32_t flags;            /* enum media_flags; others zero */
	uint32_t alpha;            /* 0 to 255 */
	uint64_t reserved;         /* zero */
};

/* ---- JPEG ---- */
/* One scan of a baseline picture: what lies between its SOS segment and the marker after it. More bytes may follow. */
struct media_jpeg_component {
	uint8_t h, v;              /* sampling factors, 1 to 4 */
	uint8_t quant, dc, ac;     /* tables */
	uint8_t reserved[3];       /* zero */
};
struct media_huffman {
	uint8_t counts[16];        /* codes of 1 to 16 bits */
	uint8_t symbols[256];
};
struct media_jpeg {
	uint64_t stream;
	uint32_t stream_bytes;
	uint32_t restart_interval; /* MCUs, 0: none */
	uint32_t width, height;    /* of the picture; the destination is no smaller, and what it has more is not written */
	uint32_t components;       /* 1 or 3 */
	uint32_t reserved;         /* zero */
	struct media_jpeg_component component[3];
	uint8_t quant[4][64];      /* in the order of the file */
	struct media_huffman dc[2], ac[2];
	struct media_surface dst;  /* of 8 bits; shifts are those of the sampling factors */
};
_Static_assert(sizeof(struct media_component) == 16, "media_component");
_Static_assert(sizeof(struct media_surface) == 80, "media_surface");
_Static_assert(sizeof(struct media_process) == 368, "media_process");
_Static_assert(sizeof(struct media_jpeg) == 1480, "media_jpeg");

#endif
