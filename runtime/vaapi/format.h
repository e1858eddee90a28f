/* Pixel formats, and where their samples lie in memory. */
#ifndef GALENA_RUNTIME_VAAPI_FORMAT_H
#define GALENA_RUNTIME_VAAPI_FORMAT_H
#include "abi/media.h"
#include <stdbool.h>
#include <stddef.h>
#include <va/va.h>

enum { PLANES = 4, COMPONENTS = 4 };
enum format_name {
#define FORMAT(name, rt, colours, depth, planes, composed) FORMAT_##name,
#define PLANE(name, index, bytes, shift_x, shift_y, separate)
#define COMPONENT(name, index, plane, offset, step, shift_x, shift_y)
#include "runtime/vaapi/formats.def"
#undef FORMAT
#undef PLANE
#undef COMPONENT
	FORMATS
};
enum colours { YUV, GREY, RGB };
struct format {
	uint32_t fourcc, rt;
	enum colours colours;
	unsigned depth, num_planes;
	uint32_t composed; /* DRM's format of all of it */
	struct {
		unsigned bytes, shift_x, shift_y; /* bytes for each 2^shift_x by 2^shift_y pixels */
		uint32_t separate;                /* DRM's format of it alone */
	} planes[PLANES];
	struct {
		unsigned plane, offset, step, shift_x, shift_y; /* step 0: there is none */
	} components[COMPONENTS];
};
extern const struct format formats[FORMATS];

/* NULL: there is none. */
const struct format *format_find(uint32_t fourcc);
/* The one that surfaces of a class have where no other is asked for. */
const struct format *format_default(uint32_t rt);
/* All classes. */
uint32_t formats_rt(void);
void format_image(const struct format *, VAImageFormat *out);
static inline bool format_has_alpha(const struct format *f) { return f->components[3].step; }
/* Pixels that share a sample, in each direction: a power of 2. */
unsigned format_block_x(const struct format *);
unsigned format_block_y(const struct format *);

/* ---- layouts ---- */
struct layout {
	const struct format *format;
	uint32_t width, height;
	uint32_t pitch[PLANES], offset[PLANES]; /* bytes */
	uint64_t size;                          /* of all memory */
};
/* As the driver lays planes out: each begins a page. */
void layout_init(struct layout *, const struct format *, uint32_t width, uint32_t height);
/* Bytes of a row of a plane, and rows. */
uint32_t layout_row(const struct layout *, unsigned plane);
uint32_t layout_rows(const struct layout *, unsigned plane);
/* Every sample is inside: false if not. */
bool layout_fits(const struct layout *);
/* A rectangle of it, at an address, as the media unit sees it. A sample that lies across its beginning is its first. */
void layout_surface(const struct layout *, uint64_t address, uint32_t x, uint32_t y, uint32_t width, uint32_t height, struct media_surface *out);

#endif
