/* android/hardware_buffer.h as programs use it. */
#include "include/android/hardware_buffer.h"
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

enum { READ = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN, WRITE = AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN };

static AHardwareBuffer *make(uint32_t width, uint32_t height, uint32_t layers, uint32_t format, uint64_t usage)
{
	AHardwareBuffer *b = NULL;
	AHardwareBuffer_Desc d = { width, height, layers, format, usage, 0, 0, 0 };
	assert_int_equal(AHardwareBuffer_isSupported(&d), 1);
	assert_int_equal(AHardwareBuffer_allocate(&d, &b), 0);
	assert_non_null(b);
	return b;
}

static void pixels_of_each_format(void **state)
{
	(void)state;
	static const struct { uint32_t format; int pixel; } formats[] = {
		{ AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, 4 }, { AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM, 4 },
		{ AHARDWAREBUFFER_FORMAT_R8G8B8_UNORM, 3 }, { AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM, 2 },
		{ AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT, 8 }, { AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM, 4 },
		{ AHARDWAREBUFFER_FORMAT_R8_UNORM, 1 },
	};
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		for (uint32_t width = 1; width < 300; width = width * 3 + 1) {
			AHardwareBuffer *b = make(width, 5, 1, formats[i].format, READ | WRITE);
			AHardwareBuffer_Desc d;
			int32_t pixel, row;
			unsigned char *p;
			AHardwareBuffer_describe(b, &d);
			assert_true(d.width == width && d.height == 5 && d.layers == 1 && d.format == formats[i].format);
			assert_int_equal(AHardwareBuffer_lockAndGetInfo(b, READ | WRITE, -1, NULL, (void **)&p, &pixel, &row), 0);
			assert_int_equal(pixel, formats[i].pixel);
			assert_int_equal(row, (int)d.stride * pixel);
			assert_int_equal(row % 64, 0);
			assert_true(d.stride >= width);
			for (int at = 0; at < 5 * row; at++)
				assert_int_equal(p[at], 0);
			memset(p, 0x11, (size_t)(5 * row));
			assert_int_equal(AHardwareBuffer_unlock(b, NULL), 0);
			AHardwareBuffer_release(b);
		}
}

static void planes(void **state)
{
	(void)state;
	static const uint32_t formats[] = { AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420, AHARDWAREBUFFER_FORMAT_YCbCr_P010 };
	for (unsigned i = 0; i < 2; i++) {
		AHardwareBuffer *b = make(100, 40, 1, formats[i], READ | WRITE);
		AHardwareBuffer_Planes p;
		void *one;
		assert_int_equal(AHardwareBuffer_lock(b, READ, -1, NULL, &one), -EINVAL);
		assert_int_equal(AHardwareBuffer_lockPlanes(b, WRITE, -1, NULL, &p), 0);
		assert_int_equal(p.planeCount, 3);
		assert_int_equal(p.planes[0].pixelStride, 1 + i);
		assert_int_equal(p.planes[1].pixelStride, 2 + 2 * i);
		assert_int_equal(p.planes[2].pixelStride, 2 + 2 * i);
		assert_ptr_equal((char *)p.planes[1].data + 1 + i, p.planes[2].data);
		assert_true((char *)p.planes[1].data >= (char *)p.planes[0].data + 40 * p.planes[0].rowStride);
		assert_int_equal(p.planes[1].rowStride, p.planes[2].rowStride);
		assert_int_equal(AHardwareBuffer_unlock(b, NULL), 0);
		AHardwareBuffer_release(b);
	}
}

