/* A small driver over galena/device.h, as the hardware manual says it: for tests of what the manual says. */
#ifndef GALENA_TESTBENCH_BOARD_H
#define GALENA_TESTBENCH_BOARD_H
#include <galena/contract.h>
#include <galena/device.h>
#include <stdbool.h>

enum { BOARD_QUEUES = 4, BOARD_RING = 16, BOARD_TABLES = 32, BOARD_ITEMS = 64 };
#define BOARD_VA_CODE (GALENA_VA_HEAP_BASE + 0x0000)
#define BOARD_VA_ARGS (GALENA_VA_HEAP_BASE + 0x1000)
#define BOARD_VA_IN (GALENA_VA_HEAP_BASE + 0x2000)
#define BOARD_VA_OUT (GALENA_VA_HEAP_BASE + 0x3000)
#define BOARD_VA_FREE (GALENA_VA_HEAP_BASE + 0x10000) /* the tests' own, from here on */

struct board_queue {
	struct galena_queue_desc *desc;
	uint64_t desc_pa, timeline_pa;
	uint64_t *timeline;
	union galena_packet *ring;
	struct galena_completion *records; /* of the last BOARD_RING commands */
	uint64_t records_pa, written, commands;
};
struct board {
	struct galena_device *device;
	struct galena_boot_params *boot;
	struct galena_fault_record *faults;
	uint64_t faults_seen;
	uint32_t seen; /* every bit of IRQ_STATUS that was pending since it was last set to 0 */
	uint64_t (*table)[512];
	uint64_t table_pa;
	unsigned tables;
	struct board_queue queue[BOARD_QUEUES];
	uint32_t *in, *out;
	uint64_t in_pa, out_pa;
	char *args;
	unsigned args_used;
};

/* Opens a device of a configuration and brings it up: the first sequence of the manual. */
struct board *board_open(const char *config, uint64_t watchdog);
/* The same steps from the firmware on, after a reset. */
void board_boot(struct board *, uint64_t watchdog);
void board_close(struct board *);
uint32_t board_get32(struct board *, uint32_t offset);
uint64_t board_get64(struct board *, uint32_t offset);
void board_put32(struct board *, uint32_t offset, uint32_t value);
void board_put64(struct board *, uint32_t offset, uint64_t value);

void board_map(struct board *, uint64_t va, uint64_t pa, uint64_t rights);
/* A fresh pinned page at va. */
void *board_page(struct board *, uint64_t va, uint64_t rights, uint64_t *pa);
/* Maps queue n's descriptor with its flags, as it stands. */
void board_queue_map(struct board *, unsigned n, uint32_t flags);

/* One command of count packets, with END and IRQ on the last; rings the bell. Returns its number, from 1. */
uint64_t board_submit(struct board *, unsigned queue, const union galena_packet *, unsigned count);
/* Serves one interrupt: waits at most limit cycles for it. */
enum galena_wait board_serve(struct board *, uint64_t limit);
/* Serves until the command has ended: its status. Fails the test when it never does. */
int32_t board_finish(struct board *, unsigned queue, uint64_t command);
bool board_ended(const struct board *, unsigned queue, uint64_t command);
/* Serves until QUEUE_CTRL of the queue reads 0. */
void board_control(struct board *, unsigned queue, uint32_t request);
/* The next fault record that was not looked at. */
const struct galena_fault_record *board_fault(struct board *);

/* out[i] = in[i] * in[i] + 1 for BOARD_ITEMS items; out is a virtual address. */
union galena_packet board_kernel(struct board *, uint64_t out);
union galena_packet board_copy(uint64_t src, uint64_t dst, uint32_t bytes);

#endif
