/* The verification of a node, while it is under way. */
#ifndef GALENA_RUNTIME_OPENVX_CHECK_NODE_H
#define GALENA_RUNTIME_OPENVX_CHECK_NODE_H
#include "runtime/openvx/graph.h"

struct check {
	struct _vx_node *node;
	const vx_reference *parameters;
	vx_rectangle_t shrinks; /* pixels that outputs lose at each side */
	unsigned long long whole; /* outputs that are valid everywhere: a bit each */
	unsigned long long given_valid; /* outputs whose region the kernel has said */
};
vx_status check_node(struct _vx_node *); /* of a built-in kernel */
#endif