static void locks(void **state)
{
	(void)state;
	AHardwareBuffer *b = make(16, 16, 1, AHARDWAREBUFFER_FORMAT_R8_UNORM, READ | WRITE), *r = make(64, 1, 1, AHARDWAREBUFFER_FORMAT_BLOB, READ);
	AHardwareBuffer *hidden = make(16, 16, 1, AHARDWAREBUFFER_FORMAT_R8_UNORM, READ | AHARDWAREBUFFER_USAGE_PROTECTED_CONTENT);
	AHardwareBuffer *layers = make(16, 16, 2, AHARDWAREBUFFER_FORMAT_R8_UNORM, READ);
	const ARect inside = { 0, 0, 16, 16 }, outside[] = { { -1, 0, 4, 4 }, { 0, 0, 17, 4 }, { 8, 0, 4, 4 }, { 0, 0, 4, 17 } };
	int32_t fence = 5;
	int ends[2];
	void *p;
	assert_int_equal(AHardwareBuffer_unlock(b, &fence), -EINVAL);
	assert_int_equal(AHardwareBuffer_lock(b, READ, -1, &inside, &p), 0);
	assert_int_equal(AHardwareBuffer_lock(b, READ, -1, NULL, &p), 0);
	assert_int_equal(AHardwareBuffer_lock(b, WRITE, -1, NULL, &p), -EBUSY);
	assert_int_equal(AHardwareBuffer_unlock(b, &fence), 0);
	assert_int_equal(fence, -1);
	assert_int_equal(AHardwareBuffer_unlock(b, NULL), 0);
	assert_int_equal(AHardwareBuffer_lock(b, WRITE, -1, NULL, &p), 0);
	assert_int_equal(AHardwareBuffer_lock(b, READ, -1, NULL, &p), -EBUSY);
	assert_int_equal(AHardwareBuffer_unlock(b, NULL), 0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(AHardwareBuffer_lock(b, READ, -1, &outside[i], &p), -EINVAL);
	assert_int_equal(AHardwareBuffer_lock(b, 0, -1, NULL, &p), -EINVAL);
	assert_int_equal(AHardwareBuffer_lock(b, AHARDWAREBUFFER_USAGE_GPU_DATA_BUFFER, -1, NULL, &p), -EINVAL);
	assert_int_equal(AHardwareBuffer_lock(b, READ, -1, NULL, NULL), -EINVAL);
	assert_int_equal(AHardwareBuffer_lock(r, WRITE, -1, NULL, &p), -EINVAL);
	assert_int_equal(AHardwareBuffer_lock(hidden, READ, -1, NULL, &p), -EINVAL);
	assert_int_equal(AHardwareBuffer_lock(layers, READ, -1, NULL, &p), -EINVAL);
	assert_int_equal(AHardwareBuffer_lock(NULL, READ, -1, NULL, &p), -EINVAL);
	/* a fence is waited for, and closed */
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], "x", 1), 1);
	assert_int_equal(AHardwareBuffer_lock(b, READ, ends[0], NULL, &p), 0);
	assert_int_equal(fcntl(ends[0], F_GETFD), -1);
	assert_int_equal(AHardwareBuffer_unlock(b, NULL), 0);
	assert_int_equal(AHardwareBuffer_lock(b, READ, 1 << 20, NULL, &p), -EINVAL);
	close(ends[1]);
	AHardwareBuffer_release(b);
	AHardwareBuffer_release(r);
	AHardwareBuffer_release(hidden);
	AHardwareBuffer_release(layers);
}

static void counting(void **state)
{
	(void)state;
	AHardwareBuffer *b = make(64, 64, 1, AHARDWAREBUFFER_FORMAT_R8_UNORM, READ), *c = make(64, 64, 1, AHARDWAREBUFFER_FORMAT_R8_UNORM, READ);
	uint64_t id, other;
	assert_int_equal(AHardwareBuffer_getId(b, &id), 0);
	assert_int_equal(AHardwareBuffer_getId(c, &other), 0);
	assert_int_not_equal(id, other);
	AHardwareBuffer_acquire(b);
	AHardwareBuffer_release(b);
	assert_int_equal(AHardwareBuffer_getId(b, &id), 0);
	AHardwareBuffer_release(b);
	assert_int_equal(AHardwareBuffer_getId(b, &id), -EINVAL);
	AHardwareBuffer_release(b); /* one too many */
	AHardwareBuffer_acquire(b);
	AHardwareBuffer_release(NULL);
	AHardwareBuffer_describe(b, &(AHardwareBuffer_Desc){ 0 });
	AHardwareBuffer_release(c);
}

