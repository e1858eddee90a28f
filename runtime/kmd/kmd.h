/* The kernel-mode driver, behind a boundary of the shape of a DRM driver's ioctls.
 *
 * Every argument is a value, a handle, a descriptor or a range of the caller's memory. The driver keeps no pointer, calls nothing
 * back, and tells no physical address: it could run in another process. A process may open the devices many times; each file has its
 * own handles, and all files see the same devices.
 *
 * Time and determinism. A device runs only inside calls. Work for it (doorbells, queue mapping, fence signals, unpinning) forms one
 * list a file, in the order of the calls. A call that waits takes an item, applies it, and lets the devices run until they are idle;
 * then it takes the next. So with one file the traffic on the bus depends on the order of the calls alone, not on the speed of any
 * thread. Addresses are allocated in an order that depends on the calls alone: memory that a command may still use is reused when a
 * wait of the client has covered that command, not when the device happens to finish. With several files, items of one file are also
 * applied while the devices run for another.
 *
 * Completions. kmd_ioctl(KMD_WAIT) returns the completions of the file's commands to the caller, which handles them with none of its
 * locks held and calls again. Until then the file's next item is not applied; what that thread queues meanwhile comes before it. One
 * thread of a file has completions at a time.
 *
 * Threads: every call may be made from any thread.
 * Errors: 0 or a negative enum kmd_error. Nothing has changed after an error unless the request says otherwise. */
#ifndef GALENA_RUNTIME_KMD_H
#define GALENA_RUNTIME_KMD_H
#include "abi/records.h"
#include <stdint.h>

enum kmd_error {
	KMD_OK = 0,
	KMD_NO_MEMORY = -1,        /* of the host */
	KMD_NO_DEVICE_MEMORY = -2, /* device memory or address space exhausted */
	KMD_BAD_ADDRESS = -3,      /* a range of the caller is not mapped, or not writable */
	KMD_DEVICE_LOST = -4,      /* the device or its firmware is gone; sticky */
	KMD_INVALID = -5,          /* an argument is not valid */
	KMD_SHARED_PAGE = -6,      /* KMD_BO_STRICT: another such import has a page of the range */
	KMD_BAD_DESCRIPTOR = -7,   /* not a descriptor of a dma-buf, or of a fence of these devices */
	KMD_BUSY = -8,             /* the call would have to wait, and its thread handles completions */
	KMD_BAD_HANDLE = -9,       /* no such file, or no handle of that kind in it */
	KMD_AGAIN = -10,           /* a wait with KMD_WAIT_IDLE, then the same call again */
	KMD_BEHIND = -11,          /* a wait with KMD_WAIT_BEHIND, then the same call again */
	KMD_NOT_REACHED = -12,     /* memory of a process that the driver does not run in */
	KMD_EXISTS = -13,          /* a part of the range is bound already */
	KMD_FENCE_FAILED = -14,    /* the fence that was waited for has failed */
};

#define KMD_API __attribute__((visibility("default")))

/* ---- files ---- */
/* Opens the devices, or joins those that the process has open. The environment says which (GALENA_DEVICE, GALENA_CONFIG, GALENA_SPEED,
 * GALENA_DEVICES); the first file loads and boots firmware. Returns a file, or a negative error with *message one line that says what
 * is missing and how to get it. */
KMD_API int kmd_open(const char **message);
/* Closes the file and all of its handles; the last one closes the devices. No other thread uses the file. */
KMD_API void kmd_close(int file);
/* The process ends, its threads may be anywhere: completes what is recorded, and takes nothing down. Where something is recorded, the
 * devices are lost to this thread from then on, and other threads do not return from calls. */
KMD_API void kmd_exit(int file);

enum kmd_request {
#define REQUEST(name, type, function, what) KMD_##name,
#include "runtime/kmd/requests.def"
#undef REQUEST
	KMD_REQUESTS
};
/* One request; arguments are of the type that the table names, read and written in place. */
KMD_API int kmd_ioctl(int file, enum kmd_request, void *arguments);

