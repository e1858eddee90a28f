/* What imports leave that fail. The host's memory is short: each allocation fails in turn, then all that follow one, then the
 * process may have no more; and what is imported is wrong. Each says so, and leaves nothing: no memory, no mapping, no descriptor,
 * no locked page. */
#define _GNU_SOURCE
#include "include/android/hardware_buffer.h"
#include "include/galena/heap.h"
#include "testbench/opencl/import.h"
#include "testbench/skip.h"
#include "testbench/variants/short_heap.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>

/* The library is its variant short_heap, whose allocations can be counted and fail. */
static __typeof__(short_heap_fail) *heap_fail;
static __typeof__(short_heap_failed) *heap_failed;
static __typeof__(short_heap_live) *heap_live;

/* ---- what an import may leave ---- */
struct left {
	long allocations, mappings, descriptors, locked;
};

static long lines_of(const char *path, const char *starts, long *number)
{
	char line[4400];
	long n = 0;
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof line, f)) {
		n++;
		if (starts && !strncmp(line, starts, strlen(starts)))
			*number = strtol(line + strlen(starts), NULL, 10);
	}
	fclose(f);
	return n;
}

static struct left left_now(void)
{
	struct left l = {0};
	l.mappings = lines_of("/proc/self/maps", NULL, NULL);
	lines_of("/proc/self/status", "VmLck:", &l.locked);
	for (int fd = 0; fd < 1024; fd++)
		l.descriptors += fcntl(fd, F_GETFD) >= 0;
	l.allocations = heap_live();
	return l;
}

static bool grown(struct left before, struct left now)
{
	return now.allocations > before.allocations || now.mappings > before.mappings || now.descriptors > before.descriptors ||
	       now.locked > before.locked;
}

/* When the driver's thread, which lets go of what was released when it comes to it, has done so. */
static struct left left_after(struct left before)
{
	struct left now = left_now();
	for (int tries = 0; tries < 100 && grown(before, now); tries++) {
		usleep(5000);
		CL_OK(clFinish(cl.queue));
		now = left_now();
	}
	return now;
}

static void grows(const char *what, struct left before, struct left now)
{
	fail_msg("%s leaves %ld allocations, %ld mappings, %ld descriptors, %ld kB locked", what, now.allocations - before.allocations,
		 now.mappings - before.mappings, now.descriptors - before.descriptors, now.locked - before.locked);
}

/* ---- what is imported ---- */
enum { PAGE = 4096, PAGES = 40, BYTES = PAGES * PAGE };
static char *area;
static int shared, hidden;
static AHardwareBuffer *picture;
static char library[PATH_MAX + 64];

static const char source[] = "kernel void scale(global int *p) { p[get_global_id(0)] *= 3; }\n";

static cl_mem host_pages(cl_int *code) { return import(cl.context, 0, NULL, area, BYTES, code); }
static cl_mem host_part(cl_int *code) { return import(cl.context, 0, NULL, area + 256, BYTES - 1000, code); }
static cl_mem dma_buf(cl_int *code)
{
	static const cl_import_properties_arm list[] = {CL_IMPORT_TYPE_ARM, CL_IMPORT_TYPE_DMA_BUF_ARM,
							CL_IMPORT_DMA_BUF_DATA_CONSISTENCY_WITH_HOST_ARM, CL_TRUE, 0};
	return import(cl.context, 0, list, &shared, BYTES, code);
}
static cl_mem protected_buffer(cl_int *code)
{
	static const cl_import_properties_arm list[] = {CL_IMPORT_TYPE_ARM, CL_IMPORT_TYPE_DMA_BUF_ARM, CL_IMPORT_TYPE_PROTECTED_ARM, CL_TRUE, 0};
	return import(cl.context, 0, list, &hidden, BYTES, code);
}

