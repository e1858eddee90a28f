/* A driver of somebody else's over galena/device.h (testbench/examples/board.c), which runs a kernel and a copy and says how they
 * ended. own_driver [WHAT]: what it does besides, right or wrong. testbench/tools/own_driver.sh runs it under every instrument. */
#include "testbench/examples/board.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { QUEUE = 0, ASID = 1, TRIES = 100, PTE_ALL = GALENA_PTE_V | GALENA_PTE_R | GALENA_PTE_W | GALENA_PTE_U | GALENA_PTE_A | GALENA_PTE_D };
#define LIMIT 100000000ull

static struct board *b;
static bool coherent, careful = true; /* maintains caches where they are not coherent */

static void note(unsigned kind, uint64_t a, uint64_t bytes, uint64_t c)
{
	const struct galena_device_note n = { .kind = kind, .queue = QUEUE, .asid = ASID, .a = a, .b = bytes, .c = c };
	if (galena_device_note(b->device, &n)) {
		fprintf(stderr, "own_driver: the note %u is refused\n", kind);
		exit(1);
	}
}

static void begin(void)
{
	const char *watchdog = getenv("GALENA_WATCHDOG");
	b = board_open(NULL, watchdog ? strtoull(watchdog, NULL, 0) : 0);
	coherent = board_get32(b, GALENA_REG_FEATURES) & GALENA_REG_FEATURES_COHERENT;
	note(GALENA_NOTE_QUEUE_BIND, b->queue[QUEUE].desc_pa, 0, BOARD_RING);
	note(GALENA_NOTE_MAP, BOARD_VA_IN, b->in_pa, PTE_ALL);
	note(GALENA_NOTE_BUFFER, BOARD_VA_IN, GALENA_PAGE_SIZE, 0);
	note(GALENA_NOTE_HOST_WRITE, b->in_pa, BOARD_ITEMS * 4, 0);
	note(GALENA_NOTE_MAP, BOARD_VA_OUT, b->out_pa, PTE_ALL);
	note(GALENA_NOTE_BUFFER, BOARD_VA_OUT, GALENA_PAGE_SIZE, 0);
}

/* Waits for the end of a command, and looks at it when an interrupt does not come. */
static void finish(const char *what, uint64_t command)
{
	const struct galena_fault_record *r;
	for (unsigned tries = 0; !board_ended(b, QUEUE, command); tries++) {
		if (tries == TRIES) {
			printf("%s: never ended\n", what);
			exit(1);
		}
		board_serve(b, LIMIT);
	}
	int32_t status = b->queue[QUEUE].records[(command - 1) % BOARD_RING].status;
	printf("%s: %s\n", what, galena_fault_name((unsigned)-status));
	while ((r = board_fault(b)) != NULL)
		printf("fault record: %s, queue %u\n", galena_fault_name(r->code), r->queue);
}

static void run(const char *what, union galena_packet p)
{
	union galena_packet packets[3];
	unsigned n = 0;
	if (!coherent && careful)
		packets[n++] = (union galena_packet){ .cache = { .head.type = GALENA_PACKET_CACHE,
								 .op = GALENA_CACHE_CLEAN | GALENA_CACHE_INVALIDATE } };
	packets[n++] = p;
	if (!coherent)
		packets[n++] = (union galena_packet){ .cache = { .head.type = GALENA_PACKET_CACHE, .op = GALENA_CACHE_CLEAN } };
	finish(what, board_submit(b, QUEUE, packets, n));
}

static void work(void)
{
	run("kernel", board_kernel(b, BOARD_VA_OUT));
	run("copy", board_copy(BOARD_VA_IN, BOARD_VA_OUT, BOARD_ITEMS * 4));
	run("kernel again", board_kernel(b, BOARD_VA_OUT));
	fflush(stdout);
}

/* ---- what it does besides ---- */
static void nothing(void) {}
static void die(void) { abort(); }
static void leave(void) { exit(0); }
static void no_register(void) { board_get32(b, 0xf00); }
static void read_only(void) { board_put64(b, GALENA_REG_CYCLE, 0); }
static void wrong_size(void) { board_get64(b, GALENA_REG_TCM_ADDR); }
static void misaligned(void) { board_get32(b, GALENA_REG_STATUS + 2); }
static void halves(void)
{
	board_get32(b, GALENA_REG_CYCLE);
	board_get32(b, GALENA_REG_CYCLE + 4);
	board_get64(b, GALENA_REG_ID);
}
static void not_maintained(void)
{
	b->in[0] = 0; /* as before: no result can tell */
	note(GALENA_NOTE_HOST_WRITE, b->in_pa, 4, 0);
	careful = false;
	run("copy", board_copy(BOARD_VA_IN, BOARD_VA_OUT, 64));
}
static void out_of_the_buffer(void)
{
	note(GALENA_NOTE_BUFFER_END, BOARD_VA_IN, GALENA_PAGE_SIZE, 0);
	note(GALENA_NOTE_BUFFER, BOARD_VA_IN, 64, 0);
	run("copy", board_copy(BOARD_VA_IN, BOARD_VA_OUT, 128));
}
static void not_invalidated(void)
{
	uint64_t pa;
	board_page(b, BOARD_VA_IN, GALENA_PTE_R | GALENA_PTE_W, &pa);
	note(GALENA_NOTE_MAP, BOARD_VA_IN, pa, PTE_ALL);
	run("copy", board_copy(BOARD_VA_IN, BOARD_VA_OUT, 64));
}
static void bell_backwards(void) { board_put64(b, GALENA_REG_DOORBELL(QUEUE), b->queue[QUEUE].written - 1); }
static void bad_notes(void)
{
	const struct galena_device_note bad[] = { { .kind = 0 }, { .kind = 1 }, { .kind = 2 }, { .kind = 17 }, { .kind = 100000 },
						  { .kind = GALENA_NOTE_MAP, .asid = 1 << 16 },
						  { .kind = GALENA_NOTE_QUEUE_BIND, .queue = 16 } };
	for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
		printf("bad note %u: %d\n", i, galena_device_note(b->device, &bad[i]));
}

static const struct { const char *name; void (*run)(void); } things[] = {
	{ "nothing", nothing },       { "die", die },
	{ "leave", leave },           { "no-register", no_register },
	{ "read-only", read_only },   { "wrong-size", wrong_size },
	{ "misaligned", misaligned }, { "halves", halves },
	{ "not-maintained", not_maintained }, { "out-of-the-buffer", out_of_the_buffer },
	{ "not-invalidated", not_invalidated }, { "bell-backwards", bell_backwards },
	{ "bad-notes", bad_notes },
};

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "nothing";
	for (unsigned i = 0; i < sizeof things / sizeof *things; i++)
		if (!strcmp(things[i].name, what)) {
			begin();
			work();
			things[i].run();
			board_close(b);
			return 0;
		}
	fprintf(stderr, "own_driver: what is %s?\n", what);
	return 2;
}
