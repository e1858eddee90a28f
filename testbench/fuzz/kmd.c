/* Fuzzes the boundary of the kernel-mode driver: any requests with any arguments, of a client that is closed afterwards without
 * closing what it has. Every error is a documented one; what the client leaves behind is gone with it, and another client of the same
 * devices goes on as before. Ranges of memory that requests read and write are the caller's to have, so they are there. */
#include "abi/packets.h"
#include "runtime/kmd/driver.h"
#include "testbench/fuzz/fuzz.h"
#include "testbench/fuzz/input.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HANDLES = 16, MEMORY = 1 << 16, SHARED_MAX = 64 << 20 };
enum kind { VM, BO, QUEUE, FENCE, KINDS };

/* A small number, now and then any. */
static uint64_t number(void)
{
	const uint64_t v = take(2);
	return v % 16 ? v >> 8 : take(8);
}

/* ---- the client ---- */
static int file;
static struct { uint32_t handles[HANDLES]; unsigned count; } made[KINDS];
static uint64_t addresses[HANDLES]; /* of buffer objects */
static _Alignas(4096) uint8_t memory[MEMORY];

/* Mostly one that was made, of that kind; now and then of another kind, or none. */
static uint32_t handle(enum kind kind)
{
	const uint8_t v = (uint8_t)take(1);
	if (v >= 250)
		return (uint32_t)take(4);
	if (v >= 235)
		kind = (enum kind)(v % KINDS);
	return made[kind].count ? made[kind].handles[v % (made[kind].count < HANDLES ? made[kind].count : HANDLES)] : 0;
}

static void keep(enum kind kind, uint32_t handle, uint64_t address)
{
	const unsigned n = made[kind].count++ % HANDLES;
	made[kind].handles[n] = handle;
	if (kind == BO)
		addresses[n] = address;
}

static uint64_t address(void)
{
	const uint8_t v = (uint8_t)take(1);
	return v < 240 ? addresses[v % 4] + take(1) : take(8);
}

static void wrong(const char *what, int error)
{
	fprintf(stderr, "fuzz: %s: %d\n", what, error);
	abort();
}

static int request(enum kmd_request r, void *arguments)
{
	const int error = kmd_ioctl(file, r, arguments);
	if ((error > 0 && r != KMD_WAIT) || error < KMD_FENCE_FAILED)
		wrong("an error that is not documented", error);
	return error;
}

static void wait_for(uint32_t flags, uint64_t value)
{
	struct kmd_event events[KMD_EVENTS_MAX];
	struct kmd_wait w = { .flags = flags, .value = value, .events = (uintptr_t)events };
	while (request(KMD_WAIT, &w) == KMD_EVENTS)
		if (!w.num_events || w.num_events > KMD_EVENTS_MAX)
			wrong("completions", (int)w.num_events);
}

static union packet packet(void)
{
	union packet p = { .head = { .type = (uint8_t)take(1), .flags = (uint8_t)take(1) } };
	switch (p.head.type % 4) {
	case 0: p = (union packet){ .head.type = PACKET_CODE_nop }; break;
	case 1:
		p = (union packet){ .copy = { .head = { .type = PACKET_CODE_copy, .flags = p.head.flags }, .src = address(), .dst = address(),
					      .width = (uint32_t)take(2), .height = 1, .depth = 1 } };
		break;
	case 2:
		p = (union packet){ .dispatch = { .head = { .type = PACKET_CODE_dispatch, .flags = p.head.flags }, .entry = address(),
						  .kernarg = address(), .global_size = { 1, 1, 1 }, .local_size = { 1, 1, 1 } } };
		break;
	default: break; /* as the input has it: mostly nothing that there is */
	}
	return p;
}

