/* Random command streams on two models in lockstep, whose schedules are perturbed from two seeds: several queues with kernels, copies,
 * fills, semaphores between the queues, and commands that fail, through the firmware. What each queue, transfer, wait, payload and warp
 * does is the same, and so is what is left in memory. Usage: streams [SEED [STREAMS]]; the seed is printed. */
#include "testbench/driver/board.h"
#include "lockstep/lockstep.h"
#include "testbench/lockstep/kernel.h"

enum {
	QUEUES = 4, COMMANDS = 24,
	CODES = 2, KERNEL_PAGES = 4,   /* code, from page QUEUE_PAGES * QUEUES of the data on */
	QUEUE_PAGES = 48,                /* of each queue's data: first what kernels use, then private memory, then what is copied and filled */
	SCRATCH_PAGE = 16, FREE_PAGE = 24, FREE_BYTES = (QUEUE_PAGES - FREE_PAGE) * 4096,
	PAYLOAD = 64,                    /* of queue n: those from here on, two each */
	MOST_LOCAL = 16,
};
static uint64_t seed = 1, streams = 40;

static unsigned page_of(unsigned queue) { return DATA + queue * QUEUE_PAGES; }
static unsigned code_of(unsigned kernel) { return DATA + QUEUES * QUEUE_PAGES + kernel * KERNEL_PAGES; }
_Static_assert(DATA + QUEUES * QUEUE_PAGES + CODES * KERNEL_PAGES <= TABLES, "pages");
_Static_assert(KERNEL_HEAD + MOST_LOCAL * 6 * KERNEL_ITEM <= SCRATCH_PAGE * 4096, "places of work-items");

struct stream {
	struct kernel kernels[CODES];
	union packet packets[QUEUES][COMMANDS];
	unsigned count[QUEUES];
	struct ref_random random; /* of memory */
};

/* ---- commands ---- */
static union packet random_copy(struct ref_random *r, unsigned q)
{
	const uint64_t base = VA(page_of(q) + FREE_PAGE), half = FREE_BYTES / 2;
	const uint32_t width = 1 + (uint32_t)ref_below(r, 600), height = 1 + (uint32_t)ref_below(r, 8);
	const uint32_t pitch = width + (uint32_t)ref_below(r, 100);
	return (union packet){ .copy = { .head.type = PACKET_CODE_copy, .src = base + ref_below(r, half - height * pitch),
					 .dst = base + half + ref_below(r, half - height * pitch), .width = width, .height = height, .depth = 1,
					 .src_row = pitch, .dst_row = pitch } };
}

static union packet random_fill(struct ref_random *r, unsigned q)
{
	const uint64_t base = VA(page_of(q) + FREE_PAGE);
	const uint32_t size = 1u << ref_below(r, 6), width = size * (1 + (uint32_t)ref_below(r, 60)), height = 1 + (uint32_t)ref_below(r, 6);
	return (union packet){ .fill = { .head.type = PACKET_CODE_fill, .pattern = base, .dst = base + 128 + ref_below(r, FREE_BYTES - 128 - width * height),
					 .width = width, .height = height, .depth = 1, .pattern_size = size, .dst_row = width } };
}

static union packet random_dispatch(struct ref_random *r, const struct stream *s, unsigned q)
{
	const unsigned n = (unsigned)ref_below(r, CODES);
	const struct kernel *k = &s->kernels[n];
	return (union packet){ .dispatch = { .head.type = PACKET_CODE_dispatch, .entry = VA(code_of(n)), .kernarg = VA(page_of(q)),
					     .global_size = { k->local * k->groups, 1, 1 }, .local_size = { (uint16_t)k->local, 1, 1 },
					     .local_bytes = k->local * KERNEL_LOCAL, .private_bytes = KERNEL_PRIVATE } };
}

/* It fails, in one place only. */
static union packet random_failure(struct ref_random *r, unsigned q)
{
	union packet p = random_copy(r, q);
	switch (ref_below(r, 3)) {
	case 0: p.copy.src = VA(PAGES) + 64; return p;
	case 1: p.copy.width = 0; return p;
	default: return launch(KERNEL_COMPARE, 0); /* what is compared differs: EBREAK */
	}
}

static void add(struct stream *s, unsigned q, union packet p) { s->packets[q][s->count[q]++] = p; }

