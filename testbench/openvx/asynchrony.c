/* Nothing waits that need not, and nothing is copied that nobody asked to be: proved by traces of a chain of 100 rounds,
 *
 *   camera -> graph of OpenVX -> kernels of OpenCL on device 1 and on device 2 -> graph of OpenVX -> OpenCL, in a map -> OpenCL
 *
 * All rounds are enqueued before the camera delivers its first frame: each begins with a user event, which is set in the end. So a
 * call that waited for anything of it would wait for ever; and in the trace, all work of a round stands between its event and the
 * next one. */
#include "testbench/openvx/trace.h"

enum { SIDE = 64, BYTES = SIDE * SIDE, ROUNDS = 100 };

static const char source[] = "kernel void brighten(global uchar *p) { p[get_global_id(0)] += 1; }\n"
			     "kernel void mark(global uchar *p) { p[get_global_id(0)] ^= (uchar)get_global_id(0); }\n"
			     "kernel void turn(global uchar *p, uchar n)\n"
			     "{\n"
			     "	size_t i = get_global_id(0);\n"
			     "	p[i] = rotate(p[i], (uchar)1) + n;\n"
			     "}\n";

/* ---- the chain, in a program of its own ---- */
static struct {
	cl_program program;
	cl_kernel brighten, mark, turn;
	cl_mem camera[2], low[2], high[2]; /* used in turns: what comes in, and what the first graph makes of it */
	cl_mem results;                    /* of all rounds, one behind the other */
	vx_image input, outputs[2], backs[2], mixed;
	vx_graph split, join;
} chain;

static const vx_imagepatch_addressing_t dense = {
	.dim_x = SIDE, .dim_y = SIDE, .stride_x = 1, .stride_y = SIDE, .scale_x = VX_SCALE_UNITY, .scale_y = VX_SCALE_UNITY, .step_x = 1, .step_y = 1,
};
static const vx_rectangle_t all = {0, 0, SIDE, SIDE};

static cl_kernel kernel_of(const char *name)
{
	cl_int code = CL_SUCCESS;
	cl_kernel k = clCreateKernel(chain.program, name, &code);
	CL_OK(code);
	return k;
}

static vx_image image_from(cl_mem buffer)
{
	vx_image image = vxCreateImageFromHandle(context, VX_DF_IMAGE_U8, &dense, (void *[]){buffer}, OPENCL);
	CREATED(image);
	return image;
}

/* The buffer is OpenVX', and OpenCL's again. */
static void give(vx_image image, cl_mem buffer) { RAN(vxSwapImageHandle(image, (void *[]){buffer}, NULL, 1)); }

static void take(vx_image image, cl_mem buffer)
{
	void *back = NULL;
	RAN(vxSwapImageHandle(image, NULL, &back, 1));
	assert_ptr_equal(back, buffer);
}

static void build_graphs(void)
{
	const vx_border_t replicate = {.mode = VX_BORDER_REPLICATE};
	chain.split = vxCreateGraph(context);
	chain.join = vxCreateGraph(context);
	vx_image middle = vxCreateVirtualImage(chain.split, 0, 0, VX_DF_IMAGE_VIRT);
	vx_node erode = vxErode3x3Node(chain.split, chain.input, middle);
	set_node_border(erode, &replicate);
	CREATED(vxNotNode(chain.split, middle, chain.outputs[0]));
	CREATED(vxAbsDiffNode(chain.split, chain.input, middle, chain.outputs[1]));
	CREATED(vxXorNode(chain.join, chain.backs[0], chain.backs[1], chain.mixed));
	RAN(vxVerifyGraph(chain.split));
	RAN(vxVerifyGraph(chain.join));
}

