/* Every entry point with its handle parameters. */
#include "testbench/opencl/spec_calls.h"

#define PLATFORM ((cl_platform_id)a->h[H_PLATFORM])
#define DEVICE ((cl_device_id)a->h[H_DEVICE])
#define CONTEXT ((cl_context)a->h[H_CONTEXT])
#define QUEUE ((cl_command_queue)a->h[H_QUEUE])
#define BUFFER ((cl_mem)a->h[H_BUFFER])
#define BUFFER2 ((cl_mem)a->h[H_BUFFER2])
#define IMAGE ((cl_mem)a->h[H_IMAGE])
#define IMAGE2 ((cl_mem)a->h[H_IMAGE2])
#define SAMPLER ((cl_sampler)a->h[H_SAMPLER])
#define PROGRAM ((cl_program)a->h[H_PROGRAM])
#define PROGRAM2 ((cl_program)a->h[H_PROGRAM2])
#define KERNEL ((cl_kernel)a->h[H_KERNEL])
#define EVENT ((cl_event)a->h[H_EVENT])
#define WAIT a->num_events, a->list
#define CALL(name) static cl_int call_##name(struct args *a)
/* A call that makes an object: what it returns and the code agree. */
#define MADE(type, release, call)                                                                  \
	do {                                                                                       \
		cl_int error = 1;                                                                  \
		type made = (call);                                                                \
		if (made)                                                                          \
			api->release(made);                                                        \
		assert_int_equal(!made, error != CL_SUCCESS);                                      \
		return error;                                                                      \
	} while (0)

static const size_t zero[3], one[3] = {1, 1, 1};
static const cl_image_format rgba = {CL_RGBA, CL_UNORM_INT8};
static const cl_image_desc plane = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
static char out[4096];
static const char *const source = "kernel void k(global int *p, int n) { *p = n; }";

/* ---- platform, devices ---- */

CALL(GetPlatformInfo) { return api->clGetPlatformInfo(PLATFORM, CL_PLATFORM_NAME, sizeof out, out, NULL); }
CALL(GetDeviceIDs) { return api->clGetDeviceIDs(PLATFORM, CL_DEVICE_TYPE_ALL, 1, (cl_device_id *)out, NULL); }
CALL(UnloadPlatformCompiler) { return api->clUnloadPlatformCompiler(PLATFORM); }
CALL(GetDeviceInfo) { return api->clGetDeviceInfo(DEVICE, CL_DEVICE_NAME, sizeof out, out, NULL); }
CALL(RetainDevice) { return api->clRetainDevice(DEVICE); }
CALL(ReleaseDevice) { return api->clReleaseDevice(DEVICE); }
CALL(GetDeviceAndHostTimer) { return api->clGetDeviceAndHostTimer(DEVICE, (cl_ulong *)out, (cl_ulong *)out + 1); }
CALL(GetHostTimer) { return api->clGetHostTimer(DEVICE, (cl_ulong *)out); }
CALL(CreateSubDevices)
{
	const cl_device_partition_property list[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
	cl_uint n = 0;
	return api->clCreateSubDevices(DEVICE, list, 0, NULL, &n);
}

/* ---- contexts, queues ---- */

CALL(CreateContext)
{
	const cl_context_properties list[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)PLATFORM, 0};
	cl_device_id device = DEVICE;
	MADE(cl_context, clReleaseContext, api->clCreateContext(list, 1, &device, NULL, NULL, &error));
}
CALL(CreateContextFromType)
{
	const cl_context_properties list[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)PLATFORM, 0};
	MADE(cl_context, clReleaseContext, api->clCreateContextFromType(list, CL_DEVICE_TYPE_ALL, NULL, NULL, &error));
}
CALL(RetainContext) { return api->clRetainContext(CONTEXT); }
CALL(ReleaseContext) { return api->clReleaseContext(CONTEXT); }
CALL(GetContextInfo) { return api->clGetContextInfo(CONTEXT, CL_CONTEXT_NUM_DEVICES, sizeof out, out, NULL); }
static void CL_CALLBACK context_gone(cl_context context, void *arg) { (void)context, (void)arg; }
CALL(SetContextDestructorCallback) { return api->clSetContextDestructorCallback(CONTEXT, context_gone, NULL); }
CALL(CreateCommandQueue) { MADE(cl_command_queue, clReleaseCommandQueue, api->clCreateCommandQueue(CONTEXT, DEVICE, 0, &error)); }
CALL(CreateCommandQueueWithProperties)
{
	MADE(cl_command_queue, clReleaseCommandQueue, api->clCreateCommandQueueWithProperties(CONTEXT, DEVICE, NULL, &error));
}
CALL(SetDefaultDeviceCommandQueue) { return api->clSetDefaultDeviceCommandQueue(CONTEXT, DEVICE, QUEUE); }
CALL(RetainCommandQueue) { return api->clRetainCommandQueue(QUEUE); }
CALL(ReleaseCommandQueue) { return api->clReleaseCommandQueue(QUEUE); }
CALL(GetCommandQueueInfo) { return api->clGetCommandQueueInfo(QUEUE, CL_QUEUE_CONTEXT, sizeof out, out, NULL); }
CALL(SetCommandQueueProperty) { return api->clSetCommandQueueProperty(QUEUE, CL_QUEUE_PROFILING_ENABLE, CL_TRUE, NULL); }
CALL(Flush) { return api->clFlush(QUEUE); }
CALL(Finish) { return api->clFinish(QUEUE); }

