/* Boxes of copies against the packet table, byte by byte: which overlap, which are refused, and
 * that the order given never reads what it has written. */
#include "model/dma_box.h"
#include "testbench/model/fixture.h"

enum { SPACE = 4096, BYTES_MAX = 512 };

struct bytes {
	unsigned count;
	uint64_t src[BYTES_MAX], dst[BYTES_MAX]; /* in the order of the packet */
};

static void bytes_of(struct bytes *b, const struct packet_copy *p)
{
	b->count = 0;
	for (uint64_t z = 0; z < p->depth; z++)
		for (uint64_t y = 0; y < p->height; y++)
			for (uint64_t x = 0; x < p->width; x++) {
				b->src[b->count] = p->src + z * p->src_slice + y * p->src_row + x;
				b->dst[b->count++] = p->dst + z * p->dst_slice + y * p->dst_row + x;
			}
}

static void bytes_of_box(struct bytes *b, const struct dma_box *p)
{
	b->count = 0;
	for (uint64_t i = 0; i < p->slices; i++)
		for (uint64_t j = 0; j < p->rows; j++)
			for (uint64_t k = 0; k < p->width; k++) {
				uint64_t z = p->backward ? p->slices - 1 - i : i, y = p->backward ? p->rows - 1 - j : j;
				uint64_t x = p->backward ? p->width - 1 - k : k;

				assert_true(b->count < BYTES_MAX);
				b->src[b->count] = p->src + z * p->src_slice + y * p->src_row + x;
				b->dst[b->count++] = p->dst + z * p->dst_slice + y * p->dst_row + x;
			}
}

static bool same_pitches(const struct packet_copy *p)
{
	return (p->height == 1 || p->src_row == p->dst_row) && (p->depth == 1 || p->src_slice == p->dst_slice);
}

/* Each row, and each slice, ends before the next begins; for one of the two ways to name them. */
static bool orderly_as(uint64_t width, uint64_t rows, uint64_t row, uint64_t slices, uint64_t slice)
{
	uint64_t used = rows > 1 ? (rows - 1) * row + width : width;

	return (rows == 1 || row >= width) && (slices == 1 || slice >= used);
}

static bool orderly(const struct packet_copy *p)
{
	return orderly_as(p->width, p->height, p->dst_row, p->depth, p->dst_slice) ||
	       orderly_as(p->width, p->depth, p->dst_slice, p->height, p->dst_row);
}

static bool ranges_meet(const struct bytes *b)
{
	uint64_t src = b->src[b->count - 1], dst = b->dst[b->count - 1]; /* pitches are not negative: the last is highest */

	return b->src[0] <= dst && b->dst[0] <= src;
}

static bool bytes_shared(const struct bytes *b)
{
	static uint8_t seen[SPACE];
	bool shared = false;

	for (unsigned i = 0; i < b->count; i++)
		seen[b->src[i]] = 1;
	for (unsigned i = 0; i < b->count; i++)
		shared |= seen[b->dst[i]];
	for (unsigned i = 0; i < b->count; i++)
		seen[b->src[i]] = 0;
	return shared;
}

static unsigned refused, backwards, interleaved;

static void check(const struct packet_copy *p)
{
	struct bytes want, got;
	struct dma_box box;
	union packet packet = { .copy = *p };
	bool meet, legal, shared;

	bytes_of(&want, p);
	meet = ranges_meet(&want);
	legal = !meet || (same_pitches(p) && (orderly(p) || p->src == p->dst));
	shared = legal && meet && bytes_shared(&want) && p->src != p->dst;
	interleaved += legal && meet && !shared;
	if (dma_box_make(&box, &packet) != legal)
		fail_msg("%s: src %lu dst %lu %ux%ux%u pitches %u %u, %u %u", legal ? "refused" : "taken", p->src, p->dst,
			 p->width, p->height, p->depth, p->src_row, p->src_slice, p->dst_row, p->dst_slice);
	if (!legal) {
		refused++;
		return;
	}
	assert_int_equal(dma_box_bytes(&box), want.count);
	assert_int_equal(box.backward, shared && p->dst > p->src);
	backwards += box.backward;
	bytes_of_box(&got, &box);
	assert_int_equal(got.count, want.count);
	if (!shared) {
		assert_memory_equal(got.src, want.src, want.count * sizeof(*want.src));
		assert_memory_equal(got.dst, want.dst, want.count * sizeof(*want.dst));
		return;
	}
	for (unsigned i = 0; i < got.count; i++) { /* the same bytes, each once, in address order */
		bool found = false;

		if (i)
			assert_true(box.backward ? got.src[i] < got.src[i - 1] : got.src[i] > got.src[i - 1]);
		assert_int_equal(got.dst[i] - got.src[i], p->dst - p->src);
		for (unsigned k = 0; k < want.count; k++)
			found |= want.src[k] == got.src[i];
		assert_true(found);
	}
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
	printf("# %u refused, %u backward, %u that meet without a byte in common\n", refused, backwards, interleaved);
	assert_true(refused > 1000 && backwards > 1000 && interleaved > 1000);
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
