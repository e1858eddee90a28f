/* Where the data of objects lie: what orders the nodes of a graph. */
#ifndef GALENA_RUNTIME_OPENVX_OVERLAP_H
#define GALENA_RUNTIME_OPENVX_OVERLAP_H
#include "runtime/openvx/data.h"

/* Elements of the object that has the data: in each dimension some that follow each other. */
struct place {
	const void *owner;
	vx_size dims, start[TENSOR_DIMS_MAX], count[TENSOR_DIMS_MAX];
};
/* Bytes of a buffer, or of memory that the application has given: of the host's, or a buffer that may be a part of one. */
struct extent {
	const void *owner;
	vx_enum memory; /* VX_MEMORY_TYPE_NONE: the library's */
	cl_mem mem;
	const void *host;
	size_t offset, bytes;
};

bool objects_overlap(vx_reference, vx_reference); /* two data objects have bytes in common */
/* A kernel of the application's has an object, or has it no more: it and its parts can be accessed as long as one has. */
void parts_use(vx_reference, bool in_use);
void object_hold(vx_reference, bool held); /* the same, and it lives on as long */
/* What has the place in another object that a reference has in one like it, as the whole or a part; NULL: it is neither. */
vx_reference part_like(vx_reference one, vx_reference other, vx_reference ref);
#endif