/* ---- memory objects ---- */

CALL(CreateBuffer) { MADE(cl_mem, clReleaseMemObject, api->clCreateBuffer(CONTEXT, 0, 64, NULL, &error)); }
CALL(CreateBufferWithProperties)
{
	MADE(cl_mem, clReleaseMemObject, api->clCreateBufferWithProperties(CONTEXT, NULL, 0, 64, NULL, &error));
}
CALL(CreateSubBuffer)
{
	const cl_buffer_region region = {0, 64};
	MADE(cl_mem, clReleaseMemObject, api->clCreateSubBuffer(BUFFER, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error));
}
CALL(CreateImage) { MADE(cl_mem, clReleaseMemObject, api->clCreateImage(CONTEXT, 0, &rgba, &plane, NULL, &error)); }
CALL(CreateImageWithProperties)
{
	MADE(cl_mem, clReleaseMemObject, api->clCreateImageWithProperties(CONTEXT, NULL, 0, &rgba, &plane, NULL, &error));
}
CALL(CreateImage2D) { MADE(cl_mem, clReleaseMemObject, api->clCreateImage2D(CONTEXT, 0, &rgba, 4, 4, 0, NULL, &error)); }
CALL(CreateImage3D) { MADE(cl_mem, clReleaseMemObject, api->clCreateImage3D(CONTEXT, 0, &rgba, 4, 4, 4, 0, 0, NULL, &error)); }
CALL(CreatePipe) { MADE(cl_mem, clReleaseMemObject, api->clCreatePipe(CONTEXT, 0, 16, 16, NULL, &error)); }
CALL(GetPipeInfo) { return api->clGetPipeInfo(BUFFER, CL_PIPE_PACKET_SIZE, sizeof out, out, NULL); }
CALL(RetainMemObject) { return api->clRetainMemObject(BUFFER); }
CALL(ReleaseMemObject) { return api->clReleaseMemObject(BUFFER); }
CALL(GetMemObjectInfo) { return api->clGetMemObjectInfo(BUFFER, CL_MEM_SIZE, sizeof out, out, NULL); }
CALL(GetImageInfo) { return api->clGetImageInfo(IMAGE, CL_IMAGE_WIDTH, sizeof out, out, NULL); }
static void CL_CALLBACK mem_gone(cl_mem mem, void *arg) { (void)mem, (void)arg; }
CALL(SetMemObjectDestructorCallback) { return api->clSetMemObjectDestructorCallback(BUFFER, mem_gone, NULL); }
CALL(GetSupportedImageFormats)
{
	cl_uint n;
	return api->clGetSupportedImageFormats(CONTEXT, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &n);
}
CALL(CreateSampler)
{
	MADE(cl_sampler, clReleaseSampler, api->clCreateSampler(CONTEXT, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &error));
}
CALL(CreateSamplerWithProperties) { MADE(cl_sampler, clReleaseSampler, api->clCreateSamplerWithProperties(CONTEXT, NULL, &error)); }
CALL(RetainSampler) { return api->clRetainSampler(SAMPLER); }
CALL(ReleaseSampler) { return api->clReleaseSampler(SAMPLER); }
CALL(GetSamplerInfo) { return api->clGetSamplerInfo(SAMPLER, CL_SAMPLER_FILTER_MODE, sizeof out, out, NULL); }

/* ---- programs ---- */

