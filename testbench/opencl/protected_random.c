/* Random sequences of calls around protected memory: whatever a program does, no word of a protected buffer is ever found where the
 * host can read: in other memory objects, memory of its own, or what kernels print.
 * `protected_random [SEED [SEQUENCES]]`; what finds one says its sequence, counted from 0: the same seed and one more than that have it
 * again. */
#define _GNU_SOURCE
#include "include/galena/heap.h"
#include "testbench/opencl/import.h"
#include <sys/mman.h>
#include <time.h>

enum { WORDS = 256, BYTES = WORDS * 4, PAGE = 4096, SECRETS = 3, OPEN = 7, STEPS = 12, ITEMS = 64, LOCAL_WORDS = 2048 };

static const char source[] =
	"kernel void set(global uint *p, uint value) { p[get_global_id(0)] = value + get_global_id(0); }\n"
	"kernel void copy(global const uint *from, global uint *to) { to[get_global_id(0)] = from[get_global_id(0)]; }\n"
	"kernel void mix(global uint *to, global const uint *a, global const uint *b) { to[get_global_id(0)] = a[get_global_id(0)] + b[0] - b[0]; }\n"
	"kernel void add(global uint *from, global uint *to) { if (get_global_id(0) == 0) { atomic_xchg(to, 0u); atomic_add(to, from[0]); } }\n"
	"kernel void tell(global uint *p, uint unused) { printf(\"%x\\n\", p[get_global_id(0)]); }\n"
	"global uint variable;\n"
	"kernel void keep(global uint *p, uint unused) { variable = p[0]; }\n"
	"kernel void read_variable(global uint *p, uint unused) { p[get_global_id(0)] = variable; }\n"
	"kernel void into_local(global uint *p, uint n, local uint *l) {\n"
	"  for (uint i = get_local_id(0); i < n; i += get_local_size(0)) l[i] = p[i % 256]; barrier(CLK_LOCAL_MEM_FENCE); p[get_local_id(0)] = l[get_local_id(0)]; }\n"
	"kernel void out_of_local(global uint *p, uint n, local uint *l) {\n"
	"  for (uint i = get_local_id(0); i < n; i += get_local_size(0)) if (l[i] >> 20 == 0x5ec) p[i % 256] = l[i]; }\n"
	"kernel void spill(global uint *p, uint n) {\n"
	"  uint a[64]; for (int i = 0; i < 64; i++) a[i] = p[(get_global_id(0) + i) & 255]; p[get_global_id(0)] = a[n & 63]; }\n"
	"kernel void unspilled(global uint *p, uint n) {\n" /* private memory that nobody has written */
	"  volatile uint a[64]; a[n & 1] = 0; for (int i = 2; i < 64; i++) if (a[i] >> 20 == 0x5ec) p[get_global_id(0)] = a[i]; }\n"
	"kernel void texels(read_only image1d_buffer_t from, global uint *to) { to[get_global_id(0)] = read_imageui(from, (int)get_global_id(0)).x; }\n";

enum kernel_name { SET, COPY, MIX, ADD, TELL, KEEP, READ_VARIABLE, INTO_LOCAL, OUT_OF_LOCAL, SPILL, UNSPILLED, TEXELS, KERNELS };
static const char *const names[KERNELS] = {"set", "copy", "mix", "add", "tell", "keep", "read_variable", "into_local", "out_of_local", "spill",
					   "unspilled", "texels"};
static cl_kernel kernels[KERNELS];
static cl_command_queue queues[3]; /* in order, out of order; with profiling */

static uint64_t state_of_random;
static unsigned below(unsigned n) { return (unsigned)(splitmix64(&state_of_random) % n); }

/* ---- the memory of a sequence ---- */
static struct { cl_mem object; int fd; } secret[SECRETS];
static cl_mem open_memory[OPEN];
static uint32_t *host, *dma; /* what two of them are for the host */
static int shared;
static uint32_t marker;      /* of the sequence: words 0x5ec..... */
static unsigned long refused, allowed;
static long printed_before;
static uint64_t sequences = 1000, number;
#define FOUND(format, ...) fail_msg("sequence %llu: " format, (unsigned long long)number, __VA_ARGS__)

