/* The "kernel driver": everything between an API and the bus.
 *
 * Time and determinism. A device runs only inside bus calls. Whatever has to reach it (doorbells,
 * queue mapping, semaphore signals, unpinning) is posted, in order, to one list; the pump takes an
 * item, applies it, and lets all devices run until nothing more can happen, then takes the next.
 * Who waits pumps; a thread of the driver's pumps when nobody waits, so posted work always makes
 * progress. As each item meets devices that are at rest, the traffic on the bus depends on the
 * order of the posts alone, not on the speed of any thread. Addresses are handed out in an order
 * that depends on the calls alone: memory that a command may still use is reclaimed when a wait of
 * the application's (or a sync) has covered that command, not when the device happens to finish.
 *
 * Threads: every function may be called from any thread. Callbacks run on whichever thread pumps,
 * with no lock held that these functions need, and must not wait.
 * Errors: 0 or a negative enum drv_error. */
#ifndef GALENA_RUNTIME_DRIVER_H
#define GALENA_RUNTIME_DRIVER_H
#include "abi/bus.h"
#include "abi/codes.h"
#include "abi/packets.h"
#include "abi/records.h"
#include <stdbool.h>
#include <stdint.h>

enum drv_error {
	DRV_OK = 0,
	DRV_NO_MEMORY = -1,      /* of the host; device not touched */
	DRV_NO_DEVICE_MEMORY = -2,/* device memory or address space exhausted; device not touched */
	DRV_BAD_ADDRESS = -3,    /* host range not mapped, or not writable; device not touched */
	DRV_DEVICE_LOST = -4,    /* the device or its firmware is gone; sticky */
	DRV_INVALID = -5,        /* argument not valid; device not touched */
	DRV_BAD_DESCRIPTOR = -7, /* not a descriptor of a dma-buf; device not touched */
	DRV_BUSY = -8,           /* another thread is at it, and the caller must not wait; device not touched */
	DRV_SHARED_PAGE = -6,    /* DRV_BO_STRICT: another such import has a page of the range; device not touched */
};

struct driver;      /* the platform: all devices, one pump */
struct drv_space;   /* an address space: page tables, an ASID */
struct drv_bo;      /* a buffer object: memory with an address in one space */
struct drv_queue;   /* an in-order stream of commands; any number of them per device */
struct drv_sem;     /* a semaphore that the host signals (user events) */

struct drv_device_info {
	unsigned num_cu, warps_per_cu, lanes, max_wg_size, lds_bytes, clock_mhz, line_bytes;
	uint64_t dram_size, l2_bytes;
	bool coherent; /* otherwise the driver maintains the device's caches around what a command does */
};

/* Opens devices as the environment says (GALENA_DEVICE, GALENA_CONFIG, GALENA_SPEED,
 * GALENA_DEVICES, GALENA_TRACE, GALENA_HASH), loads and boots firmware on each. NULL with *error
 * one line saying what is missing and how to get it. */
struct driver *driver_open(const char **error);
/* No other thread is inside, and nothing of the driver is used afterwards. */
void driver_close(struct driver *);
/* The process ends, its threads may be anywhere: completes what is recorded, and takes nothing down. Where something is recorded,
 * the devices are lost to this thread from then on, and other threads do not come back from calls of the driver. */
void driver_exit(struct driver *);
unsigned driver_num_devices(const struct driver *);
const struct drv_device_info *driver_device_info(const struct driver *, unsigned device);
/* Identities: of a device, the same in every process that opens it in the same configuration, and another for each
 * number; of the driver, another for each version. They never change while the driver is open. */
enum { DRV_UUID_BYTES = 16 };
void driver_device_uuid(const struct driver *, unsigned device, uint8_t out[DRV_UUID_BYTES]);
void driver_uuid(uint8_t out[DRV_UUID_BYTES]);
/* Cycles that a kernel may run without a work-group that ends, and a transfer without a byte that moves; 0: no limit. */
uint64_t driver_watchdog(void);
/* Whether the user has set it; else dispatches that may wait for the host are let alone (PACKET_PATIENT). */
bool driver_watchdog_given(void);
/* How a command is called in what the driver shows of it: given its arg (drv_submit) while it is on a device, on the thread that
 * pumps. NULL: it has no name. */
void driver_names(struct driver *, const char *(*name)(void *arg));
/* Counter or register of a device, read over the bus with the devices at rest. */
uint64_t driver_read_register(struct driver *, unsigned device, uint32_t offset, unsigned bits);
/* Firmware log so far, malloc'ed string. */
char *driver_firmware_log(struct driver *, unsigned device);

/* ---- address spaces and memory ---- */
int drv_space_create(struct driver *, struct drv_space **);
void drv_space_release(struct drv_space *); /* when its last buffer object is gone */

