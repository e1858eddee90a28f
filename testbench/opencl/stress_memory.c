/* Memory objects of random programs: of every kind, with what is to be in them. */
#define _GNU_SOURCE
#include "testbench/opencl/stress.h"
#include "include/android/hardware_buffer.h"
#include "include/galena/heap.h"
#include <string.h>
#include <unistd.h>

enum kind { BUFFER, HOST_ALLOCATED, HOST_USED, PIECE, IMAGE, SVM, IMPORT_HOST, IMPORT_DMABUF, IMPORT_HARDWARE, KINDS };
enum { STEP = 128 /* words: pieces of buffers begin there */, WIDTH = 16 /* of images */, PAGE = 4096, FLAGS_LOCK = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN };

struct memory {
	enum kind kind;
	cl_mem object;
	void *svm;
	AHardwareBuffer *hardware;
	struct data *data;
	uint32_t offset, words; /* of its data */
	uint32_t *mapped;       /* the whole of it; nothing else is done with the data meanwhile */
	size_t row;             /* bytes, of a mapped image */
};

static uint32_t *expected(const struct memory *m) { return m->data->expect + m->offset; }
static bool imported(const struct memory *m) { return m->kind >= IMPORT_HOST; } /* kernels alone may use it */

/* ---- making it ---- */
static cl_mem import_make(struct thread *t, intptr_t type, void *what, size_t bytes)
{
	static _Thread_local __typeof__(clImportMemoryARM) *import;
	cl_platform_id platform;
	cl_int code;
	if (!import) {
		MUST(clGetPlatformIDs(1, &platform, NULL));
		import = (__typeof__(clImportMemoryARM) *)clGetExtensionFunctionAddressForPlatform(platform, "clImportMemoryARM");
	}
	cl_mem m = import(t->place->context, CL_MEM_READ_WRITE, (cl_import_properties_arm[]){CL_IMPORT_TYPE_ARM, type, 0}, what, bytes, &code);
	MUST(code);
	return m;
}

static void *pages(size_t bytes)
{
	void *p = aligned_alloc(PAGE, (bytes + PAGE - 1) / PAGE * PAGE);
	EXPECT(p, "no memory");
	return memset(p, 0, bytes);
}

static void make_object(struct thread *t, struct memory *m)
{
	const size_t bytes = m->words * 4ull;
	uint32_t *e = expected(m);
	const cl_image_format format = {CL_R, CL_UNSIGNED_INT32};
	const cl_image_desc picture = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = m->words / WIDTH};
	cl_int code = CL_SUCCESS;
	void *p;
	int fd;
	switch (m->kind) {
	case BUFFER:
		m->object = clCreateBuffer(t->place->context, CL_MEM_COPY_HOST_PTR, bytes, e, &code);
		break;
	case HOST_ALLOCATED:
		m->object = clCreateBuffer(t->place->context, CL_MEM_COPY_HOST_PTR | CL_MEM_ALLOC_HOST_PTR, bytes, e, &code);
		break;
	case HOST_USED:
		p = memcpy(one_in(&t->random, 2) ? pages(bytes) : malloc(bytes), e, bytes);
		m->object = clCreateBuffer(t->place->context, CL_MEM_USE_HOST_PTR, bytes, p, &code);
		MUST(code);
		free_with(m->object, p);
		break;
	case IMAGE:
		m->object = clCreateImage(t->place->context, CL_MEM_COPY_HOST_PTR, &format, &picture, e, &code);
		break;
	case SVM:
		m->svm = clSVMAlloc(t->place->context, CL_MEM_READ_WRITE, bytes, 0);
		EXPECT(m->svm, "no SVM");
		break;
	case IMPORT_HOST:
		p = pages(bytes);
		m->object = import_make(t, CL_IMPORT_TYPE_HOST_ARM, p, bytes);
		free_with(m->object, p);
		break;
	case IMPORT_DMABUF:
		fd = galena_heap_alloc("system", bytes, 0);
		EXPECT(fd >= 0, "no memory of a heap");
		m->object = import_make(t, CL_IMPORT_TYPE_DMA_BUF_ARM, &fd, bytes);
		close(fd);
		break;
	case IMPORT_HARDWARE: {
		const AHardwareBuffer_Desc d = {(uint32_t)bytes, 1, 1, AHARDWAREBUFFER_FORMAT_BLOB, FLAGS_LOCK, 0, 0, 0};
		EXPECT(!AHardwareBuffer_allocate(&d, &m->hardware), "no hardware buffer");
		m->object = import_make(t, CL_IMPORT_TYPE_ANDROID_HARDWARE_BUFFER_ARM, m->hardware, bytes);
		if (one_in(&t->random, 2)) {
			AHardwareBuffer_release(m->hardware);
			m->hardware = NULL;
		}
		break;
	}
	case PIECE: case KINDS:
		break;
	}
	MUST(code);
}