static bool is_marked(uint32_t word) { return word >> 20 == 0x5ec; }

static const cl_import_properties_arm as_protected[] = {CL_IMPORT_TYPE_ARM, CL_IMPORT_TYPE_DMA_BUF_ARM, CL_IMPORT_TYPE_PROTECTED_ARM, CL_TRUE, 0};
static const cl_import_properties_arm as_shared[] = {CL_IMPORT_TYPE_ARM, CL_IMPORT_TYPE_DMA_BUF_ARM,
						     CL_IMPORT_DMA_BUF_DATA_CONSISTENCY_WITH_HOST_ARM, CL_TRUE, 0};

static void secret_import(unsigned i)
{
	cl_int code;
	secret[i].object = import(cl.context, below(8) ? 0 : CL_MEM_READ_ONLY, as_protected, &secret[i].fd, BYTES, &code);
	CL_OK(code);
}

static void secret_make(unsigned i)
{
	secret[i].fd = galena_heap_alloc("protected", PAGE, 0);
	assert_true(secret[i].fd >= 0);
	secret_import(i);
}

static void open_make(unsigned i)
{
	cl_int code;
	switch (i) {
	case 0: open_memory[i] = import(cl.context, 0, NULL, host, PAGE, &code); break;
	case 1: open_memory[i] = import(cl.context, 0, as_shared, &shared, BYTES, &code); break;
	case 2: open_memory[i] = clCreateBuffer(cl.context, CL_MEM_ALLOC_HOST_PTR, BYTES, NULL, &code); break;
	case 3: open_memory[i] = clCreateBuffer(cl.context, CL_MEM_READ_WRITE, PAGE << below(6), NULL, &code); break;
	default: open_memory[i] = clCreateBuffer(cl.context, 0, BYTES, NULL, &code);
	}
	CL_OK(code);
}

/* ---- steps ---- */

/* Any object: a secret with the first argument's chance in eight. */
static cl_mem any(unsigned secrets) { return below(8) < secrets ? secret[below(SECRETS)].object : open_memory[below(OPEN)]; }

static bool is_secret(cl_mem m)
{
	for (unsigned i = 0; i < SECRETS; i++)
		if (secret[i].object == m)
			return true;
	return false;
}

static void run_any(enum kernel_name name, cl_mem a, cl_mem b, cl_mem c)
{
	cl_kernel k = kernels[name];
	const cl_uint value = name != SET ? LOCAL_WORDS : is_secret(a) ? marker : 77;
	const size_t items = ITEMS, group = 16;
	const bool local = name == INTO_LOCAL || name == OUT_OF_LOCAL;
	cl_event done;
	cl_int status = 0;
	clSetKernelArg(k, 0, sizeof a, &a);
	if (name == COPY || name == ADD || name == TEXELS || name == MIX)
		clSetKernelArg(k, 1, sizeof b, &b);
	else
		clSetKernelArg(k, 1, sizeof value, &value);
	if (name == MIX)
		clSetKernelArg(k, 2, sizeof c, &c);
	if (local)
		clSetKernelArg(k, 2, LOCAL_WORDS * 4, NULL);
	if (clEnqueueNDRangeKernel(queues[below(16) ? below(2) : 2], k, 1, NULL, &items, local ? &group : NULL, 0, NULL, &done)) {
		refused++;
		return;
	}
	if (below(2)) { /* some run together */
		clWaitForEvents(1, &done);
		clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
		*(status < 0 ? &refused : &allowed) += 1;
	}
	CL_OK(clReleaseEvent(done));
}

