/* dma-bufs in the driver: one mapping and one number a page however often they are imported, pins for as long as there are
 * imports, and caches that nobody maintains unasked. */
#define _GNU_SOURCE
#include "include/galena/heap.h"
#include "testbench/driver/common.h"
#include "testbench/driver/inside.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGES = 6, BYTES = PAGES * 4096 };

struct fixture {
	struct umd *d;
	struct umd_space *s;
	struct umd_queue *q[2]; /* one a device */
	int fd;
	uint8_t *host; /* the test's own mapping */
	struct umd_bo *plain; /* BYTES of system memory */
};

static struct fixture fixture_open(const char *config, const char *heap)
{
	struct fixture f;
	setenv("GALENA_CONFIG", config, 1);
	f.d = open_driver();
	assert_int_equal(umd_space_create(f.d, &f.s), 0);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(umd_queue_create(f.s, i, 1, &f.q[i]), 0);
	f.fd = galena_heap_alloc(heap, BYTES, 0);
	assert_true(f.fd >= 0);
	f.host = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, f.fd, 0);
	assert_ptr_not_equal(f.host, MAP_FAILED);
	f.plain = make_bo(f.s, 0, BYTES, KMD_BO_SYSTEM);
	return f;
}

static void fixture_close(struct fixture *f)
{
	umd_bo_release(f->plain);
	for (unsigned i = 0; i < 2; i++)
		umd_queue_release(f->q[i]);
	umd_space_release(f->s);
	umd_close(f->d);
	munmap(f->host, BYTES);
	close(f->fd);
}

static struct umd_bo *import_of(struct fixture *f, int fd, uint64_t offset, uint64_t size, unsigned flags)
{
	struct umd_bo *bo = NULL;
	assert_int_equal(umd_bo_import_dmabuf(f->s, fd, offset, size, flags, &bo), 0);
	return bo;
}

/* size bytes from the beginning of one to the beginning of the other */
static union packet copy(const struct umd_bo *dst, const struct umd_bo *src, uint32_t size)
{
	return packet_copy_1d(umd_bo_address(dst), umd_bo_address(src), size);
}

static void settle(struct fixture *f)
{
	assert_int_equal(run(f->q[0], (union packet[]){ packet_nop() }, 1), 0);
	umd_sync(f->d);
}

/* The number of one of its pages. */
static uint32_t number_of(const struct umd_bo *bo, uint64_t page) { return pin_list_number(&(struct pin_cursor){ .list = &inside_bo(bo)->pin }, page); }

/* Imports of the whole and of parts, by several descriptors, name the same pages. */
static void one_number_a_page(void **state)
{
	(void)state;
	static const char *const heaps[] = { "system", "cma" };
	for (unsigned h = 0; h < 2; h++) {
		struct fixture f = fixture_open("full", heaps[h]);
		int other = dup(f.fd);
		settle(&f);
		const uint32_t before = pins_count(&driver_of_process()->pins);
		struct umd_bo *whole = import_of(&f, f.fd, 0, BYTES, 0), *part = import_of(&f, other, 4096 + 100, 4096, 0),
			      *again = import_of(&f, other, 0, BYTES, KMD_BO_READ_ONLY);
		assert_int_equal(pins_count(&driver_of_process()->pins), before + PAGES);
		assert_int_equal(umd_bo_address(part) % 4096, 100);
		for (unsigned i = 0; i < PAGES; i++) {
			assert_true(number_of(whole, i) >= PIN_MANUAL);
			assert_true(pin_pa(number_of(whole, i)) >= SYSTEM_MANUAL_BASE);
			assert_int_equal(pin_number(pin_pa(number_of(whole, i))), number_of(whole, i));
			assert_int_equal(number_of(again, i), number_of(whole, i));
			if (h)
				assert_int_equal(number_of(whole, i), number_of(whole, 0) + i);
		}
		assert_int_equal(number_of(part, 0), number_of(whole, 1));
		assert_int_equal(number_of(part, 1), number_of(whole, 2));
		for (unsigned i = 0; i < BYTES; i++)
			f.host[i] = (uint8_t)(i * 7 >> 3);
		assert_int_equal(run(f.q[0], (union packet[]){ copy(f.plain, part, 4096) }, 1), 0);
		assert_memory_equal(umd_bo_cpu(f.plain), f.host + 4096 + 100, 4096);
		close(other);
		umd_bo_release(whole);
		settle(&f);
		assert_int_equal(pins_count(&driver_of_process()->pins), before + PAGES);
		umd_bo_release(again);
		settle(&f);
		assert_int_equal(pins_count(&driver_of_process()->pins), before + 2);
		umd_bo_release(part);
		settle(&f);
		assert_int_equal(pins_count(&driver_of_process()->pins), before);
		assert_null(driver_of_process()->dmabufs);
		fixture_close(&f);
	}
}

