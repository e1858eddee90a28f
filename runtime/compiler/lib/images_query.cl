/* get_image_*: what an image is (OpenCL C 3.0, 6.15.15.6). */
#include "images.h"

#define DEFINE(id, type, name, value)                                                              \
	type __galena_##id(image_ptr img) __asm(name);                                             \
	__attribute__((always_inline)) type __galena_##id(image_ptr img) { return value; }
#define EACH_ACCESS(fn, n, k, length, type, value)                                                 \
	DEFINE(fn##_##k##_ro, type, "_Z" n #fn length "ocl_" #k "_ro", value)                      \
	DEFINE(fn##_##k##_wo, type, "_Z" n #fn length "ocl_" #k "_wo", value)                      \
	DEFINE(fn##_##k##_rw, type, "_Z" n #fn length "ocl_" #k "_rw", value)

#define ANY(k, length)                                                                             \
	EACH_ACCESS(get_image_width, "15", k, length, int, FIELD(img, width))                             \
	EACH_ACCESS(get_image_channel_data_type, "27", k, length, int, FIELD(img, channel_type))          \
	EACH_ACCESS(get_image_channel_order, "23", k, length, int, FIELD(img, channel_order))
#define PLANE(k, length)                                                                           \
	ANY(k, length)                                                                             \
	EACH_ACCESS(get_image_height, "16", k, length, int, FIELD(img, height))
#define PLANE_DIM(k, length) EACH_ACCESS(get_image_dim, "13", k, length, int2, (int2)(FIELD(img, width), FIELD(img, height)))
#define ARRAY(k, length) EACH_ACCESS(get_image_array_size, "20", k, length, size_t, FIELD(img, array_size))

ANY(image1d, "14")
ANY(image1d_buffer, "21")
ANY(image1d_array, "20")
ARRAY(image1d_array, "20")
PLANE(image2d, "14")
PLANE_DIM(image2d, "14")
PLANE(image2d_array, "20")
PLANE_DIM(image2d_array, "20")
ARRAY(image2d_array, "20")
PLANE(image2d_depth, "20")
PLANE_DIM(image2d_depth, "20")
PLANE(image2d_array_depth, "26")
PLANE_DIM(image2d_array_depth, "26")
ARRAY(image2d_array_depth, "26")
PLANE(image3d, "14")
EACH_ACCESS(get_image_depth, "15", image3d, "14", int, FIELD(img, depth))
EACH_ACCESS(get_image_dim, "13", image3d, "14", int4, (int4)(FIELD(img, width), FIELD(img, height), FIELD(img, depth), 0))