/* Commands of the host that would show a secret: each is refused, or works on open memory. */
static void command_any(void)
{
	static uint32_t buffer[WORDS];
	const size_t zero[3] = {0}, row[3] = {BYTES, 1, 1};
	cl_command_queue q = queues[below(2)];
	cl_mem a = any(5), b = any(3);
	cl_int code = 0;
	void *p;
	memset(buffer, 0, sizeof buffer);
	switch (below(9)) {
	case 0: code = clEnqueueReadBuffer(q, a, CL_TRUE, 0, BYTES, buffer, 0, NULL, NULL); break;
	case 1: code = clEnqueueReadBufferRect(q, a, CL_TRUE, zero, zero, row, 0, 0, 0, 0, buffer, 0, NULL, NULL); break;
	case 2: code = clEnqueueCopyBuffer(q, a, b, 0, 0, BYTES, 0, NULL, NULL); break;
	case 3: code = clEnqueueCopyBufferRect(q, a, b, zero, zero, row, 0, 0, 0, 0, 0, NULL, NULL); break;
	case 4:
		p = clEnqueueMapBuffer(q, a, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, BYTES, 0, NULL, NULL, &code);
		if (p) {
			memcpy(buffer, p, BYTES);
			CL_OK(clEnqueueUnmapMemObject(q, a, p, 0, NULL, NULL));
		}
		break;
	case 5: code = clEnqueueWriteBuffer(q, a, CL_TRUE, 0, BYTES, buffer, 0, NULL, NULL); break;
	case 6: code = clEnqueueFillBuffer(q, a, &(cl_uint){5}, 4, 0, BYTES, 0, NULL, NULL); break;
	case 7: code = clEnqueueMigrateMemObjects(q, 1, &a, below(2) ? CL_MIGRATE_MEM_OBJECT_HOST : 0, 0, NULL, NULL); break;
	default: code = clGetMemObjectInfo(a, CL_MEM_HOST_PTR, sizeof p, &p, NULL); break;
	}
	*(code ? &refused : &allowed) += 1;
	for (int i = 0; i < WORDS; i++)
		if (is_marked(buffer[i]))
			FOUND("a command of the host has read 0x%x", buffer[i]);
}

/* An object comes and goes: its memory is another's. */
static void object_any(void)
{
	unsigned i = below(OPEN + SECRETS);
	if (i < OPEN) {
		CL_OK(clReleaseMemObject(open_memory[i]));
		open_make(i);
		return;
	}
	i -= OPEN;
	CL_OK(clReleaseMemObject(secret[i].object));
	if (below(2)) {
		secret_import(i); /* it has what it had */
		return;
	}
	close(secret[i].fd);
	secret_make(i);
}

/* Through what is made from an object. */
static void part_any(void)
{
	const cl_buffer_region half = {0, BYTES / 2};
	const cl_image_desc line = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = WORDS, .buffer = any(5)};
	cl_int code;
	cl_mem part = clCreateSubBuffer(any(5), 0, CL_BUFFER_CREATE_TYPE_REGION, &half, &code);
	if (part) {
		run_any(below(2) ? COPY : MIX, part, any(2), any(4));
		CL_OK(clReleaseMemObject(part));
	}
	part = clCreateImage(cl.context, 0, &(cl_image_format){CL_R, CL_UNSIGNED_INT32}, &line, NULL, &code);
	if (part) {
		run_any(TEXELS, part, any(3), NULL);
		CL_OK(clReleaseMemObject(part));
	}
}

static void step(void)
{
	switch (below(12)) {
	case 0:
	case 1: run_any(SET, any(7), NULL, NULL); break;
	case 2:
	case 3: run_any(COPY, any(6), any(2), NULL); break;
	case 4: run_any(MIX, any(3), any(5), any(5)); break;
	case 5: run_any(ADD, any(5), any(2), NULL); break;
	case 6: run_any(TELL + below(3), any(4), NULL, NULL); break;
	case 7: run_any(INTO_LOCAL + below(2), any(4), NULL, NULL); break;
	case 8: run_any(SPILL + below(2), any(4), NULL, NULL); break;
	case 9: command_any(); break;
	case 10: object_any(); break;
	default: part_any(); break;
	}
}

/* ---- what the host can see ---- */
static void words_look(const uint32_t *p, size_t n, const char *what)
{
	for (size_t i = 0; i < n; i++)
		if (is_marked(p[i]))
			FOUND("%s has 0x%x at word %zu", what, p[i], i);
}