CALL(CreateProgramWithSource)
{
	const char *text = source;
	MADE(cl_program, clReleaseProgram, api->clCreateProgramWithSource(CONTEXT, 1, &text, NULL, &error));
}
CALL(CreateProgramWithIL) { MADE(cl_program, clReleaseProgram, api->clCreateProgramWithIL(CONTEXT, out, 16, &error)); }
CALL(CreateProgramWithBinary)
{
	static const unsigned char *const nothing = (const unsigned char *)"no binary";
	const size_t size = 9;
	cl_device_id device = DEVICE;
	const unsigned char *binary = nothing;
	MADE(cl_program, clReleaseProgram, api->clCreateProgramWithBinary(CONTEXT, 1, &device, &size, &binary, NULL, &error));
}
CALL(CreateProgramWithBuiltInKernels)
{
	cl_device_id device = DEVICE;
	MADE(cl_program, clReleaseProgram, api->clCreateProgramWithBuiltInKernels(CONTEXT, 1, &device, "none", &error));
}
CALL(RetainProgram) { return api->clRetainProgram(PROGRAM); }
CALL(ReleaseProgram) { return api->clReleaseProgram(PROGRAM); }
CALL(BuildProgram)
{
	cl_device_id device = DEVICE;
	return api->clBuildProgram(PROGRAM, 1, &device, NULL, NULL, NULL);
}
CALL(CompileProgram)
{
	cl_device_id device = DEVICE;
	cl_program header = PROGRAM2;
	const char *name = "header.h";
	cl_int code = api->clCompileProgram(PROGRAM, 1, &device, NULL, 1, &header, &name, NULL, NULL);
	if (a->control && !code) /* others want it built */
		code = api->clBuildProgram(PROGRAM, 0, NULL, NULL, NULL, NULL);
	return code;
}
CALL(LinkProgram)
{
	cl_device_id device = DEVICE;
	cl_program input = PROGRAM2;
	MADE(cl_program, clReleaseProgram, api->clLinkProgram(CONTEXT, 1, &device, NULL, 1, &input, NULL, NULL, &error));
}
CALL(GetProgramInfo) { return api->clGetProgramInfo(PROGRAM, CL_PROGRAM_NUM_DEVICES, sizeof out, out, NULL); }
CALL(GetProgramBuildInfo)
{
	return api->clGetProgramBuildInfo(PROGRAM, DEVICE, CL_PROGRAM_BUILD_STATUS, sizeof out, out, NULL);
}
static void CL_CALLBACK program_gone(cl_program program, void *arg) { (void)program, (void)arg; }
CALL(SetProgramReleaseCallback) { return api->clSetProgramReleaseCallback(PROGRAM, program_gone, NULL); }
CALL(SetProgramSpecializationConstant) { return api->clSetProgramSpecializationConstant(PROGRAM, 0, 4, out); }

/* ---- kernels ---- */

CALL(CreateKernel) { MADE(cl_kernel, clReleaseKernel, api->clCreateKernel(PROGRAM, "k", &error)); }
CALL(CreateKernelsInProgram)
{
	cl_uint n;
	return api->clCreateKernelsInProgram(PROGRAM, 0, NULL, &n);
}
CALL(CloneKernel) { MADE(cl_kernel, clReleaseKernel, api->clCloneKernel(KERNEL, &error)); }
CALL(RetainKernel) { return api->clRetainKernel(KERNEL); }
CALL(ReleaseKernel) { return api->clReleaseKernel(KERNEL); }
CALL(SetKernelArg_buffer)
{
	cl_mem m = BUFFER;
	return api->clSetKernelArg(KERNEL, 0, sizeof m, &m);
}
CALL(SetKernelArg_image)
{
	cl_mem m = IMAGE;
	return api->clSetKernelArg(KERNEL, 2, sizeof m, &m);
}
CALL(SetKernelArg_sampler)
{
	cl_sampler s = SAMPLER;
	return api->clSetKernelArg(KERNEL, 3, sizeof s, &s);
}
CALL(SetKernelArgSVMPointer) { return api->clSetKernelArgSVMPointer(KERNEL, 0, a->svm); }
CALL(SetKernelExecInfo) { return api->clSetKernelExecInfo(KERNEL, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof a->svm, &a->svm); }
CALL(GetKernelInfo) { return api->clGetKernelInfo(KERNEL, CL_KERNEL_NUM_ARGS, sizeof out, out, NULL); }
CALL(GetKernelArgInfo) { return api->clGetKernelArgInfo(KERNEL, 0, CL_KERNEL_ARG_NAME, sizeof out, out, NULL); }
CALL(GetKernelWorkGroupInfo)
{
	return api->clGetKernelWorkGroupInfo(KERNEL, DEVICE, CL_KERNEL_WORK_GROUP_SIZE, sizeof out, out, NULL);
}
CALL(GetKernelSubGroupInfo)
{
	return api->clGetKernelSubGroupInfo(KERNEL, DEVICE, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof one, one, sizeof out, out, NULL);
}