/* ---- queries ---- */
enum { KMD_UUID_BYTES = 16 };
struct kmd_platform {
	uint32_t num_devices;
	uint32_t watchdog_given;      /* the user has set it */
	uint32_t recording, pad;      /* something is recorded, checked or counted: its end is awaited at exit */
	uint64_t watchdog;            /* cycles that a kernel may run without a work-group that ends, a transfer without a byte; 0: no limit */
	uint8_t uuid[KMD_UUID_BYTES]; /* of the driver, another for each version */
};
struct kmd_device_info {
	unsigned num_cu, warps_per_cu, lanes, max_wg_size, lds_bytes, clock_mhz, line_bytes;
	uint64_t dram_size, l2_bytes;
	_Bool coherent; /* otherwise the driver maintains the device's caches around what a command does */
};
struct kmd_device {
	uint32_t device, pad;
	struct kmd_device_info info;
	uint8_t uuid[KMD_UUID_BYTES]; /* the same in every process that opens the device in the same configuration */
};
struct kmd_time {
	uint32_t device, pad;
	uint64_t cycles; /* the largest cycle that the client has seen so far */
};
/* Reads a register over the bus, in its place among the file's work. ticket 0: queues the read, sets ticket and returns KMD_AGAIN; the
 * caller waits for it (KMD_WAIT_TICKET) and calls again. KMD_CLOCK is the device's cycle counter: each read takes its cycles, so that
 * no two are the same, and the time that the client has seen is later from then on. */
struct kmd_register {
	uint32_t device, offset, bits, pad;
	uint64_t ticket, value;
};
struct kmd_counter_values { uint64_t cycles, lane_insns, warp_insns, dma_bytes, tlb_l1_miss, tlb_l2_miss, dispatches, cp_insns; };
struct kmd_counters { /* the same */
	uint32_t device, pad;
	uint64_t ticket;
	struct kmd_counter_values values;
};
struct kmd_firmware_log { /* so far; size: room for text, then the length of the log */
	uint32_t device, pad;
	uint64_t text, size;
};
/* A name of commands: the tag of dispatch packets, under which their counts are reported and which the line of a terminal shows. The same
 * for the same name. */
struct kmd_label {
	uint64_t name; /* char[length] */
	uint32_t length, label;
};

/* ---- memory ---- */
enum kmd_bo_flags {
	KMD_BO_SYSTEM = 0,       /* pinned system memory: the client reads and writes it at cpu */
	KMD_BO_DRAM = 1,         /* DRAM of one device: reached by DMA and kernels of that device alone */
	KMD_BO_READ_ONLY = 2,    /* the device cannot write */
	KMD_BO_EXECUTE = 4,      /* the device can execute it; it may keep what it has fetched: new code goes to
	                          * a new object, or after a tlb_invalidate packet */
	KMD_BO_UNCACHED = 8,     /* never held in device caches, where these are not coherent: what the host writes while
	                          * commands run, and hands over with a later one (kernel arguments, descriptors) */
	KMD_BO_UNDEFINED = 32,   /* system memory whose contents need not be zero: it is written before it is read */
	KMD_BO_SVM = 64,         /* system memory at the same address for the device as for the host, unique in the process */
	KMD_BO_STRICT = 128,     /* import: pages that the host can write are committed, though the device only reads them; and
	                          * where the range is not whole pages, no other such import has any of them */
	KMD_BO_PROTECTED = 256,  /* with DRAM: reached by protected commands alone, and these write nothing else */
	KMD_BO_CONSISTENT = 512, /* import of a dma-buf: its commands are surrounded by maintenance; for observers */
	KMD_BO_SHARED = 1024,    /* system memory without parts, a dma-buf of its own: other files import it by the descriptor that KMD_BO_EXPORT
	                          * gives. Where caches are not coherent, it is maintained as imports of dma-bufs are */
};
struct kmd_vm { uint32_t vm, pad; }; /* an address space: page tables, an ASID. It lives as long as objects and queues in it */
/* A part of a buffer object that has rights of its own (a program: text, constants, variables); pages of no part are not mapped. Offsets
 * are multiples of a page; parts share none. */
enum { KMD_PARTS_MAX = 8 };
struct kmd_part {
	uint64_t offset, size;
	unsigned flags; /* KMD_BO_READ_ONLY, KMD_BO_EXECUTE, KMD_BO_UNCACHED */
};
/* size in bytes, rounded up to pages; contents of fresh memory are zero for system memory without KMD_BO_UNDEFINED, undefined for DRAM.
 * KMD_AGAIN: released memory may wait for its commands to be seen ended; retry != 0 says that the caller has waited. */
