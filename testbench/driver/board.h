/* A board for tests of the firmware: one device of the configuration "mini" with the firmware's ELF
 * file in it, and the test as its host, which owns the pages and writes the registers. What a driver
 * that is careless or malicious would see can be seen here. One board at a time. */
#ifndef GALENA_TESTBENCH_DRIVER_BOARD_H
#define GALENA_TESTBENCH_DRIVER_BOARD_H
#include "testbench/driver/common.h"
#include "abi/address_map.h"
#include "abi/bus.h"
#include "abi/events.h"
#include "abi/pte.h"
#include "abi/registers.h"

/* Pages of system memory, by number; from HOLES on they are not pinned. */
enum {
	BOOT = 1, LOG = 2, FAULTS = 3, CONTEXTS = 4, RECORDS = 9, PAYLOADS = 10, DESCS = 11,
	RINGS = 16 /* 4 a queue */, CODE = 90, ARGS = 91, DATA = 100, TABLES = 400 /* to 479 */, HOLES = 480, PAGES = 512,
};
#define PA(page) (SYSTEM_BASE + (uint64_t)(page) * 4096)
#define VA(page) (VA_HEAP_BASE + (uint64_t)(page) * 4096)
enum { TIMELINES = 256 }; /* payloads from here on are the queues' */
enum { BOARD_PTE = PTE_V | PTE_R | PTE_W | PTE_X | PTE_U | PTE_A | PTE_D };

extern struct bus *bus;
extern uint8_t *memory;
/* Of the next fresh device: its configuration, "mini" at first, and an observer besides the board's own, NULL for none. */
extern const char *board_config;
extern struct event_sink *board_observer;

/* Reads the firmware beside the test program; before any other function. False with a message when
 * it is not there. */
bool board_init(const char *argv0);
void board_fini(void);

/* A fresh device with the firmware in it, not started: memory is zero but for boot parameters and the
 * page tables of address space 1, which maps each page at VA(page). */
void fresh(void);
/* The same after a reset of the device that is there; memory as it is but for what fresh writes. */
void again(void);
/* Starts it; FW_STATE once it is up. */
uint32_t start(void);
/* cmocka: fresh and start. */
int board_setup(void **state);
/* Runs until nothing more happens; the interrupts that came, enabled or not. */
uint32_t settle(void);
/* Unpins one page, and pins again what was unpinned before; HOLES: just that. */
void board_unpin(unsigned page);
/* Maps one page in an address space. */
void board_map(uint16_t asid, uint64_t va, uint64_t pa, uint64_t pte);

struct boot_params *boot(void);
struct fault_record *last_fault(void);
struct queue_desc *desc(unsigned n);
uint64_t desc_pa(unsigned n);
union packet *ring(unsigned n);
struct completion *record(unsigned i);
uint64_t record_pa(unsigned i);
uint64_t *payload(unsigned i);
uint64_t payload_pa(unsigned i);

/* The descriptor of queue n, with ring and timeline of its own, in address space 1. */
void desc_fill(unsigned n, unsigned priority);
void map(unsigned n, uint64_t pa);
void bell(unsigned n, uint64_t write);
uint32_t state_of(unsigned n);
/* Fills the descriptor and maps it, and lets the firmware see to it. */
void queue_up(unsigned n, unsigned priority, unsigned flags);
/* Writes a packet that is command, or the last of one, with completion record i. */
void put(unsigned n, uint64_t index, union packet, unsigned flags, unsigned i);
/* Signals a semaphore as the host does. */
void signal_payload(unsigned i, uint64_t value);
union packet wait_for(uint64_t pa, uint64_t value, uint64_t status);
/* Arms a fault. */
void inject(enum injection, uint32_t nth, uint32_t unit, uint64_t arg);

/* Kernels at VA(CODE), 64 bytes apart. */
enum board_kernel { KERNEL_EXIT, KERNEL_SPIN, KERNEL_STORE, KERNEL_LOAD, KERNEL_ATOMIC, KERNEL_COMPARE, KERNELS };
/* One work-item of a kernel, with two words of arguments: KERNEL_STORE stores the second where the first
 * points; KERNEL_LOAD stores what the first points at where the second points; KERNEL_ATOMIC adds the
 * second to what the first points at; KERNEL_COMPARE ends in EBREAK if the first does not point at the
 * second. args: words of the page ARGS, counted in pairs. */
union packet launch(enum board_kernel, unsigned args);
uint64_t *args(unsigned pair);

/* What the device has reported since fresh, the last EVENTS_KEPT of it. */
enum { EVENTS_KEPT = 1 << 16 };
unsigned events_count(void);
const struct event *events_at(unsigned i);
/* How many of a kind there were for a queue (EVENT_NO_QUEUE: for any). */
unsigned events_of(enum event_kind, unsigned queue);

/* ---- short words of the tests ---- */
enum { LAST = PACKET_END | PACKET_IRQ };
void control(unsigned n, enum queue_ctrl request);
uint32_t requested(unsigned n);
uint64_t timeline(unsigned n);
bool device_busy(void);
/* A kernel that does not end, in queue n at index. */
void hang(unsigned n, uint64_t index, unsigned i);

/* Lets the device run until the condition holds. */
#define RUN_UNTIL(condition)                                                                       \
	do {                                                                                       \
		unsigned left_ = 100000;                                                           \
		while (!(condition)) {                                                             \
			assert_true(left_--);                                                      \
			bus_read32(bus, REG_HOST_ID);                                              \
		}                                                                                  \
	} while (0)

#endif
