/* Regions of the whole device: what jobs that are not protected get to see while one is given up. */
#include "testbench/model/device_world.h"

/* Transfers of a job that is not protected, begun at many distances from the write that gives a region up, over a page before it and its
 * pages: what they bring out is a fault, or zeros. */
static void test_region_given_up(void **state)
{
	enum { PAGES = 4, SECRET = 0x5a };
	unsigned refused = 0, zeros = 0;

	(void)state;
	for (unsigned delay = 0; delay < 1200; delay += 25) {
		struct world *w = world_open("mini", BUS_TIMED, false);
		uint64_t packets, out[PAGES + 1];
		union packet *p;

		monitor_start(w);
		packets = host_page(&w->h);
		for (unsigned i = 0; i <= PAGES; i++) {
			out[i] = host_page(&w->h);
			table_map(&w->h, w->contexts, ASID, 0x10000000 + 4096 * i, DRAM_BASE + 0x100000 + 4096 * i, PTE_RW);
			table_map(&w->h, w->contexts, ASID, 0x20000000 + 4096 * i, out[i], PTE_RW);
		}
		/* the page before holds 1s, the region's pages the secret: written before they are protected */
		for (unsigned i = 0; i <= PAGES; i++)
			memset(host_at(&w->h, out[i]), i ? SECRET : 1, 4096);
		p = host_at(&w->h, packets);
		p[0].copy = (struct packet_copy){ .head.type = PACKET_CODE_copy, .src = 0x20000000, .dst = 0x10000000,
						  .width = 4096 * (PAGES + 1), .height = 1, .depth = 1 };
		p[1].copy = p[0].copy;
		p[1].copy.src = 0x10000000;
		p[1].copy.dst = 0x20000000;
		for (unsigned s = 0; s < 2; s++) {
			monitor_add(w, MONITOR_WRITE32, CP_REG(DISPATCH_ASID) + 4 * s, ASID);
			monitor_add(w, MONITOR_WRITE64, CP_REG(DMA_PACKET) + 8 * s, packets + 64 * s);
		}
		monitor_add(w, MONITOR_WRITE32, CP_REG(DMA_START), 0);
		monitor_add(w, MONITOR_SLEEP, 0, REG_CP_IRQ_PENDING_DMA);
		monitor_add(w, MONITOR_WRITE32, CP_REG(DMA_DONE), ~0u);
		monitor_run(w);
		for (unsigned i = 0; i <= PAGES; i++)
			memset(host_at(&w->h, out[i]), 0xee, 4096);
		bus_write64(w->bus, REG_HOST_PROT_BASE, DRAM_BASE + 0x101000);
		bus_write64(w->bus, REG_HOST_PROT_LIMIT, DRAM_BASE + 0x101000 + 4096 * PAGES);
		monitor_add(w, MONITOR_WRITE32, CP_REG(DMA_START), 1);
		monitor_add(w, MONITOR_SLEEP, 0, REG_CP_IRQ_PENDING_DMA);
		monitor_add(w, MONITOR_READ32, CP_REG(DMA_STATUS) + 4, 0);
		monitor_post(w);
		bus_wait_irq(w->bus, 5500 + delay * 4); /* the firmware reads its box meanwhile */
		bus_write64(w->bus, REG_HOST_PROT_LIMIT, 0);
		assert_int_equal(monitor_wait(w, LONG), BUS_WAIT_IRQ);
		const uint64_t code = w->box->command[2].value;
		assert_true(code == FAULT_NONE || code == FAULT_PROTECTED);
		refused += code == FAULT_PROTECTED;
		zeros += code == FAULT_NONE;
		for (unsigned i = 1; i <= PAGES; i++)
			for (unsigned b = 0; b < 4096; b++) {
				const uint8_t byte = ((uint8_t *)host_at(&w->h, out[i]))[b];

				if (byte && byte != 0xee)
					fail_msg("delay %u: byte %u of page %u is %#x", delay, b, i, byte);
				if (code == FAULT_NONE)
					assert_int_equal(byte, 0);
			}
		world_close(w);
	}
	assert_true(refused > 3 && zeros > 3);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_region_given_up) };

	monitor_find(argv[0]);
	random_seed(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