/* What kernels have printed went into this file. */
static int printed;
static void print_look(void)
{
	char text[4096];
	fflush(stdout);
	for (ssize_t n; (n = pread(printed, text, sizeof text - 1, printed_before)) > 0; printed_before += n) {
		text[n] = 0;
		const char *at = strstr(text, "5ec");
		if (at)
			FOUND("a kernel has printed %.8s", at);
	}
}

static void look(void)
{
	static uint32_t words[(PAGE << 5) / 4];
	char what[32];
	for (int q = 0; q < 3; q++)
		CL_OK(clFinish(queues[q]));
	words_look(host, PAGE / 4, "memory of the host");
	words_look(dma, PAGE / 4, "a dma-buf");
	for (unsigned i = 2; i < OPEN; i++) {
		size_t size;
		CL_OK(clGetMemObjectInfo(open_memory[i], CL_MEM_SIZE, sizeof size, &size, NULL));
		CL_OK(clEnqueueReadBuffer(queues[0], open_memory[i], CL_TRUE, 0, size, words, 0, NULL, NULL));
		snprintf(what, sizeof what, "buffer %u", i);
		words_look(words, size / 4, what);
	}
	print_look();
}

static void sequence(void)
{
	state_of_random = cl.seed * 0x9e3779b97f4a7c15ull + number;
	marker = 0x5ec00000 | (uint32_t)below(0xfff) << 8;
	for (unsigned n = 4 + below(STEPS); n; n--)
		step();
	look();
}

static void random_sequences(void **state)
{
	(void)state;
	const time_t begun = time(NULL);
	time_t told = begun;
	for (number = 0; number < sequences; number++) {
		sequence();
		if (time(NULL) - told >= 10) {
			told = time(NULL);
			fprintf(stderr, "%llu of %llu sequences, %.0f a second, %.0f s left\n", (unsigned long long)number,
				(unsigned long long)sequences, (double)number / (double)(told - begun),
				(double)(sequences - number) * (double)(told - begun) / (double)number);
		}
	}
	assert_true(refused > sequences / 2 && allowed > sequences / 2); /* both happen all the time */
}

/* What kernels print goes to a file while the sequences run. */
static int standard_output;
static int capture(void **state)
{
	(void)state;
	fflush(stdout);
	standard_output = dup(STDOUT_FILENO);
	printed = memfd_create("printed", MFD_CLOEXEC);
	return standard_output < 0 || printed < 0 || dup2(printed, STDOUT_FILENO) < 0 ? -1 : 0;
}

static int release(void **state)
{
	(void)state;
	fflush(stdout);
	return dup2(standard_output, STDOUT_FILENO) < 0 ? -1 : close(standard_output);
}

static int setup(void **state)
{
	cl_int code[3];
	cl_command_queue_properties how[3] = {0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_QUEUE_PROFILING_ENABLE};
	if (import_setup(state, source))
		return -1;
	for (int i = 0; i < 3; i++) {
		queues[i] = clCreateCommandQueue(cl.context, cl.device, how[i], &code[i]);
		if (code[i])
			return -1;
	}
	for (int i = 0; i < KERNELS; i++)
		kernels[i] = kernel_of(names[i]);
	host = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	shared = galena_heap_alloc("system", PAGE, 0);
	dma = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, shared, 0);
	if (host == MAP_FAILED || dma == MAP_FAILED)
		return -1;
	for (unsigned i = 0; i < SECRETS; i++)
		secret_make(i);
	for (unsigned i = 0; i < OPEN; i++)
		open_make(i);
	return 0;
}

static int teardown(void **state)
{
	for (unsigned i = 0; i < SECRETS; i++)
		clReleaseMemObject(secret[i].object);
	for (unsigned i = 0; i < OPEN; i++)
		clReleaseMemObject(open_memory[i]);
	for (int i = 0; i < KERNELS; i++)
		clReleaseKernel(kernels[i]);
	for (int i = 0; i < 3; i++)
		clReleaseCommandQueue(queues[i]);
	return import_teardown(state);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(random_sequences, capture, release)};
	setenv("GALENA_LOG", "none", 0); /* refusals are what is expected */
	cl_test_init(argc, argv);
	if (argc > 2)
		sequences = strtoull(argv[2], NULL, 0);
	return cmocka_run_group_tests(tests, setup, teardown);
}