struct kmd_bo_create {
	uint32_t vm, device, flags, retry;
	uint64_t size, parts; /* parts: struct kmd_part[num_parts] */
	uint32_t num_parts;
	uint32_t bo;          /* out: handle, */
	uint64_t va, cpu;     /* addresses of byte 0 for the device and in the process; cpu 0 for DRAM */
};
/* Pins the pages of the caller's range and maps them: true zero copy. va has the range's offset in its page. */
struct kmd_bo_import_range {
	uint32_t vm, flags, retry, bo;
	uint64_t address, size, va;
};
struct kmd_dmabuf {
	uint64_t device, inode; /* the same for every descriptor of one buffer */
	uint64_t size;          /* bytes, whole pages */
	_Bool writable;         /* by this descriptor */
	_Bool is_protected;
};
/* Imports [offset, offset + size) of a dma-buf by its descriptor, which stays the caller's. Its pages are mapped for the devices and stay
 * as long as the object. flags: KMD_BO_CONSISTENT, KMD_BO_READ_ONLY, which one that is not writable needs, and
 * KMD_BO_SHARED: transfers reach it, not kernels alone as the rules of imports have it. Where caches are not
 * coherent the driver maintains this memory when its last import goes; otherwise a cache packet with its address and size does, or KMD_MAINTAIN.
 * With KMD_BO_PROTECTED the buffer has to be protected; its memory is that device's, and *cpu is 0. clear out: its contents are
 * undefined, and this importer has to clear all of the buffer and say so (KMD_BO_CLEARED); other importers get KMD_AGAIN until then. An
 * import with clear 1 in is one to do that with. KMD_INVALID: another device has it. */
struct kmd_bo_import_fd {
	uint32_t vm, device;
	int32_t fd;
	uint32_t flags, retry, clear, bo, pad;
	uint64_t offset, size, va, cpu;
};
struct kmd_bo_cleared { uint32_t bo, done; }; /* not done: the next importer has to clear it */
/* The fence of those who use the dma-buf of an object, of any client, by which they take turns (implicit synchronisation; Linux has
 * reservation objects for it). A command with a wait and a signal of this fence (their values are ignored) begins when all commands have ended
 * that signalled it before, and those that do so later wait for its end. A command that fails lets the next one have its turn. The host may
 * wait for all users until then, too (KMD_WAIT_POINT). fence is a handle to be closed. It can be exported as a sync file, of the end of all users
 * until then (value 0); it cannot be exported otherwise, nor be signalled by the host. KMD_INVALID: the memory is no dma-buf. */
struct kmd_bo_users { uint32_t bo, fence; };
/* A descriptor of the dma-buf of an object with KMD_BO_SHARED, closed on exec, which is the caller's. It keeps the memory. */
struct kmd_bo_export { uint32_t bo; int32_t fd; };
/* The memory is unmapped and reused once every command that was submitted before, on any queue of the vm, has ended, and no range is bound
 * to it. */
struct kmd_bo_close { uint32_t bo, pad; };
/* Binds [offset, offset + size) of an object without parts to addresses of a vm of the file, beside the object's own: whole pages. va: where, between
 * other ranges, without a page between; 0: the driver chooses, and says. flags: KMD_BO_READ_ONLY, beside those of the object. KMD_EXISTS: other
 * memory is there. Closing the vm unbinds all. */
struct kmd_bind {
	uint32_t vm, bo, flags, retry;
	uint64_t offset, size, va;
};
/* Takes the range away that was bound at va, once every command that was submitted before, on any queue of the vm, has ended. */
struct kmd_unbind {
	uint32_t vm, pad;
	uint64_t va;
};
/* Maintains the lines that devices hold of a dma-buf (device and inode of struct kmd_dmabuf), in its place among the file's work; op as
 * in a cache packet. Queues it: ticket 0 when there is nothing to wait for. */
struct kmd_maintain {
	uint64_t device, inode, ticket;
	uint32_t op, pad;
};

/* ---- queues and submissions ---- */
/* An in-order stream of commands; any number of them per device. fence is its timeline, which counts ended commands; its handle is
 * good until the queue is closed and its last command has been seen ended. */
struct kmd_queue_create { uint32_t vm, device, priority, queue, fence, pad; };
/* Commands that are outstanding run on until they have ended. */
struct kmd_queue_close { uint32_t queue, pad; };
/* The fence is a binary semaphore: each wait takes one signal, in the order in which they are queued, and value is ignored. */
enum { KMD_POINT_BINARY = 1 };
struct kmd_point { uint32_t fence, flags; uint64_t value; };
/* One command: packets in order (struct packet, none of them a semaphore packet); the driver sets END and IRQ on the last one, and its
 * completion record. It begins when all points of waits are reached, and fails with DEPENDENCY where one of them is a command that
 * failed; it signals the points of signals. private_bytes (per lane) is what its dispatches need. Dispatches, copies and fills with
 * PACKET_PROTECTED are protected: all of the command are, or none. cookie comes back with the completion; value is its point on the
 * queue's fence; with keep, fence is a fence of the command alone, to be waited for at any value and to be closed. The device does not see the command before a flush. crowded: many commands wait to be seen ended; a wait with
 * KMD_WAIT_IDLE before the next submission bounds them. */
struct kmd_submit {
	uint32_t queue, num_packets, num_waits, num_signals;
	uint64_t packets, waits, signals; /* struct kmd_point[] */
	uint32_t private_bytes, pad;
	uint64_t cookie, value;
	uint32_t crowded, keep, fence;
};
/* Hands what has been submitted to the queues to the devices, and what it waits for; never waits. The device finds the commands of
 * several queues together, and may run them side by side. */