static struct memory *any(struct thread *t) { return t->memory[below(&t->random, MAX_MEMORY)]; }

static void kernel_do(struct thread *t, struct memory *m, cl_program p, const char *name, uint32_t value);
static void unmap(struct thread *t, struct memory *m);

static void act_make(struct thread *t)
{
	struct memory **slot = &t->memory[below(&t->random, MAX_MEMORY)], *from = any(t);
	if (*slot)
		return;
	struct memory *m = calloc(1, sizeof *m);
	m->kind = below(&t->random, KINDS);
	if (m->kind == PIECE && (!from || from->kind > HOST_USED || from->mapped || from->words < 2 * STEP))
		m->kind = BUFFER;
	if (m->kind == PIECE) {
		cl_int code;
		m->words = STEP;
		m->offset = below(&t->random, from->words / STEP) * STEP;
		m->data = from->data;
		m->data->references++;
		m->object = clCreateSubBuffer(from->object, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){m->offset * 4ull, STEP * 4ull}, &code);
		MUST(code);
	} else {
		m->words = STEP << below(&t->random, 4);
		m->data = calloc(1, sizeof *m->data);
		*m->data = (struct data){.references = 1, .words = m->words, .expect = malloc(m->words * 4ull)};
		for (uint32_t i = 0; i < m->words; i++)
			m->data->expect[i] = (uint32_t)splitmix64(&t->random);
		make_object(t, m);
	}
	*slot = m;
	if (m->kind == SVM || imported(m))
		kernel_do(t, m, t->place->program, "set", below(&t->random, 1000));
}

/* ---- giving it back ---- */
static void svm_free(struct thread *t, struct memory *m)
{
	if (m->data->poisoned || one_in(&t->random, 2)) { /* what failed may have left others running; then nothing is freed */
		struct command c = command_begin(t, m->data, NULL, false);
		const cl_int code = clEnqueueSVMFree(c.queue->queue, 1, &m->svm, NULL, NULL, WAITS(&c));
		command_end(t, &c, code);
	} else {
		gates_open(t);
		clWaitForEvents(1, &m->data->last);
		clSVMFree(t->place->context, m->svm);
	}
}

static void memory_release(struct thread *t, struct memory *m)
{
	void *p;
	if (m->mapped && (m->kind == SVM || m->data->references > 1 || one_in(&t->random, 2)))
		unmap(t, m);
	if (m->kind == SVM)
		svm_free(t, m);
	else
		MUST(clReleaseMemObject(m->object));
	if (m->hardware) { /* the last import may have gone with commands under way */
		if (one_in(&t->random, 2)) {
			queues_flush(t);
			EXPECT(!AHardwareBuffer_lock(m->hardware, AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN, -1, NULL, &p), "lock");
			EXPECT(!AHardwareBuffer_unlock(m->hardware, NULL), "unlock");
		}
		AHardwareBuffer_release(m->hardware);
	}
	if (!--m->data->references) {
		if (m->data->last)
			MUST(clReleaseEvent(m->data->last));
		free(m->data->expect);
		free(m->data);
	}
	free(m);
}

static void act_release(struct thread *t)
{
	struct memory **slot = &t->memory[below(&t->random, MAX_MEMORY)];
	if (*slot)
		memory_release(t, *slot);
	*slot = NULL;
}

void memory_release_all(struct thread *t)
{
	const unsigned first = below(&t->random, MAX_MEMORY);
	for (unsigned i = 0; i < MAX_MEMORY; i++) {
		struct memory **slot = &t->memory[(first + i) % MAX_MEMORY];
		if (*slot)
			memory_release(t, *slot);
		*slot = NULL;
	}
}

/* ---- kernels ---- */
static bool mapped(const struct thread *t, const struct data *d)
{
	for (unsigned i = 0; i < MAX_MEMORY; i++)
		if (t->memory[i] && t->memory[i]->data == d && t->memory[i]->mapped)
			return true;
	return false;
}

/* One that commands may use now. */
static struct memory *usable(struct thread *t)
{
	struct memory *m = any(t);
	return m && !mapped(t, m->data) ? m : NULL;
}

