/* Devices: made by the platform, asked by contexts. */
#ifndef GALENA_RUNTIME_OPENCL_DEVICE_H
#define GALENA_RUNTIME_OPENCL_DEVICE_H
#include "runtime/opencl/objects.h"

/* The device at index; static memory. */
cl_device_id device_init(unsigned index, const struct kmd_device_info *);
/* A type that the specification names. */
bool device_type_known(cl_device_type);
/* The devices of a type, in order; how many. Opens them on first use. */
cl_uint device_select(cl_device_type, cl_device_id out[DEVICES_MAX]);
/* Of its profiling stamps and timers, in nanoseconds. */
size_t device_timer_resolution(const struct _cl_device_id *);
cl_int device_extension_versions(size_t size, void *value, size_t *size_ret);

#endif