struct kmd_flush { uint64_t queues; uint32_t num_queues, pad; };

/* ---- fences ---- */
/* A timeline of its own: a value that grows from 0. Commands signal it (signals of struct kmd_submit) or the host does, commands wait for it or
 * the host does (KMD_WAIT_POINT). It may also fail: then every value of it is reached, commands that wait for it fail with DEPENDENCY, and the
 * host's wait returns KMD_FENCE_FAILED. It fails by a signal with a status, when a command that would have signalled it fails, and with
 * ABORTED when the file that made it is closed, or its process ends, before its handle there is closed. */
enum {
	KMD_FENCE_SHARED = 1,  /* it can be exported */
	KMD_FENCE_LIMITED = 2, /* a command that has waited for GALENA_WAIT_LIMIT seconds for a value of which no signal was submitted fails with ABORTED */
};
struct kmd_fence { uint32_t fence, flags; };
/* The host's: a value, or a negative status. A value that is not greater than the host's last one changes nothing; 0: a signal of a binary
 * semaphore. */
struct kmd_signal { uint32_t fence; int32_t status; uint64_t value; };
/* Now: a program whose calls shall see the same each time waits with KMD_WAIT_IDLE before. status: 0, or what it has failed with. waits: that
 * were queued of it as a binary semaphore, which is signalled while value is greater; of a sync file what comes before its point, which is
 * reached when value is greater. */
struct kmd_fence_value { uint32_t fence; int32_t status; uint64_t value, waits; };
/* OPAQUE: a descriptor of the fence. Its import is a handle of the same fence. Mapped to read, it is the value (uint64_t), and at
 * KMD_FENCE_STATUS the status (int32_t).
 * SYNC_FILE: of one value of it. poll(2) says POLLIN when that is reached; what can be read then, once, is the status (int32_t).
 * Its import is a fence that is reached when the point is, whatever value is waited for, and that cannot be signalled.
 * Descriptors are closed on exec and the caller's, those of imports, too. They keep the fence. */
enum kmd_fence_kind { KMD_FENCE_OPAQUE, KMD_FENCE_SYNC_FILE };
enum { KMD_FENCE_STATUS = 88 };
struct kmd_fence_fd {
	uint32_t fence, kind;
	int32_t fd;
	uint32_t pad;
	uint64_t value; /* SYNC_FILE, export: which; 0: a signal of a binary semaphore, which is taken as by a wait */
};

/* ---- waiting ---- */
/* Imported memory that the process has unmapped though a command may access it: where the import is for devices and in the process, and the
 * first page that was found unmapped, for devices. size 0: none. */
struct kmd_import { uint64_t va, size, address, unmapped; };
/* The end of a command, or of a mark (queue 0). */
struct kmd_event {
	uint64_t cookie, value;
	uint32_t queue, has_fault;
	struct completion completion;
	struct fault_record fault;
	struct kmd_import import; /* of a command that ends with UNMAPPED */
};
enum kmd_wait_flags {
	KMD_WAIT_POINT = 1,  /* until the fence has reached value: of a queue or a command flushes the queue */
	KMD_WAIT_IDLE = 2,   /* until everything that the file has queued so far has run as far as it can */
	KMD_WAIT_TICKET = 4, /* until the work of a ticket (value) has been applied */
	KMD_WAIT_SERVE = 8,  /* for the client's completion thread: carries out work that no other thread waits for; returns with
	                      * completions, or KMD_DEVICE_LOST when the file is being closed (KMD_STOP) */
	KMD_WAIT_BEHIND = 32, /* until not much of the file's work waits to be applied */
	KMD_WAIT_EXIT = 16,  /* with KMD_WAIT_IDLE, in a handler of exit: ends early where threads are inside that may go on for ever */
};
enum { KMD_EVENTS_MAX = 64 };
/* Returns 0 when what is waited for has come about. KMD_EVENTS: num_events completions have been written to events (room for
 * KMD_EVENTS_MAX): the caller handles them and calls again, unchanged. KMD_BUSY: the thread handles completions. */
enum { KMD_EVENTS = 1 };
struct kmd_wait {
	uint32_t flags, fence;
	uint64_t value, ticket; /* ticket: of the driver, 0 at first */
	uint64_t events;
	uint32_t num_events, pad;
};
/* Queues a mark: an event without a queue when all work before it has been applied. */
struct kmd_mark { uint64_t cookie; };
/* The completion thread takes work now, not when it has waited for a while. there: there is such a thread. */
struct kmd_kick { uint32_t there, pad; };
struct kmd_none { uint32_t pad[2]; };

#endif