/* ---- events ---- */

CALL(CreateUserEvent) { MADE(cl_event, clReleaseEvent, api->clCreateUserEvent(CONTEXT, &error)); }
CALL(SetUserEventStatus)
{
	if (!a->control)
		return api->clSetUserEventStatus(EVENT, CL_COMPLETE);
	cl_int error = 1;
	cl_event e = api->clCreateUserEvent(CONTEXT, &error);
	if (!error)
		error = api->clSetUserEventStatus(e, CL_COMPLETE);
	api->clReleaseEvent(e);
	return error;
}
CALL(WaitForEvents)
{
	cl_event e = EVENT;
	return api->clWaitForEvents(1, &e);
}
CALL(GetEventInfo) { return api->clGetEventInfo(EVENT, CL_EVENT_COMMAND_TYPE, sizeof out, out, NULL); }
CALL(RetainEvent) { return api->clRetainEvent(EVENT); }
CALL(ReleaseEvent) { return api->clReleaseEvent(EVENT); }
static void CL_CALLBACK event_ended(cl_event event, cl_int status, void *arg) { (void)event, (void)status, (void)arg; }
CALL(SetEventCallback) { return api->clSetEventCallback(EVENT, CL_COMPLETE, event_ended, NULL); }
CALL(GetEventProfilingInfo) { return api->clGetEventProfilingInfo(EVENT, CL_PROFILING_COMMAND_END, sizeof out, out, NULL); }

/* ---- commands ---- */