static void build_chain(unsigned rounds)
{
	const char *text = source;
	cl_int code = CL_SUCCESS;
	chain.program = clCreateProgramWithSource(cl, 1, &text, NULL, &code);
	CL_OK(code);
	CL_OK(clBuildProgram(chain.program, 0, NULL, NULL, NULL, NULL));
	chain.brighten = kernel_of("brighten");
	chain.mark = kernel_of("mark");
	chain.turn = kernel_of("turn");
	for (int i = 0; i < 2; i++) {
		chain.camera[i] = empty_buffer(BYTES);
		chain.low[i] = empty_buffer(BYTES);
		chain.high[i] = empty_buffer(BYTES);
	}
	chain.results = empty_buffer((size_t)rounds * BYTES);
	chain.input = image_from(chain.camera[0]);
	chain.outputs[0] = image_from(chain.low[0]);
	chain.outputs[1] = image_from(chain.high[0]);
	chain.backs[0] = image_from(chain.low[1]);
	chain.backs[1] = image_from(chain.high[1]);
	chain.mixed = vxCreateImage(context, SIDE, SIDE, VX_DF_IMAGE_U8);
	CREATED(chain.mixed);
	build_graphs();
	take(chain.input, chain.camera[0]);
	take(chain.outputs[0], chain.low[0]);
	take(chain.outputs[1], chain.high[0]);
	take(chain.backs[0], chain.low[1]);
	take(chain.backs[1], chain.high[1]);
}

static void enqueue(cl_command_queue q, cl_kernel k, cl_mem buffer, const cl_event *after, cl_event *event)
{
	const size_t items = BYTES;
	CL_OK(clSetKernelArg(k, 0, sizeof buffer, &buffer));
	CL_OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &items, NULL, after != NULL, after, event));
}

/* Between kernels on both devices: what OpenCL does with the outputs of the first graph. */
static void post_process(cl_mem low, cl_mem high)
{
	cl_event given, marked;
	enqueue(queue, chain.brighten, low, NULL, NULL);
	CL_OK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &given));
	enqueue(second, chain.mark, high, &given, &marked);
	CL_OK(clEnqueueBarrierWithWaitList(queue, 1, &marked, NULL));
	CL_OK(clReleaseEvent(given));
	CL_OK(clReleaseEvent(marked));
}

static void turn_in_a_map(unsigned n)
{
	const cl_uchar amount = (cl_uchar)n;
	vx_imagepatch_addressing_t a;
	vx_map_id id = 0;
	cl_mem mapped = NULL;
	RAN(vxMapImagePatch(chain.mixed, &all, 0, &id, &a, (void **)&mapped, VX_READ_AND_WRITE, OPENCL, 0));
	CL_OK(clSetKernelArg(chain.turn, 1, sizeof amount, &amount));
	enqueue(queue, chain.turn, mapped, NULL, NULL);
	RAN(vxUnmapImagePatch(chain.mixed, id));
}

/* What the API is asked to copy in a round: the frame into the buffer, and the picture to the results. */
enum { COPIES = 2 };