enum drv_bo_flags {
	DRV_BO_SYSTEM = 0,      /* pinned system memory: the host reads and writes it at cpu */
	DRV_BO_DRAM = 1,        /* DRAM of one device: reached by DMA and kernels of that device only */
	DRV_BO_READ_ONLY = 2,   /* the device cannot write */
	DRV_BO_EXECUTE = 4,     /* the device can execute it; it may keep what it has fetched: new code goes to
	                         * a new object, or after a tlb_invalidate packet */
	DRV_BO_UNCACHED = 8,    /* never held in device caches, where these are not coherent: what the host writes while
	                         * commands run, and hands over with a later one (kernel arguments, descriptors) */
	DRV_BO_UNDEFINED = 32,  /* system memory whose contents need not be zero: it is written before it is read */
	DRV_BO_SVM = 64,        /* system memory at the same address for the device as for the host, alone among all that
	                         * exist in the process */
	DRV_BO_STRICT = 128,    /* import: pages that the host can write are committed, though the device only reads them; and
	                         * where the range is not whole pages, no other such import has any of them */
	DRV_BO_PROTECTED = 256, /* with DRAM: reached by protected commands alone, and these write nothing else */
	DRV_BO_CONSISTENT = 512, /* import of a dma-buf: whoever has commands use it puts maintenance around them; for who looks on */
};
/* size in bytes, rounded up to pages; contents of fresh memory are zero for SYSTEM without DRV_BO_UNDEFINED,
 * undefined for DRAM. device matters for DRAM only. Where there is no memory, or much waits to be given back, looks what has
 * ended: waits then, and runs functions of ended commands: whoever calls it holds no lock that these take. */
int drv_bo_create(struct drv_space *, unsigned device, uint64_t size, unsigned flags, struct drv_bo **);
/* System memory of which parts are mapped with rights of their own (a program: text, constants,
 * variables); pages of no part are not mapped. Offsets are multiples of a page; parts share none. */
enum { DRV_PARTS_MAX = 8 };
struct drv_part {
	uint64_t offset, size;
	unsigned flags; /* DRV_BO_READ_ONLY, DRV_BO_EXECUTE, DRV_BO_UNCACHED */
};
int drv_bo_create_parts(struct drv_space *, uint64_t size, const struct drv_part *, unsigned count, struct drv_bo **);
/* Pins the pages of the host range [ptr, ptr + size) and maps them: true zero copy. The address
 * has ptr's offset in its page. */
int drv_bo_import(struct drv_space *, void *ptr, uint64_t size, unsigned flags, struct drv_bo **);
/* A dma-buf by its descriptor, of the heaps of galena/heap.h or of the kernel. */
struct drv_dmabuf {
	uint64_t device, inode; /* the same for every descriptor of one buffer */
	uint64_t size;          /* bytes, whole pages */
	bool writable;          /* by this descriptor */
	bool is_protected;
};
int drv_dmabuf_query(int fd, struct drv_dmabuf *);
/* Imports [offset, offset + size) of a dma-buf that is not protected: its pages are mapped for the devices and stay as long as
 * the object, whatever becomes of the descriptor, which stays the caller's. flags: DRV_BO_CONSISTENT, and DRV_BO_READ_ONLY, which
 * one that is not writable needs. Where caches are not coherent the driver does not maintain them for this memory, but when its last
 * import goes: a cache packet with its address and size does, or drv_dmabuf_maintain(). */
int drv_bo_import_dmabuf(struct drv_space *, int fd, uint64_t offset, uint64_t size, unsigned flags, struct drv_bo **);
/* The same for one that is protected: its memory is that device's. *clear: what it holds is undefined, and this importer has to clear all of
 * the buffer and say so (drv_bo_cleared); other importers wait for it. An import with clear NULL is one to do that with. DRV_INVALID:
 * another device has it. DRV_BUSY: another importer clears it, and the caller is a callback, which must not wait. */
int drv_bo_import_protected(struct drv_space *, unsigned device, int fd, uint64_t offset, uint64_t size, unsigned flags, bool *clear,
			    struct drv_bo **);
/* What the importer that had to clear a protected buffer has come to; not done: the next one has to. */
void drv_bo_cleared(struct drv_bo *, bool done);
/* Maintains the lines that devices hold of a dma-buf (device and inode of struct drv_dmabuf), in its place among the posts, and waits
 * until that is done; op as in a cache packet. Does nothing for one that has no import. DRV_DEVICE_LOST, DRV_NO_MEMORY. */
int drv_dmabuf_maintain(struct driver *, uint64_t device, uint64_t inode, unsigned op);
uint64_t drv_bo_address(const struct drv_bo *); /* device virtual address of byte 0 */
uint64_t drv_bo_size(const struct drv_bo *);
void *drv_bo_cpu(const struct drv_bo *);        /* NULL for DRAM */
/* Gives the object up. Its memory is unmapped and reused once every command that was submitted
 * before this call, on any queue of the space, has ended. */
