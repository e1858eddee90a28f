/* Entry points of sharing extensions that the platform does not have. The table has slots for
 * them, and an application that calls one without having looked for its extension gets the error
 * that the extension gives for a context that was not made for it. */
#include "runtime/opencl/objects.h"



/* ---- cl_khr_gl_sharing, cl_khr_gl_event: contexts are not made from GL contexts ---- */

static cl_mem no_gl_object(cl_context context, cl_int *errcode_ret)
{
	(void)context;
	return FAIL_NULL(errcode_ret, CL_INVALID_CONTEXT, "the context shares nothing with OpenGL");
}

cl_mem CL_API_CALL galena_clCreateFromGLBuffer(cl_context context, cl_mem_flags flags, cl_GLuint bufobj, cl_int *errcode_ret)
{
	(void)flags, (void)bufobj;
	return no_gl_object(context, errcode_ret);
}

cl_mem CL_API_CALL galena_clCreateFromGLTexture(cl_context context, cl_mem_flags flags, cl_GLenum target, cl_GLint miplevel,
						cl_GLuint texture, cl_int *errcode_ret)
{
	(void)flags, (void)target, (void)miplevel, (void)texture;
	return no_gl_object(context, errcode_ret);
}

cl_mem CL_API_CALL galena_clCreateFromGLTexture2D(cl_context context, cl_mem_flags flags, cl_GLenum target, cl_GLint miplevel,
						  cl_GLuint texture, cl_int *errcode_ret)
{
	(void)flags, (void)target, (void)miplevel, (void)texture;
	return no_gl_object(context, errcode_ret);
}

cl_mem CL_API_CALL galena_clCreateFromGLTexture3D(cl_context context, cl_mem_flags flags, cl_GLenum target, cl_GLint miplevel,
						  cl_GLuint texture, cl_int *errcode_ret)
{
	(void)flags, (void)target, (void)miplevel, (void)texture;
	return no_gl_object(context, errcode_ret);
}

cl_mem CL_API_CALL galena_clCreateFromGLRenderbuffer(cl_context context, cl_mem_flags flags, cl_GLuint renderbuffer, cl_int *errcode_ret)
{
	(void)flags, (void)renderbuffer;
	return no_gl_object(context, errcode_ret);
}

static cl_int not_gl(cl_mem memobj)
{
	if (!MEM_VALID(memobj))
		return FAIL(CL_INVALID_MEM_OBJECT, "not a memory object");
	return FAIL(CL_INVALID_GL_OBJECT, "the object was not made from an OpenGL object");
}

cl_int CL_API_CALL galena_clGetGLObjectInfo(cl_mem memobj, cl_gl_object_type *type, cl_GLuint *name)
{
	(void)type, (void)name;
	return not_gl(memobj);
}

cl_int CL_API_CALL galena_clGetGLTextureInfo(cl_mem memobj, cl_gl_texture_info param_name, size_t size, void *value, size_t *size_ret)
{
	(void)param_name, (void)size, (void)value, (void)size_ret;
	return not_gl(memobj);
}

static cl_int no_gl_command(cl_command_queue queue)
{
	if (!QUEUE_VALID(queue))
		return FAIL(CL_INVALID_COMMAND_QUEUE, "not a command queue");
	return FAIL(CL_INVALID_CONTEXT, "the context shares nothing with OpenGL");
}

cl_int CL_API_CALL galena_clEnqueueAcquireGLObjects(cl_command_queue queue, cl_uint count, const cl_mem *objects, cl_uint num_events,
						    const cl_event *wait_list, cl_event *event)
{
	(void)count, (void)objects, (void)num_events, (void)wait_list, (void)event;
	return no_gl_command(queue);
}

cl_int CL_API_CALL galena_clEnqueueReleaseGLObjects(cl_command_queue queue, cl_uint count, const cl_mem *objects, cl_uint num_events,
						    const cl_event *wait_list, cl_event *event)
{
	(void)count, (void)objects, (void)num_events, (void)wait_list, (void)event;
	return no_gl_command(queue);
}

cl_int CL_API_CALL galena_clGetGLContextInfoKHR(const cl_context_properties *properties, cl_gl_context_info param_name, size_t size,
						void *value, size_t *size_ret)
{
	(void)properties, (void)param_name, (void)size, (void)value, (void)size_ret;
	return FAIL(CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR, "no device shares anything with OpenGL");
}

cl_event CL_API_CALL galena_clCreateEventFromGLsyncKHR(cl_context context, cl_GLsync sync, cl_int *errcode_ret)
{
	(void)context, (void)sync;
	return FAIL_NULL(errcode_ret, CL_INVALID_CONTEXT, "the context shares nothing with OpenGL");
}

/* ---- cl_khr_egl_image, cl_khr_egl_event ---- */

