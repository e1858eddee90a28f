/* Every rule of the catalogue is broken on purpose in a stream of events, and reported with cycle, unit,
 * queue, packet and address; what comes close to breaking one is not. */
#include "testbench/random.h"
#include "checkers/check.h"
#include "abi/address_map.h"
#include "abi/codes.h"
#include "abi/packets.h"
#include "abi/pte.h"
#include "abi/registers.h"
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* after the standard headers */
#include <cmocka.h>

#define NOQ EVENT_NO_QUEUE
enum { LINE = 64 }; /* of the device, whose caches are not coherent */
#define E(kind_, unit_, queue_, asid_, a_, b_, c_)                                                 \
	{ .kind = EVENT_##kind_, .unit = UNIT_##unit_, .queue = (queue_), .asid = (asid_), .a = (a_), .b = (b_), .c = (c_) }

#define PAGE(n) (SYSTEM_BASE + (n) * 0x1000ull)
#define VA(n) (VA_HEAP_BASE + (n) * 0x1000ull)
#define HUGE_VA (VA_HEAP_BASE + (1ull << 30))
#define DRAM(n) (DRAM_BASE + (n) * 0x1000ull)
#define RIGHTS (0xdfull) /* V R W U A D */
#define READS (0xdbull)

/* What all streams begin with: pages 0 to 8 pinned, the last for reading; buffers at VA 0 (two pages, 8000
 * bytes), VA 3 and VA 5 (in DRAM), 2 MiB at HUGE_VA; queue 2 with a ring of 16 packets, of which the doorbell has two. */
static const struct event prologue[] = {
	E(PIN, HOST, NOQ, 0, PAGE(0), 1, 0), E(PIN, HOST, NOQ, 0, PAGE(1), 1, 0), E(PIN, HOST, NOQ, 0, PAGE(2), 1, 0),
	E(PIN, HOST, NOQ, 0, PAGE(3), 1, 0), E(PIN, HOST, NOQ, 0, PAGE(4), 1, 0), E(PIN, HOST, NOQ, 0, PAGE(5), 1, 0),
	E(PIN, HOST, NOQ, 0, PAGE(8), 0, 0),
	E(MAP, HOST, NOQ, 1, VA(0), PAGE(1), RIGHTS), E(MAP, HOST, NOQ, 1, VA(1), PAGE(2), RIGHTS),
	E(BUFFER, HOST, NOQ, 1, VA(0), 8000, 0),
	E(MAP, HOST, NOQ, 1, VA(3), PAGE(8), READS), E(BUFFER, HOST, NOQ, 1, VA(3), 4096, 0),
	E(MAP, HOST, NOQ, 1, VA(5), DRAM(7), RIGHTS), E(BUFFER, HOST, NOQ, 1, VA(5), 4096, 0),
	E(MAP, HOST, NOQ, 1, HUGE_VA, DRAM(512), RIGHTS | 1ull << 63), E(BUFFER, HOST, NOQ, 1, HUGE_VA, 1 << 21, 0),
	E(QUEUE_BIND, HOST, 2, 1, PAGE(0), 4, 16), E(DOORBELL, HOST, 2, 1, 6, 0, 0),
	E(PACKET, CP, 2, 1, 4, PACKET_CODE_nop, PACKET_END), E(PACKET_END, CP, 2, 1, 4, 0, PACKET_END),
};
enum { PROLOGUE = sizeof prologue / sizeof *prologue, STEPS = 12 };

/* Events after the prologue; the one numbered breaks, counted from 0, breaks the rule, -1: none does. */
struct scenario {
	const char *name;
	struct event events[STEPS];
	int breaks;
	enum rule_id rule;
	uint64_t address;
	const char *says;
};

#define COPY5 E(PACKET, CP, 2, 1, 5, PACKET_CODE_copy, PACKET_END)
#define START(src, dst) E(DMA_START, DMA, 2, 1, src, dst, 64)
/* two events: 1,024 bytes from 256 on in the page */
#define IMPORT(va, pa, how) \
	E(MAP, HOST, NOQ, 1, va, pa, RIGHTS), E(BUFFER, HOST, NOQ, 1, (va) + 256, 1024, BUFFER_IMPORTED | (how))
#define MAINTAIN(va, bytes) E(MAINTAIN, DMA, 2, 1, va, bytes, 1)

static const struct scenario scenarios[] = {
	/* ---- PIN_ACCESS ---- */
	{ "accesses of pinned pages",
	  { COPY5, E(READ, CP, NOQ, 0, 0, PAGE(0), 64), E(WRITE, CP, NOQ, 0, 0, PAGE(4) + 4000, 200),
	    E(READ, CP, NOQ, 0, 0, PAGE(8), 8), E(WALK_READ, MMU, NOQ, 1, PAGE(5), 1, 0), E(READ, CP, NOQ, 0, 0, DRAM(9), 64) },
	  -1, 0, 0, NULL },
	{ "a write runs into a page that is not pinned",
	  { COPY5, E(WRITE, SEM, 2, 0, 0, PAGE(5) + 4090, 8) }, 1, RULE_PIN_ACCESS, PAGE(6), "never pinned" },
	{ "a read of a page that was unpinned",
	  { COPY5, E(UNPIN, HOST, NOQ, 0, PAGE(3), 0, 0), E(READ, CP, NOQ, 0, 0, PAGE(3) + 8, 8) },
	  2, RULE_PIN_ACCESS, PAGE(3) + 8, "no longer pinned" },
	{ "a write of a page pinned for reading",
	  { COPY5, E(WRITE, CP, 2, 0, 0, PAGE(8), 8) }, 1, RULE_PIN_ACCESS, PAGE(8), "for reading only" },
	{ "the walker reads a table that is not pinned",
	  { E(WALK_READ, MMU, NOQ, 1, PAGE(7), 1, 0) }, 0, RULE_PIN_ACCESS, PAGE(7), "MMU reads" },
	{ "an access of an unpinned page is refused",
	  { COPY5, E(UNPIN, HOST, NOQ, 0, PAGE(2), 0, 0), E(FAULT, DMA, 2, 1, VA(1) + 16, FAULT_BUS_ERROR, ACCESS_READ) },
	  2, RULE_PIN_ACCESS, PAGE(2) + 16, "is refused" },
	{ "a bus error of a pinned page is no fault of the driver's",
	  { COPY5, E(FAULT, DMA, 2, 1, VA(1) + 16, FAULT_BUS_ERROR, ACCESS_READ) }, -1, 0, 0, NULL },
	/* ---- SEM_PAYLOAD, SEM_SKIPPED ---- */
	{ "waits that end with their signal, with a fault, or after another has been armed",
	  { E(SEM_WAIT, SEM, 2, 0, PAGE(0), 7, 0), E(SEM_WAKE, SEM, 2, 0, PAGE(0), 7, 0),
	    E(SEM_WAIT, SEM, 0x103, 0, PAGE(0), 9, 1), E(SEM_WAKE, SEM, 0x103, 0, PAGE(0), 1, 0),
	    E(SEM_WAIT, SEM, 2, 0, PAGE(0), 7, 0), E(SEM_WAIT, SEM, 2, 0, PAGE(1), 3, 0), E(SEM_WAKE, SEM, 2, 0, PAGE(1), 8, 0),
	    E(SEM_WAIT, SEM, 2, 0, PAGE(7), 7, 0), E(SEM_WAKE, SEM, 2, 0, PAGE(7), 0, FAULT_BUS_ERROR) },
	  -1, 0, 0, NULL },
	{ "a wait ends below its payload",
	  { E(PACKET, CP, 2, 1, 5, PACKET_CODE_sem_wait, PACKET_END), E(SEM_WAIT, SEM, 2, 0, PAGE(0) + 8, 7, 0),
	    E(SEM_WAKE, SEM, 2, 0, PAGE(0) + 8, 6, 0) }, 2, RULE_SEM_PAYLOAD, PAGE(0) + 8, "ends at payload 6" },
	{ "a binary wait ends at 0",
	  { E(SEM_WAIT, SEM, 0x101, 0, PAGE(0), 0, 1), E(SEM_WAKE, SEM, 0x101, 0, PAGE(0), 0, 0) },
	  1, RULE_SEM_PAYLOAD, PAGE(0), "binary" },
	{ "a wait ends twice",
	  { E(SEM_WAIT, SEM, 2, 0, PAGE(0), 1, 0), E(SEM_WAKE, SEM, 2, 0, PAGE(0), 1, 0), E(SEM_WAKE, SEM, 2, 0, PAGE(0), 1, 0) },
	  2, RULE_SEM_PAYLOAD, PAGE(0), "not armed" },
	{ "a wait packet ends after its wait",
	  { E(PACKET, CP, 2, 1, 5, PACKET_CODE_sem_wait, 0), E(SEM_WAIT, SEM, 2, 0, PAGE(0), 1, 0),
	    E(SEM_WAKE, SEM, 2, 0, PAGE(0), 1, 0), E(PACKET_END, CP, 2, 1, 5, 0, 0) }, -1, 0, 0, NULL },
	{ "a wait packet that fails",
	  { E(PACKET, CP, 2, 1, 5, PACKET_CODE_sem_wait, 0), E(PACKET_END, CP, 2, 1, 5, FAULT_DEPENDENCY, 0) },
	  -1, 0, 0, NULL },
	{ "a wait packet ends while its wait stands",
	  { E(PACKET, CP, 2, 1, 5, PACKET_CODE_sem_wait, 0), E(SEM_WAIT, SEM, 2, 0, PAGE(0) + 16, 1, 0),
	    E(PACKET_END, CP, 2, 1, 5, 0, 0) }, 2, RULE_SEM_SKIPPED, PAGE(0) + 16, "stands" },
	/* ---- PROT_FLOW, PROT_ASKED ---- */
	{ "what protected jobs may do",
	  { E(REGION, PROT, NOQ, 0, DRAM(7), DRAM(9), 3), E(REGION, PROT, NOQ, 0, DRAM(9), DRAM(10), 4),
	    E(PACKET, CP, 2, 1, 5, PACKET_CODE_dispatch, PACKET_PROTECTED), E(READ, CU, 2, 1, VA(0), PAGE(1), 64),
	    E(READ, CU, 2, 1, VA(5), DRAM(7), 64), E(WRITE, CU, 2, 1, VA(5), DRAM(7), 64),
	    E(WRITE, CU, 2, 0, 0, DRAM(9) - 32, 64), E(WRITE, CP, NOQ, 0, 0, DRAM(10), 8) },
	  -1, 0, 0, NULL },
	{ "a protected job writes system memory",
	  { E(REGION, PROT, NOQ, 0, DRAM(7), DRAM(9), 0), E(PACKET, CP, 2, 1, 5, PACKET_CODE_dispatch, PACKET_PROTECTED),
	    E(WRITE, CU, 2, 1, VA(0) + 4, PAGE(1) + 4, 4) }, 2, RULE_PROT_FLOW, PAGE(1) + 4, "not all protected" },
	{ "a protected job writes over the end of its region",
	  { E(REGION, PROT, NOQ, 0, DRAM(7), DRAM(8), 0), E(PACKET, CP, 2, 1, 5, PACKET_CODE_dispatch, PACKET_PROTECTED),
	    E(ATOMIC, CU, 2, 1, VA(5) + 4092, DRAM(8) - 4, 8) }, 2, RULE_PROT_FLOW, DRAM(8) - 4, "not all protected" },
	{ "a job that is not protected reads a protected region",
	  { E(REGION, PROT, NOQ, 0, DRAM(6), DRAM(8), 1), COPY5, E(READ, CU, 2, 1, VA(5) + 8, DRAM(7) + 8, 8) },
	  2, RULE_PROT_FLOW, DRAM(7) + 8, "not protected" },
	{ "a region that was taken away protects nothing",
	  { E(REGION, PROT, NOQ, 0, DRAM(6), DRAM(8), 1), E(REGION, PROT, NOQ, 0, 0, 0, 1), COPY5,
	    E(READ, CU, 2, 1, VA(5), DRAM(7), 8) }, -1, 0, 0, NULL },
	{ "an access that is refused: the fault says whose it was",
	  { COPY5, E(VIOLATION, DMA, NOQ, 0, DRAM(7), ACCESS_WRITE, 0), E(READ, CU, 2, 1, VA(0), PAGE(1), 64),
	    E(FAULT, DMA, 2, 1, VA(5), FAULT_PROTECTED, ACCESS_WRITE) }, 1, RULE_PROT_ASKED, DRAM(7), "to write" },
	{ "the command processor is refused", { COPY5, E(VIOLATION, CP, NOQ, 0, DRAM(7), ACCESS_READ, 0) },
	  1, RULE_PROT_ASKED, DRAM(7), "to read" },
	/* ---- TLB_OLD ---- */
	{ "accesses as the page table says",
	  { E(READ, CU, 2, 1, VA(0) + 8, PAGE(1) + 8, 8), E(READ, CU, 2, 1, HUGE_VA + 0x123456, DRAM(512) + 0x123456, 4),
	    E(UNMAP, HOST, NOQ, 1, VA(1), 4096, 0), E(MAP, HOST, NOQ, 1, VA(1), PAGE(4), RIGHTS),
	    E(WRITE, CU, 2, 1, VA(1) + 4, PAGE(4) + 4, 4) }, -1, 0, 0, NULL },
	{ "through the old translation after another was made",
	  { COPY5, E(MAP, HOST, NOQ, 1, VA(1), PAGE(4), RIGHTS), E(READ, CU, 2, 1, VA(1) + 64, PAGE(2) + 64, 4) },
	  2, RULE_TLB_OLD, VA(1) + 64, "not invalidated" },
	{ "through a translation that was invalidated",
	  { COPY5, E(MAP, HOST, NOQ, 1, VA(1), PAGE(4), RIGHTS), E(TLB_INVALIDATE, HOST, NOQ, 1, VA(1), 2, 0),
	    E(READ, CU, 2, 1, VA(1) + 64, PAGE(2) + 64, 4) }, 3, RULE_TLB_OLD, VA(1) + 64, "was invalidated since" },
	{ "through a translation of which the space was invalidated before, not since",
	  { COPY5, E(TLB_INVALIDATE, HOST, NOQ, 1, 0, 1, 0), E(MAP, HOST, NOQ, 1, VA(1), PAGE(4), RIGHTS),
	    E(READ, CU, 2, 1, VA(1) + 64, PAGE(2) + 64, 4) }, 3, RULE_TLB_OLD, VA(1) + 64, "not invalidated" },
	{ "a page of 2 MiB that is no longer mapped",
	  { COPY5, E(UNMAP, HOST, NOQ, 1, HUGE_VA, 1 << 21, 0), E(READ, CU, 2, 1, HUGE_VA + 0x5000, DRAM(517), 4) },
	  2, RULE_TLB_OLD, HUGE_VA + 0x5000, "not mapped since" },
	{ "a write that is no longer allowed",
	  { COPY5, E(MAP, HOST, NOQ, 1, VA(1), PAGE(2), READS), E(READ, CU, 2, 1, VA(1), PAGE(2), 4),
	    E(WRITE, CU, 2, 1, VA(1), PAGE(2), 4) }, 3, RULE_TLB_OLD, VA(1), "does not allow" },
	/* ---- CACHE_STALE ---- */
	{ "lines that agree with memory", { E(LINE_FILL, L2, NOQ, 0, PAGE(1), 0, 0), E(READ, CU, 2, 1, VA(0), PAGE(1), 64) },
	  -1, 0, 0, NULL },
	{ "a stale line: the access that read it says whose it was",
	  { COPY5, E(LINE_STALE, L2, NOQ, 0, PAGE(1) + 128, 0, 0), E(READ, DMA, 2, 1, VA(0) + 128, PAGE(1) + 128, 64) },
	  2, RULE_CACHE_STALE, PAGE(1) + 128, "not invalidated" },
	{ "a stale line of a queue", { COPY5, E(LINE_STALE, L2, 2, 1, PAGE(1), 0, 0) }, 1, RULE_CACHE_STALE, PAGE(1), "" },
	/* ---- DMA_BUFFER ---- */
	{ "a transfer within its buffers",
	  { COPY5, START(VA(0), VA(5)), E(READ, DMA, 2, 1, VA(0) + 7936, PAGE(2) + 3840, 64),
	    E(WRITE, DMA, 2, 1, VA(5) + 4032, DRAM(7) + 4032, 64), E(READ, CU, 2, 1, VA(3), PAGE(8), 8) }, -1, 0, 0, NULL },
	{ "a transfer runs over the end of its buffer",
	  { COPY5, START(VA(0), VA(5)), E(READ, DMA, 2, 1, VA(0) + 7968, PAGE(2) + 3872, 64) },
	  2, RULE_DMA_BUFFER, VA(0) + 7968, "ends at" },
	{ "a transfer into another buffer",
	  { COPY5, START(VA(0), VA(0)), E(WRITE, DMA, 2, 1, VA(5), DRAM(7), 64) }, 2, RULE_DMA_BUFFER, VA(5), "ends at" },
	{ "a transfer from no buffer at all",
	  { COPY5, START(VA(8), VA(5)), E(READ, DMA, 2, 1, VA(8), DRAM(20), 64) }, 2, RULE_DMA_BUFFER, VA(8), "no buffer" },
	/* ---- IRQ_CAUSE ---- */
	{ "interrupts with their causes",
	  { E(PACKET_END, CP, 2, 1, 5, 0, PACKET_END | PACKET_IRQ), E(IRQ_RAISE, CP, NOQ, 0, REG_HOST_IRQ_STATUS_COMPLETE, 1, 1),
	    E(FAULT, DMA, 2, 1, VA(8), FAULT_PAGE_NOT_PRESENT, 0), E(IRQ_RAISE, CP, NOQ, 0, REG_HOST_IRQ_STATUS_FAULT, 3, 1),
	    E(FW_STATE, CP, NOQ, 0, 1, 0, 0), E(IRQ_RAISE, CP, NOQ, 0, REG_HOST_IRQ_STATUS_BOOT | REG_HOST_IRQ_STATUS_LOG, 9, 1),
	    E(CP_STATE, CP, NOQ, 0, 3, 0, 0), E(IRQ_RAISE, CP, NOQ, 0, REG_HOST_IRQ_STATUS_CRASH, 9, 1) },
	  -1, 0, 0, NULL },
	{ "one completion, two interrupts",
	  { E(PACKET_END, CP, 2, 1, 5, 0, PACKET_END | PACKET_IRQ), E(IRQ_RAISE, CP, NOQ, 0, REG_HOST_IRQ_STATUS_COMPLETE, 1, 1),
	    E(IRQ_CLEAR, HOST, NOQ, 0, 1, 0, 0), E(IRQ_RAISE, HOST, NOQ, 0, REG_HOST_IRQ_STATUS_COMPLETE, 1, 1) },
	  3, RULE_IRQ_CAUSE, 0, "COMPLETE" },
	{ "a host wait that was never over", { E(SEM_WAIT, SEM, 0x100, 0, PAGE(0), 1, 0),
	    E(IRQ_RAISE, HOST, NOQ, 0, REG_HOST_IRQ_STATUS_SEM, 32, 1) }, 1, RULE_IRQ_CAUSE, 0, "SEM" },
	{ "an ECC interrupt without an error", { E(IRQ_RAISE, HOST, NOQ, 0, REG_HOST_IRQ_STATUS_ECC, 64, 1) },
	  0, RULE_IRQ_CAUSE, 0, "ECC" },
	/* ---- RING_OVERRUN, RING_BACKWARDS ---- */
	{ "doorbells as far as the ring is free, and of a queue that is bound anew",
	  { E(DOORBELL, HOST, 2, 1, 21, 0, 0), E(PACKET_END, CP, 2, 1, 5, 0, 0), E(DOORBELL, HOST, 2, 1, 22, 0, 0),
	    E(DOORBELL, HOST, 2, 1, 22, 0, 0), E(QUEUE_BIND, HOST, 2, 1, PAGE(3), 0, 16), E(DOORBELL, HOST, 2, 1, 0, 0, 0),
	    E(DOORBELL, HOST, 2, 1, 16, 0, 0), E(QUEUE_BIND, HOST, 2, 0, 0, 0, 0), E(DOORBELL, HOST, 2, 0, 0, 0, 0) },
	  -1, 0, 0, NULL },
	{ "a doorbell beyond the ring", { COPY5, E(DOORBELL, HOST, 2, 1, 22, 0, 0) }, 1, RULE_RING_OVERRUN, PAGE(0), "written with 22" },
	{ "the first doorbell of a queue beyond its ring",
	  { COPY5, E(QUEUE_BIND, HOST, 3, 1, PAGE(3), 0, 8), E(DOORBELL, HOST, 3, 1, 9, 0, 0) },
	  2, RULE_RING_OVERRUN, PAGE(3), "holds 8" },
	{ "a doorbell that goes back", { COPY5, E(DOORBELL, HOST, 2, 1, 8, 0, 0), E(DOORBELL, HOST, 2, 1, 7, 0, 0) },
	  2, RULE_RING_BACKWARDS, PAGE(0), "written with 7 after 8" },
	/* ---- QUEUE_SPACE ---- */
	{ "jobs of two queues in their spaces",
	  { E(QUEUE_BIND, HOST, 3, 9, PAGE(3), 0, 8), E(READ, CU, 3, 9, VA(5), DRAM(7), 4), E(READ, CU, 2, 1, VA(5), DRAM(7), 4) },
	  -1, 0, 0, NULL },
	{ "a job in another space than its queue's",
	  { COPY5, E(READ, CU, 2, 9, VA(0) + 4, DRAM(30), 4) }, 1, RULE_QUEUE_SPACE, VA(0) + 4, "space 9" },
	/* ---- BUFFER_ENDED ---- */
	{ "a buffer that took the place of another",
	  { E(BUFFER_END, HOST, NOQ, 1, VA(5), 4096, 0), E(BUFFER, HOST, NOQ, 1, VA(5), 2048, 0),
	    E(READ, CU, 2, 1, VA(5) + 2044, DRAM(7) + 2044, 4), E(FAULT, CU, 2, 1, VA(4), FAULT_PAGE_NOT_PRESENT, 0) },
	  -1, 0, 0, NULL },
	{ "a buffer after its end",
	  { COPY5, E(BUFFER_END, HOST, NOQ, 1, VA(5), 4096, 0), E(WRITE, CU, 2, 1, VA(5) + 12, DRAM(7) + 12, 4) },
	  2, RULE_BUFFER_ENDED, VA(5) + 12, "ended at" },
	{ "a fault in a buffer after its end",
	  { COPY5, E(BUFFER_END, HOST, NOQ, 1, VA(5), 4096, 0), E(UNMAP, HOST, NOQ, 1, VA(5), 4096, 0),
	    E(TLB_INVALIDATE, HOST, NOQ, 1, VA(5), 2, 0), E(FAULT, CU, 2, 1, VA(5), FAULT_PAGE_NOT_PRESENT, ACCESS_READ) },
	  4, RULE_BUFFER_ENDED, VA(5), "faults" },
	/* ---- IMPORT_PINNED ---- */
	{ "an import comes and goes",
	  { E(PIN, HOST, NOQ, 0, PAGE(6), 1, 0), IMPORT(VA(10), PAGE(6), 0), E(BUFFER_END, HOST, NOQ, 1, VA(10) + 256, 1024, 0),
	    E(UNMAP, HOST, NOQ, 1, VA(10), 4096, 0), E(TLB_INVALIDATE, HOST, NOQ, 1, VA(10), 2, 0), E(UNPIN, HOST, NOQ, 0, PAGE(6), 0, 0) },
	  -1, 0, 0, NULL },
	{ "another buffer has the page of an import that is gone",
	  { IMPORT(VA(10), PAGE(1), 0), E(BUFFER_END, HOST, NOQ, 1, VA(10) + 256, 1024, 0), E(UNMAP, HOST, NOQ, 1, VA(10), 4096, 0) },
	  -1, 0, 0, NULL },
	{ "the page of an import that is gone is pinned for something else",
	  { E(PIN, HOST, NOQ, 0, PAGE(6), 1, 0), IMPORT(VA(10), PAGE(6), 0), E(BUFFER_END, HOST, NOQ, 1, VA(10) + 256, 1024, 0),
	    E(UNMAP, HOST, NOQ, 1, VA(10), 4096, 0), E(UNPIN, HOST, NOQ, 0, PAGE(6), 0, 0), E(PIN, HOST, NOQ, 0, PAGE(6), 1, 0) },
	  -1, 0, 0, NULL },
	{ "a page is unpinned under an import",
	  { E(PIN, HOST, NOQ, 0, PAGE(6), 1, 0), IMPORT(VA(10), PAGE(6), 0), E(UNPIN, HOST, NOQ, 0, PAGE(6), 0, 0) },
	  3, RULE_IMPORT_PINNED, VA(10), "has it at" },
	{ "an import of a page that is not pinned", { IMPORT(VA(10), PAGE(6), 0) }, 1, RULE_IMPORT_PINNED, VA(10), "is not pinned" },
	{ "a page stays pinned when its import is gone",
	  { E(PIN, HOST, NOQ, 0, PAGE(6), 1, 0), IMPORT(VA(10), PAGE(6), 0), E(BUFFER_END, HOST, NOQ, 1, VA(10) + 256, 1024, 0),
	    E(UNMAP, HOST, NOQ, 1, VA(10), 4096, 0) }, 3, RULE_IMPORT_PINNED, VA(10), "still pinned" },
	/* ---- IMPORT_UNMAPPED ---- */
	{ "memory of an import is unmapped",
	  { IMPORT(VA(10), PAGE(1), 0), E(IMPORT_UNMAPPED, HOST, NOQ, 1, VA(10), 1024, VA(10) + 256) }, 2, RULE_IMPORT_UNMAPPED, VA(10),
	  "of the import of 1024 bytes at 0x" },
	/* ---- IMPORT_COPIED ---- */
	{ "copies beside an import", { IMPORT(VA(10), PAGE(5), 0), COPY5, START(VA(0), VA(5)), START(VA(10), 0) }, -1, 0, 0, NULL },
	{ "a copy of an import",
	  { IMPORT(VA(10), PAGE(5), 0), COPY5, START(VA(10) + 256, VA(5)) }, 3, RULE_IMPORT_COPIED, VA(10) + 256, "from the import" },
	{ "a copy over the end of an import",
	  { IMPORT(VA(10), PAGE(5), 0), COPY5, START(VA(5), VA(10) + 1276) }, 3, RULE_IMPORT_COPIED, VA(10) + 1276, "to the import" },
	/* ---- IMPORT_UNASKED ---- */
	{ "maintenance of what is kept consistent, and of everything",
	  { IMPORT(VA(10), PAGE(5), BUFFER_CONSISTENT), MAINTAIN(VA(10) + 256, 1024), IMPORT(VA(11), PAGE(4), 0), MAINTAIN(0, 0) },
	  -1, 0, 0, NULL },
	{ "maintenance that nobody has asked for",
	  { IMPORT(VA(10), PAGE(5), 0), COPY5, MAINTAIN(VA(10) + 256, 1024) }, 3, RULE_IMPORT_UNASKED, VA(10) + 256, "the application's" },
	/* ---- IMPORT_DIRTY ---- */
	{ "lines that are written back, dropped, or not to be maintained",
	  { IMPORT(VA(10), PAGE(5), BUFFER_CONSISTENT), IMPORT(VA(11), PAGE(4), 0), E(WRITE, CU, 2, 1, VA(10) + 256, PAGE(5) + 256, 128),
	    E(WRITE, CU, 2, 1, VA(11) + 256, PAGE(4) + 256, 4), E(LINE_WRITEBACK, L2, NOQ, 0, PAGE(5) + 256, 0, 0),
	    E(PACKET_END, CP, 2, 1, 5, 0, 0), E(LINE_DROP, L2, NOQ, 0, PAGE(5) + 320, 1, 0), E(PACKET_END, CP, 2, 1, 6, 0, PACKET_END) },
	  -1, 0, 0, NULL },
	{ "a command ends with a line that it wrote",
	  { IMPORT(VA(10), PAGE(5), BUFFER_CONSISTENT), COPY5, E(WRITE, CU, 2, 1, VA(10) + 1000, PAGE(5) + 1000, 4),
	    E(ATOMIC, CU, 2, 1, VA(10) + 256, PAGE(5) + 256, 4), E(LINE_WRITEBACK, L2, NOQ, 0, PAGE(5) + 256, 0, 0),
	    E(PACKET_END, CP, 2, 1, 5, 0, PACKET_END) }, 6, RULE_IMPORT_DIRTY, PAGE(5) + 960, "is not in memory" },
	/* ---- MMIO_NOWHERE, MMIO_READ_ONLY, MMIO_SIZE ---- */
	{ "accesses of registers, of halves, of two side by side, and of a read-only one",
	  { E(MMIO_WRITE, HOST, NOQ, 0, REG_HOST_CTRL, 2, 4), E(MMIO_READ, HOST, NOQ, 0, REG_HOST_CYCLE + 4, 0, 4),
	    E(MMIO_WRITE, HOST, NOQ, 0, REG_HOST_CP_ENTRY, 0, 8), E(MMIO_READ, HOST, NOQ, 0, REG_HOST_CYCLE, 0, 8),
	    E(MMIO_WRITE, HOST, NOQ, 0, REG_HOST_DOORBELL + 15 * 8 + 4, 0, 4), E(MMIO_READ, HOST, NOQ, 0, REG_HOST_ID, 0, 8),
	    E(MMIO_WRITE, HOST, NOQ, 0, REG_HOST_INJECT_NTH, 1, 8), E(MMIO_READ, HOST, NOQ, 0, REG_HOST_QUEUE_STATE + 15 * 4, 0, 4) },
	  -1, 0, 0, NULL },
	{ "a read where no register is", { E(MMIO_READ, HOST, NOQ, 0, 0x9000, 0, 4) }, 0, RULE_MMIO_NOWHERE, 0x9000, "reads 4 bytes" },
	{ "a write behind the last queue", { E(MMIO_WRITE, HOST, NOQ, 0, REG_HOST_HOST_WAIT + 16 * 8, 1, 8) },
	  0, RULE_MMIO_NOWHERE, REG_HOST_HOST_WAIT + 16 * 8, "writes 8 bytes" },
	{ "a write to a register of the command processor's", { E(MMIO_WRITE, HOST, NOQ, 0, 0x10000 + REG_CP_TIMER, 1, 8) },
	  0, RULE_MMIO_NOWHERE, 0x10000 + REG_CP_TIMER, "no register" },
	{ "a write to a read-only register", { E(MMIO_WRITE, HOST, NOQ, 0, REG_HOST_QUEUE_STATE + 8, 2, 4) },
	  0, RULE_MMIO_READ_ONLY, REG_HOST_QUEUE_STATE + 8, "QUEUE_STATE" },
	{ "a write to two registers, of which one is read-only", { E(MMIO_WRITE, HOST, NOQ, 0, REG_HOST_CTRL, 2, 8) },
	  0, RULE_MMIO_READ_ONLY, REG_HOST_CTRL, "to STATUS" },
	{ "an access that is not aligned to its size", { E(MMIO_READ, HOST, NOQ, 0, REG_HOST_CP_ENTRY + 4, 0, 8) },
	  0, RULE_MMIO_SIZE, REG_HOST_CP_ENTRY + 4, "not a multiple" },
	{ "an access between two registers", { E(MMIO_WRITE, HOST, NOQ, 0, REG_HOST_CTRL + 2, 0, 4) },
	  0, RULE_MMIO_SIZE, REG_HOST_CTRL + 2, "not a multiple" },
	{ "an access of twice the register's size", { E(MMIO_WRITE, HOST, NOQ, 0, REG_HOST_TCM_ADDR, 0, 8) },
	  0, RULE_MMIO_SIZE, REG_HOST_TCM_ADDR, "TCM_ADDR is 4" },
	/* ---- HOST_DIRTY ---- */
	{ "transfers beside what the host has written, after invalidations, from an uncached page; and kernels",
	  { E(MAP, HOST, NOQ, 1, VA(1), PAGE(2), RIGHTS | PTE_UNCACHED), E(HOST_WRITE, HOST, NOQ, 0, PAGE(1), 3 * 4096, 0),
	    E(MAINTAIN_PAGES, L2, NOQ, 0, PAGE(1), 128, CACHE_INVALIDATE), E(READ, DMA, 2, 1, VA(0), PAGE(1), 128),
	    E(READ, CU, 2, 1, VA(0) + 192, PAGE(1) + 192, 64), E(MAINTAIN, DMA, 2, 1, VA(0) + 256, 64, CACHE_CLEAN | CACHE_INVALIDATE),
	    E(READ, DMA, 2, 1, VA(0) + 256, PAGE(1) + 256, 64), E(READ, DMA, 2, 1, VA(1), PAGE(2), 64),
	    E(MAINTAIN, DMA, 2, 0, 0, 0, CACHE_INVALIDATE), E(READ, DMA, 2, 1, VA(0), PAGE(1), 4096) },
	  -1, 0, 0, NULL },
	{ "a page that was unpinned, and a device that was reset",
	  { E(HOST_WRITE, HOST, NOQ, 0, PAGE(1), 8192, 0), E(UNPIN, HOST, NOQ, 0, PAGE(1), 0, 0), E(PIN, HOST, NOQ, 0, PAGE(1), 1, 0),
	    E(READ, DMA, 2, 1, VA(0), PAGE(1), 64), E(RESET, HOST, NOQ, 0, 0, 0, 0), E(READ, DMA, 0, 0, 0, PAGE(2), 64) }, -1, 0, 0, NULL },
	{ "a transfer reads what the host has written",
	  { COPY5, E(HOST_WRITE, HOST, NOQ, 0, PAGE(1) + 100, 4, 0), E(READ, DMA, 2, 1, VA(0), PAGE(1), 128) },
	  2, RULE_HOST_DIRTY, PAGE(1) + 64, "which the host has written" },
	{ "lines that were cleaned, which does not help",
	  { COPY5, E(HOST_WRITE, HOST, NOQ, 0, PAGE(1), 64, 0), E(MAINTAIN, DMA, 2, 1, 0, 0, CACHE_CLEAN),
	    E(READ, DMA, 2, 1, VA(0), PAGE(1), 64) }, 3, RULE_HOST_DIRTY, PAGE(1), "not invalidated" },
	{ "an invalidation that ends too early",
	  { COPY5, E(HOST_WRITE, HOST, NOQ, 0, PAGE(1), 8192, 0), E(MAINTAIN_PAGES, L2, NOQ, 0, PAGE(1), 4096 + 64, CACHE_INVALIDATE),
	    E(READ, DMA, 2, 1, VA(0), PAGE(1), 4096), E(READ, DMA, 2, 1, VA(1), PAGE(2), 128) }, 4, RULE_HOST_DIRTY, PAGE(2) + 64, "" },
	{ "an invalidation before the host writes",
	  { COPY5, E(MAINTAIN, DMA, 2, 1, VA(0), 64, CACHE_INVALIDATE), E(HOST_WRITE, HOST, NOQ, 0, PAGE(1), 64, 0),
	    E(READ, DMA, 2, 1, VA(0), PAGE(1), 64) }, 3, RULE_HOST_DIRTY, PAGE(1), "" },
	{ "maintenance of everything leaves out what is maintained by address alone",
	  { COPY5, E(PIN, HOST, NOQ, 0, SYSTEM_MANUAL_BASE, 1, 0), E(HOST_WRITE, HOST, NOQ, 0, SYSTEM_MANUAL_BASE, 64, 0),
	    E(MAINTAIN, DMA, 2, 1, 0, 0, CACHE_INVALIDATE), E(READ, DMA, 2, 1, VA(30), SYSTEM_MANUAL_BASE, 64) },
	  4, RULE_HOST_DIRTY, SYSTEM_MANUAL_BASE, "" },
};
enum { SCENARIOS = sizeof scenarios / sizeof *scenarios };

struct told {
	unsigned count;
	struct breach first;
	char what[320];
};
static void tell(void *ctx, const struct breach *b)
{
	struct told *t = ctx;
	if (!t->count++) {
		t->first = *b;
		strcpy(t->what, b->what);
	}
}

static uint64_t cycle_of(int step) { return 1000 + 10 * (uint64_t)step; }

/* The event that says whose it was: of an access that was refused, the fault behind it. */
static const struct event *whose(const struct scenario *s)
{
	const struct event *e = &s->events[s->breaks];
	for (int i = s->breaks; e->kind == EVENT_VIOLATION && i < STEPS; i++)
		if (s->events[i].kind == EVENT_FAULT && s->events[i].unit == e->unit)
			return &s->events[i];
	return e;
}

/* The packet that the report names: the last that the queue has begun. */
static bool packet_of(const struct scenario *s, uint64_t *packet)
{
	unsigned queue = whose(s)->queue;
	bool in_packet = queue == 2;
	*packet = in_packet ? 4 : 0;
	for (int i = 0; i <= s->breaks; i++) {
		const struct event *e = &s->events[i];
		if (e->queue == queue && e->kind == EVENT_PACKET)
			*packet = e->a;
	}
	return in_packet;
}

/* The check after the prologue and the scenario; ended by an event of kind 0. */
static struct check *scenario_run(const struct scenario *s, struct told *t)
{
	struct check *c = check_create(1, LINE, tell, t);
	assert_non_null(c);
	for (int i = 0; i < PROLOGUE; i++) {
		struct event e = prologue[i];
		e.cycle = (uint64_t)i;
		check_event(c, &e);
	}
	assert_int_equal(t->count, 0);
	for (int i = 0; i < STEPS && s->events[i].kind; i++) {
		struct event e = s->events[i];
		e.cycle = cycle_of(i);
		check_event(c, &e);
		if (t->count && i < s->breaks)
			fail_msg("%s: %s broken too early, by event %d: %s", s->name, rules[t->first.rule].id, i, t->what);
	}
	check_finish(c);
	return c;
}

static void streams(void **state)
{
	(void)state;
	for (int n = 0; n < SCENARIOS; n++) {
		const struct scenario *s = &scenarios[n];
		struct told t = { 0 };
		struct check *c = scenario_run(s, &t);
		if (s->breaks < 0) {
			if (t.count)
				fail_msg("%s: %s broken at cycle %" PRIu64 ": %s", s->name, rules[t.first.rule].id, t.first.cycle, t.what);
			check_destroy(c);
			continue;
		}
		const struct breach *b = &t.first;
		uint64_t packet;
		if (t.count != 1 || b->rule != s->rule || b->cycle != cycle_of(s->breaks) || b->address != s->address ||
		    b->in_packet != packet_of(s, &packet) || (b->in_packet && b->packet != packet) ||
		    b->queue != whose(s)->queue ||
		    b->unit != s->events[s->breaks].unit || b->device != 1 || !strstr(t.what, s->says))
			fail_msg("%s: expected %s at cycle %" PRIu64 ", address 0x%" PRIx64 "; got %u, the first %s of unit %u at cycle %"
				 PRIu64 ", %spacket %" PRIu64 ", address 0x%" PRIx64 ": %s", s->name, rules[s->rule].id,
				 cycle_of(s->breaks), s->address, t.count, t.count ? rules[b->rule].id : "nothing", b->unit, b->cycle,
				 b->in_packet ? "" : "no ", b->packet, b->address, t.what);
		assert_true(check_looked(c, s->rule) > 0);
		assert_false(check_short_of_memory(c));
		check_destroy(c);
	}
}

/* Every rule is broken by a stream, and looked at by one that does not break it. */
static void every_rule(void **state)
{
	(void)state;
	for (unsigned r = 0; r < NUM_RULES; r++) {
		unsigned broken = 0, looked = 0;
		for (int n = 0; n < SCENARIOS; n++) {
			struct told t = { 0 };
			struct check *c = scenario_run(&scenarios[n], &t);
			broken += scenarios[n].breaks >= 0 && scenarios[n].rule == r;
			looked += scenarios[n].breaks < 0 && check_looked(c, r);
			check_destroy(c);
		}
		if (!broken || (!looked && r != RULE_PROT_ASKED)) /* that one is looked at only when it is broken */
			fail_msg("%s: broken by %u streams, looked at by %u that do not break it", rules[r].id, broken, looked);
		assert_true(strlen(rules[r].text) > 20 && strlen(rules[r].clause) && strlen(rules[r].document));
		char file[128];
		snprintf(file, sizeof file, "checkers/%s.c", rules[r].checker);
		assert_int_equal(access(file, R_OK), 0);
	}
}

/* A driver or a firmware that tells nothing breaks nothing. */
static void silence(void **state)
{
	(void)state;
	static const struct event events[] = {
		E(DOORBELL, HOST, 2, 1, 5000, 0, 0), E(READ, CU, 2, 1, VA(0), PAGE(77), 64), E(READ, DMA, 2, 1, VA(9), PAGE(78), 64),
		E(WALK_READ, MMU, NOQ, 0, PAGE(3), 0, 0), E(IRQ_RAISE, CP, NOQ, 0, 5, 5, 1), E(WRITE, CU, 3, 2, VA(0), DRAM(3), 4),
	};
	struct told t = { 0 };
	struct check *c = check_create(0, LINE, tell, &t);
	for (size_t i = 0; i < sizeof events / sizeof *events; i++)
		check_event(c, &events[i]);
	for (unsigned r = 0; r < NUM_RULES; r++)
		assert_int_equal(check_looked(c, r), 0);
	assert_int_equal(t.count, 0);
	check_destroy(c);
}

static uint64_t seed;
static uint64_t random_next(void) { return splitmix64(&seed); }

/* Any events in any order: the checkers stay whole, and tell of events that they were given. */
static void any_events(void **state)
{
	(void)state;
	struct told t = { 0 };
	struct check *c = check_create(0, LINE, tell, &t);
	for (uint64_t i = 0; i < 300000; i++) {
		const struct event *base = random_next() % 2 ? &prologue[random_next() % PROLOGUE]
							     : &scenarios[random_next() % SCENARIOS].events[random_next() % 4];
		struct event e = *base;
		e.cycle = i;
		if (random_next() % 4 == 0)
			e.kind = (uint16_t)(random_next() % EVENT_KINDS);
		if (random_next() % 8 == 0)
			e.a = random_next() >> random_next() % 64;
		if (random_next() % 8 == 0)
			e.b = random_next() >> (20 + random_next() % 44); /* lengths: a long range is long work */
		if (random_next() % 16 == 0)
			e.c = random_next() >> random_next() % 64;
		if (random_next() % 16 == 0)
			e.queue = (uint16_t)random_next();
		if (e.kind == EVENT_UNMAP || e.kind == EVENT_BUFFER || e.kind == EVENT_BUFFER_END)
			e.b %= 1ull << 24;
		if (e.kind == EVENT_READ || e.kind == EVENT_WRITE || e.kind == EVENT_ATOMIC || e.kind == EVENT_FETCH)
			e.c %= 1 << 16;
		check_event(c, &e);
	}
	assert_true(t.count > 0);
	assert_true(t.first.cycle < 300000);
	check_destroy(c);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(streams),
		cmocka_unit_test(every_rule),
		cmocka_unit_test(silence),
		cmocka_unit_test(any_events),
	};
	seed = seed_take(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