CALL(EnqueueReadBuffer) { return api->clEnqueueReadBuffer(QUEUE, BUFFER, CL_FALSE, 0, 4, a->memory, WAIT, NULL); }
CALL(EnqueueWriteBuffer) { return api->clEnqueueWriteBuffer(QUEUE, BUFFER, CL_FALSE, 0, 4, a->memory, WAIT, NULL); }
CALL(EnqueueReadBufferRect)
{
	return api->clEnqueueReadBufferRect(QUEUE, BUFFER, CL_FALSE, zero, zero, one, 0, 0, 0, 0, a->memory, WAIT, NULL);
}
CALL(EnqueueWriteBufferRect)
{
	return api->clEnqueueWriteBufferRect(QUEUE, BUFFER, CL_FALSE, zero, zero, one, 0, 0, 0, 0, a->memory, WAIT, NULL);
}
CALL(EnqueueCopyBuffer) { return api->clEnqueueCopyBuffer(QUEUE, BUFFER, BUFFER2, 0, 0, 4, WAIT, NULL); }
CALL(EnqueueCopyBufferRect)
{
	return api->clEnqueueCopyBufferRect(QUEUE, BUFFER, BUFFER2, zero, zero, one, 0, 0, 0, 0, WAIT, NULL);
}
CALL(EnqueueFillBuffer) { return api->clEnqueueFillBuffer(QUEUE, BUFFER, a->memory, 4, 0, 16, WAIT, NULL); }
CALL(EnqueueMapBuffer)
{
	cl_int error = 1;
	void *p = api->clEnqueueMapBuffer(QUEUE, BUFFER, CL_FALSE, CL_MAP_READ, 0, 4, WAIT, NULL, &error);
	assert_int_equal(!p, error != CL_SUCCESS);
	if (p)
		api->clEnqueueUnmapMemObject(QUEUE, BUFFER, p, 0, NULL, NULL);
	return error;
}
CALL(EnqueueUnmapMemObject)
{
	void *p = a->memory;
	if (a->control)
		p = api->clEnqueueMapBuffer(QUEUE, BUFFER, CL_FALSE, CL_MAP_READ, 0, 4, 0, NULL, NULL, NULL);
	return api->clEnqueueUnmapMemObject(QUEUE, BUFFER, p, WAIT, NULL);
}
CALL(EnqueueMigrateMemObjects)
{
	cl_mem m = BUFFER;
	return api->clEnqueueMigrateMemObjects(QUEUE, 1, &m, 0, WAIT, NULL);
}
CALL(EnqueueReadImage) { return api->clEnqueueReadImage(QUEUE, IMAGE, CL_FALSE, zero, one, 0, 0, a->memory, WAIT, NULL); }
CALL(EnqueueWriteImage) { return api->clEnqueueWriteImage(QUEUE, IMAGE, CL_FALSE, zero, one, 0, 0, a->memory, WAIT, NULL); }
CALL(EnqueueCopyImage) { return api->clEnqueueCopyImage(QUEUE, IMAGE, IMAGE2, zero, zero, one, WAIT, NULL); }
CALL(EnqueueFillImage) { return api->clEnqueueFillImage(QUEUE, IMAGE, a->memory, zero, one, WAIT, NULL); }
CALL(EnqueueCopyImageToBuffer) { return api->clEnqueueCopyImageToBuffer(QUEUE, IMAGE, BUFFER, zero, one, 0, WAIT, NULL); }
CALL(EnqueueCopyBufferToImage) { return api->clEnqueueCopyBufferToImage(QUEUE, BUFFER, IMAGE, 0, zero, one, WAIT, NULL); }
CALL(EnqueueMapImage)
{
	cl_int error = 1;
	size_t row;
	void *p = api->clEnqueueMapImage(QUEUE, IMAGE, CL_FALSE, CL_MAP_READ, zero, one, &row, NULL, WAIT, NULL, &error);
	assert_int_equal(!p, error != CL_SUCCESS);
	if (p)
		api->clEnqueueUnmapMemObject(QUEUE, IMAGE, p, 0, NULL, NULL);
	return error;
}
CALL(EnqueueNDRangeKernel) { return api->clEnqueueNDRangeKernel(QUEUE, KERNEL, 1, NULL, one, NULL, WAIT, NULL); }
CALL(EnqueueTask) { return api->clEnqueueTask(QUEUE, KERNEL, WAIT, NULL); }
static void CL_CALLBACK native(void *arg) { (void)arg; }
CALL(EnqueueNativeKernel) { return api->clEnqueueNativeKernel(QUEUE, native, NULL, 0, 0, NULL, NULL, WAIT, NULL); }
CALL(EnqueueMarkerWithWaitList) { return api->clEnqueueMarkerWithWaitList(QUEUE, WAIT, NULL); }
CALL(EnqueueBarrierWithWaitList) { return api->clEnqueueBarrierWithWaitList(QUEUE, WAIT, NULL); }
CALL(EnqueueMarker)
{
	cl_event e;
	cl_int code = api->clEnqueueMarker(QUEUE, &e);
	if (!code)
		api->clReleaseEvent(e);
	return code;
}
CALL(EnqueueBarrier) { return api->clEnqueueBarrier(QUEUE); }
CALL(EnqueueWaitForEvents)
{
	cl_event e = EVENT;
	return api->clEnqueueWaitForEvents(QUEUE, 1, &e);
}

/* ---- shared virtual memory ---- */

CALL(SVMAlloc)
{
	void *p = api->clSVMAlloc(CONTEXT, CL_MEM_READ_WRITE, 64, 0);
	if (p)
		api->clSVMFree(CONTEXT, p);
	return p != NULL; /* 0 says that it fails */
}
CALL(EnqueueSVMFree)
{
	void *p = a->svm;
	if (a->control)
		p = api->clSVMAlloc(CONTEXT, CL_MEM_READ_WRITE, 64, 0);
	return api->clEnqueueSVMFree(QUEUE, 1, &p, NULL, NULL, WAIT, NULL);
}
CALL(EnqueueSVMMemcpy) { return api->clEnqueueSVMMemcpy(QUEUE, CL_FALSE, a->svm, a->memory, 16, WAIT, NULL); }
CALL(EnqueueSVMMemFill) { return api->clEnqueueSVMMemFill(QUEUE, a->svm, a->memory, 4, 16, WAIT, NULL); }
CALL(EnqueueSVMMap) { return api->clEnqueueSVMMap(QUEUE, CL_FALSE, CL_MAP_READ, a->svm, 16, WAIT, NULL); }
CALL(EnqueueSVMUnmap) { return api->clEnqueueSVMUnmap(QUEUE, a->svm, WAIT, NULL); }
CALL(EnqueueSVMMigrateMem)
{
	const void *p = a->svm;
	return api->clEnqueueSVMMigrateMem(QUEUE, 1, &p, NULL, 0, WAIT, NULL);
}

