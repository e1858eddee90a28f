/* Replays of a trace on other configurations: a program of OpenCL and one that has a driver of its own are recorded, then replayed on
 * devices with other caches, latencies and exactness. What is as recorded is found to be so; what is not is found, and named.
 * Usage: elastic [seed] */
#include "abi/address_map.h"
#include "testbench/build_tree.h"
#include "testbench/random.h"
#include "traces/page_delta.h"
#include "traces/replay.h"
#include "traces/trace_reader.h"
#include "traces/trace_writer.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* cmocka needs the four above */
#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>

static uint64_t seed;
static char directory[] = "/tmp/galena-elastic-XXXXXX", build[PATH_MAX];
static struct replay_result result;
static const char *error;

static char *path_of(char *path, const char *name)
{
	snprintf(path, PATH_MAX, "%s/%s", directory, name);
	return path;
}

static void record(const char *name, const char *config, const char *program)
{
	char command[4 * PATH_MAX], path[PATH_MAX];
	snprintf(command, sizeof command, "'%s/bin/galena' run --config %s --trace '%s' -- '%s/examples/%s' >'%s/out' 2>&1", build, config,
		 path_of(path, name), build, program, directory);
	assert_int_equal(system(command), 0);
}

/* As replay_run(); config NULL: as recorded. */
static int replay(const char *name, const char *config)
{
	char path[PATH_MAX];
	error = "";
	return replay_run(path_of(path, name), &(struct replay_options){ .config = config, .check_cycles = !config }, &result, &error);
}

static void expect_same(const char *name, const char *config)
{
	const int rc = replay(name, config);
	if (rc)
		fail_msg("%s on %s: record %" PRIu64 ": %s", name, config ? config : "its own configuration", result.record, rc < 0 ? error : result.difference);
}

static int record_all(void **state)
{
	(void)state;
	record("cl", "full", "vector_add");
	record("mini", "mini", "vector_add");
	record("own", "full", "bringup");
	return 0;
}

/* ---- traces that are as they should be ---- */

static void as_recorded(void **state)
{
	(void)state;
	expect_same("cl", NULL);
	expect_same("mini", NULL);
	expect_same("own", NULL);
}

/* Fault records, completion records and what was computed come out the same; the device takes other times and makes other accesses. */
static void other_geometry(void **state)
{
	(void)state;
	static const char *const configs[] = {
		"full", /* results, where times are the same, too */
		"full,l2_bytes=65536,l1_bytes=4096,l1_ways=2,icache_bytes=4096,icache_ways=1",
		"full,l2_bytes=67108864,l1_bytes=1048576,icache_bytes=1048576",
		"full,exact=1",
		"full,exact=1,l2_bytes=65536,l1_bytes=4096,l1_ways=1,icache_bytes=4096",
		"full,exact=1,l1_data=1",
		"full,l1_tlb_entries=4,l2_tlb_entries=32,mmu_walkers=1",
		"full,dram_latency=3000,sys_latency=5",
		"full,sys_latency=9000,l1_latency=1",
		"full,dma_engines=1,dma_bytes_cycle=1",
		"full,mmio_read_cycles=0,mmio_write_cycles=3000",
	};
	for (size_t i = 0; i < sizeof configs / sizeof *configs; i++) {
		expect_same("cl", configs[i]);
		expect_same("own", configs[i]);
	}
	expect_same("mini", "mini,l2_bytes=1024,l2_ways=1,l1_bytes=256,icache_bytes=256");
	expect_same("mini", "mini,l2_bytes=1048576,l1_bytes=65536,icache_bytes=65536");
	expect_same("mini", "mini,exact=0");
}

/* Random ones, each number of what software does not see. */
static void random_geometry(void **state)
{
	(void)state;
	uint64_t s = seed;
	for (int i = 0; i < 6; i++) {
		char config[512];
		snprintf(config, sizeof config,
			 "full,l1_bytes=%u,l1_ways=%u,icache_bytes=%u,icache_ways=%u,l2_bytes=%u,l2_ways=%u,l1_tlb_entries=%u,sys_latency=%u,dram_latency=%u,"
			 "l2_latency=%u,alu_latency=%u,exact=%u",
			 4096u << splitmix64(&s) % 6, 1u << splitmix64(&s) % 4, 4096u << splitmix64(&s) % 6, 1u << splitmix64(&s) % 4,
			 1u << (16 + splitmix64(&s) % 8), 1u << splitmix64(&s) % 5, 4u << splitmix64(&s) % 6, (unsigned)(splitmix64(&s) % 2000),
			 (unsigned)(splitmix64(&s) % 2000), (unsigned)(splitmix64(&s) % 500), (unsigned)(2 + splitmix64(&s) % 20), (unsigned)(splitmix64(&s) % 2));
		expect_same("cl", config);
		expect_same("own", config);
	}
}

static void what_software_sees_is_refused(void **state)
{
	(void)state;
	static const char *const configs[][2] = {
		{ "full,lanes=16,max_wg_size=256", "lanes=32" }, { "full,num_cu=2", "num_cu=4" },	 { "full,dram_mib=1024", "dram_mib=2048" },
		{ "full,coherent=0", "coherent=1" },		{ "full,max_wg_size=256", "max_wg_size=512" }, { "mini", "num_cu=4" },
	};
	for (size_t i = 0; i < sizeof configs / sizeof *configs; i++) {
		assert_int_equal(replay("cl", configs[i][0]), -1);
		assert_non_null(strstr(error, configs[i][1]));
		assert_non_null(strstr(error, "record the program on that configuration"));
	}
	assert_int_equal(replay("cl", "full,l1_bytes=3"), -1);
	assert_non_null(strstr(error, "l1_bytes"));
}

/* ---- traces that are not ---- */

