/* What the user-mode drivers (OpenCL and its peers, tests) have in common: objects over the handles of the kernel-mode driver
 * (runtime/kmd/kmd.h, which says how time, order and addresses are determined), and functions that are called when commands end.
 *
 * Threads: every function may be called from any thread. Functions of ended commands run on the thread that waits, or on the completion
 * thread, one at a time, with no lock held; they must not wait.
 * Errors: 0 or a negative enum kmd_error. */
#ifndef GALENA_RUNTIME_UMD_H
#define GALENA_RUNTIME_UMD_H
#include "abi/codes.h"
#include "abi/packets.h"
#include "abi/records.h"
#include "runtime/kmd/kmd.h"
#include <stdbool.h>
#include <stdint.h>

struct umd;         /* the devices, as one client sees them */
struct umd_space;   /* an address space: page tables, an ASID */
struct umd_bo;      /* a buffer object: memory with an address in one space */
struct umd_queue;   /* an in-order stream of commands; any number of them per device */
struct umd_sem;     /* a fence: that the host signals (user events), or a binary semaphore */

/* Opens devices as the environment says (GALENA_DEVICE, GALENA_CONFIG, GALENA_SPEED,
 * GALENA_DEVICES, GALENA_TRACE, GALENA_HASH), loads and boots firmware on each. NULL with *error
 * one line saying what is missing and how to get it. */
struct umd *umd_open(const char **error);
/* No other thread is inside, and nothing of the driver is used afterwards. */
void umd_close(struct umd *);
/* The process ends, its threads may be anywhere: completes what is recorded, and takes nothing down. Where something is recorded,
 * the devices are lost to this thread from then on, and other threads do not return from calls of the driver. */
void umd_exit(struct umd *);
unsigned umd_num_devices(const struct umd *);
const struct kmd_device_info *umd_device_info(const struct umd *, unsigned device);
/* Identities: of a device, the same in every process that opens it in the same configuration, and another for each
 * number; of the driver, another for each version. They never change while the driver is open. */
void umd_device_uuid(const struct umd *, unsigned device, uint8_t out[KMD_UUID_BYTES]);
void umd_uuid(const struct umd *, uint8_t out[KMD_UUID_BYTES]);
/* Cycles that a kernel may run without a work-group that ends, and a transfer without a byte that moves; 0: no limit. */
uint64_t umd_watchdog(const struct umd *);
/* Whether the user has set it; else dispatches that may wait for the host are let alone (PACKET_PATIENT). */
bool umd_watchdog_given(const struct umd *);
/* Counter or register of a device, read over the bus with the devices at rest. */
uint64_t umd_read_register(struct umd *, unsigned device, uint32_t offset, unsigned bits);
/* Firmware log so far, malloc'ed string. */
char *umd_firmware_log(struct umd *, unsigned device);

/* ---- address spaces and memory ---- */
int umd_space_create(struct umd *, struct umd_space **);
void umd_space_release(struct umd_space *); /* when its last buffer object is gone */

/* size in bytes, rounded up to pages; contents of fresh memory are zero for SYSTEM without KMD_BO_UNDEFINED,
 * undefined for DRAM. device matters for DRAM only. Where memory is short, or much of it waits to be
 * given back, waits and handles completions: the caller holds no lock that their functions take. */
int umd_bo_create(struct umd_space *, unsigned device, uint64_t size, unsigned flags, struct umd_bo **);
/* System memory of which parts are mapped with rights of their own: see struct kmd_part. */
int umd_bo_create_parts(struct umd_space *, uint64_t size, const struct kmd_part *, unsigned count, struct umd_bo **);
/* Pins the pages of the host range [ptr, ptr + size) and maps them: true zero copy. The address
 * has ptr's offset in its page. */
int umd_bo_import(struct umd_space *, void *ptr, uint64_t size, unsigned flags, struct umd_bo **);
/* A dma-buf by its descriptor, of the heaps of galena/heap.h or of the kernel. */
int umd_dmabuf_query(int fd, struct kmd_dmabuf *);
/* Imports [offset, offset + size) of a dma-buf that is not protected: its pages are mapped for the devices and stay as long as
 * the object, whatever becomes of the descriptor, which stays the caller's. flags: KMD_BO_CONSISTENT, and KMD_BO_READ_ONLY, which
 * one that is not writable needs. Where caches are not coherent the driver does not maintain them for this memory, but when its last
 * import goes: a cache packet with its address and size does, or umd_dmabuf_maintain(). */