static void submit(void)
{
	union packet packets[4];
	struct kmd_point waits[2], signals[2];
	struct kmd_submit a = { .queue = handle(QUEUE), .num_packets = (uint32_t)take(1) % 5, .num_waits = (uint32_t)take(1) % 3,
				.num_signals = (uint32_t)take(1) % 3, .private_bytes = (uint32_t)number(), .keep = (uint32_t)take(1) & 1,
				.cookie = take(1) };
	for (unsigned i = 0; i < a.num_packets; i++)
		packets[i] = packet();
	for (unsigned i = 0; i < a.num_waits; i++)
		waits[i] = (struct kmd_point){ .fence = handle(FENCE), .flags = (uint32_t)take(1), .value = number() };
	for (unsigned i = 0; i < a.num_signals; i++)
		signals[i] = (struct kmd_point){ .fence = handle(FENCE), .value = number() };
	a.packets = take(1) ? (uintptr_t)packets : 0;
	a.waits = (uintptr_t)waits;
	a.signals = (uintptr_t)signals;
	if (!request(KMD_SUBMIT, &a) && a.keep)
		keep(FENCE, a.fence, 0);
}

/* None, one, or any. */
static uint32_t flags(void)
{
	const uint8_t v = (uint8_t)take(1);
	return v < 128 ? 0 : v < 240 ? 1u << v % 11 : (uint32_t)take(2);
}

static void create(void)
{
	struct kmd_part parts[2] = { { number() * 4096, number(), (unsigned)take(1) }, { number() * 4096, number(), (unsigned)take(1) } };
	struct kmd_bo_create b = { .vm = handle(VM), .device = (uint32_t)take(1) % 3, .flags = flags(), .retry = (uint32_t)take(1) & 1,
				   .size = (number() + 1) * 64, .num_parts = (uint32_t)take(1) % 16 ? 0 : 2, .parts = (uintptr_t)parts };
	if (b.flags & KMD_BO_SHARED && b.size < 1ull << 40 && b.size > SHARED_MAX)
		b.size = SHARED_MAX; /* their pages are committed at once */
	if (!request(KMD_BO_CREATE, &b))
		keep(BO, b.bo, b.va);
}

static void import(void)
{
	struct kmd_bo_import_range r = { .vm = handle(VM), .flags = flags(), .size = (number() + 1) * 16 };
	struct kmd_bo_import_fd d = { .vm = r.vm, .fd = (int32_t)take(1), .flags = r.flags, .size = r.size, .offset = number() };
	r.address = take(1) < 250 ? (uintptr_t)memory + take(2) % (MEMORY / 2) : 0x1000;
	if (r.size > MEMORY / 2 && r.address != 0x1000)
		r.size = MEMORY / 2;
	if (take(1) % 4) {
		if (!request(KMD_BO_IMPORT_RANGE, &r))
			keep(BO, r.bo, r.va);
	} else if (!request(KMD_BO_IMPORT_FD, &d)) {
		keep(BO, d.bo, d.va);
	}
}

/* A descriptor of a fence, imported once more; or of anything. */
static void fence_by_descriptor(void)
{
	struct kmd_fence_fd d = { .fence = handle(FENCE), .kind = (uint32_t)take(1) % 3, .value = number(), .fd = -1 };
	const bool own = !request(KMD_FENCE_EXPORT, &d);
	if (!own)
		d.fd = (int32_t)take(1);
	if (!request(KMD_FENCE_IMPORT, &d))
		keep(FENCE, d.fence, 0);
	if (own)
		close(d.fd);
}

