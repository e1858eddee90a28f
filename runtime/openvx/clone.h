/* Clones of exemplars, and objects that are parts of others: levels of pyramids, items of object arrays, slots of delays. */
#ifndef GALENA_RUNTIME_OPENVX_CLONE_H
#define GALENA_RUNTIME_OPENVX_CLONE_H
#include "runtime/openvx/data.h"

/* Whether clones can be made of an exemplar that the application has given: VX_SUCCESS, or the status of a log entry. */
vx_status clone_check(struct _vx_context *, vx_reference exemplar);
/* A new object with the exemplar's meta data; NULL: no memory. */
vx_reference clone_create(struct _vx_context *, struct _vx_reference *scope, vx_reference exemplar, bool is_virtual);

/* A new object is no longer the application's but that of what it is a part of. */
void part_adopt(vx_reference);
/* What it is a part of ends; the part lives on if somebody else refers to it. NULL: none. */
void part_drop(vx_reference);
#endif