/* The mapping of a descriptor for reading becomes one for writing in its place. */
static void reading_then_writing(void **state)
{
	(void)state;
	char path[64];
	struct fixture f = fixture_open("full", "system");
	snprintf(path, sizeof path, "/proc/self/fd/%d", f.fd);
	int reader = open(path, O_RDONLY | O_CLOEXEC);
	struct umd_bo *bo, *r = import_of(&f, reader, 0, BYTES, KMD_BO_READ_ONLY);
	assert_int_equal(umd_bo_import_dmabuf(f.s, reader, 0, BYTES, 0, &bo), KMD_INVALID);
	memset(umd_bo_cpu(f.plain), 0x77, BYTES);
	assert_int_equal(run(f.q[0], (union packet[]){ copy(r, f.plain, 4096) }, 1), -FAULT_PAGE_WRITE);
	struct umd_bo *w = import_of(&f, f.fd, 0, BYTES, 0);
	assert_ptr_equal(umd_bo_cpu(w), umd_bo_cpu(r));
	assert_int_equal(run(f.q[0], (union packet[]){ copy(w, f.plain, 4096) }, 1), 0);
	assert_int_equal(f.host[4095], 0x77);
	assert_int_equal(f.host[4096], 0);
	umd_bo_release(w);
	umd_bo_release(r);
	close(reader);
	fixture_close(&f);
}

static void what_is_refused(void **state)
{
	(void)state;
	struct fixture f = fixture_open("mini", "system");
	struct kmd_dmabuf b;
	struct umd_bo *bo;
	int hidden = galena_heap_alloc("protected", BYTES, 0);
	assert_int_equal(umd_dmabuf_query(-1, &b), KMD_BAD_DESCRIPTOR);
	assert_int_equal(umd_bo_import_dmabuf(f.s, -1, 0, 1, 0, &bo), KMD_BAD_DESCRIPTOR);
	assert_int_equal(umd_bo_import_dmabuf(f.s, f.fd, 0, 0, 0, &bo), KMD_INVALID);
	assert_int_equal(umd_bo_import_dmabuf(f.s, f.fd, 0, BYTES + 1, 0, &bo), KMD_INVALID);
	assert_int_equal(umd_bo_import_dmabuf(f.s, f.fd, BYTES, 1, 0, &bo), KMD_INVALID);
	assert_int_equal(umd_bo_import_dmabuf(f.s, f.fd, UINT64_MAX, 2, 0, &bo), KMD_INVALID);
	assert_int_equal(umd_bo_import_dmabuf(f.s, f.fd, 0, BYTES, KMD_BO_DRAM, &bo), KMD_INVALID);
	assert_int_equal(umd_bo_import_dmabuf(f.s, hidden, 0, BYTES, 0, &bo), KMD_INVALID);
	assert_int_equal(umd_dmabuf_query(hidden, &b), 0);
	assert_true(b.is_protected);
	assert_int_equal(b.size, BYTES);
	assert_null(driver_of_process()->dmabufs);
	close(hidden);
	fixture_close(&f);
}

/* Without coherent caches: the maintenance that goes with commands leaves the buffer's lines alone, in each device; a
 * maintenance of the buffer reaches them all, and so does the end of its last import. */
