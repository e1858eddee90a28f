/* Boxes of copies against the packet table, byte by byte: which overlap, which are refused, and the
 * order in which they are gone through. */
#include "model/dma/dma_box.h"
#include "testbench/model/dma_predict.h"
#include "testbench/model/fixture.h"

static void moves_of_box(struct moves *m, const struct dma_box *b)
{
	m->count = 0;
	for (uint64_t i = 0; i < b->slices; i++)
		for (uint64_t j = 0; j < b->rows; j++)
			for (uint64_t k = 0; k < b->width; k++) {
				uint64_t z = b->backward ? b->slices - 1 - i : i, y = b->backward ? b->rows - 1 - j : j;
				uint64_t x = b->backward ? b->width - 1 - k : k;

				m->move[m->count++] = (struct move){ b->src + z * b->src_slice + y * b->src_row + x,
								     b->dst + z * b->dst_slice + y * b->dst_row + x };
			}
}

static unsigned refused, backwards, apart; /* apart: ranges meet, and no byte is shared */

static void check(const struct packet_copy *p)
{
	static struct moves want, got;
	enum predicted predicted = copy_predict(&want, p);
	union packet packet = { .copy = *p };
	struct dma_box box;

	if (dma_box_make(&box, &packet) != (predicted != PREDICT_REFUSED))
		fail_msg("%s: src %lu dst %lu %ux%ux%u pitches %u %u, %u %u",
			 predicted != PREDICT_REFUSED ? "refused" : "taken", p->src, p->dst, p->width, p->height, p->depth,
			 p->src_row, p->src_slice, p->dst_row, p->dst_slice);
	if (predicted == PREDICT_REFUSED) {
		refused++;
		return;
	}
	assert_int_equal(dma_box_bytes(&box), want.count);
	assert_int_equal(box.backward, predicted == PREDICT_DESCENDING);
	backwards += box.backward;
	apart += predicted == PREDICT_IN_ORDER && moves_meet(&want);
	moves_of_box(&got, &box);
	assert_int_equal(got.count, want.count);
	assert_memory_equal(got.move, want.move, want.count * sizeof(*want.move));
}

static void test_random_boxes(void **state)
{
	(void)state;
	for (unsigned n = 0; n < 300000; n++) {
		struct packet_copy p = { .head.type = PACKET_CODE_copy,
					 .src = 1000 + random_below(40),
					 .dst = 1000 + random_below(40),
					 .width = 1 + (uint32_t)random_below(6),
					 .height = 1 + (uint32_t)random_below(5),
					 .depth = 1 + (uint32_t)random_below(5),
					 .src_row = (uint32_t)random_below(20),
					 .src_slice = (uint32_t)random_below(40) };

		if (random_below(4)) {
			p.dst_row = p.src_row;
			p.dst_slice = p.src_slice;
		} else {
			p.dst_row = (uint32_t)random_below(20);
			p.dst_slice = (uint32_t)random_below(40);
		}
		check(&p);
	}
	printf("# %u refused, %u backward, %u that meet without a byte in common\n", refused, backwards, apart);
	assert_true(refused > 1000 && backwards > 1000 && apart > 1000);
}

/* The left half of an image onto the right half; its lines one further; two planes line by line. */
static void test_named_boxes(void **state)
{
	struct packet_copy p = { .head.type = PACKET_CODE_copy, .src = 100, .dst = 110, .width = 10, .height = 8, .depth = 1 };
	struct dma_box box;

	(void)state;
	p.src_row = p.dst_row = 20;
	check(&p);
	assert_true(dma_box_make(&box, &(union packet){ .copy = p }));
	assert_false(box.backward);
	p.dst = 120;
	check(&p);
	assert_true(dma_box_make(&box, &(union packet){ .copy = p }));
	assert_true(box.backward);
	p.depth = 2;
	p.src_slice = p.dst_slice = 10;
	check(&p);
	assert_true(dma_box_make(&box, &(union packet){ .copy = p }));
	assert_true(box.backward);
	p.src_slice = p.dst_slice = 5; /* planes that run into each other */
	check(&p);
	assert_false(dma_box_make(&box, &(union packet){ .copy = p }));
}

/* Sizes and pitches up to the largest: decided at once, and nothing overflows. */
static void test_large_boxes(void **state)
{
	struct packet_copy p = { .head.type = PACKET_CODE_copy,
				 .src = 0,
				 .dst = 1ull << 40,
				 .width = UINT32_MAX,
				 .height = UINT32_MAX,
				 .depth = UINT32_MAX,
				 .src_row = UINT32_MAX,
				 .src_slice = UINT32_MAX,
				 .dst_row = UINT32_MAX,
				 .dst_slice = UINT32_MAX };
	struct dma_box box;

	(void)state;
	assert_false(dma_box_make(&box, &(union packet){ .copy = p })); /* slices that run into each other */
	p.depth = 1;
	p.height = 1 << 20;
	assert_true(dma_box_make(&box, &(union packet){ .copy = p }));
	assert_true(box.backward);
	assert_int_equal(dma_box_bytes(&box), (uint64_t)UINT32_MAX << 20);
	p.dst = 1ull << 51;
	p.src = p.dst - 1;
	p.height = UINT32_MAX; /* past the end of all addresses */
	assert_false(dma_box_make(&box, &(union packet){ .copy = p }));
	p.src = p.dst = 77;
	p.depth = UINT32_MAX;
	assert_true(dma_box_make(&box, &(union packet){ .copy = p })); /* onto itself */
	assert_int_equal(dma_box_bytes(&box), UINT64_MAX);
	for (unsigned n = 0; n < 100000; n++) {
		for (unsigned i = 2; i < 8; i++)
			((union packet *)&p)->words[i] = random_next() >> random_below(64);
		if (dma_box_make(&box, &(union packet){ .copy = p }))
			assert_true(dma_box_bytes(&box) > 0);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_boxes),
		cmocka_unit_test(test_named_boxes),
		cmocka_unit_test(test_large_boxes),
	};

	random_seed(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