static void enqueue_round(unsigned n, const uint8_t *frame, cl_event arrived)
{
	const unsigned k = n % 2;
	const cl_buffer_region region = {(size_t)n * BYTES, BYTES};
	cl_int code = CL_SUCCESS;
	CL_OK(clEnqueueWriteBuffer(queue, chain.camera[k], CL_FALSE, 0, BYTES, frame, 1, &arrived, NULL));
	give(chain.input, chain.camera[k]);
	give(chain.outputs[0], chain.low[k]);
	give(chain.outputs[1], chain.high[k]);
	RAN(vxProcessGraph(chain.split));
	take(chain.input, chain.camera[k]);
	take(chain.outputs[0], chain.low[k]);
	take(chain.outputs[1], chain.high[k]);
	post_process(chain.low[k], chain.high[k]);
	give(chain.backs[0], chain.low[k]);
	give(chain.backs[1], chain.high[k]);
	RAN(vxProcessGraph(chain.join));
	take(chain.backs[0], chain.low[k]);
	take(chain.backs[1], chain.high[k]);
	turn_in_a_map(n);
	cl_mem result = clCreateSubBuffer(chain.results, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
	CL_OK(code);
	RAN(vxCopyImagePatch(chain.mixed, &all, 0, &dense, result, VX_READ_ONLY, OPENCL));
	CL_OK(clReleaseMemObject(result));
}

/* The same by the host, in plain memory. */
static uint8_t eroded(const uint8_t *p, int x, int y)
{
	uint8_t least = 0xff;
	for (int dy = -1; dy <= 1; dy++) {
		for (int dx = -1; dx <= 1; dx++) {
			const int at_x = x + dx < 0 || x + dx >= SIDE ? x : x + dx, at_y = y + dy < 0 || y + dy >= SIDE ? y : y + dy;
			least = p[at_y * SIDE + at_x] < least ? p[at_y * SIDE + at_x] : least;
		}
	}
	return least;
}

static void predict(const uint8_t *frame, unsigned n, uint8_t *out)
{
	for (int i = 0; i < BYTES; i++) {
		const uint8_t middle = eroded(frame, i % SIDE, i / SIDE);
		const uint8_t low = (uint8_t)(~middle + 1), high = (uint8_t)((frame[i] - middle) ^ i), mixed = low ^ high;
		out[i] = (uint8_t)((mixed << 1 | mixed >> 7) + (int)n);
	}
}

static void end_chain(void)
{
	cl_mem *const buffers[] = {chain.camera, chain.low, chain.high};
	RAN(vxReleaseGraph(&chain.split));
	RAN(vxReleaseGraph(&chain.join));
	RAN(vxReleaseImage(&chain.input));
	RAN(vxReleaseImage(&chain.mixed));
	for (int i = 0; i < 2; i++) {
		RAN(vxReleaseImage(&chain.outputs[i]));
		RAN(vxReleaseImage(&chain.backs[i]));
		for (size_t b = 0; b < COUNT(buffers); b++)
			CL_OK(clReleaseMemObject(buffers[b][i]));
	}
	CL_OK(clReleaseMemObject(chain.results));
	CL_OK(clReleaseKernel(chain.brighten));
	CL_OK(clReleaseKernel(chain.mark));
	CL_OK(clReleaseKernel(chain.turn));
	CL_OK(clReleaseProgram(chain.program));
}

/* Blocks once, at the end, and, if it reads, once a round. */
static int run_chain(unsigned rounds, bool reads)
{
	const size_t size = (size_t)rounds * BYTES;
	cl_event *arrived = malloc(rounds * sizeof *arrived);
	uint8_t *frames = new_bytes(size), *got = malloc(size), expected[BYTES];
	cl_int code = CL_SUCCESS;
	assert_true(arrived && got);
	now_testing("the chain of %u rounds", rounds);
	assert_int_equal(open_interop(NULL), 0);
	build_chain(rounds);
	for (unsigned n = 0; n < rounds; n++) {
		arrived[n] = clCreateUserEvent(cl, &code);
		CL_OK(code);
		enqueue_round(n, frames + (size_t)n * BYTES, arrived[n]);
		if (!reads)
			continue;
		CL_OK(clSetUserEventStatus(arrived[n], CL_COMPLETE));
		CL_OK(clEnqueueReadBuffer(queue, chain.results, CL_TRUE, (size_t)n * BYTES, BYTES, expected, 0, NULL, NULL));
	}
	CL_OK(clFlush(queue));
	CL_OK(clFlush(second));
	for (unsigned n = 0; n < rounds; n++) {
		if (!reads)
			CL_OK(clSetUserEventStatus(arrived[n], CL_COMPLETE));
		CL_OK(clReleaseEvent(arrived[n]));
	}
	CL_OK(clEnqueueReadBuffer(queue, chain.results, CL_TRUE, 0, size, got, 0, NULL, NULL));
	for (unsigned n = 0; n < rounds; n++) {
		add_testing(", round %u", n);
		predict(frames + (size_t)n * BYTES, n, expected);
		expect_bytes(expected, got + (size_t)n * BYTES, BYTES);
		now_testing("the chain of %u rounds", rounds);
	}
	end_chain();
	free(arrived);
	free(frames);
	free(got);
	return close_interop(NULL);
}

/* ---- what the trace says ---- */
/* Work before the first frame has arrived, and between each and the next. */
struct work {
	unsigned arrived;
	struct { unsigned dispatches[2], copies, fills; } in[ROUNDS + 1];
};

static void look(void *with, unsigned device, const struct event *e)
{
	struct work *w = with;
	assert_in_range(device, 0, 1);
	if (is_user_event(e)) {
		assert_in_range(++w->arrived, 1, ROUNDS);
	} else if (e->kind == EVENT_DISPATCH) {
		w->in[w->arrived].dispatches[device]++;
	} else if (e->kind == EVENT_PACKET) {
		w->in[w->arrived].copies += e->b == PACKET_CODE_copy;
		w->in[w->arrived].fills += e->b == PACKET_CODE_fill;
	}
}

static void each_round_in_its_turn(void **state)
{
	enum { GRAPHS = 2, KERNELS = 2 }; /* on device 1; device 2 has one */
	struct work w = {0};
	char path[PATH_MAX], seed_text[32];
	(void)state;
	now_testing("the trace of the chain");
	path_in_directory(path, "events");
	snprintf(seed_text, sizeof seed_text, "%llu", (unsigned long long)seed_first);
	run_recorded("GALENA_EVENTS", path, (const char *const[4]){"chain", "100", "0", seed_text});
	read_events(path, look, &w);
	assert_int_equal(w.arrived, ROUNDS);
	assert_int_equal(w.in[0].dispatches[0] + w.in[0].dispatches[1], 0);
	assert_int_equal(w.in[0].copies + w.in[0].fills, 0);
	for (unsigned n = 1; n <= ROUNDS; n++) {
		now_testing("the trace of round %u", n - 1);
		assert_true(w.in[n].dispatches[0] >= GRAPHS + KERNELS);
		assert_int_equal(w.in[n].dispatches[0], w.in[1].dispatches[0]);
		assert_int_equal(w.in[n].dispatches[1], 1);
		/* what was asked for, and the results at the end */
		assert_int_equal(w.in[n].copies, COPIES + (n == ROUNDS));
		/* the first round makes images of OpenVX' own, which are 0 to begin with */
		assert_true(n == 1 || !w.in[n].fills);
	}
}

/* Of the main thread, as the profile of the host has it: how often it was in the driver's wait. */
static unsigned long long host_waits(const char *rounds, const char *reads)
{
	char path[PATH_MAX], name[64];
	unsigned long long waits = 0;
	unsigned files = 0;
	snprintf(name, sizeof name, "profile-%s-%s", rounds, reads);
	path_in_directory(path, name);
	assert_int_equal(mkdir(path, 0700), 0);
	run_recorded("GALENA_PROFILE", path, (const char *const[4]){"chain", rounds, reads, NULL});
	DIR *d = opendir(path);
	assert_non_null(d);
	for (const struct dirent *e; (e = readdir(d));) {
		char file[PATH_MAX + sizeof e->d_name + 1], line[1024];
		const size_t length = strlen(e->d_name);
		if (length < 5 || strcmp(e->d_name + length - 5, ".host"))
			continue;
		snprintf(file, sizeof file, "%s/%s", path, e->d_name);
		FILE *f = fopen(file, "r");
		assert_non_null(f);
		files++;
		while (fgets(line, sizeof line, f)) {
			unsigned long long calls = 0;
			const char *last = strrchr(line, ';');
			if (!strncmp(line, "main;", 5) && last && sscanf(last, ";wait %llu", &calls) == 1)
				waits += calls;
		}
		fclose(f);
	}
	closedir(d);
	assert_int_equal(files, 1);
	return waits;
}

/* A hundred rounds wait as often as one; and as often as the program asks them to. */
static void the_host_waits_where_it_asks_to(void **state)
{
	(void)state;
	now_testing("the waits of the host");
	const unsigned long long one = host_waits("1", "0"), hundred = host_waits("100", "0"), reading = host_waits("100", "1");
	assert_true(one >= 1);
	assert_int_equal(hundred, one);
	assert_int_equal(reading, hundred + ROUNDS);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(each_round_in_its_turn), cmocka_unit_test(the_host_waits_where_it_asks_to)};
	if (argc > 3 && !strcmp(argv[1], "chain")) {
		interop_start(argc - 3, argv + 3);
		return run_chain((unsigned)strtoul(argv[2], NULL, 10), *argv[3] == '1');
	}
	interop_start(argc, argv);
	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