static void lines_are_left_alone(void **state)
{
	(void)state;
	static const char *const configs[] = { "full,coherent=0", "mini,coherent=0" };
	enum { FEW = 512 }; /* bytes: all of them stay in the smallest cache */
	for (unsigned n = 0; n < 2; n++) {
		struct fixture f = fixture_open(configs[n], "system");
		struct umd_bo *bo = import_of(&f, f.fd, 0, BYTES, 0);
		struct kmd_dmabuf b;
		uint8_t *plain = umd_bo_cpu(f.plain);
		assert_int_equal(umd_dmabuf_query(f.fd, &b), 0);
		for (unsigned q = 0; q < 2; q++) {
			/* read once, it is held */
			memset(f.host, 1, FEW);
			assert_int_equal(run(f.q[q], (union packet[]){ copy(f.plain, bo, FEW) }, 1), 0);
			assert_int_equal(plain[5], 1);
			memset(f.host, 2, FEW);
			assert_int_equal(run(f.q[q], (union packet[]){ copy(f.plain, bo, FEW) }, 1), 0);
			assert_int_equal(plain[5], 1);
			assert_int_equal(umd_dmabuf_maintain(f.d, b.device, b.inode, CACHE_CLEAN), 0);
			assert_int_equal(run(f.q[q], (union packet[]){ copy(f.plain, bo, FEW) }, 1), 0);
			assert_int_equal(plain[5], 1);
			assert_int_equal(umd_dmabuf_maintain(f.d, b.device, b.inode, CACHE_CLEAN | CACHE_INVALIDATE), 0);
			assert_int_equal(run(f.q[q], (union packet[]){ copy(f.plain, bo, FEW) }, 1), 0);
			assert_int_equal(plain[5], 2);
			/* written, it is not in memory */
			memset(plain, 3, FEW);
			assert_int_equal(run(f.q[q], (union packet[]){ copy(bo, f.plain, FEW) }, 1), 0);
			assert_int_equal(f.host[5], 2);
			assert_int_equal(umd_dmabuf_maintain(f.d, b.device, b.inode, CACHE_CLEAN), 0);
			assert_int_equal(f.host[5], 3);
			/* a packet of the command's own does the same */
			memset(plain, 4, FEW);
			union packet p[2] = { copy(bo, f.plain, FEW),
					      { .cache = { .head.type = PACKET_CODE_cache, .address = umd_bo_address(bo), .size = BYTES,
							   .op = CACHE_CLEAN | CACHE_INVALIDATE } } };
			assert_int_equal(run(f.q[q], p, 2), 0);
			assert_int_equal(f.host[5], 4);
		}
		/* with its last import what is dirty goes to memory, and nothing stays for whoever gets the page numbers */
		const uint32_t number = number_of(bo, 0);
		memset(plain, 9, FEW);
		assert_int_equal(run(f.q[1], (union packet[]){ copy(bo, f.plain, FEW) }, 1), 0);
		umd_bo_release(bo);
		settle(&f);
		assert_int_equal(f.host[5], 9);
		int other = galena_heap_alloc("system", BYTES, 0);
		bo = import_of(&f, other, 0, BYTES, 0);
		assert_int_equal(number_of(bo, 0), number);
		assert_int_equal(run(f.q[1], (union packet[]){ copy(f.plain, bo, FEW) }, 1), 0);
		assert_int_equal(plain[5], 0);
		umd_bo_release(bo);
		close(other);
		fixture_close(&f);
	}
}

/* A buffer that nobody has imported needs no maintenance; neither does one on coherent devices. */
static void nothing_to_maintain(void **state)
{
	(void)state;
	struct fixture f = fixture_open("full", "system");
	struct kmd_dmabuf b;
	assert_int_equal(umd_dmabuf_query(f.fd, &b), 0);
	assert_int_equal(umd_dmabuf_maintain(f.d, b.device, b.inode, CACHE_CLEAN), 0);
	struct umd_bo *bo = import_of(&f, f.fd, 0, BYTES, 0);
	memset(umd_bo_cpu(f.plain), 8, BYTES);
	assert_int_equal(run(f.q[0], (union packet[]){ copy(bo, f.plain, BYTES) }, 1), 0);
	assert_int_equal(f.host[BYTES - 1], 8);
	assert_int_equal(umd_dmabuf_maintain(f.d, b.device, b.inode, CACHE_CLEAN | CACHE_INVALIDATE), 0);
	free(bo); /* the memory of this process is not the driver's */
	/* the driver is closed with the import */
	fixture_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_number_a_page),
		cmocka_unit_test(reading_then_writing),
		cmocka_unit_test(what_is_refused),
		cmocka_unit_test(lines_are_left_alone),
		cmocka_unit_test(nothing_to_maintain),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
