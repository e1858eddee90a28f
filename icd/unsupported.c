/* Entry points of sharing extensions that the platform does not have. The table has slots for
 * them, and an application that calls one without having looked for its extension gets the error
 * that the extension gives for a context that was not made for it. */
#include "runtime/opencl/objects.h"

#pragma GCC diagnostic ignored "-Wunused-parameter" /* they are those of the table's types */

/* ---- cl_khr_gl_sharing, cl_khr_gl_event: contexts are not made from GL contexts ---- */

static cl_mem no_gl_object(cl_context context, cl_int *errcode_ret)
{
	return FAIL_NULL(errcode_ret, CL_INVALID_CONTEXT, "the context shares nothing with OpenGL");
}
#define NO_GL_OBJECT(name, ...) \
	cl_mem CL_API_CALL galena_##name(cl_context context, __VA_ARGS__, cl_int *errcode_ret) { return no_gl_object(context, errcode_ret); }

NO_GL_OBJECT(clCreateFromGLBuffer, cl_mem_flags flags, cl_GLuint bufobj)
NO_GL_OBJECT(clCreateFromGLTexture, cl_mem_flags flags, cl_GLenum target, cl_GLint miplevel, cl_GLuint texture)
NO_GL_OBJECT(clCreateFromGLTexture2D, cl_mem_flags flags, cl_GLenum target, cl_GLint miplevel, cl_GLuint texture)
NO_GL_OBJECT(clCreateFromGLTexture3D, cl_mem_flags flags, cl_GLenum target, cl_GLint miplevel, cl_GLuint texture)
NO_GL_OBJECT(clCreateFromGLRenderbuffer, cl_mem_flags flags, cl_GLuint renderbuffer)

static cl_int not_gl(cl_mem memobj)
{
	NEED_MEM(memobj);
	return FAIL(CL_INVALID_GL_OBJECT, "the object was not made from an OpenGL object");
}

cl_int CL_API_CALL galena_clGetGLObjectInfo(cl_mem memobj, cl_gl_object_type *type, cl_GLuint *name)
{
	return not_gl(memobj);
}

cl_int CL_API_CALL galena_clGetGLTextureInfo(cl_mem memobj, cl_gl_texture_info param_name, size_t size, void *value, size_t *size_ret)
{
	return not_gl(memobj);
}

static cl_int no_gl_command(cl_command_queue queue)
{
	NEED_QUEUE(queue);
	return FAIL(CL_INVALID_CONTEXT, "the context shares nothing with OpenGL");
}
#define NO_COMMANDS(name, error)                                                                                           \
	cl_int CL_API_CALL galena_##name(cl_command_queue queue, cl_uint count, const cl_mem *objects, cl_uint num_events, \
					 const cl_event *wait_list, cl_event *event)                                       \
	{                                                                                                                  \
		return error(queue);                                                                                       \
	}

NO_COMMANDS(clEnqueueAcquireGLObjects, no_gl_command)
NO_COMMANDS(clEnqueueReleaseGLObjects, no_gl_command)

cl_int CL_API_CALL galena_clGetGLContextInfoKHR(const cl_context_properties *properties, cl_gl_context_info param_name, size_t size,
						void *value, size_t *size_ret)
{
	return FAIL(CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR, "no device shares anything with OpenGL");
}

cl_event CL_API_CALL galena_clCreateEventFromGLsyncKHR(cl_context context, cl_GLsync sync, cl_int *errcode_ret)
{
	return FAIL_NULL(errcode_ret, CL_INVALID_CONTEXT, "the context shares nothing with OpenGL");
}

/* ---- cl_khr_egl_image, cl_khr_egl_event ---- */

cl_mem CL_API_CALL galena_clCreateFromEGLImageKHR(cl_context context, CLeglDisplayKHR display, CLeglImageKHR image, cl_mem_flags flags,
						  const cl_egl_image_properties_khr *properties, cl_int *errcode_ret)
{
	FAIL_NULL_IF(!CONTEXT_VALID(context), errcode_ret, CL_INVALID_CONTEXT, "not a context");
	return FAIL_NULL(errcode_ret, CL_INVALID_OPERATION, "no device of the context shares anything with EGL");
}

static cl_int no_egl_command(cl_command_queue queue)
{
	NEED_QUEUE(queue);
	return FAIL(CL_INVALID_OPERATION, "the device shares nothing with EGL");
}

NO_COMMANDS(clEnqueueAcquireEGLObjectsKHR, no_egl_command)
NO_COMMANDS(clEnqueueReleaseEGLObjectsKHR, no_egl_command)

cl_event CL_API_CALL galena_clCreateEventFromEGLSyncKHR(cl_context context, CLeglSyncKHR sync, CLeglDisplayKHR display, cl_int *errcode_ret)
{
	FAIL_NULL_IF(!CONTEXT_VALID(context), errcode_ret, CL_INVALID_CONTEXT, "not a context");
	return FAIL_NULL(errcode_ret, CL_INVALID_EGL_OBJECT_KHR, "no device of the context shares anything with EGL");
}

/* ---- cl_ext_device_fission: as clCreateSubDevices ---- */

cl_int CL_API_CALL galena_clCreateSubDevicesEXT(cl_device_id device, const cl_device_partition_property_ext *properties,
						cl_uint num_entries, cl_device_id *out, cl_uint *num_devices)
{
	NEED_DEVICE(device);
	return FAIL(CL_INVALID_VALUE, "the device cannot be partitioned");
}

cl_int CL_API_CALL galena_clRetainDeviceEXT(cl_device_id device) { return galena_clRetainDevice(device); }

cl_int CL_API_CALL galena_clReleaseDeviceEXT(cl_device_id device) { return galena_clReleaseDevice(device); }

/* ---- Direct3D and DirectX 9: other systems; arguments are of types that there are not here ---- */

static cl_int no_direct3d(const char *function)
{
	return api_error(function, CL_INVALID_OPERATION, "CL_INVALID_OPERATION", "there is no Direct3D here");
}

/* Of commands the error, of objects NULL. */
#define ENTRY(name)
#define ENTRY_VOID(type, name)                                             \
	type CL_API_CALL galena_##name(void)                               \
	{                                                                  \
		const cl_int error = no_direct3d(#name);                   \
		return _Generic((type)0, cl_int: error, default: (type)0); \
	}
#include "icd/entry_points.def"
