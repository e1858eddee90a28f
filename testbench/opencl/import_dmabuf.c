/* dma-bufs imported with clImportMemoryARM: their pages are the device's, and who sees what when depends on the property for
 * data consistency alone, where caches are not coherent. */
#define _GNU_SOURCE
#include "include/galena/heap.h"
#include "testbench/opencl/import.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>

enum { PAGE = 4096, WORDS = 4096, BYTES = WORDS * 4 };

static const char source[] =
	"kernel void scale(global int *p) { p[get_global_id(0)] *= 3; }\n"
	"kernel void copy(global const int *from, global int *to) { to[get_global_id(0)] = from[get_global_id(0)]; }\n";

enum consistency { APPLICATION, RUNTIME, NOT_SAID };

static cl_mem import_of(int fd, size_t size, cl_mem_flags flags, enum consistency c)
{
	cl_int code;
	const cl_import_properties_arm list[] = {CL_IMPORT_TYPE_ARM, CL_IMPORT_TYPE_DMA_BUF_ARM,
						 c == NOT_SAID ? 0 : CL_IMPORT_DMA_BUF_DATA_CONSISTENCY_WITH_HOST_ARM,
						 c == RUNTIME ? CL_TRUE : CL_FALSE, 0};
	cl_mem m = import(cl.context, flags, list, &fd, size, &code);
	CL_OK(code);
	assert_non_null(m);
	return m;
}

static int buffer(const char *heap, size_t size, unsigned flags)
{
	int fd = galena_heap_alloc(heap, size, flags);
	assert_true(fd >= 0);
	return fd;
}

