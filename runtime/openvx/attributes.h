/* Attributes of data objects: one table of all, for the query functions and for meta data. */
#ifndef GALENA_RUNTIME_OPENVX_ATTRIBUTES_H
#define GALENA_RUNTIME_OPENVX_ATTRIBUTES_H
#include "runtime/openvx/object.h"

/* What the query function of a type does with what the application hands in; its name is for the log. */
vx_status attribute_query(void *object, vx_enum type, const char *function, vx_enum attribute, void *ptr, vx_size size);
/* The value of an attribute, as the object has it: all dimensions that a tensor could have, all of the room for a name, with zeros
 * behind what there is. Nothing, when the object has no such attribute. */
void attribute_value(vx_reference, vx_enum attribute, void *value);
#endif