static void argument(cl_kernel k, unsigned i, struct memory *m)
{
	if (m->kind == SVM)
		MUST(clSetKernelArgSVMPointer(k, i, m->svm));
	else
		MUST(clSetKernelArg(k, i, sizeof m->object, &m->object));
}

/* A kernel k(p, value) of all words. */
static void kernel_do(struct thread *t, struct memory *m, cl_program p, const char *name, uint32_t value)
{
	cl_kernel k = kernel_make(p, name);
	const bool picture = m->kind == IMAGE;
	const size_t items[2] = {picture ? WIDTH : m->words, m->words / WIDTH}, group = 8;
	argument(k, 0, m);
	MUST(clSetKernelArg(k, 1, sizeof value, &value));
	struct command c = command_begin(t, m->data, NULL, false);
	const cl_int code = clEnqueueNDRangeKernel(c.queue->queue, k, picture ? 2 : 1, NULL, items, !picture && one_in(&t->random, 2) ? &group : NULL, WAITS(&c));
	MUST(clReleaseKernel(k));
	if (command_end(t, &c, code))
		for (uint32_t i = 0; i < m->words; i++)
			expected(m)[i] = !strcmp(name, "set") ? i * value : expected(m)[i] + value;
}

static void act_add(struct thread *t)
{
	struct memory *m = usable(t);
	if (m)
		kernel_do(t, m, t->place->program, m->kind == IMAGE ? "add_image" : "add", below(&t->random, 1000));
}

/* plus(p, n) adds n * value; in the program, n is 1. */
void memory_add(struct thread *t, cl_program p, const char *name, uint32_t value)
{
	struct memory *m = usable(t);
	if (!m || m->kind == IMAGE)
		return;
	cl_kernel k = kernel_make(p, name);
	const cl_uint one = 1;
	const size_t items = m->words;
	argument(k, 0, m);
	MUST(clSetKernelArg(k, 1, sizeof one, &one));
	struct command c = command_begin(t, m->data, NULL, false);
	const cl_int code = clEnqueueNDRangeKernel(c.queue->queue, k, 1, NULL, &items, NULL, WAITS(&c));
	MUST(clReleaseKernel(k));
	if (command_end(t, &c, code))
		for (uint32_t i = 0; i < m->words; i++)
			expected(m)[i] += value;
}

static void act_turn(struct thread *t)
{
	struct memory *m = usable(t);
	const size_t group = one_in(&t->random, 2) ? 16 : 8;
	if (!m || m->kind == IMAGE)
		return;
	cl_kernel k = kernel_make(t->place->program, "turn");
	const size_t items = m->words;
	argument(k, 0, m);
	MUST(clSetKernelArg(k, 1, group * 4, NULL));
	struct command c = command_begin(t, m->data, NULL, false);
	const cl_int code = clEnqueueNDRangeKernel(c.queue->queue, k, 1, NULL, &items, &group, WAITS(&c));
	MUST(clReleaseKernel(k));
	uint32_t *e = expected(m);
	if (command_end(t, &c, code))
		for (uint32_t i = 0; i < m->words; i += (uint32_t)group)
			for (uint32_t j = 0; j < group / 2; j++) {
				const uint32_t other = e[i + group - 1 - j];
				e[i + group - 1 - j] = e[i + j];
				e[i + j] = other;
			}
}

static void act_mix(struct thread *t)
{
	struct memory *a = usable(t), *b = usable(t);
	const bool copy = one_in(&t->random, 2);
	if (!a || !b || a->data == b->data || a->kind == IMAGE || b->kind == IMAGE)
		return;
	const size_t items = a->words < b->words ? a->words : b->words;
	cl_kernel k = kernel_make(t->place->program, copy ? "copy" : "mix");
	argument(k, 0, a);
	argument(k, 1, b);
	struct command c = command_begin(t, a->data, b->data, false);
	const cl_int code = clEnqueueNDRangeKernel(c.queue->queue, k, 1, NULL, &items, NULL, WAITS(&c));
	MUST(clReleaseKernel(k));
	if (command_end(t, &c, code))
		for (uint32_t i = 0; i < items; i++)
			expected(b)[i] = (copy ? 0 : expected(b)[i] * 3) + expected(a)[i];
}

/* ---- transfers ---- */
static const size_t origin[3];
#define REGION(m) ((size_t[3]){WIDTH, (m)->words / WIDTH, 1})

