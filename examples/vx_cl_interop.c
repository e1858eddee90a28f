/* A camera's frames through a graph of OpenVX, and what comes of it through kernels of OpenCL on two devices: a sketch of the edges on
 * the first, a poster of few greys on the second. Both work on the graph's own outputs, whose buffers go back and forth; no byte of them
 * is copied, and only the thread that gives the camera its memory back waits for a device.
 *
 *   galena run -- build/examples/vx_cl_interop [DIRECTORY]
 *
 * Leaves camera.pgm, sketch.pgm and poster.pgm, of the last frame, in the directory (the current one), for any viewer; says how many
 * pixels of all frames are not what the host makes of them.
 *
 *   cc vx_cl_interop.c $(pkg-config --cflags --libs openvx) -lOpenCL
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <VX/vx.h>
#include <VX/vx_khr_opencl_interop.h>
#include <VX/vx_khr_ix.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 320, HEIGHT = 240, FRAME = WIDTH * HEIGHT, ROUNDS = 6 };

static const char source[] =
	"kernel void ink(global uchar *p)\n" /* of edges: dark lines on light ground */
	"{\n"
	"	size_t i = get_global_id(1) * get_global_size(0) + get_global_id(0);\n"
	"	p[i] = p[i] > 24 ? 0 : 255;\n"
	"}\n"
	"kernel void poster(global uchar *p)\n" /* of a picture: four greys */
	"{\n"
	"	size_t i = get_global_id(1) * get_global_size(0) + get_global_id(0);\n"
	"	p[i] = p[i] / 64 * 85;\n"
	"}\n";

static const vx_imagepatch_addressing_t addressing = {
	.dim_x = WIDTH, .dim_y = HEIGHT, .stride_x = 1, .stride_y = WIDTH, .scale_x = VX_SCALE_UNITY, .scale_y = VX_SCALE_UNITY, .step_x = 1, .step_y = 1,
};

static void check(cl_int error, const char *what)
{
	if (error == CL_SUCCESS)
		return;
	fprintf(stderr, "vx_cl_interop: %s failed with %d\n", what, error);
	exit(1);
}

/* An object of OpenVX' that has been made; anything else says why it has not. */
static void *made(void *object, const char *what)
{
	check(vxGetStatus(object), what);
	return object;
}

/* ---- the camera ---- */

/* A disc that crosses a chequered room, and dust on the lens. */
static void camera_shoot(unsigned char *frame, int n)
{
	unsigned dust = 12345u + (unsigned)n;
	for (int y = 0; y < HEIGHT; y++)
		for (int x = 0; x < WIDTH; x++) {
			int dx = x - 40 - n * 30, dy = y - HEIGHT / 2, away = dx * dx + dy * dy;
			int ground = ((x / 40 + y / 40) & 1) * 70 + 60 + x * 40 / WIDTH, grey = away < 50 * 50 ? 250 - away / 25 : ground;
			dust = dust * 1664525u + 1013904223u;
			if (dust >> 26 == 0)
				grey = dust >> 16 & 1 ? 255 : 0;
			frame[y * WIDTH + x] = (unsigned char)grey;
		}
}

/* ---- the graph: without dust, and its edges ---- */

static void graph_build(vx_graph graph, vx_image input, vx_image edges, vx_image clean)
{
	const vx_border_t border = {.mode = VX_BORDER_REPLICATE};
	vx_image light = made(vxCreateVirtualImage(graph, 0, 0, VX_DF_IMAGE_VIRT), "vxCreateVirtualImage");
	vx_image dark = made(vxCreateVirtualImage(graph, 0, 0, VX_DF_IMAGE_VIRT), "vxCreateVirtualImage");
	vx_node nodes[4] = {
		vxMedian3x3Node(graph, input, clean), vxDilate3x3Node(graph, clean, light), vxErode3x3Node(graph, clean, dark),
		vxAbsDiffNode(graph, light, dark, edges),
	};
	for (int i = 0; i < 4; i++) {
		made(nodes[i], "a node");
		if (i < 3)
			check(vxSetNodeAttribute(nodes[i], VX_NODE_BORDER, &border, sizeof border), "vxSetNodeAttribute");
		vxReleaseNode(&nodes[i]);
	}
	vxReleaseImage(&light);
	vxReleaseImage(&dark);
	check(vxVerifyGraph(graph), "vxVerifyGraph");
}

/* The graph of a context, for these images: one that has been built, verified and exported before, by a context that has ended. It is
 * what a program on a device would have in a file. */