void drv_bo_release(struct drv_bo *);

/* ---- queues ---- */
/* Called by the pump when a command (a packet with PACKET_END) has ended; in order per queue. */
typedef void (*drv_done_fn)(void *arg, const struct completion *);

int drv_queue_create(struct drv_space *, unsigned device, unsigned priority, struct drv_queue **);
/* Waits for nothing: queues with commands outstanding live on until they have ended. */
void drv_queue_release(struct drv_queue *);

/* The semaphore of a queue: physical address of its timeline payload, which counts ended commands. */
uint64_t drv_queue_timeline(const struct drv_queue *);

/* One command: packets in order; the driver sets END and IRQ on the last one, and its completion
 * record. private_bytes (per lane) is what dispatches in it need; the driver sees to the scratch
 * memory. Dispatches, copies and fills with the flag PACKET_PROTECTED are protected: all of the command are, or none. Not seen by the device before a flush. Returns in *command a handle that waits can name;
 * done (may be NULL) is called when it has ended. */
struct drv_command;
/* Never waits: where it returns DRV_NO_DEVICE_MEMORY or DRV_NO_MEMORY, a drv_sync() may give back what released objects had. */
int drv_submit(struct drv_queue *, const union packet *packets, unsigned count, uint32_t private_bytes,
	       drv_done_fn done, void *arg, struct drv_command **command);
/* Bounds what nobody ever waits for: before a drv_submit(), looks from time to time what has ended. Waits then, and
 * runs functions of ended commands: whoever calls it holds no lock that these take. */
void drv_throttle(struct drv_space *);
/* Fills a packet that makes what follows in its command wait for another command (of any queue,
 * any device of the driver) and fail with DEPENDENCY if it failed. */
void drv_command_wait_packet(const struct drv_command *, union packet *out);
/* Ended? Then *status is 0 or minus a fault code. Memory read, no bus access, never waits. */
bool drv_command_ended(const struct drv_command *, struct completion *out);
/* The fault record of a command that failed, or NULL. */
const struct fault_record *drv_command_fault(const struct drv_command *);
/* References: drv_submit hands one to the caller. */
void drv_command_retain(struct drv_command *);
void drv_command_release(struct drv_command *);

/* Posts what has been submitted to the queue; never waits. Also posts queues that its commands
 * wait for. */
void drv_flush(struct drv_queue *);
/* The same for several queues of one driver. The device finds their commands together, and may run them side by side. */
void drv_flush_all(struct drv_queue *const *queues, unsigned count);
/* Somebody who does not wait here wants to see the end of what has been posted (a callback): the driver's thread
 * takes it now, not when it has lain about for a while. Never waits. False: there is no such thread. */
bool drv_hurry(struct driver *);
/* Flushes, and waits until the command has ended. Covers it (see the head of this file). */
int drv_wait(struct drv_command *);
/* Waits until everything posted so far has run as far as it can. Covers what has ended. A status
 * query calls this first, so that its answer does not depend on the host's speed. */
void drv_sync(struct driver *);
/* Calls fn(arg) from the pump, in its place among the posts; as with callbacks, it must not wait. What
 * a callback posts itself follows before anything that others have posted meanwhile. */
int drv_post(struct driver *, void (*fn)(void *), void *arg);
/* Host's notion of device time, for the "queued" stamp: the largest cycle seen so far on the device. */
uint64_t drv_time(struct driver *, unsigned device);
/* Reads the device's cycle counter over the bus, in its place among the posts: each read takes its cycles, so that no
 * two are the same. What drv_time says is later from then on. */
uint64_t drv_clock(struct driver *, unsigned device);

/* ---- host-signalled semaphores ---- */
int drv_sem_create(struct driver *, struct drv_sem **);
/* Makes what follows in its command wait for the signal and fail if it came with an error. */
void drv_sem_wait_packet(const struct drv_sem *, union packet *out);
/* status 0 or negative. Posted, never waits. */
void drv_sem_signal(struct drv_sem *, int32_t status);
void drv_sem_release(struct drv_sem *);

/* A label for the tag of dispatch packets, under which their counts are reported; the same for the same name.
 * 0 when nobody counts (GALENA_COUNTERS). */
uint32_t drv_label(struct driver *, const char *name);

/* Statistics of one device, for tools: prints counters as "name value" lines. */
struct drv_counters { uint64_t cycles, lane_insns, warp_insns, dma_bytes, tlb_l1_miss, tlb_l2_miss, dispatches, cp_insns; };
void driver_counters(struct driver *, unsigned device, struct drv_counters *);

#endif
