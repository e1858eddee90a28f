/* Nodes that copy: one of two data objects becomes a third, by a condition that the device reads (vxCopyNode, vxSelectNode). */
#ifndef GALENA_RUNTIME_OPENVX_CHOICE_H
#define GALENA_RUNTIME_OPENVX_CHOICE_H
#include "runtime/openvx/launch.h"

struct choice {
	vx_scalar condition; /* NULL: a */
	vx_reference a, b, out;
};
/* What the classes of images and tensors do. */
vx_status choose_image(struct launch *, const struct choice *);
vx_status choose_tensor(struct launch *, const struct choice *);
#endif