static cl_mem hardware_buffer(cl_int *code)
{
	static const cl_import_properties_arm list[] = {CL_IMPORT_TYPE_ARM, CL_IMPORT_TYPE_ANDROID_HARDWARE_BUFFER_ARM, 0};
	return import(cl.context, 0, list, picture, CL_IMPORT_MEMORY_WHOLE_ALLOCATION_ARM, code);
}

static const struct { const char *name; cl_mem (*make)(cl_int *); } kinds[] = {
	{"pages of the host", host_pages},
	{"a part of pages", host_part},
	{"a dma-buf", dma_buf},
	{"a protected dma-buf", protected_buffer},
	{"a hardware buffer", hardware_buffer},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Fails every allocation in turn until there is none left to fail; how many there were. */
static unsigned each_fails(unsigned kind, enum short_mode mode)
{
	for (unsigned n = 1;; n++) {
		cl_int code = CL_SUCCESS;
		assert_true(n < 10000);
		heap_fail(mode, n);
		cl_mem m = kinds[kind].make(&code);
		const unsigned failed = heap_failed();
		heap_fail(SHORT_NEVER, 0);
		if (m) {
			CL_OK(code);
			CL_OK(clReleaseMemObject(m));
			if (!failed)
				return n - 1;
			continue; /* it has found another way */
		}
		if (code != CL_OUT_OF_HOST_MEMORY && code != CL_MEM_OBJECT_ALLOCATION_FAILURE)
			fail_msg("%s: allocation %u fails: %d", kinds[kind].name, n, code);
		assert_true(failed > 0);
	}
}

/* Another import of the same is as if nothing had been. */
static void still_works(unsigned kind)
{
	cl_int code;
	cl_mem m = kinds[kind].make(&code);
	CL_OK(code);
	if (kinds[kind].make == host_pages) {
		int *p = (int *)(void *)area;
		p[0] = 7;
		CL_OK(run_on(cl.queue, "scale", &m, 1, (size_t[2]){1}));
		assert_int_equal(p[0], 21);
	}
	CL_OK(clReleaseMemObject(m));
}

static void each_allocation(void **state)
{
	(void)state;
	for (unsigned kind = 0; kind < KINDS; kind++)
		for (enum short_mode mode = SHORT_ONCE; mode <= SHORT_FROM; mode++) {
			/* what is left grows with every round; what is kept for later, in some */
			struct left before, now = left_now();
			for (int round = 0; round == 0 || (round < 8 && grown(before, now)); round++) {
				before = now;
				const unsigned count = each_fails(kind, mode);
							if (count < 2)
					fail_msg("%s: only %u allocations", kinds[kind].name, count);
				still_works(kind);
				now = left_after(before);
			}
			if (grown(before, now))
				grows(kinds[kind].name, before, now);
		}
}

/* A process that may have no more address space. */
static void address_space(void **state)
{
	(void)state;
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
	SKIP("a sanitizer ends a process that it can get no memory for");
#endif
	const size_t large = 256u << 20;
	struct rlimit all, few;
	long used = 0;
	cl_int code;
	char *pages = mmap(NULL, large, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert_ptr_not_equal(pages, MAP_FAILED);
	still_works(0);
	cl_mem m = import(cl.context, 0, NULL, pages, large / 8, &code); /* what a first large one keeps for the next is there */
	CL_OK(code);
	CL_OK(clReleaseMemObject(m));
	CL_OK(clFinish(cl.queue));
	lines_of("/proc/self/status", "VmSize:", &used);
	const struct left before = left_now();
	assert_int_equal(getrlimit(RLIMIT_AS, &all), 0);
	few = all;
	few.rlim_cur = (rlim_t)used << 10;
	assert_int_equal(setrlimit(RLIMIT_AS, &few), 0);
	m = import(cl.context, 0, NULL, pages, large, &code);
	assert_int_equal(setrlimit(RLIMIT_AS, &all), 0);
	assert_null(m);
	CL_FAILS(CL_OUT_OF_HOST_MEMORY, code);
	const struct left now = left_after(before);
	if (grown(before, now))
		grows("a large import", before, now);
	m = import(cl.context, 0, NULL, pages, large / 8, &code);
	CL_OK(code);
	CL_OK(clReleaseMemObject(m));
	CL_OK(clFinish(cl.queue));
	munmap(pages, large);
}

/* What is refused for what it is leaves nothing, either. */
static void bad_input(void **state)
{
	(void)state;
	const cl_import_properties_arm by_fd[] = {CL_IMPORT_TYPE_ARM, CL_IMPORT_TYPE_DMA_BUF_ARM, 0}, unknown[] = {0x1234, 1, 0};
	const cl_import_properties_arm twice[] = {CL_IMPORT_TYPE_ARM, CL_IMPORT_TYPE_HOST_ARM, CL_IMPORT_TYPE_ARM, CL_IMPORT_TYPE_HOST_ARM, 0};
	char *holes = mmap(NULL, 8 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), path[64];
	cl_import_properties_arm *endless = (cl_import_properties_arm *)(void *)(holes + PAGE) - 2;
	int ends[2], plain = memfd_create("plain", MFD_CLOEXEC), closed = dup(plain), folder = open("/", O_RDONLY | O_DIRECTORY);
	cl_int code;
	assert_ptr_not_equal(holes, MAP_FAILED);
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(ftruncate(plain, BYTES), 0);
	snprintf(path, sizeof path, "/proc/self/fd/%d", plain);
	int read_only = open(path, O_RDONLY);
	assert_true(read_only >= 0 && folder >= 0);
	close(closed);
	endless[0] = CL_IMPORT_TYPE_ARM;
	endless[1] = CL_IMPORT_TYPE_HOST_ARM;
	assert_int_equal(munmap(holes + PAGE, PAGE), 0);
	assert_int_equal(mprotect(holes + 4 * PAGE, PAGE, PROT_READ), 0);
	cl_mem neighbour = import(cl.context, 0, NULL, holes + 6 * PAGE, 256, &code);
	CL_OK(code);
	const struct {
		const cl_import_properties_arm *list;
		cl_mem_flags flags;
		void *memory;
		size_t size;
		cl_int code;
	} bad[] = {
		{NULL, 0, holes, 3 * PAGE, CL_INVALID_OPERATION},                                /* a hole */
		{NULL, 0, holes + PAGE, 64, CL_INVALID_OPERATION},                               /* nothing */
		{NULL, CL_MEM_WRITE_ONLY, holes + 3 * PAGE, 2 * PAGE, CL_INVALID_OPERATION},     /* not to be written, at its end */
		{NULL, 0, (void *)(UINTPTR_MAX - 255), PAGE, CL_INVALID_OPERATION},              /* around the end of all addresses */
		{NULL, 0, (void *)(uintptr_t)(1ull << 62), PAGE, CL_INVALID_OPERATION},          /* where no process has any */
		{NULL, 0, holes, SIZE_MAX, CL_INVALID_BUFFER_SIZE},
		{NULL, 0, holes + 6 * PAGE + 1024, 256, CL_INVALID_OPERATION},                   /* another's page, */
		{NULL, 0, holes + 5 * PAGE, PAGE + 256, CL_INVALID_OPERATION},                   /* after one that is free */
		{unknown, 0, area, BYTES, CL_INVALID_PROPERTY},
		{twice, 0, area, BYTES, CL_INVALID_PROPERTY},
		{endless, 0, area, BYTES, CL_INVALID_PROPERTY},
		{by_fd, 0, &closed, PAGE, CL_INVALID_VALUE},
		{by_fd, 0, &ends[0], PAGE, CL_INVALID_VALUE},
		{by_fd, 0, &plain, PAGE, CL_INVALID_VALUE},
		{by_fd, 0, &read_only, PAGE, CL_INVALID_VALUE},
		{by_fd, 0, &folder, PAGE, CL_INVALID_VALUE},
		{by_fd, 0, &shared, BYTES + 1, CL_INVALID_BUFFER_SIZE},
		{by_fd, 0, &hidden, PAGE, CL_INVALID_OPERATION},
	};
	struct left before, now = left_now();
	for (int round = 0; round == 0 || (round < 8 && grown(before, now)); round++) {
		before = now;
		for (int again = 0; again < 20; again++)
			for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
				cl_mem m = import(cl.context, bad[i].flags, bad[i].list, bad[i].memory, bad[i].size, &code);
				if (m || code != bad[i].code)
					fail_msg("input %zu gives %d, not %d", i, code, bad[i].code);
			}
		now = left_after(before);
	}
	if (grown(before, now))
		grows("bad input", before, now);
	CL_OK(clReleaseMemObject(neighbour));
	CL_OK(clFinish(cl.queue));
	munmap(holes, 8 * PAGE);
	for (int i = 0; i < 2; i++)
		close(ends[i]);
	close(plain);
	close(read_only);
	close(folder);
}

static int setup(void **state)
{
	area = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	shared = galena_heap_alloc("system", BYTES, 0);
	hidden = galena_heap_alloc("protected", BYTES, 0);
	const AHardwareBuffer_Desc d = {64, 64, 1, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN, 0, 0, 0};
	if (AHardwareBuffer_allocate(&d, &picture) || area == MAP_FAILED || shared < 0 || hidden < 0 || import_setup(state, source))
		return -1;
	void *lib = dlopen(library, RTLD_NOW | RTLD_NOLOAD); /* that the loader has loaded */
	if (!lib)
		return -1;
	heap_fail = (__typeof__(heap_fail))dlsym(lib, "short_heap_fail");
	heap_failed = (__typeof__(heap_failed))dlsym(lib, "short_heap_failed");
	heap_live = (__typeof__(heap_live))dlsym(lib, "short_heap_live");
	return heap_fail && heap_failed && heap_live ? 0 : -1;
}

/* An unmapping that fails for want of memory keeps the mapping, and what the host wrote: the next one brings it to the device. */
static void unmapping(void **state)
{
	(void)state;
	cl_int code;
	unsigned failures = 0;
	char back[1000];
	cl_mem m = clCreateBuffer(cl.context, CL_MEM_READ_WRITE, sizeof back, NULL, &code);
	CL_OK(code);
	for (unsigned n = 1, last = 0; !last; n++) {
		assert_true(n < 10000);
		char *p = clEnqueueMapBuffer(cl.queue, m, CL_TRUE, CL_MAP_WRITE, 0, sizeof back, 0, NULL, NULL, &code);
		CL_OK(code);
		memset(p, (int)n, sizeof back);
		heap_fail(SHORT_ONCE, n);
		code = clEnqueueUnmapMemObject(cl.queue, m, p, 0, NULL, NULL);
		last = !heap_failed();
		heap_fail(SHORT_NEVER, 0);
		if (code) {
			failures++;
			CL_OK(clEnqueueUnmapMemObject(cl.queue, m, p, 0, NULL, NULL));
		}
		CL_OK(clEnqueueReadBuffer(cl.queue, m, CL_TRUE, 0, sizeof back, back, 0, NULL, NULL));
		for (unsigned i = 0; i < sizeof back; i++)
			assert_int_equal((unsigned char)back[i], (unsigned char)n);
	}
	assert_true(failures > 2);
	CL_OK(clReleaseMemObject(m));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_allocation),
		cmocka_unit_test(address_space),
		cmocka_unit_test(bad_input),
		cmocka_unit_test(unmapping),
	};
	char build[PATH_MAX], variant[PATH_MAX + 32];
	const char *given = getenv("GALENA_BUILD");
	if (!given)
		program_path(build, 3);
	snprintf(variant, sizeof variant, "%s/variants/short_heap", given ? given : build);
	snprintf(library, sizeof library, "%s/libgalena-opencl.so", variant);
	setenv("GALENA_BUILD", variant, 1);
	cl_test_init(argc, argv);
	return cmocka_run_group_tests(tests, setup, import_teardown);
}