/* ---- the table ---- */

#define P {H_PLATFORM, "PLATFORM", CL_INVALID_PLATFORM, false}
#define PN {H_PLATFORM, "PLATFORM", CL_INVALID_PLATFORM, true} /* NULL: the default platform */
#define D {H_DEVICE, "DEVICE", CL_INVALID_DEVICE, false}
#define DN {H_DEVICE, "DEVICE", CL_INVALID_DEVICE, true} /* NULL: the only one */
#define C {H_CONTEXT, "CONTEXT", CL_INVALID_CONTEXT, false}
#define Q {H_QUEUE, "QUEUE", CL_INVALID_COMMAND_QUEUE, false}
#define B {H_BUFFER, "BUFFER", CL_INVALID_MEM_OBJECT, false}
#define SRC {H_BUFFER, "SRC", CL_INVALID_MEM_OBJECT, false}
#define DST {H_BUFFER2, "DST", CL_INVALID_MEM_OBJECT, false}
#define M {H_BUFFER, "MEM", CL_INVALID_MEM_OBJECT, false}
#define I {H_IMAGE, "IMAGE", CL_INVALID_MEM_OBJECT, false}
#define ISRC {H_IMAGE, "SRC", CL_INVALID_MEM_OBJECT, false}
#define IDST {H_IMAGE2, "DST", CL_INVALID_MEM_OBJECT, false}
#define S {H_SAMPLER, "SAMPLER", CL_INVALID_SAMPLER, false}
#define PR {H_PROGRAM, "PROGRAM", CL_INVALID_PROGRAM, false}
#define IN {H_PROGRAM2, "INPUT", CL_INVALID_PROGRAM, false}
#define K {H_KERNEL, "KERNEL", CL_INVALID_KERNEL, false}
#define E {H_EVENT, "EVENT", CL_INVALID_EVENT, false}
#define W {H_WAIT, "WAIT_LIST_EVENT", CL_INVALID_EVENT_WAIT_LIST, false}
#define ENTRY(id, name, ...) {"CL_" id, call_##name, {__VA_ARGS__}, N_NOTHING},
#define OPTIONAL(id, name, ...) {"CL_" id, call_##name, {__VA_ARGS__}, N_OPTIONAL},
#define SVM(id, name, ...) {"CL_" id, call_##name, {__VA_ARGS__}, N_SVM},