static int *map(int fd, size_t size, int rights)
{
	int *p = mmap(NULL, size, rights, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(p, MAP_FAILED);
	return p;
}

static cl_int run(const char *name, const cl_mem *args, unsigned count, size_t items) { return run_on(cl.queue, name, args, count, (size_t[2]){items}); }

static void scale(cl_mem m, size_t words) { CL_OK(run("scale", &m, 1, words)); }

/* Kept consistent by the runtime, host and device work on one memory in turn, in every heap, from the first page and within. */
static void pages_are_shared(void **state)
{
	(void)state;
	static const char *const heaps[] = {"system", "cma"};
	for (int h = 0; h < 2; h++) {
		int fd = buffer(heaps[h], BYTES, 0), *p = map(fd, BYTES, PROT_READ | PROT_WRITE);
		cl_mem whole = import_of(fd, BYTES, 0, RUNTIME), part = import_of(fd, 100 * 4, 0, RUNTIME);
		close(fd); /* an import holds its memory */
		for (int round = 1; round < 4; round++) {
			for (int i = 0; i < WORDS; i++)
				p[i] = i * round;
			scale(whole, WORDS);
			scale(part, 100);
			for (int i = 0; i < WORDS; i++)
				assert_int_equal(p[i], (i < 100 ? 9 : 3) * i * round);
		}
		CL_OK(clReleaseMemObject(whole));
		p[0] = 5;
		scale(part, 100);
		assert_int_equal(p[0], 15);
		CL_OK(clReleaseMemObject(part));
		assert_int_equal(p[0], 15);
		munmap(p, BYTES);
	}
}

/* Where caches are not coherent, and the application has said that it sees to them (or has not said that the runtime
 * does), each side goes on with what it has until the application does so. */
static void consistency_is_who_asks(void **state)
{
	(void)state;
	enum { FEW = 256 }; /* all of it fits in the smallest cache */
	static const enum consistency unmanaged[] = {APPLICATION, NOT_SAID};
	for (int u = 0; u < 2; u++) {
		int fd = buffer("system", (FEW * 4), 0), *p = map(fd, (FEW * 4), PROT_READ | PROT_WRITE);
		cl_mem m = import_of(fd, (FEW * 4), 0, unmanaged[u]);
		for (int i = 0; i < FEW; i++)
			p[i] = 10 + i;
		scale(m, FEW);
		for (int i = 0; i < FEW; i++)
			assert_int_equal(p[i], (coherent ? 3 : 1) * (10 + i));
		assert_int_equal(galena_heap_sync(fd, GALENA_HEAP_SYNC_READ | GALENA_HEAP_SYNC_WRITE), 0);
		for (int i = 0; i < FEW; i++)
			assert_int_equal(p[i], 3 * (10 + i));
		/* the device goes on with its lines */
		memset(p, 0, (FEW * 4));
		scale(m, FEW);
		assert_int_equal(galena_heap_sync(fd, GALENA_HEAP_SYNC_READ), 0);
		for (int i = 0; i < FEW; i++)
			assert_int_equal(p[i], coherent ? 0 : 9 * (10 + i));
		/* and takes new ones when it is told */
		for (int i = 0; i < FEW; i++)
			p[i] = i;
		assert_int_equal(galena_heap_sync(fd, GALENA_HEAP_SYNC_WRITE | GALENA_HEAP_SYNC_END), 0);
		scale(m, FEW);
		assert_int_equal(galena_heap_sync(fd, GALENA_HEAP_SYNC_READ), 0);
		for (int i = 0; i < FEW; i++)
			assert_int_equal(p[i], 3 * i);
		/* what is not maintained by then goes to memory with the last import */
		scale(m, FEW);
		CL_OK(clReleaseMemObject(m));
		CL_OK(clFinish(cl.queue));
		m = import_of(fd, 4, 0, RUNTIME); /* after it the release has been done */
		scale(m, 1);
		for (int i = 1; i < FEW; i++)
			assert_int_equal(p[i], 9 * i);
		CL_OK(clReleaseMemObject(m));
		close(fd);
		munmap(p, (FEW * 4));
	}
}

/* Devices have one view of a buffer, whatever its imports are. */
static void imports_of_one_buffer(void **state)
{
	(void)state;
	cl_int code;
	int fd = buffer("system", BYTES, 0), other = dup(fd), *p = map(fd, BYTES, PROT_READ | PROT_WRITE), result[WORDS];
	cl_mem mine = import_of(fd, BYTES, 0, APPLICATION), theirs = import_of(other, BYTES, CL_MEM_READ_ONLY, APPLICATION);
	cl_mem out = clCreateBuffer(cl.context, 0, BYTES, NULL, &code);
	CL_OK(code);
	for (int i = 0; i < WORDS; i++)
		p[i] = i + 1;
	scale(mine, WORDS);
	CL_OK(run("copy", (cl_mem[]){theirs, out}, 2, WORDS));
	CL_OK(clEnqueueReadBuffer(cl.queue, out, CL_TRUE, 0, BYTES, result, 0, NULL, NULL));
	for (int i = 0; i < WORDS; i++)
		assert_int_equal(result[i], 3 * (i + 1));
	CL_OK(clReleaseMemObject(mine));
	CL_OK(clReleaseMemObject(theirs));
	CL_OK(clReleaseMemObject(out));
	munmap(p, BYTES);
	close(fd);
	close(other);
}

/* A descriptor that is for reading makes an import that is, whatever the flags; one that is not can write the same pages. */
static void read_only_descriptors(void **state)
{
	(void)state;
	static const cl_mem_flags asked[] = {0, CL_MEM_READ_WRITE, CL_MEM_WRITE_ONLY, CL_MEM_READ_ONLY};
	char path[64];
	int reader = buffer("system", BYTES, GALENA_HEAP_RDONLY);
	snprintf(path, sizeof path, "/proc/self/fd/%d", reader);
	int writer = open(path, O_RDWR | O_CLOEXEC), *p = map(writer, BYTES, PROT_READ | PROT_WRITE);
	for (int i = 0; i < 4; i++) {
		cl_mem_flags flags;
		cl_mem m = import_of(reader, BYTES, asked[i], RUNTIME), w = NULL;
		CL_OK(clGetMemObjectInfo(m, CL_MEM_FLAGS, sizeof flags, &flags, NULL));
		assert_int_equal(flags, CL_MEM_READ_ONLY);
		p[0] = 7;
		assert_true(run("scale", &m, 1, 1) < 0);
		assert_int_equal(p[0], 7);
		w = import_of(writer, BYTES, 0, RUNTIME);
		scale(w, 1);
		assert_int_equal(p[0], 21);
		assert_true(run("scale", &m, 1, 1) < 0);
		CL_OK(run("copy", (cl_mem[]){m, w}, 2, 1));
		CL_OK(clReleaseMemObject(m));
		scale(w, 1);
		assert_int_equal(p[0], 63);
		CL_OK(clReleaseMemObject(w));
	}
	close(reader);
	close(writer);
	munmap(p, BYTES);
}

static void send_descriptor(int socket, int fd)
{
	union { struct cmsghdr head; char room[CMSG_SPACE(sizeof fd)]; } control = {0};
	struct iovec part = {"", 1};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
	control.head = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof fd), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
	memcpy(CMSG_DATA(&control.head), &fd, sizeof fd);
	if (sendmsg(socket, &message, 0) != 1)
		_exit(1);
}