static void bad_descriptions(void **state)
{
	(void)state;
	const AHardwareBuffer_Desc good = { 64, 64, 1, AHARDWAREBUFFER_FORMAT_R8_UNORM, READ, 0, 0, 0 };
	AHardwareBuffer_Desc bad[12];
	AHardwareBuffer *b;
	for (int i = 0; i < 12; i++)
		bad[i] = good;
	bad[0].width = 0;
	bad[1].height = 0;
	bad[2].layers = 0;
	bad[3].format = 0;
	bad[4].format = 0x7fffffff;
	bad[5].rfu0 = 1;
	bad[6].rfu1 = 1;
	bad[7].width = UINT32_MAX;
	bad[8].layers = UINT32_MAX;
	bad[9].format = AHARDWAREBUFFER_FORMAT_BLOB;
	bad[10].format = AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420;
	bad[10].width = 63;
	bad[11].height = UINT32_MAX;
	for (int i = 0; i < 12; i++) {
		assert_int_equal(AHardwareBuffer_isSupported(&bad[i]), 0);
		assert_int_equal(AHardwareBuffer_allocate(&bad[i], &b), -EINVAL);
	}
	assert_int_equal(AHardwareBuffer_allocate(NULL, &b), -EINVAL);
	assert_int_equal(AHardwareBuffer_allocate(&good, NULL), -EINVAL);
}

static void between_processes(void **state)
{
	(void)state;
	int ends[2], status;
	void *p;
	AHardwareBuffer *b, *mine = make(64, 4, 1, AHARDWAREBUFFER_FORMAT_R8_UNORM, READ | WRITE);
	uint64_t id, theirs;
	AHardwareBuffer_Desc d;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	pid_t child = fork();
	if (child == 0) {
		if (AHardwareBuffer_recvHandleFromUnixSocket(ends[1], &b) || AHardwareBuffer_lock(b, WRITE, -1, NULL, &p))
			_exit(1);
		strcpy(p, "from another process");
		_exit(AHardwareBuffer_unlock(b, NULL) || AHardwareBuffer_sendHandleToUnixSocket(b, ends[1]) ? 1 : 0);
	}
	assert_int_equal(AHardwareBuffer_sendHandleToUnixSocket(mine, ends[0]), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(AHardwareBuffer_lock(mine, READ, -1, NULL, &p), 0);
	assert_string_equal(p, "from another process");
	assert_int_equal(AHardwareBuffer_unlock(mine, NULL), 0);
	assert_int_equal(AHardwareBuffer_recvHandleFromUnixSocket(ends[0], &b), 0);
	AHardwareBuffer_getId(mine, &id);
	AHardwareBuffer_getId(b, &theirs);
	assert_int_equal(id, theirs);
	AHardwareBuffer_describe(b, &d);
	assert_true(d.width == 64 && d.height == 4 && d.usage == (READ | WRITE));
	AHardwareBuffer_release(b);
	/* what is no buffer: bytes alone, and nothing any more */
	assert_int_equal(write(ends[1], &d, sizeof d), sizeof d);
	assert_int_equal(AHardwareBuffer_recvHandleFromUnixSocket(ends[0], &b), -EBADMSG);
	close(ends[1]);
	assert_true(AHardwareBuffer_recvHandleFromUnixSocket(ends[0], &b) < 0);
	assert_true(AHardwareBuffer_sendHandleToUnixSocket(mine, ends[0]) < 0);
	assert_int_equal(AHardwareBuffer_sendHandleToUnixSocket(NULL, ends[0]), -EINVAL);
	assert_int_equal(AHardwareBuffer_recvHandleFromUnixSocket(-1, &b), -EBADF);
	close(ends[0]);
	AHardwareBuffer_release(mine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pixels_of_each_format), cmocka_unit_test(planes),	     cmocka_unit_test(locks),
		cmocka_unit_test(counting),		 cmocka_unit_test(bad_descriptions), cmocka_unit_test(between_processes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