int umd_bo_import_dmabuf(struct umd_space *, int fd, uint64_t offset, uint64_t size, unsigned flags, struct umd_bo **);
/* The same for one that is protected: its memory is that device's. *clear: what it holds is undefined, and this importer has to clear all of
 * the buffer and say so (umd_bo_cleared); other importers wait for it. An import with clear NULL is one to do that with. KMD_INVALID:
 * another device has it. KMD_BUSY: another importer clears it, and the caller is a callback, which must not wait. */
int umd_bo_import_protected(struct umd_space *, unsigned device, int fd, uint64_t offset, uint64_t size, unsigned flags, bool *clear,
			    struct umd_bo **);
/* The importer that had to clear a protected buffer has done so, or not: then the next importer has to. */
void umd_bo_cleared(struct umd_bo *, bool done);
/* Maintains the lines that devices hold of a dma-buf (device and inode of struct kmd_dmabuf), in its place among the work of the client, and waits
 * until that is done; op as in a cache packet. Does nothing for one that has no import. KMD_DEVICE_LOST, KMD_NO_MEMORY. */
int umd_dmabuf_maintain(struct umd *, uint64_t device, uint64_t inode, unsigned op);
/* A descriptor of an object that was made with KMD_BO_SHARED; it is the caller's. */
int umd_bo_export(const struct umd_bo *, int *fd);
/* The fence of those who use a dma-buf, of any client: a command has its turn with umd_turn_packets() of it, and begins when all users
 * before it have ended. The host waits for all of them with umd_sem_wait(), whatever the value. It can be exported as a sync file.
 * umd_sem_release() gives it up. */
int umd_bo_users(const struct umd_bo *, struct umd_sem **);
/* Fills two packets of a command. Who comes later waits until this command is flushed. */
void umd_turn_packets(const struct umd_sem *, union packet out[2]);
uint64_t umd_bo_address(const struct umd_bo *); /* device virtual address of byte 0 */
uint64_t umd_bo_size(const struct umd_bo *);
void *umd_bo_cpu(const struct umd_bo *);        /* NULL for DRAM */
/* Gives the object up. Its memory is unmapped and reused once every command that was submitted
 * before this call, on any queue of the space, has ended. */
void umd_bo_release(struct umd_bo *);

/* ---- queues ---- */
/* Called when a command has ended; in order per queue. */
typedef void (*umd_done_fn)(void *arg, const struct completion *);

int umd_queue_create(struct umd_space *, unsigned device, unsigned priority, struct umd_queue **);
/* Waits for nothing: queues with commands outstanding live on until they have ended. */
void umd_queue_release(struct umd_queue *);

/* One command: packets in order; the driver sets END and IRQ on the last one, and its completion
 * record. private_bytes (per lane) is what dispatches in it need; the driver sees to the scratch
 * memory. Dispatches, copies, fills and media jobs with the flag PACKET_PROTECTED are protected: all of the command are, or
 * none. The device does not see it before a flush. Semaphore packets, wherever they stand, come from umd_command_wait_packet() and
 * umd_sem_wait_packet(). Returns in *command what waits can name; done (may be NULL) is called when it has ended. */
struct umd_command;
/* Never waits: where it returns KMD_NO_DEVICE_MEMORY or KMD_NO_MEMORY, a umd_sync() may give back what released objects had. */
int umd_submit(struct umd_queue *, const union packet *packets, unsigned count, uint32_t private_bytes,
	       umd_done_fn done, void *arg, struct umd_command **command);
/* Bounds the commands of a client that never waits: called before umd_submit(), it waits when very many have not been seen ended, and
 * handles completions: the caller holds no lock that their functions take. */
void umd_throttle(struct umd_space *);
/* Fills a packet that makes what follows in its command wait for another command (of any queue,
 * any device of the driver) and fail with DEPENDENCY if it failed. */
