/* A random program: its setting, its threads, its end. */
#define _GNU_SOURCE
#include "testbench/opencl/stress.h"
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

_Atomic bool ending;
_Atomic unsigned callbacks_due, callbacks_done, contexts_due, contexts_done;
uint64_t program_seed;

void broken(const char *file, int line, const char *format, ...)
{
	char text[512];
	va_list ap;
	while (ending) /* calls may fail now; the process is over soon */
		pause();
	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	fprintf(stderr, "# program %" PRIu64 ": %s:%d: %s\n", program_seed, file, line, text);
	_exit(STATUS_BROKEN);
}

static const char source[] = "kernel void add(global uint *p, uint n) { p[get_global_id(0)] += n; }\n"
			     "kernel void set(global uint *p, uint n) { p[get_global_id(0)] = get_global_id(0) * n; }\n"
			     "kernel void copy(global const uint *a, global uint *b) { b[get_global_id(0)] = a[get_global_id(0)]; }\n"
			     "kernel void mix(global const uint *a, global uint *b) { uint i = get_global_id(0); b[i] = b[i] * 3 + a[i]; }\n"
			     "kernel void turn(global uint *p, local uint *l) { uint i = get_local_id(0), n = get_local_size(0);\n"
			     "  l[i] = p[get_global_id(0)]; barrier(CLK_LOCAL_MEM_FENCE); p[get_global_id(0)] = l[n - 1 - i]; }\n"
			     "kernel void add_image(read_write image2d_t m, uint n) { int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
			     "  write_imageui(m, at, read_imageui(m, at) + n); }\n";

/* ---- the setting ---- */
static void settings_choose(uint64_t *random)
{
	static const char *const configs[] = {"mini", "mini", "mini", "mini,coherent=0", "full"}, *const speeds[] = {"functional", "timed"};
	const char *config = configs[below(random, 5)], *speed = speeds[below(random, 2)];
	setenv("GALENA_CONFIG", config, 0);
	setenv("GALENA_SPEED", speed, 0);
	setenv("GALENA_DEVICES", "2", 0);
}

static void place_open(struct place *p, uint64_t *random, cl_platform_id platform, const cl_device_id devices[2])
{
	const char *text = source;
	cl_int code;
	p->num_devices = 1 + below(random, 2);
	for (unsigned i = 0; i < p->num_devices; i++)
		p->devices[i] = devices[p->num_devices == 1 ? below(random, 2) : i];
	p->context = clCreateContext((cl_context_properties[]){CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0}, p->num_devices, p->devices, NULL,
				     NULL, &code);
	MUST(code);
	p->program = clCreateProgramWithSource(p->context, 1, &text, NULL, &code);
	MUST(code);
	MUST(clBuildProgram(p->program, 0, NULL, "-cl-std=CL3.0", NULL, NULL));
	for (unsigned i = 0; i < 2; i++) {
		const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, i ? 0 : CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
		p->queues[i] = clCreateCommandQueueWithProperties(p->context, p->devices[below(random, p->num_devices)], list, &code);
		MUST(code);
		p->scratch[i] = clCreateBuffer(p->context, 0, SCRATCH_WORDS * 4, NULL, &code);
		MUST(code);
	}
}

static void CL_CALLBACK context_gone(cl_context c, void *unused)
{
	(void)c, (void)unused;
	contexts_done++;
}

/* Callbacks may still start others, on the queues. */
static void place_finish(struct place *p)
{
	while (callbacks_done != callbacks_due) {
		for (unsigned i = 0; i < 2; i++)
			MUST(clFinish(p->queues[i]));
		usleep(500);
	}
}

static void place_close(struct place *p, uint64_t *random)
{
	contexts_due++;
	MUST(clSetContextDestructorCallback(p->context, context_gone, NULL));
	for (unsigned first = below(random, 6), i = 0; i < 6; i++)
		switch ((first + i) % 6) {
		case 0: MUST(clReleaseContext(p->context)); break;
		case 1: MUST(clReleaseProgram(p->program)); break;
		case 2: case 3: MUST(clReleaseCommandQueue(p->queues[(first + i) % 2])); break;
		case 4: case 5: MUST(clReleaseMemObject(p->scratch[(first + i) % 2])); break;
		}
}

/* ---- threads ---- */
static struct thread threads[MAX_THREADS];
static unsigned steps; /* of a thread; ~0: for ever */