static vx_graph graph_open(vx_context context, vx_image input, vx_image edges, vx_image clean)
{
	vx_enum uses[4] = {VX_IX_USE_EXPORT_VALUES, VX_IX_USE_APPLICATION_CREATE, VX_IX_USE_APPLICATION_CREATE, VX_IX_USE_APPLICATION_CREATE};
	const vx_uint8 *exported = NULL;
	vx_size length = 0;
	vx_context workshop = made(vxCreateContext(), "vxCreateContext");
	vx_reference parts[4] = {made(vxCreateGraph(workshop), "vxCreateGraph")}, whole[4] = {NULL, (vx_reference)input, (vx_reference)edges, (vx_reference)clean};
	for (int i = 1; i < 4; i++)
		parts[i] = made(vxCreateImage(workshop, WIDTH, HEIGHT, VX_DF_IMAGE_U8), "vxCreateImage");
	graph_build((vx_graph)parts[0], (vx_image)parts[1], (vx_image)parts[2], (vx_image)parts[3]);
	check(vxExportObjectsToMemory(workshop, 4, parts, uses, &exported, &length), "vxExportObjectsToMemory");
	vx_uint8 *kept = malloc(length);
	check(kept ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY, "malloc");
	memcpy(kept, exported, length);
	vxReleaseExportedMemory(workshop, &exported);
	vxReleaseContext(&workshop);
	vx_import import = made(vxImportObjectsFromMemory(context, 4, whole, uses, kept, length), "vxImportObjectsFromMemory");
	vxReleaseImport(&import);
	free(kept);
	printf("imported a graph of %zu bytes\n", (size_t)length);
	return made(whole[0], "the imported graph");
}

/* ---- OpenCL, with two devices ---- */

static cl_context cl;
static cl_command_queue queues[2]; /* of either device; the first coordinates with OpenVX */
static cl_kernel kernels[2];
static cl_mem buffers[2][2];       /* of either output, in turns */

static void opencl_open(void)
{
	cl_platform_id platforms[16];
	cl_device_id devices[2];
	cl_uint n = 0, count = 0;
	cl_int error;
	const char *text = source;
	if (clGetPlatformIDs(16, platforms, &n))
		n = 0;
	for (cl_uint i = 0; i < n && i < 16 && count < 2; i++) {
		char name[64] = "";
		clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
		if (strcmp(name, "Galena") || clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 2, devices, &count))
			count = 0;
	}
	if (count < 2) {
		fprintf(stderr, "vx_cl_interop: there are no two devices of the platform 'Galena'; start it with `galena run --devices 2 -- vx_cl_interop`\n");
		exit(1);
	}
	cl = clCreateContext(NULL, 2, devices, NULL, NULL, &error);
	check(error, "clCreateContext");
	cl_program program = clCreateProgramWithSource(cl, 1, &text, NULL, &error);
	check(error, "clCreateProgramWithSource");
	check(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), "clBuildProgram");
	for (int i = 0; i < 2; i++) {
		queues[i] = clCreateCommandQueueWithProperties(cl, devices[i], NULL, &error);
		check(error, "clCreateCommandQueueWithProperties");
		kernels[i] = clCreateKernel(program, i ? "poster" : "ink", &error);
		check(error, "clCreateKernel");
		for (int k = 0; k < 2; k++) {
			buffers[i][k] = clCreateBuffer(cl, CL_MEM_READ_WRITE, FRAME, NULL, &error);
			check(error, "clCreateBuffer");
		}
	}
	clReleaseProgram(program);
}

static void opencl_close(void)
{
	for (int i = 0; i < 2; i++) {
		clReleaseMemObject(buffers[i][0]);
		clReleaseMemObject(buffers[i][1]);
		clReleaseKernel(kernels[i]);
		clReleaseCommandQueue(queues[i]);
	}
	clReleaseContext(cl);
}

/* A kernel over a buffer, when the event is over, if there is one; then what it has made, for the host to look at in the end. */
static void post_process(int device, cl_mem buffer, const cl_event *after, unsigned char *out, cl_event *done)
{
	const size_t items[2] = {WIDTH, HEIGHT};
	check(clSetKernelArg(kernels[device], 0, sizeof buffer, &buffer), "clSetKernelArg");
	check(clEnqueueNDRangeKernel(queues[device], kernels[device], 2, NULL, items, NULL, after != NULL, after, NULL), "clEnqueueNDRangeKernel");
	check(clEnqueueReadBuffer(queues[device], buffer, CL_FALSE, 0, FRAME, out, 0, NULL, done), "clEnqueueReadBuffer");
}

/* ---- the same by the host ---- */

static int at(int v, int size) { return v < 0 ? 0 : v < size ? v : size - 1; }

static void neighbours(const unsigned char *p, int x, int y, unsigned char out[9])
{
	for (int i = 0; i < 9; i++) { /* in order, as they come */
		unsigned char v = p[at(y + i / 3 - 1, HEIGHT) * WIDTH + at(x + i % 3 - 1, WIDTH)];
		int k = i;
		for (; k && out[k - 1] > v; k--)
			out[k] = out[k - 1];
		out[k] = v;
	}
}

