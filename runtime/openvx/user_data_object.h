/* User data objects: bytes that only the application knows (vx_khr_user_data_object). */
#ifndef GALENA_RUNTIME_OPENVX_USER_DATA_OBJECT_H
#define GALENA_RUNTIME_OPENVX_USER_DATA_OBJECT_H
#include "runtime/openvx/data.h"
#include <VX/vx_khr_user_data_object.h>

struct _vx_user_data_object {
	struct _vx_reference reference;
	vx_char type_name[VX_MAX_REFERENCE_NAME];
	struct store store;
};
#endif
