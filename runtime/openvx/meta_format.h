/* Meta data of outputs, which the validation of a user kernel sets. */
#ifndef GALENA_RUNTIME_OPENVX_META_FORMAT_H
#define GALENA_RUNTIME_OPENVX_META_FORMAT_H
#include "runtime/openvx/graph.h"

struct _vx_meta_format {
	struct _vx_reference reference;
	vx_enum type; /* of the object; VX_TYPE_REFERENCE: any */
	vx_kernel_image_valid_rectangle_f valid_rectangle;
	struct meta {
		unsigned given; /* attributes that have been set: a bit each, in the order of the class */
		struct prototype prototype;
	} metas[OBJECT_CLASSES];
};

/* Calls the kernel's validation, and gives the outputs what it says, or checks that they are so. */
vx_status user_node_validate(struct _vx_node *);
#endif