void umd_command_wait_packet(const struct umd_command *, union packet *out);
/* Ended? Then *status is 0 or minus a fault code. Memory read, no bus access, never waits. */
bool umd_command_ended(const struct umd_command *, struct completion *out);
/* The fault record of a command that failed, or NULL. */
const struct fault_record *umd_command_fault(const struct umd_command *);
/* The import of which a command that failed with UNMAPPED may have accessed unmapped memory, or NULL. */
const struct kmd_import *umd_command_import(const struct umd_command *);
/* References: umd_submit hands one to the caller. */
void umd_command_retain(struct umd_command *);
void umd_command_release(struct umd_command *);

/* Hands what has been submitted to the queue to the device, and what its commands wait for; never waits. */
void umd_flush(struct umd_queue *);
/* The same for several queues of one driver. The device finds their commands together, and may run them side by side. */
void umd_flush_all(struct umd_queue *const *queues, unsigned count);
/* The completion thread carries out the work that is queued now, not after a while: its end is awaited without a wait here (by a
 * callback, say). Never waits. False: there is no such thread. */
bool umd_hurry(struct umd *);
/* Flushes, and waits until the command has ended. The driver may reuse what the command used from then on. */
int umd_wait(struct umd_command *);
/* Waits until everything that the client has flushed has run as far as it can. The driver may reuse what ended commands used. A status
 * query calls this first, so that its answer does not depend on the host's speed. */
void umd_sync(struct umd *);
/* Calls fn(arg) in its place among the work of the client, as functions of ended commands are called. */
int umd_post(struct umd *, void (*fn)(void *), void *arg);
/* Host's notion of device time, for the "queued" stamp: the largest cycle seen so far on the device. */
uint64_t umd_time(struct umd *, unsigned device);
/* Reads the device's cycle counter over the bus, in its place among the work of the client: each read takes its cycles, so that no
 * two are the same. What umd_time says is later from then on. */
uint64_t umd_clock(struct umd *, unsigned device);

/* ---- fences (semaphore.c) ---- */
/* flags: of KMD_FENCE_CREATE. */
int umd_sem_create(struct umd *, unsigned flags, struct umd_sem **);
/* By a descriptor, which stays the caller's. A sync file can only be waited for. */
int umd_sem_import(struct umd *, enum kmd_fence_kind, int fd, struct umd_sem **);
/* A descriptor of one that is shared; it is the caller's. A sync file takes a signal, as a command's wait does. */
int umd_sem_export(struct umd_sem *, enum kmd_fence_kind, int *fd);
void umd_sem_release(struct umd_sem *);
/* One that the host signals, once. Makes what follows in its command wait for the signal and fail if it came with an error. */
void umd_sem_wait_packet(const struct umd_sem *, union packet *out);
/* status 0 or negative; the first signal counts. Never waits. */
void umd_sem_signal(struct umd_sem *, int32_t status);
/* A binary semaphore: what follows in the command waits for a signal and takes it; the command signals. */
void umd_sem_take_packet(const struct umd_sem *, union packet *out);
void umd_sem_give_packet(const struct umd_sem *, union packet *out);
/* The host signals. */
void umd_sem_give(struct umd_sem *);
/* It is signalled, and no command that was submitted takes that; a sync file's point is reached. Waits as umd_sync() does. */
bool umd_sem_given(struct umd_sem *);
/* The host takes a signal that is there. The semaphore is shared. */
int umd_sem_take(struct umd_sem *);
/* A timeline: what follows in the command waits for a value; the command signals one when it ends; the host does. value > 0. */
void umd_sem_reach_packet(const struct umd_sem *, uint64_t value, union packet *out);
void umd_sem_advance_packet(const struct umd_sem *, uint64_t value, union packet *out);
int umd_sem_advance(struct umd_sem *, uint64_t value);
/* Waits for a value; KMD_FENCE_FAILED. */
int umd_sem_wait(struct umd_sem *, uint64_t value);
/* What it is now; waits for nothing. */
int umd_sem_query(const struct umd_sem *, struct kmd_fence_value *);

/* A label for the tag of dispatch packets, under which their counts are reported, and which the line on a terminal shows; the same for the
 * same name. 0 without memory. */
uint32_t umd_label(struct umd *, const char *name);

/* Counters of one device, read over the bus. */
void umd_counters(struct umd *, unsigned device, struct kmd_counter_values *);

#endif
