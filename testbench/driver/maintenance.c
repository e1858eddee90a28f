/* Devices that are not coherent: with the driver's maintenance, programs see what they would see on
 * coherent ones; and coherent ones get not one packet of it. */
#include "abi/registers.h"
#include "testbench/driver/common.h"

enum { AREA = 16384, ROUNDS = 20 };

struct fixture {
	struct umd *d;
	struct umd_space *s;
	struct umd_queue *q[2]; /* one a device */
	struct umd_bo *a, *b, *c;
};

static struct fixture fixture_open(const char *config)
{
	struct fixture f;
	setenv("GALENA_CONFIG", config, 1);
	f.d = open_driver();
	assert_int_equal(umd_space_create(f.d, &f.s), 0);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(umd_queue_create(f.s, i, 1, &f.q[i]), 0);
	f.a = make_bo(f.s, 0, AREA, KMD_BO_SYSTEM);
	f.b = make_bo(f.s, 0, AREA, KMD_BO_SYSTEM);
	f.c = make_bo(f.s, 0, AREA, KMD_BO_SYSTEM);
	return f;
}

static void fixture_close(struct fixture *f)
{
	umd_bo_release(f->a);
	umd_bo_release(f->b);
	umd_bo_release(f->c);
	for (unsigned i = 0; i < 2; i++)
		umd_queue_release(f->q[i]);
	umd_space_release(f->s);
	umd_close(f->d);
}

static const char *const configs[] = { "full,coherent=0", "mini,coherent=0" };
#define FOR_CONFIGS for (unsigned n = 0; n < 2; n++)

static union packet copy(const struct umd_bo *dst, const struct umd_bo *src)
{
	return packet_copy_1d(umd_bo_address(dst), umd_bo_address(src), AREA);
}

/* Host and device change the same lines in turn; each sees what the other did last. */
static void host_and_device_in_turn(void **state)
{
	(void)state;
	FOR_CONFIGS {
		struct fixture f = fixture_open(configs[n]);
		uint8_t *a = umd_bo_cpu(f.a), *b = umd_bo_cpu(f.b);
		assert_false(umd_device_info(f.d, 0)->coherent);
		for (unsigned round = 0; round < ROUNDS; round++) {
			for (unsigned i = 0; i < AREA; i++)
				a[i] = (uint8_t)(i + round * 3);
			memset(b, 0xff, AREA);
			assert_int_equal(run(f.q[0], (union packet[]){ copy(f.b, f.a) }, 1), 0);
			assert_memory_equal(a, b, AREA);
		}
		fixture_close(&f);
	}
}

/* What one device wrote another one reads: through memory, that is after the first one's cleaning. */
static void from_device_to_device(void **state)
{
	(void)state;
	FOR_CONFIGS {
		struct fixture f = fixture_open(configs[n]);
		uint8_t *a = umd_bo_cpu(f.a), *c = umd_bo_cpu(f.c);
		for (unsigned round = 0; round < ROUNDS; round++) {
			struct umd_command *first, *second;
			union packet p[2] = { 0 };
			memset(a, (int)round + 1, AREA);
			assert_int_equal(umd_submit(f.q[0], (union packet[]){ copy(f.b, f.a) }, 1, 0, NULL, NULL, &first), 0);
			umd_command_wait_packet(first, &p[0]);
			p[1] = copy(f.c, f.b);
			assert_int_equal(umd_submit(f.q[1], p, 2, 0, NULL, NULL, &second), 0);
			assert_int_equal(umd_wait(second), 0);
			assert_memory_equal(a, c, AREA);
			umd_command_release(first);
			umd_command_release(second);
		}
		fixture_close(&f);
	}
}

/* A command that fails has written something. What the host puts there afterwards stays. */
static void failed_commands_leave_nothing_behind(void **state)
{
	(void)state;
	FOR_CONFIGS {
		struct fixture f = fixture_open(configs[n]);
		uint8_t *a = umd_bo_cpu(f.a), *b = umd_bo_cpu(f.b);
		union packet bad = copy(f.c, f.a), p[2] = { copy(f.b, f.a), bad };
		p[1].copy.src = 0x7000; /* nothing is mapped there */
		memset(a, 1, AREA);
		assert_int_equal(run(f.q[0], p, 2), -FAULT_PAGE_NOT_PRESENT);
		assert_memory_equal(a, b, AREA);
		memset(b, 2, AREA);
		assert_int_equal(run(f.q[0], (union packet[]){ copy(f.c, f.b) }, 1), 0);
		for (unsigned i = 0; i < AREA; i++)
			assert_int_equal(b[i], 2);
		assert_memory_equal(b, umd_bo_cpu(f.c), AREA);
		fixture_close(&f);
	}
}

/* Packets that a queue was given, from its doorbell. */
static uint64_t packets_of(const char *config)
{
	struct fixture f = fixture_open(config);
	uint64_t most = 0;
	union packet p[3] = { copy(f.b, f.a), copy(f.c, f.b), packet_nop() };
	for (unsigned i = 0; i < 10; i++)
		assert_int_equal(run(f.q[0], p, 3), 0);
	for (unsigned i = 0; i < REG_QUEUES; i++) {
		uint64_t bell = umd_read_register(f.d, 0, (uint32_t)(REG_HOST_DOORBELL + 8 * i), 64);
		most = bell > most ? bell : most;
	}
	fixture_close(&f);
	return most;
}

static void coherent_devices_need_none(void **state)
{
	(void)state;
	assert_int_equal(packets_of("full"), 30);
	assert_int_equal(packets_of("mini,coherent=1"), 30);
	assert_int_equal(packets_of("full,coherent=0"), 50); /* around the two copies, not the nop */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(host_and_device_in_turn),
		cmocka_unit_test(from_device_to_device),
		cmocka_unit_test(failed_commands_leave_nothing_behind),
		cmocka_unit_test(coherent_devices_need_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