const struct call spec_calls[] = {
	ENTRY("GETPLATFORMINFO", GetPlatformInfo, PN)
	ENTRY("GETDEVICEIDS", GetDeviceIDs, PN)
	ENTRY("UNLOADPLATFORMCOMPILER", UnloadPlatformCompiler, P)
	ENTRY("GETDEVICEINFO", GetDeviceInfo, D)
	ENTRY("RETAINDEVICE", RetainDevice, D)
	ENTRY("RELEASEDEVICE", ReleaseDevice, D)
	OPTIONAL("GETDEVICEANDHOSTTIMER", GetDeviceAndHostTimer, D)
	OPTIONAL("GETHOSTTIMER", GetHostTimer, D)
	OPTIONAL("CREATESUBDEVICES", CreateSubDevices, D)
	ENTRY("CREATECONTEXT", CreateContext, P, D)
	ENTRY("CREATECONTEXTFROMTYPE", CreateContextFromType, P)
	ENTRY("RETAINCONTEXT", RetainContext, C)
	ENTRY("RELEASECONTEXT", ReleaseContext, C)
	ENTRY("GETCONTEXTINFO", GetContextInfo, C)
	ENTRY("SETCONTEXTDESTRUCTORCALLBACK", SetContextDestructorCallback, C)
	ENTRY("CREATECOMMANDQUEUE", CreateCommandQueue, C, D)
	ENTRY("CREATECOMMANDQUEUEWITHPROPERTIES", CreateCommandQueueWithProperties, C, D)
	OPTIONAL("SETDEFAULTDEVICECOMMANDQUEUE", SetDefaultDeviceCommandQueue, C, D)
	ENTRY("RETAINCOMMANDQUEUE", RetainCommandQueue, Q)
	ENTRY("RELEASECOMMANDQUEUE", ReleaseCommandQueue, Q)
	ENTRY("GETCOMMANDQUEUEINFO", GetCommandQueueInfo, Q)
	OPTIONAL("SETCOMMANDQUEUEPROPERTY", SetCommandQueueProperty, Q)
	ENTRY("FLUSH", Flush, Q)
	ENTRY("FINISH", Finish, Q)
	ENTRY("CREATEBUFFER", CreateBuffer, C)
	ENTRY("CREATEBUFFERWITHPROPERTIES", CreateBufferWithProperties, C)
	ENTRY("CREATESUBBUFFER", CreateSubBuffer, B)
	ENTRY("CREATEIMAGE", CreateImage, C)
	ENTRY("CREATEIMAGEWITHPROPERTIES", CreateImageWithProperties, C)
	ENTRY("CREATEIMAGE2D", CreateImage2D, C)
	ENTRY("CREATEIMAGE3D", CreateImage3D, C)
	OPTIONAL("CREATEPIPE", CreatePipe, C)
	{"CL_GETPIPEINFO", call_GetPipeInfo, {{H_BUFFER, "MEM", CL_INVALID_MEM_OBJECT, false}}, N_PIPE},
	ENTRY("RETAINMEMOBJECT", RetainMemObject, M)
	ENTRY("RELEASEMEMOBJECT", ReleaseMemObject, M)
	ENTRY("GETMEMOBJECTINFO", GetMemObjectInfo, M)
	ENTRY("GETIMAGEINFO", GetImageInfo, I)
	ENTRY("SETMEMOBJECTDESTRUCTORCALLBACK", SetMemObjectDestructorCallback, M)
	ENTRY("GETSUPPORTEDIMAGEFORMATS", GetSupportedImageFormats, C)
	ENTRY("CREATESAMPLER", CreateSampler, C)
	ENTRY("CREATESAMPLERWITHPROPERTIES", CreateSamplerWithProperties, C)
	ENTRY("RETAINSAMPLER", RetainSampler, S)
	ENTRY("RELEASESAMPLER", ReleaseSampler, S)
	ENTRY("GETSAMPLERINFO", GetSamplerInfo, S)
	ENTRY("CREATEPROGRAMWITHSOURCE", CreateProgramWithSource, C)
	OPTIONAL("CREATEPROGRAMWITHIL", CreateProgramWithIL, C)
	OPTIONAL("CREATEPROGRAMWITHBINARY", CreateProgramWithBinary, C, D)
	OPTIONAL("CREATEPROGRAMWITHBUILTINKERNELS", CreateProgramWithBuiltInKernels, C, D)
	ENTRY("RETAINPROGRAM", RetainProgram, PR)
	ENTRY("RELEASEPROGRAM", ReleaseProgram, PR)
	ENTRY("BUILDPROGRAM", BuildProgram, PR, D)
	ENTRY("COMPILEPROGRAM", CompileProgram, PR, D, IN)
	ENTRY("LINKPROGRAM", LinkProgram, C, D, IN)
	ENTRY("GETPROGRAMINFO", GetProgramInfo, PR)
	ENTRY("GETPROGRAMBUILDINFO", GetProgramBuildInfo, PR, D)
	OPTIONAL("SETPROGRAMRELEASECALLBACK", SetProgramReleaseCallback, PR)
	OPTIONAL("SETPROGRAMSPECIALIZATIONCONSTANT", SetProgramSpecializationConstant, PR)
	ENTRY("CREATEKERNEL", CreateKernel, PR)
	ENTRY("CREATEKERNELSINPROGRAM", CreateKernelsInProgram, PR)
	ENTRY("CLONEKERNEL", CloneKernel, K)
	ENTRY("RETAINKERNEL", RetainKernel, K)
	ENTRY("RELEASEKERNEL", ReleaseKernel, K)
	ENTRY("SETKERNELARG", SetKernelArg_buffer, K, {H_BUFFER, "BUFFER", CL_INVALID_MEM_OBJECT, true})
	ENTRY("SETKERNELARG", SetKernelArg_image, K, I)
	ENTRY("SETKERNELARG", SetKernelArg_sampler, K, S)
	OPTIONAL("SETKERNELARGSVMPOINTER", SetKernelArgSVMPointer, K)
	OPTIONAL("SETKERNELEXECINFO", SetKernelExecInfo, K)
	ENTRY("GETKERNELINFO", GetKernelInfo, K)
	ENTRY("GETKERNELARGINFO", GetKernelArgInfo, K)
	ENTRY("GETKERNELWORKGROUPINFO", GetKernelWorkGroupInfo, K, DN)
	OPTIONAL("GETKERNELSUBGROUPINFO", GetKernelSubGroupInfo, K, DN)
	ENTRY("CREATEUSEREVENT", CreateUserEvent, C)
	ENTRY("SETUSEREVENTSTATUS", SetUserEventStatus, E)
	ENTRY("WAITFOREVENTS", WaitForEvents, E)
	ENTRY("GETEVENTINFO", GetEventInfo, E)
	ENTRY("RETAINEVENT", RetainEvent, E)
	ENTRY("RELEASEEVENT", ReleaseEvent, E)
	ENTRY("SETEVENTCALLBACK", SetEventCallback, E)
	ENTRY("GETEVENTPROFILINGINFO", GetEventProfilingInfo, E)
	ENTRY("ENQUEUEREADBUFFER", EnqueueReadBuffer, Q, B, W)
	ENTRY("ENQUEUEWRITEBUFFER", EnqueueWriteBuffer, Q, B, W)
	ENTRY("ENQUEUEREADBUFFERRECT", EnqueueReadBufferRect, Q, B, W)
	ENTRY("ENQUEUEWRITEBUFFERRECT", EnqueueWriteBufferRect, Q, B, W)
	ENTRY("ENQUEUECOPYBUFFER", EnqueueCopyBuffer, Q, SRC, DST, W)
	ENTRY("ENQUEUECOPYBUFFERRECT", EnqueueCopyBufferRect, Q, SRC, DST, W)
	ENTRY("ENQUEUEFILLBUFFER", EnqueueFillBuffer, Q, B, W)
	ENTRY("ENQUEUEMAPBUFFER", EnqueueMapBuffer, Q, B, W)
	ENTRY("ENQUEUEUNMAPMEMOBJECT", EnqueueUnmapMemObject, Q, M, W)
	ENTRY("ENQUEUEMIGRATEMEMOBJECTS", EnqueueMigrateMemObjects, Q, M, W)
	ENTRY("ENQUEUEREADIMAGE", EnqueueReadImage, Q, I, W)
	ENTRY("ENQUEUEWRITEIMAGE", EnqueueWriteImage, Q, I, W)
	ENTRY("ENQUEUECOPYIMAGE", EnqueueCopyImage, Q, ISRC, IDST, W)
	ENTRY("ENQUEUEFILLIMAGE", EnqueueFillImage, Q, I, W)
	ENTRY("ENQUEUECOPYIMAGETOBUFFER", EnqueueCopyImageToBuffer, Q, I, B, W)
	ENTRY("ENQUEUECOPYBUFFERTOIMAGE", EnqueueCopyBufferToImage, Q, B, I, W)
	ENTRY("ENQUEUEMAPIMAGE", EnqueueMapImage, Q, I, W)
	ENTRY("ENQUEUENDRANGEKERNEL", EnqueueNDRangeKernel, Q, K, W)
	ENTRY("ENQUEUETASK", EnqueueTask, Q, K, W)
	OPTIONAL("ENQUEUENATIVEKERNEL", EnqueueNativeKernel, Q)
	ENTRY("ENQUEUEMARKERWITHWAITLIST", EnqueueMarkerWithWaitList, Q, W)
	ENTRY("ENQUEUEBARRIERWITHWAITLIST", EnqueueBarrierWithWaitList, Q, W)
	ENTRY("ENQUEUEMARKER", EnqueueMarker, Q)
	ENTRY("ENQUEUEBARRIER", EnqueueBarrier, Q)
	ENTRY("ENQUEUEWAITFOREVENTS", EnqueueWaitForEvents, Q, E)
	SVM("SVMALLOC", SVMAlloc, {H_CONTEXT, "CONTEXT", 0, false})
	SVM("ENQUEUESVMFREE", EnqueueSVMFree, Q, W)
	SVM("ENQUEUESVMMEMCPY", EnqueueSVMMemcpy, Q, W)
	SVM("ENQUEUESVMMEMFILL", EnqueueSVMMemFill, Q, W)
	SVM("ENQUEUESVMMAP", EnqueueSVMMap, Q, W)
	SVM("ENQUEUESVMUNMAP", EnqueueSVMUnmap, Q, W)
	SVM("ENQUEUESVMMIGRATEMEM", EnqueueSVMMigrateMem, Q, W)
};
const size_t spec_num_calls = sizeof spec_calls / sizeof *spec_calls;

void spec_calls_init(const struct _cl_icd_dispatch *table) { api = table; }