static int receive_descriptor(int socket)
{
	union { struct cmsghdr head; char room[CMSG_SPACE(sizeof(int))]; } control;
	char byte;
	struct iovec part = {&byte, 1};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
	int fd;
	assert_int_equal(recvmsg(socket, &message, MSG_CMSG_CLOEXEC), 1);
	assert_int_equal(control.head.cmsg_type, SCM_RIGHTS);
	memcpy(&fd, CMSG_DATA(&control.head), sizeof fd);
	return fd;
}

/* A buffer that another process has allocated and filled. */
static void from_another_process(void **state)
{
	(void)state;
	int ends[2], status;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	pid_t child = fork();
	if (child == 0) {
		int fd = galena_heap_alloc("system", BYTES, 0);
		int *p = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (fd < 0 || p == MAP_FAILED)
			_exit(1);
		for (int i = 0; i < WORDS; i++)
			p[i] = 1000 + i;
		send_descriptor(ends[1], fd);
		_exit(0);
	}
	int fd = receive_descriptor(ends[0]), *p = map(fd, BYTES, PROT_READ);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	cl_mem m = import_of(fd, BYTES, 0, RUNTIME);
	scale(m, WORDS);
	for (int i = 0; i < WORDS; i++)
		assert_int_equal(p[i], 3 * (1000 + i));
	CL_OK(clReleaseMemObject(m));
	munmap(p, BYTES);
	close(fd);
	close(ends[0]);
	close(ends[1]);
}

/* A command that waits for a user event sees what the memory holds by then, whoever has brought it there. */
static void user_event(void **state)
{
	(void)state;
	cl_int code;
	int fd = buffer("system", BYTES, 0), *p = map(fd, BYTES, PROT_READ | PROT_WRITE);
	cl_mem m = import_of(fd, BYTES, 0, RUNTIME);
	cl_kernel k = kernel_of("scale");
	CL_OK(clSetKernelArg(k, 0, sizeof m, &m));
	scale(m, WORDS); /* a device that is not coherent has lines of it now */
	for (int round = 1; round < 4; round++) {
		cl_event ready = clCreateUserEvent(cl.context, &code);
		CL_OK(code);
		memset(p, 0, BYTES);
		CL_OK(clEnqueueNDRangeKernel(cl.queue, k, 1, NULL, (size_t[]){WORDS}, NULL, 1, &ready, NULL));
		CL_OK(clFlush(cl.queue));
		for (int i = 0; i < WORDS; i++)
			p[i] = i + round;
		CL_OK(clSetUserEventStatus(ready, CL_COMPLETE));
		CL_OK(clFinish(cl.queue));
		for (int i = 0; i < WORDS; i++)
			assert_int_equal(p[i], 3 * (i + round));
		CL_OK(clReleaseEvent(ready));
	}
	CL_OK(clReleaseKernel(k));
	CL_OK(clReleaseMemObject(m));
	munmap(p, BYTES);
	close(fd);
}

/* Parts of an import are maintained as the whole is; a command that fails leaves nothing behind. */
static void parts_and_failures(void **state)
{
	(void)state;
	cl_int code;
	int fd = buffer("cma", BYTES, 0), *p = map(fd, BYTES, PROT_READ | PROT_WRITE);
	cl_mem m = import_of(fd, BYTES, 0, RUNTIME);
	cl_mem part = clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){1024, 1024}, &code);
	CL_OK(code);
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < WORDS; i++)
			p[i] = i;
		scale(part, 256);
		for (int i = 0; i < WORDS; i++)
			assert_int_equal(p[i], i >= 256 && i < 512 ? 3 * i : i);
		assert_true(run("scale", &part, 1, 1 << 20) < 0); /* far beyond its end */
		memset(p, 0x5a, BYTES);
		scale(part, 1);
		assert_int_equal(p[0], 0x5a5a5a5a);
		assert_int_equal(p[257], 0x5a5a5a5a);
	}
	CL_OK(clReleaseMemObject(m));
	scale(part, 1);
	CL_OK(clReleaseMemObject(part));
	munmap(p, BYTES);
	close(fd);
}

