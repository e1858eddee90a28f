/* An application that loads the loader itself, as plugins do, and that forks. `reload WAY NAME` uses the platform of that name. WAY:
 *   once, twice   loads the loader, works and unloads it, once or twice
 *   forks         other processes while there are objects: children that leave, that use what is their parent's, and that are
 *                 another program, which works
 *   vendor        NAME is a library of a vendor's: is loaded without a loader and unloaded, twice
 * Prints a line for each time that a kernel's result was right, and that a library was gone. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *lib;
static const char *name;
#define CL(function) ((__typeof__(function) *)dlsym(lib, #function))

struct work {
	cl_context context;
	cl_command_queue queue;
	cl_program program;
	cl_kernel kernel;
	cl_mem buffer;
};

static cl_platform_id platform_find(void)
{
	cl_platform_id all[16];
	cl_uint n = 0;
	char text[64];
	if (CL(clGetPlatformIDs)(16, all, &n))
		return NULL;
	for (cl_uint i = 0; i < n && i < 16; i++)
		if (!CL(clGetPlatformInfo)(all[i], CL_PLATFORM_NAME, sizeof text, text, NULL) && !strcmp(text, name))
			return all[i];
	return NULL;
}

static int begin(struct work *w)
{
	const char *source = "kernel void square(global int *p) { p[get_global_id(0)] *= p[get_global_id(0)]; }";
	cl_platform_id platform = platform_find();
	cl_device_id device;
	cl_int code;
	if (!platform || CL(clGetDeviceIDs)(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
		return fprintf(stderr, "no platform %s, or no device of it\n", name), 1;
	w->context = CL(clCreateContext)(NULL, 1, &device, NULL, NULL, &code);
	w->queue = code ? NULL : CL(clCreateCommandQueueWithProperties)(w->context, device, NULL, &code);
	w->program = code ? NULL : CL(clCreateProgramWithSource)(w->context, 1, &source, NULL, &code);
	code = code ? code : CL(clBuildProgram)(w->program, 1, &device, "", NULL, NULL);
	w->kernel = code ? NULL : CL(clCreateKernel)(w->program, "square", &code);
	w->buffer = code ? NULL : CL(clCreateBuffer)(w->context, 0, 64 * sizeof(cl_int), NULL, &code);
	code = code ? code : CL(clSetKernelArg)(w->kernel, 0, sizeof w->buffer, &w->buffer);
	return code && fprintf(stderr, "cannot begin: %d\n", code);
}

static int run(struct work *w, const char *when)
{
	cl_int v[64], code;
	const size_t items = 64;
	for (int i = 0; i < 64; i++)
		v[i] = i;
	code = CL(clEnqueueWriteBuffer)(w->queue, w->buffer, CL_TRUE, 0, sizeof v, v, 0, NULL, NULL);
	code = code ? code : CL(clEnqueueNDRangeKernel)(w->queue, w->kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
	code = code ? code : CL(clEnqueueReadBuffer)(w->queue, w->buffer, CL_TRUE, 0, sizeof v, v, 0, NULL, NULL);
	for (int i = 0; !code && i < 64; i++)
		code = v[i] == i * i ? 0 : 1;
	if (code)
		return fprintf(stderr, "%s: %d\n", when, code), 1;
	printf("%s: right\n", when);
	fflush(stdout);
	return 0;
}

static int end(struct work *w)
{
	return CL(clReleaseMemObject)(w->buffer) || CL(clReleaseKernel)(w->kernel) || CL(clReleaseProgram)(w->program) ||
	       CL(clReleaseCommandQueue)(w->queue) || CL(clReleaseContext)(w->context);
}

static int load(void)
{
	lib = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
	return !lib && fprintf(stderr, "%s\n", dlerror());
}

static int once(const char *when)
{
	struct work w;
	return load() || begin(&w) || run(&w, when) || end(&w) || dlclose(lib);
}

static int mapped(const char *path)
{
	char line[4400];
	int found = 0;
	FILE *f = fopen("/proc/self/maps", "r");
	while (f && fgets(line, sizeof line, f))
		found |= strstr(line, path) != NULL;
	if (f)
		fclose(f);
	return found;
}

static int vendor(const char *path)
{
	typedef void *address_fn(const char *);
	for (int round = 0; round < 2; round++) {
		cl_platform_id platform;
		cl_device_id device;
		char text[64] = "";
		void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
		if (!library)
			return fprintf(stderr, "%s\n", dlerror()), 1;
		address_fn *address = (address_fn *)dlsym(library, "clGetExtensionFunctionAddress");
		cl_int (*ids)(cl_uint, cl_platform_id *, cl_uint *) = (cl_int(*)(cl_uint, cl_platform_id *, cl_uint *))address("clIcdGetPlatformIDsKHR");
		void *(*function)(cl_platform_id, const char *) = (void *(*)(cl_platform_id, const char *))address("clIcdGetFunctionAddressForPlatformKHR");
		if (ids(1, &platform, NULL) ||
		    ((__typeof__(clGetDeviceIDs) *)function(platform, "clGetDeviceIDs"))(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) ||
		    ((__typeof__(clGetDeviceInfo) *)function(platform, "clGetDeviceInfo"))(device, CL_DEVICE_VENDOR, sizeof text, text, NULL))
			return fprintf(stderr, "no device\n"), 1;
		if (dlclose(library) || mapped(path))
			return fprintf(stderr, "%s is still there\n", path), 1;
		printf("%s: gone\n", text);
	}
	return 0;
}

/* Children that leave at once, that use what is their parent's, and that are another program. */
static int forks(const char *self)
{
	struct work w;
	int status;
	if (load() || begin(&w) || run(&w, "before"))
		return 1;
	for (int way = 0; way < 3; way++) {
		pid_t child = fork();
		if (!child && way == 0)
			_exit(0);
		if (!child && way == 1) { /* whatever the answers are, they come, and the parent's device is not ended */
			alarm(60);
			CL(clFinish)(w.queue);
			CL(clReleaseContext)(w.context);
			exit(0);
		}
		if (!child) {
			execl("/proc/self/exe", self, "once", name, (char *)NULL);
			_exit(9);
		}
		if (waitpid(child, &status, 0) != child || status)
			return fprintf(stderr, "child %d: status 0x%x\n", way, (unsigned)status), 1;
		if (run(&w, "after"))
			return 1;
	}
	return end(&w) || dlclose(lib);
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 64;
	name = argv[2];
	if (!strcmp(argv[1], "vendor"))
		return vendor(name);
	if (!strcmp(argv[1], "forks"))
		return forks(argv[0]);
	return once("once") || (!strcmp(argv[1], "twice") && once("again"));
}