static void any_request(void)
{
	struct kmd_vm vm = { .vm = handle(VM) };
	struct kmd_queue_create q = { .vm = vm.vm, .device = (uint32_t)take(1) % 3, .priority = (uint32_t)take(1) % 4 };
	struct kmd_fence fence = { .fence = handle(FENCE), .flags = (uint32_t)take(1) % 3 };
	struct kmd_register reg = { .device = (uint32_t)take(1) % 3, .offset = (uint32_t)number() * 4, .bits = take(1) & 1 ? 32 : 64, .ticket = number() };
	struct kmd_counters counters = { .device = (uint32_t)take(1) % 3, .ticket = number() };
	struct kmd_maintain m = { .device = number(), .inode = number(), .op = (uint32_t)take(1) };
	const uint32_t queues[2] = { handle(QUEUE), handle(QUEUE) };
	struct kmd_bo_users users = { .bo = handle(BO) };
	switch (take(1) % 23) {
	case 0: if (!request(KMD_VM_CREATE, &vm)) keep(VM, vm.vm, 0); break;
	case 1: if (take(1) < 64) request(KMD_VM_CLOSE, &vm); break;
	case 2: case 3: create(); break;
	case 4: import(); break;
	case 5: request(KMD_BO_CLOSE, &(struct kmd_bo_close){ .bo = handle(BO) }); break;
	case 6: request(KMD_BO_CLEARED, &(struct kmd_bo_cleared){ handle(BO), (uint32_t)take(1) & 1 }); break;
	case 7: if (!request(KMD_QUEUE_CREATE, &q)) { keep(QUEUE, q.queue, 0); keep(FENCE, q.fence, 0); } break;
	case 8: if (take(1) < 64) request(KMD_QUEUE_CLOSE, &(struct kmd_queue_close){ .queue = queues[0] }); break;
	case 9: case 10: case 11: submit(); break;
	case 12: request(KMD_FLUSH, &(struct kmd_flush){ .queues = (uintptr_t)queues, .num_queues = (uint32_t)take(1) % 3 }); break;
	case 13: if (!request(KMD_FENCE_CREATE, &fence)) keep(FENCE, fence.fence, 0); break;
	case 14: request(KMD_FENCE_CLOSE, &fence); break;
	case 15: request(KMD_FENCE_SIGNAL, &(struct kmd_signal){ fence.fence, -(int32_t)(take(1) & 1), number() }); break;
	case 16: wait_for(KMD_WAIT_IDLE, 0); break;
	case 19: fence_by_descriptor(); break;
	case 20: request(KMD_FENCE_QUERY, &(struct kmd_fence_value){ .fence = fence.fence }); break;
	case 21: if (!request(KMD_BO_USERS, &users)) keep(FENCE, users.fence, 0); break;
	case 17: wait_for(KMD_WAIT_TICKET | (take(1) == 1 ? KMD_WAIT_EXIT : 0), number()); break;
	case 18: request(take(1) & 1 ? KMD_REGISTER : KMD_CLOCK, &reg); request(KMD_COUNTERS, &counters); request(KMD_MAINTAIN, &m); break;
	default: request(KMD_MARK, &(struct kmd_mark){ take(1) }); break;
	}
}

/* ---- the other client ---- */
static int other = -1;
static struct kmd_queue_create other_queue;
static struct kmd_bo_create other_bo;

static void other_open(void)
{
	const char *error;
	struct kmd_vm vm = { 0 };
	setenv("GALENA_SPEED", "functional", 1);
	file = other = kmd_open(&error);
	if (other < 0 || request(KMD_VM_CREATE, &vm))
		wrong("no devices", other);
	other_bo = (struct kmd_bo_create){ .vm = vm.vm, .size = 4096 };
	other_queue = (struct kmd_queue_create){ .vm = vm.vm, .priority = 1 };
	if (request(KMD_BO_CREATE, &other_bo) || request(KMD_QUEUE_CREATE, &other_queue))
		wrong("no memory", 0);
}

static void other_works(void)
{
	static uint32_t value;
	volatile uint32_t *words = (uint32_t *)(uintptr_t)other_bo.cpu;
	const union packet copy = { .copy = { .head.type = PACKET_CODE_copy, .src = other_bo.va, .dst = other_bo.va + 64, .width = 4,
					      .height = 1, .depth = 1 } };
	struct kmd_submit a = { .queue = other_queue.queue, .num_packets = 1, .packets = (uintptr_t)&copy };
	file = other;
	words[0] = ++value;
	if (request(KMD_SUBMIT, &a) || request(KMD_FLUSH, &(struct kmd_flush){ .queues = (uintptr_t)&other_queue.queue, .num_queues = 1 }))
		wrong("the other client", 0);
	wait_for(KMD_WAIT_IDLE, 0);
	if (words[16] != value)
		wrong("the other client's copy", (int)words[16]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *error;
	if (other < 0)
		other_open();
	at = data;
	end = data + size;
	memset(made, 0, sizeof made);
	memset(addresses, 0, sizeof addresses);
	file = kmd_open(&error);
	if (file < 0)
		wrong("a second file", file);
	while (at < end)
		any_request();
	kmd_close(file);
	if (driver_of_process()->files->next)
		wrong("the file that was closed is still there", 0);
	other_works();
	return 0;
}