static int wrong_pixels(const unsigned char *frame, const unsigned char *sketch, const unsigned char *poster)
{
	static unsigned char clean[FRAME];
	unsigned char near[9];
	int wrong = 0;
	for (int i = 0; i < FRAME; i++) {
		neighbours(frame, i % WIDTH, i / WIDTH, near);
		clean[i] = near[4];
		wrong += poster[i] != near[4] / 64 * 85;
	}
	for (int i = 0; i < FRAME; i++) {
		neighbours(clean, i % WIDTH, i / WIDTH, near);
		wrong += sketch[i] != (near[8] - near[0] > 24 ? 0 : 255);
	}
	return wrong;
}

static void show(const char *directory, const char *name, const unsigned char *picture)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/%s.pgm", directory, name);
	FILE *f = fopen(path, "wb");
	if (!f || fprintf(f, "P5\n%d %d\n255\n", WIDTH, HEIGHT) < 0 || fwrite(picture, FRAME, 1, f) != 1 || fclose(f)) {
		perror(path);
		exit(1);
	}
	printf("%s\n", path);
}

int main(int argc, char **argv)
{
	const char *directory = argc > 1 ? argv[1] : ".";
	static unsigned char seen[ROUNDS][FRAME], sketches[ROUNDS][FRAME], posters[ROUNDS][FRAME];
	unsigned char *camera[2] = {aligned_alloc(4096, FRAME + 4096 - FRAME % 4096), aligned_alloc(4096, FRAME + 4096 - FRAME % 4096)};
	cl_event posted[2] = {NULL, NULL};
	int wrong = 0;
	check(camera[0] && camera[1] ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY, "aligned_alloc");
	opencl_open();

	/* OpenVX works where OpenCL does, and its place among the commands is in the first queue */
	vx_context context = made(vxCreateContextFromCL(cl, queues[0]), "vxCreateContextFromCL");
	vx_image input = made(vxCreateImageFromHandle(context, VX_DF_IMAGE_U8, &addressing, (void *[]){camera[0]}, VX_MEMORY_TYPE_HOST), "vxCreateImageFromHandle");
	vx_image outputs[2];
	for (int i = 0; i < 2; i++)
		outputs[i] = made(vxCreateImageFromHandle(context, VX_DF_IMAGE_U8, &addressing, (void *[]){buffers[i][0]}, VX_MEMORY_TYPE_OPENCL_BUFFER),
				  "vxCreateImageFromHandle");
	vx_graph graph = graph_open(context, input, outputs[0], outputs[1]);

	for (int n = 0; n < ROUNDS; n++) {
		const int k = n % 2;
		cl_event drawn;
		camera_shoot(camera[k], n);
		memcpy(seen[n], camera[k], FRAME);
		if (n) {
			/* The camera gets the last frame's memory back: that waits until OpenVX has done with it. */
			void *back = NULL;
			check(vxSwapImageHandle(input, (void *[]){camera[k]}, &back, 1), "vxSwapImageHandle");
			check(back == camera[!k] ? CL_SUCCESS : CL_INVALID_VALUE, "the camera's memory");
			/* What OpenCL has still to do with this turn's buffers stands before the graph. */
			if (posted[k])
				check(clEnqueueBarrierWithWaitList(queues[0], 1, &posted[k], NULL), "clEnqueueBarrierWithWaitList");
			for (int i = 0; i < 2; i++)
				check(vxSwapImageHandle(outputs[i], (void *[]){buffers[i][k]}, NULL, 1), "vxSwapImageHandle");
		}
		check(vxProcessGraph(graph), "vxProcessGraph");
		/* The buffers are OpenCL's again, though the graph may not have begun: what is enqueued next in the first queue comes behind it, */
		for (int i = 0; i < 2; i++)
			check(vxSwapImageHandle(outputs[i], NULL, NULL, 1), "vxSwapImageHandle");
		check(clEnqueueMarkerWithWaitList(queues[0], 0, NULL, &drawn), "clEnqueueMarkerWithWaitList");
		post_process(0, buffers[0][k], NULL, sketches[n], NULL);
		/* ... and what is enqueued in another queue, for another device, by a marker's event. */
		if (posted[k])
			clReleaseEvent(posted[k]);
		post_process(1, buffers[1][k], &drawn, posters[n], &posted[k]);
		clReleaseEvent(drawn);
	}
	check(clFinish(queues[0]), "clFinish");
	check(clFinish(queues[1]), "clFinish");

	for (int n = 0; n < ROUNDS; n++)
		wrong += wrong_pixels(seen[n], sketches[n], posters[n]);
	show(directory, "camera", seen[ROUNDS - 1]);
	show(directory, "sketch", sketches[ROUNDS - 1]);
	show(directory, "poster", posters[ROUNDS - 1]);
	printf("%d frames, %d wrong pixels\n", ROUNDS, wrong);

	for (int i = 0; i < 2; i++) {
		clReleaseEvent(posted[i]);
		vxReleaseImage(&outputs[i]);
	}
	vxReleaseGraph(&graph);
	vxReleaseImage(&input);
	vxReleaseContext(&context);
	opencl_close();
	free(camera[0]);
	free(camera[1]);
	return wrong != 0;
}