static void act_fill(struct thread *t)
{
	struct memory *m = usable(t);
	const uint32_t value = below(&t->random, 1u << 30), color[4] = {value, 0, 0, 0};
	cl_int code;
	if (!m || imported(m))
		return;
	struct command c = command_begin(t, m->data, NULL, false);
	if (m->kind == IMAGE)
		code = clEnqueueFillImage(c.queue->queue, m->object, color, origin, REGION(m), WAITS(&c));
	else if (m->kind == SVM)
		code = clEnqueueSVMMemFill(c.queue->queue, m->svm, &value, 4, m->words * 4ull, WAITS(&c));
	else
		code = clEnqueueFillBuffer(c.queue->queue, m->object, &value, 4, 0, m->words * 4ull, WAITS(&c));
	if (command_end(t, &c, code))
		for (uint32_t i = 0; i < m->words; i++)
			expected(m)[i] = value;
}

/* For callbacks after command_end. */
static cl_event kept(const struct command *c)
{
	if (c->event)
		MUST(clRetainEvent(c->event));
	return c->event;
}

static void act_write(struct thread *t)
{
	struct memory *m = usable(t);
	cl_int code;
	if (!m || imported(m))
		return;
	const cl_bool blocking = one_in(&t->random, 3);
	const size_t bytes = m->words * 4ull;
	uint32_t *values = malloc(bytes);
	for (uint32_t i = 0; i < m->words; i++)
		values[i] = (uint32_t)splitmix64(&t->random);
	struct command c = command_begin(t, m->data, NULL, blocking);
	if (m->kind == IMAGE)
		code = clEnqueueWriteImage(c.queue->queue, m->object, blocking, origin, REGION(m), 0, 0, values, WAITS(&c));
	else if (m->kind == SVM)
		code = clEnqueueSVMMemcpy(c.queue->queue, blocking, m->svm, values, bytes, WAITS(&c));
	else
		code = clEnqueueWriteBuffer(c.queue->queue, m->object, blocking, 0, bytes, values, WAITS(&c));
	cl_event e = kept(&c);
	if (command_end(t, &c, code))
		memcpy(expected(m), values, bytes);
	if (e) {
		free_after(e, values);
		MUST(clReleaseEvent(e));
	} else {
		free(values);
	}
}

static void act_read(struct thread *t)
{
	struct memory *m = usable(t);
	cl_int code;
	if (!m || imported(m))
		return;
	const cl_bool blocking = one_in(&t->random, 3);
	const size_t bytes = m->words * 4ull;
	uint32_t *seen = malloc(bytes), *expect = memcpy(malloc(bytes), expected(m), bytes);
	struct command c = command_begin(t, m->data, NULL, blocking);
	if (m->kind == IMAGE)
		code = clEnqueueReadImage(c.queue->queue, m->object, blocking, origin, REGION(m), 0, 0, seen, WAITS(&c));
	else if (m->kind == SVM)
		code = clEnqueueSVMMemcpy(c.queue->queue, blocking, seen, m->svm, bytes, WAITS(&c));
	else
		code = clEnqueueReadBuffer(c.queue->queue, m->object, blocking, 0, bytes, seen, WAITS(&c));
	cl_event e = kept(&c);
	const bool poisoned = c.poisoned;
	if (command_end(t, &c, code) && blocking && !poisoned)
		for (uint32_t i = 0; i < m->words; i++)
			EXPECT(seen[i] == expect[i], "kind %d: word %u of %u is %u, not %u", m->kind, i, m->words, seen[i], expect[i]);
	if (e) {
		/* an in-order queue may go on after a command that failed: then nobody knows */
		compare_after(e, seen, expect, poisoned ? 0 : m->words, "read");
		MUST(clReleaseEvent(e));
	} else {
		free(seen);
		free(expect);
	}
}

static void act_copy(struct thread *t)
{
	struct memory *a = usable(t), *b = usable(t);
	cl_int code;
	if (!a || !b || a->data == b->data || imported(a) || imported(b) || a->kind == SVM || b->kind == SVM)
		return;
	const uint32_t words = a->words < b->words ? a->words : b->words;
	const size_t region[3] = {WIDTH, words / WIDTH, 1};
	struct command c = command_begin(t, a->data, b->data, false);
	cl_command_queue q = c.queue->queue;
	if (a->kind == IMAGE && b->kind == IMAGE)
		code = clEnqueueCopyImage(q, a->object, b->object, origin, origin, region, WAITS(&c));
	else if (a->kind == IMAGE)
		code = clEnqueueCopyImageToBuffer(q, a->object, b->object, origin, region, 0, WAITS(&c));
	else if (b->kind == IMAGE)
		code = clEnqueueCopyBufferToImage(q, a->object, b->object, 0, origin, region, WAITS(&c));
	else
		code = clEnqueueCopyBuffer(q, a->object, b->object, 0, 0, words * 4ull, WAITS(&c));
	if (command_end(t, &c, code))
		memcpy(expected(b), expected(a), words * 4ull);
}