cl_mem CL_API_CALL galena_clCreateFromEGLImageKHR(cl_context context, CLeglDisplayKHR display, CLeglImageKHR image, cl_mem_flags flags,
						  const cl_egl_image_properties_khr *properties, cl_int *errcode_ret)
{
	(void)display, (void)image, (void)flags, (void)properties;
	if (!CONTEXT_VALID(context))
		return FAIL_NULL(errcode_ret, CL_INVALID_CONTEXT, "not a context");
	return FAIL_NULL(errcode_ret, CL_INVALID_OPERATION, "no device of the context shares anything with EGL");
}

static cl_int no_egl_command(cl_command_queue queue)
{
	if (!QUEUE_VALID(queue))
		return FAIL(CL_INVALID_COMMAND_QUEUE, "not a command queue");
	return FAIL(CL_INVALID_OPERATION, "the device shares nothing with EGL");
}

cl_int CL_API_CALL galena_clEnqueueAcquireEGLObjectsKHR(cl_command_queue queue, cl_uint count, const cl_mem *objects, cl_uint num_events,
							const cl_event *wait_list, cl_event *event)
{
	(void)count, (void)objects, (void)num_events, (void)wait_list, (void)event;
	return no_egl_command(queue);
}

cl_int CL_API_CALL galena_clEnqueueReleaseEGLObjectsKHR(cl_command_queue queue, cl_uint count, const cl_mem *objects, cl_uint num_events,
							const cl_event *wait_list, cl_event *event)
{
	(void)count, (void)objects, (void)num_events, (void)wait_list, (void)event;
	return no_egl_command(queue);
}

cl_event CL_API_CALL galena_clCreateEventFromEGLSyncKHR(cl_context context, CLeglSyncKHR sync, CLeglDisplayKHR display, cl_int *errcode_ret)
{
	(void)sync, (void)display;
	if (!CONTEXT_VALID(context))
		return FAIL_NULL(errcode_ret, CL_INVALID_CONTEXT, "not a context");
	return FAIL_NULL(errcode_ret, CL_INVALID_EGL_OBJECT_KHR, "no device of the context shares anything with EGL");
}

/* ---- cl_ext_device_fission: as clCreateSubDevices ---- */

cl_int CL_API_CALL galena_clCreateSubDevicesEXT(cl_device_id device, const cl_device_partition_property_ext *properties,
						cl_uint num_entries, cl_device_id *out, cl_uint *num_devices)
{
	(void)properties, (void)num_entries, (void)out, (void)num_devices;
	if (!DEVICE_VALID(device))
		return FAIL(CL_INVALID_DEVICE, "not a device");
	return FAIL(CL_INVALID_VALUE, "the device cannot be partitioned");
}

cl_int CL_API_CALL galena_clRetainDeviceEXT(cl_device_id device) { return galena_clRetainDevice(device); }

cl_int CL_API_CALL galena_clReleaseDeviceEXT(cl_device_id device) { return galena_clReleaseDevice(device); }

/* ---- Direct3D and DirectX 9: other systems; arguments are of types that there are not here ---- */

static cl_int no_direct3d(const char *function)
{
	return api_error(function, CL_INVALID_OPERATION, "CL_INVALID_OPERATION", "there is no Direct3D here");
}

#define NO_COMMAND(name)                                                                           \
	cl_int CL_API_CALL galena_##name(void) { return no_direct3d(#name); }
#define NO_OBJECT(name)                                                                            \
	cl_mem CL_API_CALL galena_##name(void)                                                     \
	{                                                                                          \
		no_direct3d(#name);                                                                \
		return NULL;                                                                       \
	}

NO_COMMAND(clGetDeviceIDsFromD3D10KHR)
NO_OBJECT(clCreateFromD3D10BufferKHR)
NO_OBJECT(clCreateFromD3D10Texture2DKHR)
NO_OBJECT(clCreateFromD3D10Texture3DKHR)
NO_COMMAND(clEnqueueAcquireD3D10ObjectsKHR)
NO_COMMAND(clEnqueueReleaseD3D10ObjectsKHR)
NO_COMMAND(clGetDeviceIDsFromD3D11KHR)
NO_OBJECT(clCreateFromD3D11BufferKHR)
NO_OBJECT(clCreateFromD3D11Texture2DKHR)
NO_OBJECT(clCreateFromD3D11Texture3DKHR)
NO_COMMAND(clEnqueueAcquireD3D11ObjectsKHR)
NO_COMMAND(clEnqueueReleaseD3D11ObjectsKHR)
NO_COMMAND(clGetDeviceIDsFromDX9MediaAdapterKHR)
NO_OBJECT(clCreateFromDX9MediaSurfaceKHR)
NO_COMMAND(clEnqueueAcquireDX9MediaSurfacesKHR)
NO_COMMAND(clEnqueueReleaseDX9MediaSurfacesKHR)