static const struct action *action_choose(uint64_t *random)
{
	static const struct action *const tables[] = {memory_actions, call_actions};
	unsigned sum = 0;
	for (unsigned i = 0; i < 2; i++)
		for (const struct action *a = tables[i]; a->name; a++)
			sum += a->weight;
	unsigned at = below(random, sum);
	for (unsigned i = 0; i < 2; i++)
		for (const struct action *a = tables[i]; a->name; a++) {
			if (at < a->weight)
				return a;
			at -= a->weight;
		}
	return NULL;
}

static void *thread_run(void *arg)
{
	struct thread *t = arg;
	const bool told = getenv("STRESS_TRACE") != NULL; /* what it does, to find what is wrong; and what it leaves out */
	const char *without = getenv("STRESS_WITHOUT");
	thread_begin(t);
	for (unsigned i = 0; i < steps; i++) {
		const struct action *a = action_choose(&t->random);
		if (told)
			fprintf(stderr, "# thread %u: %s\n", t->index, a->name);
		if (!without || !strstr(without, a->name))
			a->act(t);
	}
	thread_end(t);
	return NULL;
}

/* A child while threads work: it ends at once, or asks the library something first. */
static void fork_once(bool asks)
{
	int status = 0;
	cl_uint n;
	const pid_t child = fork();
	if (!child) {
		alarm(30);
		_exit(asks && clGetPlatformIDs(0, NULL, &n) ? 1 : 0);
	}
	EXPECT(child > 0 && waitpid(child, &status, 0) == child && !status, "a forked child: status %x", (unsigned)status);
}

/* ---- the end ---- */
enum end { END_ALL_RELEASED, END_RETURN, END_EXIT_AT_WORK, END__EXIT_AT_WORK, END_EXIT_IN_THREAD };

__attribute__((noreturn)) static void *exit_soon(void *arg)
{
	usleep((useconds_t)(uintptr_t)arg);
	ending = true;
	exit(STATUS_MEANT);
}

int stress_program(uint64_t seed)
{
	static const enum end ends[] = {END_ALL_RELEASED, END_ALL_RELEASED, END_ALL_RELEASED, END_ALL_RELEASED, END_RETURN, END_EXIT_AT_WORK,
					END__EXIT_AT_WORK, END_EXIT_IN_THREAD};
	static struct place places[MAX_CONTEXTS];
	uint64_t random = seed * 0x2545f4914f6cdd1dull + 1;
	cl_platform_id platform;
	cl_device_id devices[2];
	cl_uint n = 0;
	pthread_t running[MAX_THREADS], exits;
	program_seed = seed;
	settings_choose(&random);
	MUST(clGetPlatformIDs(1, &platform, NULL));
	MUST(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 2, devices, &n));
	EXPECT(n == 2, "%u devices", n);
	const unsigned num_places = 1 + below(&random, MAX_CONTEXTS), num_threads = 1 + below(&random, MAX_THREADS);
	const enum end end = ends[below(&random, sizeof ends / sizeof *ends)];
	for (unsigned i = 0; i < num_places; i++)
		place_open(&places[i], &random, platform, devices);
	steps = end >= END_EXIT_AT_WORK ? ~0u : 20 + below(&random, 60);
	for (unsigned i = 0; i < num_threads; i++) {
		threads[i] = (struct thread){.index = i, .random = splitmix64(&random), .place = &places[below(&random, num_places)]};
		EXPECT(!pthread_create(&running[i], NULL, thread_run, &threads[i]), "no thread");
	}
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* their heaps are not whole in a child of a process with threads */
	if (one_in(&random, 4))
		fork_once(one_in(&random, 2));
#endif
	const unsigned soon = below(&random, 30000);
	switch (end) {
	case END_EXIT_AT_WORK:
		exit_soon((void *)(uintptr_t)soon);
	case END__EXIT_AT_WORK:
		usleep(soon);
		_exit(STATUS_MEANT);
	case END_EXIT_IN_THREAD:
		pthread_create(&exits, NULL, exit_soon, (void *)(uintptr_t)soon);
		pthread_join(exits, NULL);
		break;
	case END_ALL_RELEASED:
	case END_RETURN:
		break;
	}
	for (unsigned i = 0; i < num_threads; i++)
		pthread_join(running[i], NULL);
	if (end == END_RETURN) { /* with whatever is under way */
		ending = true;
		return STATUS_MEANT;
	}
	for (unsigned i = 0; i < num_places; i++)
		place_finish(&places[i]);
	for (unsigned i = 0; i < num_places; i++)
		place_close(&places[i], &random);
	while (contexts_done != contexts_due)
		usleep(200);
	return STATUS_GOOD;
}