static void act_migrate(struct thread *t)
{
	struct memory *m = usable(t);
	if (!m || !m->object || imported(m))
		return;
	struct command c = command_begin(t, m->data, NULL, false);
	const cl_int code = clEnqueueMigrateMemObjects(c.queue->queue, 1, &m->object, one_in(&t->random, 2) ? CL_MIGRATE_MEM_OBJECT_HOST : 0, WAITS(&c));
	command_end(t, &c, code);
}

/* ---- the host's own accesses ---- */
static void host_uses(struct thread *t, uint32_t *p, size_t row, struct memory *m, const char *how)
{
	uint32_t *e = expected(m);
	for (uint32_t i = 0; i < m->words; i++) {
		uint32_t *word = row ? (uint32_t *)((char *)p + i / WIDTH * row) + i % WIDTH : p + i;
		EXPECT(m->data->poisoned || *word == e[i], "%s, kind %d: word %u of %u is %u, not %u", how, m->kind, i, m->words, *word, e[i]);
		*word = e[i] = (uint32_t)splitmix64(&t->random);
	}
}

static void unmap(struct thread *t, struct memory *m)
{
	struct command c = command_begin(t, m->data, NULL, false);
	const cl_int code = m->kind == SVM ? clEnqueueSVMUnmap(c.queue->queue, m->svm, WAITS(&c)) :
					     clEnqueueUnmapMemObject(c.queue->queue, m->object, m->mapped, WAITS(&c));
	command_end(t, &c, code);
	m->mapped = NULL;
}

static void act_map(struct thread *t)
{
	struct memory *m = any(t);
	const cl_bool blocking = one_in(&t->random, 2);
	const cl_map_flags how = CL_MAP_READ | CL_MAP_WRITE;
	cl_int code = CL_SUCCESS;
	void *p = NULL;
	if (m && m->mapped)
		unmap(t, m);
	if (!m || imported(m) || mapped(t, m->data))
		return;
	struct command c = command_begin(t, m->data, NULL, blocking);
	if (m->kind == IMAGE)
		p = clEnqueueMapImage(c.queue->queue, m->object, blocking, how, origin, REGION(m), &m->row, NULL, WAITS(&c), &code);
	else if (m->kind == SVM)
		code = clEnqueueSVMMap(c.queue->queue, blocking, how, p = m->svm, m->words * 4ull, WAITS(&c));
	else
		p = clEnqueueMapBuffer(c.queue->queue, m->object, blocking, how, 0, m->words * 4ull, WAITS(&c), &code);
	cl_event e = kept(&c);
	const bool good = command_end(t, &c, code);
	if (good && e) {
		gates_open(t);
		code = clWaitForEvents(1, &e);
		EXPECT(!code || m->data->poisoned, "a map's event: %d", code);
	}
	if (e)
		MUST(clReleaseEvent(e));
	if (!good) /* there is no mapping */
		return;
	m->mapped = p;
	if (!code)
		host_uses(t, p, m->kind == IMAGE ? m->row : 0, m, "mapped");
	if (code || one_in(&t->random, 2))
		unmap(t, m);
}

static void act_lock(struct thread *t)
{
	struct memory *m = any(t);
	void *p;
	if (!m || !m->hardware)
		return;
	gates_open(t);
	clWaitForEvents(1, &m->data->last);
	EXPECT(!AHardwareBuffer_lock(m->hardware, FLAGS_LOCK, -1, NULL, &p), "lock");
	host_uses(t, p, 0, m, "locked");
	EXPECT(!AHardwareBuffer_unlock(m->hardware, NULL), "unlock");
}

const struct action memory_actions[] = {
	{"make", act_make, 16}, {"release", act_release, 6}, {"add", act_add, 8},       {"turn", act_turn, 4},       {"mix", act_mix, 6}, {"fill", act_fill, 3},
	{"write", act_write, 5}, {"read", act_read, 8},      {"copy", act_copy, 5}, {"migrate", act_migrate, 1}, {"map", act_map, 5}, {"lock", act_lock, 4},
	{NULL, NULL, 0},
};
