/* Images: planes of pixels in buffers, each densely packed; parts of images share their parent's. */
#ifndef GALENA_RUNTIME_OPENVX_IMAGE_H
#define GALENA_RUNTIME_OPENVX_IMAGE_H
#include "runtime/openvx/context.h"

enum { PLANES_MAX = 4 };
/* Parts of parts of images, and views of views: recursion from one to the next has an end. */
enum { DEPTH_MAX = 1024 };

/* What a format looks like. */
struct format {
	vx_df_image format;
	unsigned planes;
	unsigned channels;             /* 0: not a format of channels */
	struct {
		unsigned bits;         /* of a pixel, from one to the next: 1 (U1) or a multiple of 8 */
		unsigned scale_x, scale_y; /* pixels of the image to one of the plane */
	} plane[PLANES_MAX];
	unsigned even_x, even_y;       /* what width and height are multiples of */
};
const struct format *format_find(vx_df_image); /* NULL: unknown, or VX_DF_IMAGE_VIRT */
/* Of a row of so many pixels of a plane; the last byte may not be full. */
static inline size_t row_bytes(const struct format *f, unsigned plane, vx_uint32 width) { return ((size_t)width * f->plane[plane].bits + 7) / 8; }

struct plane {
	cl_mem mem;                    /* NULL until it is needed */
	size_t offset;                 /* of pixel (0, 0), bytes */
	vx_uint32 width, height;       /* of the plane, in its pixels */
	vx_int32 stride_x, stride_y;   /* bytes; stride_x 0 for U1 */
	void *host;                    /* of an image from the host's memory: what the application gave */
};

struct image_map; /* what is mapped */

struct _vx_image {
	struct _vx_reference reference;
	vx_uint32 width, height;       /* 0: of a virtual image whose size is not known yet */
	vx_df_image format;            /* VX_DF_IMAGE_VIRT: not known yet */
	const struct format *info;     /* NULL until the format is known */
	vx_enum space, range;
	vx_enum memory;                /* VX_MEMORY_TYPE_NONE, _HOST or _OPENCL_BUFFER: where its planes came from */
	bool is_uniform;
	vx_pixel_value_t uniform;
	vx_rectangle_t valid;
	struct plane planes[PLANES_MAX];
	struct _vx_image *parent;      /* of a region of interest or a channel: whose pixels they are */
	unsigned parent_plane;         /* its first plane that is ours */
	LIST_HEAD(, _vx_image) children;
	LIST_ENTRY(_vx_image) sibling;
	vx_rectangle_t region;         /* in the parent */
	struct _vx_tensor_t *tensor;   /* of an image in a tensor: the tensor that has its pixels, not a view. They are planes[0] */
	struct image_map *maps;
};

/* Gives a virtual image what verification has found; or checks that it agrees. */
vx_status image_define(vx_image, vx_uint32 width, vx_uint32 height, vx_df_image format);
/* Buffers for all planes, before the first use. */
vx_status image_allocate(vx_image);
vx_image image_create(struct _vx_reference *scope, vx_uint32 width, vx_uint32 height, vx_df_image, bool is_virtual); /* NULL: no memory */
/* Where an image may be read: all of it when nothing is valid. */
vx_rectangle_t image_readable(const struct _vx_image *);
/* The channel that an image is of its parent; 0: it is a region. */
vx_enum image_channel(const struct _vx_image *);

/* ---- what its class does in other files ---- */
struct ix_reader;
struct ix_writer;
struct place;
void image_place(const void *image, struct place *);
vx_reference image_parent(const void *image);
unsigned image_origin(const void *image);
vx_status image_put_values(struct ix_writer *, void *image);
void image_get_values(struct ix_reader *, void *image);
#endif
