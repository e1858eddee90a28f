/* galena/heap.h as programs use it: descriptors that behave as those of dma-bufs do. */
#define _GNU_SOURCE
#include "include/galena/heap.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

enum { PAGE = 4096 };
static const char *const heaps[] = {"system", "cma", "protected"};

static int alloc(const char *heap, size_t size, unsigned flags)
{
	int fd = galena_heap_alloc(heap, size, flags);
	assert_true(fd >= 0);
	return fd;
}

#define FAILS(error, call) do { errno = 0; assert_int_equal((call), -1); assert_int_equal(errno, (error)); } while (0)

static void sizes_are_whole_pages_and_stay(void **state)
{
	(void)state;
	static const size_t sizes[][2] = {{1, PAGE}, {PAGE, PAGE}, {PAGE + 1, 2 * PAGE}, {(3 << 20) + 5, (3 << 20) + PAGE}};
	for (int h = 0; h < 3; h++)
		for (int i = 0; i < 4; i++) {
			struct stat st;
			int fd = alloc(heaps[h], sizes[i][0], 0);
			assert_int_equal(fstat(fd, &st), 0);
			assert_int_equal(st.st_size, sizes[i][1]);
			assert_int_equal(lseek(fd, 0, SEEK_END), sizes[i][1]);
			FAILS(EPERM, ftruncate(fd, 0));
			FAILS(EPERM, ftruncate(fd, 1 << 24));
			assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
			close(fd);
		}
}

static void memory_is_zero_and_shared(void **state)
{
	(void)state;
	static const char zeros[2 * PAGE];
	for (int h = 0; h < 2; h++) {
		int fd = alloc(heaps[h], 2 * PAGE, 0), again = dup(fd);
		char *a = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		char *b = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, again, 0);
		assert_true(a != MAP_FAILED && b != MAP_FAILED && a != b);
		assert_memory_equal(a, zeros, 2 * PAGE);
		close(fd);
		strcpy(a + PAGE, "seen through both");
		assert_string_equal(b + PAGE, "seen through both");
		munmap(a, 2 * PAGE);
		assert_string_equal(b + PAGE, "seen through both");
		munmap(b, 2 * PAGE);
		close(again);
	}
}

static void descriptors_for_reading(void **state)
{
	(void)state;
	char path[64];
	int fd = alloc("system", PAGE, GALENA_HEAP_RDONLY);
	FAILS(EACCES, mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED ? -1 : 0);
	const char *seen = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(seen, MAP_FAILED);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	int writer = open(path, O_RDWR | O_CLOEXEC);
	assert_true(writer >= 0);
	assert_int_equal(pwrite(writer, "abc", 4, 0), 4);
	assert_string_equal(seen, "abc");
	munmap((void *)(uintptr_t)seen, PAGE);
	close(writer);
	close(fd);
}

/* Nothing of a protected buffer is to be had by the host, not even by opening it anew. */
static void protected_buffers_have_no_data(void **state)
{
	(void)state;
	static const int modes[] = {O_RDONLY, O_WRONLY, O_RDWR};
	static const char zeros[PAGE];
	char path[64], bytes[PAGE];
	int fd = alloc("protected", PAGE, 0);
	FAILS(EACCES, mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED ? -1 : 0);
	FAILS(EACCES, mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED ? -1 : 0);
	FAILS(EBADF, (int)pread(fd, bytes, 16, 0));
	FAILS(EPERM, (int)pwrite(fd, bytes, 16, 0));
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	for (int i = 0; i < 3; i++) {
		int again = open(path, modes[i] | O_CLOEXEC);
		if (again < 0)
			continue;
		assert_true(mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, again, 0) == MAP_FAILED);
		assert_int_equal(pwrite(again, bytes, 16, 0), -1);
		if (modes[i] != O_WRONLY) {
			assert_int_equal(pread(again, bytes, PAGE, 0), PAGE);
			assert_memory_equal(bytes, zeros, PAGE);
		}
		close(again);
	}
	close(fd);
}

static void bad_arguments(void **state)
{
	(void)state;
	FAILS(EINVAL, galena_heap_alloc(NULL, PAGE, 0));
	FAILS(ENOENT, galena_heap_alloc("", PAGE, 0));
	FAILS(ENOENT, galena_heap_alloc("System", PAGE, 0));
	FAILS(ENOENT, galena_heap_alloc("system-uncached", PAGE, 0));
	FAILS(EINVAL, galena_heap_alloc("system", 0, 0));
	FAILS(EINVAL, galena_heap_alloc("system", PAGE, 2));
	FAILS(EINVAL, galena_heap_alloc("cma", PAGE, UINT_MAX));
	FAILS(EINVAL, galena_heap_alloc("protected", PAGE, GALENA_HEAP_RDONLY));
	FAILS(ENOMEM, galena_heap_alloc("system", SIZE_MAX, 0));
	FAILS(ENOMEM, galena_heap_alloc("cma", SIZE_MAX - PAGE, 0));
	FAILS(ENOMEM, galena_heap_alloc("system", (size_t)1 << 62, 0));
	struct rlimit now, few = {3, 3};
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &now), 0);
	few.rlim_max = now.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	FAILS(EMFILE, galena_heap_alloc("system", PAGE, 0));
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &now), 0);
}

/* An error and no signal, and the signals of the caller are as they were. */
static void larger_than_files_may_be(void **state)
{
	(void)state;
	struct rlimit now, small = {4 * PAGE, 0};
	sigset_t before, after, pending;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &now), 0);
	small.rlim_max = now.rlim_max;
	assert_int_equal(sigprocmask(SIG_BLOCK, NULL, &before), 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	for (int h = 0; h < 3; h++) {
		FAILS(EFBIG, galena_heap_alloc(heaps[h], 5 * PAGE, 0));
		close(alloc(heaps[h], 4 * PAGE, 0));
	}
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &now), 0);
	assert_int_equal(sigprocmask(SIG_BLOCK, NULL, &after), 0);
	assert_int_equal(sigpending(&pending), 0);
	assert_int_equal(sigismember(&before, SIGXFSZ), sigismember(&after, SIGXFSZ));
	assert_int_equal(sigismember(&pending, SIGXFSZ), 0);
}

static void sync_of_what_is_none(void **state)
{
	(void)state;
	int fd = alloc("system", PAGE, 0), ends[2];
	char name[] = "galena-heap-system";
	int plain = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING); /* not sealed */
	assert_int_equal(ftruncate(plain, PAGE), 0);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	for (unsigned flags = 0; flags < 16; flags++) {
		if (!(flags & 3) || flags > 7)
			FAILS(EINVAL, galena_heap_sync(fd, flags));
		else
			assert_int_equal(galena_heap_sync(fd, flags), 0);
	}
	FAILS(ENOTTY, galena_heap_sync(plain, GALENA_HEAP_SYNC_READ));
	FAILS(ENOTTY, galena_heap_sync(ends[0], GALENA_HEAP_SYNC_READ));
	close(ends[0]);
	close(ends[1]);
	close(plain);
	close(fd);
	FAILS(EBADF, galena_heap_sync(fd, GALENA_HEAP_SYNC_READ));
	FAILS(EBADF, galena_heap_sync(-1, GALENA_HEAP_SYNC_READ));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_are_whole_pages_and_stay),
		cmocka_unit_test(memory_is_zero_and_shared),
		cmocka_unit_test(descriptors_for_reading),
		cmocka_unit_test(protected_buffers_have_no_data),
		cmocka_unit_test(bad_arguments),
		cmocka_unit_test(larger_than_files_may_be),
		cmocka_unit_test(sync_of_what_is_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
