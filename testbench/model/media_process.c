/* Jobs of video processing against a prediction of each sample: random surfaces of every layout, filters, matrices, blends. */
#include "testbench/model/media_random.h"

static void jobs_run(struct world *w, unsigned count)
{
	const struct predict_memory m = { w->bytes, BASE };

	for (unsigned i = 0; i < count; i++) {
		const uint32_t at = JOB + 8 * below(400);
		const union packet p = packet_process(BASE + at);
		struct media_result r;
		struct media_process j;
		uint64_t bytes;

		if (i % 8 == 0)
			world_random(w);
		j = random_job(w);
		memcpy(w->bytes + at, &j, sizeof(j));
		world_give(w);
		bytes = predict_process(&m, &j);
		r = run_packet(w, &p, ASID, 1000);
		assert_int_equal(r.code, FAULT_NONE);
		assert_int_equal(r.progress, bytes);
		world_check(w);
	}
}

static void test_random(void **state)
{
	static const struct { const char *config; enum bus_speed speed; bool observed; } worlds[] = {
		{ "full", BUS_FUNCTIONAL, false }, { "full", BUS_TIMED, false }, { "mini", BUS_TIMED, true },
		{ "mini,coherent=0", BUS_TIMED, false },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(worlds) / sizeof(*worlds); i++) {
		struct world *w = world_create(worlds[i].config, worlds[i].speed, worlds[i].observed);

		jobs_run(w, check_long() ? 4000 : 150);
		world_destroy(w);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
	};

	random_seed(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