/* In the order of the queues together: a wait is for what was put before it, so that none waits for ever. */
static void stream_random(struct stream *s, struct ref_random *r)
{
	uint64_t signalled[QUEUES] = { 0 };
	memset(s, 0, sizeof *s);
	for (unsigned i = 0; i < CODES; i++)
		kernel_random(&s->kernels[i], r, MOST_LOCAL);
	for (unsigned n = QUEUES * COMMANDS; n; n--) {
		const unsigned q = (unsigned)ref_below(r, QUEUES), from = (unsigned)ref_below(r, QUEUES);
		if (s->count[q] == COMMANDS)
			continue;
		switch (ref_below(r, 10)) {
		case 0: case 1: add(s, q, random_copy(r, q)); break;
		case 2: add(s, q, random_fill(r, q)); break;
		case 3: case 4: add(s, q, random_dispatch(r, s, q)); break;
		case 5: case 6:
			add(s, q, (union packet){ .sem_signal = { .head.type = PACKET_CODE_sem_signal, .semaphore = payload_pa(PAYLOAD + q), .value = ++signalled[q] } });
			break;
		case 7:
			if (signalled[from])
				add(s, q, wait_for(payload_pa(PAYLOAD + from), 1 + ref_below(r, signalled[from]), 0));
			break;
		case 8: add(s, q, ref_below(r, 2) ? packet_nop() : random_failure(r, q)); break;
		default:
			add(s, q, (union packet){ .tlb_invalidate = { .head.type = PACKET_CODE_tlb_invalidate, .scope = (uint32_t)ref_below(r, 3), .asid = 1,
								      .address = VA(page_of(q)) } });
			break;
		}
	}
	s->random = *r;
}

/* ---- running ---- */
static uint8_t left[PAGES * 4096];
static int32_t statuses[QUEUES][COMMANDS];

static void stream_prepare(const struct stream *s)
{
	struct ref_random r = s->random;
	for (unsigned i = 0; i < CODES; i++)
		memcpy(memory + code_of(i) * 4096, s->kernels[i].words, s->kernels[i].count * 4);
	for (unsigned q = 0; q < QUEUES; q++) {
		/* whichever kernel runs there: numbers are numbers */
		kernel_memory(&(struct kernel){ .local = MOST_LOCAL, .groups = 6 }, r, memory + page_of(q) * 4096);
		for (unsigned i = 0; i < FREE_BYTES / 8; i++)
			((uint64_t *)(void *)(memory + (page_of(q) + FREE_PAGE) * 4096))[i] = ref_rand(&r);
	}
	args(0)[0] = VA(ARGS) + 64;
	args(0)[1] = 1;
}

/* How the host rings is another matter of the schedule: in one go, or bit by bit. */
static void stream_run(const struct stream *s, const char *config, struct lockstep *l, unsigned side)
{
	board_config = config;
	board_observer = lockstep_side(l, side);
	fresh();
	assert_int_equal(start(), FW_READY);
	stream_prepare(s);
	for (unsigned q = 0; q < QUEUES; q++) {
		desc_fill(q, q % 3);
		desc(q)->scratch = VA(page_of(q) + SCRATCH_PAGE);
		desc(q)->scratch_size = (FREE_PAGE - SCRATCH_PAGE) * 4096;
		map(q, desc_pa(q));
		settle();
		assert_int_equal(state_of(q), QUEUE_IDLE);
		for (unsigned i = 0; i < s->count[q]; i++)
			put(q, i, s->packets[q][i], LAST, q * COMMANDS + i);
	}
	for (unsigned q = 0; q < QUEUES; q++) {
		if (side)
			bell(QUEUES - 1 - q, s->count[QUEUES - 1 - q]);
		else
			for (unsigned i = 1; i <= s->count[q]; i++)
				bell(q, i);
	}
	settle();
	for (unsigned q = 0; q < QUEUES; q++)
		assert_int_equal(desc(q)->read_index, s->count[q]);
}