/* Copies a trace, with what change does to its pages, and with checksums that are right. */
static void copy_changed(const char *from, const char *to, bool (*change)(struct trace_record *, uint8_t *data, void *), void *ctx)
{
	char path[PATH_MAX];
	static uint8_t data[1 << 20];
	struct trace_record rec;
	struct trace_reader *r = trace_reader_open(path_of(path, from), &error);
	struct trace_writer *w = trace_writer_open(path_of(path, to), &error);
	int n;
	assert_non_null(r);
	assert_non_null(w);
	while ((n = trace_reader_next(r, &rec, &error)) > 0) {
		if (rec.data) {
			assert_in_range(rec.b, 0, sizeof data);
			memcpy(data, rec.data, rec.b);
		}
		if (rec.kind == TRACE_PAGE && !change(&rec, data, ctx))
			continue;
		if (rec.kind == TRACE_OPEN)
			trace_writer_device(w, rec.device, rec.name, rec.config, (unsigned)rec.a);
		else if (rec.kind == TRACE_MEM_READ || rec.kind == TRACE_MEM_WRITE || rec.kind == TRACE_PAGE)
			trace_writer_memory(w, rec.kind, rec.device, rec.a, rec.b, rec.ok, data);
		else
			trace_writer_record(w, rec.kind, rec.device, rec.a, rec.b);
	}
	assert_int_equal(n, 0);
	assert_int_equal(trace_writer_close(w, trace_reader_end(r)), 0);
	trace_reader_close(r);
}

/* Pages with all of their bytes: what vector_add adds up. */
enum { WHOLE = GALENA_PAGE_SIZE };
struct plant { int64_t at; size_t byte; uint64_t address; uint8_t flip; };

static bool plant_byte(struct trace_record *rec, uint8_t *data, void *ctx)
{
	struct plant *p = ctx;
	if (rec->b < WHOLE || p->at--)
		return true;
	p->address = rec->a + p->byte;
	data[rec->b - WHOLE + p->byte] ^= p->flip;
	return true;
}

static bool count_whole(struct trace_record *rec, uint8_t *data, void *ctx)
{
	(void)data;
	*(unsigned *)ctx += rec->b >= WHOLE;
	return true;
}

/* One byte of a page is another one, and all checksums are right. */
static void planted_byte(void **state)
{
	(void)state;
	uint64_t s = seed + 1;
	unsigned pages = 0;
	copy_changed("cl", "planted", count_whole, &pages);
	assert_in_range(pages, 10, 1000);
	for (int i = 0; i < 8; i++) {
		unsigned there, then;
		unsigned long long address;
		struct plant p = { .at = (int64_t)(splitmix64(&s) % pages), .byte = splitmix64(&s) % 700 * 4 + 2, .flip = 0x20 };
		copy_changed("cl", "planted", plant_byte, &p);
		/* the same device: what it has read is not what it read then */
		assert_int_equal(replay("planted", NULL), 1);
		assert_true(strstr(result.difference, "pages of the trace have been changed") || strstr(result.difference, "the trace has 0x"));
		/* another one: a sum is wrong */
		assert_int_equal(replay("planted", "full,l1_bytes=4096,l2_bytes=65536"), 1);
		assert_int_equal(sscanf(result.difference, "bus address 0x%llx is 0x%x where the trace has 0x%x", &address, &there, &then), 3);
		assert_int_not_equal(there, then);
		assert_int_equal(address % 4, 2);
		assert_non_null(strstr(result.difference, "that record "));
	}
}

static bool drop_page(struct trace_record *rec, uint8_t *data, void *ctx)
{
	struct plant *p = ctx;
	(void)data;
	if (p->address ? rec->a == p->address : rec->b >= WHOLE && !p->at--) {
		p->address = rec->a;
		return false;
	}
	return true;
}

static void page_that_is_not_held(void **state)
{
	(void)state;
	char address[32];
	for (int64_t i = 0; i < 3; i++) {
		struct plant p = { .at = 3 * i };
		copy_changed("cl", "dropped", drop_page, &p);
		snprintf(address, sizeof address, "0x%" PRIx64, p.address);
		assert_int_equal(replay("dropped", NULL), 1);
		assert_non_null(strstr(result.difference, address));
		assert_non_null(strstr(result.difference, "the trace does not hold"));
		assert_int_equal(replay("dropped", "full,exact=1"), 1);
		assert_non_null(strstr(result.difference, address));
		assert_non_null(strstr(result.difference, "the trace does not hold"));
		assert_non_null(strstr(result.difference, "record the program"));
	}
}

/* A device that does something wrong. */
static void faulty_device(void **state)
{
	(void)state;
	static const char *const faults[] = { "KERNEL_HANG", "ECC_DOUBLE,nth=40", "WALK_ERROR", "IRQ_LOST,nth=4", "DMA_STALL", "BUS_ERROR,nth=700" };
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
		setenv("GALENA_INJECT", faults[i], 1);
		const int rc = replay("cl", "full,l1_bytes=4096");
		unsetenv("GALENA_INJECT");
		if (rc != 1)
			fail_msg("%s is not found: %d, %s", faults[i], rc, error);
		assert_true(*result.difference);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_recorded),	cmocka_unit_test(other_geometry),	 cmocka_unit_test(random_geometry), cmocka_unit_test(what_software_sees_is_refused),
		cmocka_unit_test(planted_byte), cmocka_unit_test(page_that_is_not_held), cmocka_unit_test(faulty_device),
	};
	char command[64];
	seed = seed_take(argc, argv);
	program_path(build, 3);
	if (!mkdtemp(directory))
		return 1;
	const int failed = cmocka_run_group_tests(tests, record_all, NULL);
	snprintf(command, sizeof command, "rm -r %s", directory);
	return system(command) ? 1 : failed;
}