/* The property is about the host alone: two devices of one context see what each other has written, whoever keeps it consistent with
 * the host. */
static void between_devices(void **state)
{
	(void)state;
	enum { FEW = 256, ROUNDS = 6 };
	const char *text = source;
	cl_int code, out[FEW];
	cl_event last = NULL;
	int fd = buffer("system", FEW * 4, 0), *p = map(fd, FEW * 4, PROT_READ | PROT_WRITE);
	for (int i = 0; i < FEW; i++)
		p[i] = i + 1;
	cl_program both = clCreateProgramWithSource(cl.all, 1, &text, NULL, &code);
	CL_OK(code);
	CL_OK(clBuildProgram(both, 0, NULL, NULL, NULL, NULL));
	cl_mem m = import(cl.all, 0, (cl_import_properties_arm[]){CL_IMPORT_TYPE_ARM, CL_IMPORT_TYPE_DMA_BUF_ARM, 0}, &fd, FEW * 4, &code);
	CL_OK(code);
	cl_mem to = clCreateBuffer(cl.all, 0, FEW * 4, NULL, &code);
	CL_OK(code);
	cl_kernel scale_it = clCreateKernel(both, "scale", &code), copy_it = clCreateKernel(both, "copy", &code);
	CL_OK(clSetKernelArg(scale_it, 0, sizeof m, &m));
	CL_OK(clSetKernelArg(copy_it, 0, sizeof m, &m));
	CL_OK(clSetKernelArg(copy_it, 1, sizeof to, &to));
	assert_true(cl.num_devices >= 2);
	cl_command_queue queues[2];
	for (int i = 0; i < 2; i++) {
		queues[i] = clCreateCommandQueue(cl.all, cl.devices[i], 0, &code);
		CL_OK(code);
	}
	for (int round = 0; round <= ROUNDS; round++) {
		cl_event e;
		CL_OK(clEnqueueNDRangeKernel(queues[round % 2], round < ROUNDS ? scale_it : copy_it, 1, NULL, (size_t[]){FEW}, NULL, last ? 1 : 0,
					     last ? &last : NULL, &e));
		CL_OK(clFlush(queues[round % 2]));
		if (last)
			CL_OK(clReleaseEvent(last));
		last = e;
	}
	CL_OK(clEnqueueReadBuffer(queues[0], to, CL_TRUE, 0, sizeof out, out, 1, &last, NULL));
	for (int i = 0; i < FEW; i++)
		assert_int_equal(out[i], 729 * (i + 1)); /* 3 to the power of ROUNDS */
	CL_OK(clReleaseEvent(last));
	for (int i = 0; i < 2; i++)
		CL_OK(clReleaseCommandQueue(queues[i]));
	CL_OK(clReleaseKernel(scale_it));
	CL_OK(clReleaseKernel(copy_it));
	CL_OK(clReleaseMemObject(m));
	CL_OK(clReleaseMemObject(to));
	CL_OK(clReleaseProgram(both));
	close(fd);
	munmap(p, FEW * 4);
}

static int setup(void **state)
{
	char extensions[8192];
	if (import_setup(state, source) || clGetDeviceInfo(cl.device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL))
		return -1;
	return strstr(extensions, "cl_arm_import_memory_dma_buf") ? 0 : -1;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages_are_shared),
		cmocka_unit_test(consistency_is_who_asks),
		cmocka_unit_test(imports_of_one_buffer),
		cmocka_unit_test(read_only_descriptors),
		cmocka_unit_test(from_another_process),
		cmocka_unit_test(user_event),
		cmocka_unit_test(between_devices),
		cmocka_unit_test(parts_and_failures),
	};
	cl_test_init(argc, argv);
	return cmocka_run_group_tests(tests, setup, import_teardown);
}