/* The same in both sides' memory. */
static void stream_compare(const struct stream *s, unsigned side)
{
	for (unsigned q = 0; q < QUEUES; q++)
		for (unsigned i = 0; i < s->count[q]; i++) {
			if (side)
				assert_int_equal(record(q * COMMANDS + i)->status, statuses[q][i]);
			statuses[q][i] = record(q * COMMANDS + i)->status;
		}
	for (unsigned q = 0; q < QUEUES; q++) {
		uint8_t *at = memory + page_of(q) * 4096;
		memset(at + SCRATCH_PAGE * 4096, 0, (FREE_PAGE - SCRATCH_PAGE) * 4096); /* of warp slots */
		if (side)
			assert_memory_equal(at, left + page_of(q) * 4096, QUEUE_PAGES * 4096);
		assert_int_equal(*payload(TIMELINES + q), s->count[q]);
	}
	memcpy(left, memory, sizeof left);
}
_Static_assert(QUEUES * COMMANDS * 32 <= 4096, "completion records");

static void events_are_equal(void **state)
{
	static struct stream s;
	uint64_t instructions = 0, compared = 0;
	(void)state;
	for (uint64_t n = 0; n < streams; n++) {
		struct ref_random r = { seed * 7919 + n };
		struct lockstep *l = lockstep_create();
		char config[2][64];
		snprintf(config[0], sizeof config[0], "mini,perturb=%u", (unsigned)(2 * (seed + n) + 1));
		snprintf(config[1], sizeof config[1], "mini%s,perturb=%u", n % 3 ? "" : ",num_cu=2,dma_engines=1", (unsigned)(2 * (seed + n) + 2));
		stream_random(&s, &r);
		for (unsigned side = 0; side < 2; side++) {
			stream_run(&s, config[side], l, side);
			stream_compare(&s, side);
		}
		if (!lockstep_settled(l)) {
			lockstep_print(l, stderr);
			fail_msg("stream %" PRIu64 ", seed %" PRIu64, n, seed);
		}
		instructions += lockstep_instructions(l);
		compared += lockstep_compared(l);
		lockstep_destroy(l);
	}
	board_observer = NULL;
	printf("# %" PRIu64 " streams, %" PRIu64 " records are equal, of which %" PRIu64 " instructions of warps\n", streams, compared, instructions);
	assert_true(instructions > 0 && compared > instructions);
}

/* A fault that one of the two meets is found in the queue and transfer that met it. */
static void a_fault_of_one_is_found(void **state)
{
	static struct stream s;
	struct lockstep *l = lockstep_create();
	struct ref_random r = { seed };
	(void)state;
	memset(&s, 0, sizeof s);
	kernel_random(&s.kernels[0], &r, MOST_LOCAL);
	for (unsigned q = 0; q < QUEUES; q++)
		for (unsigned i = 0; i < 6; i++)
			add(&s, q, random_copy(&r, q));
	stream_run(&s, "mini,perturb=1", l, 0);
	board_observer = lockstep_side(l, 1);
	board_config = "mini,perturb=2";
	fresh();
	assert_int_equal(start(), FW_READY);
	stream_prepare(&s);
	for (unsigned q = 0; q < QUEUES; q++) {
		desc_fill(q, 0);
		map(q, desc_pa(q));
		settle();
		for (unsigned i = 0; i < 6; i++)
			put(q, i, s.packets[q][i], LAST, q * COMMANDS + i);
	}
	inject(INJECT_DMA_STALL, 3, 2, 0); /* the third transfer of queue 2 */
	for (unsigned q = 0; q < QUEUES; q++)
		bell(q, 6);
	settle();
	control(2, QUEUE_CTRL_RESET);
	settle();
	assert_false(lockstep_settled(l));
	lockstep_print(l, stdout);
	const struct lockstep_mismatch *m = lockstep_mismatch(l);
	assert_true(m->key.stream == LOCKSTEP_TRANSFER || m->key.stream == LOCKSTEP_QUEUE);
	assert_int_equal(m->key.queue, 2);
	lockstep_destroy(l);
	board_observer = NULL;
}

int main(int argc, char **argv)
{
	seed = seed_take(argc, argv);
	streams = argc > 2 ? strtoull(argv[2], NULL, 0) : check_long() ? 10000 : streams;
	if (!board_init(argv[0]))
		return 1;
	const struct CMUnitTest tests[] = { cmocka_unit_test(events_are_equal), cmocka_unit_test(a_fault_of_one_is_found) };
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	board_fini();
	return failed;
}
