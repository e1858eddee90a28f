/* What the files of the driver share.
 *
 * Two sides. The plan: who owns which page number, address, slot, identifier; changed by API calls
 * under driver.lock, in the order of the calls alone. The device side: page tables, pin table,
 * rings, registers; changed only by the pump, as it applies posted items one after the other. A
 * structure says which of its fields belong to which side; a field handed over in a post belongs to
 * the pump from then on. */
#ifndef GALENA_RUNTIME_DRIVER_INTERNAL_H
#define GALENA_RUNTIME_DRIVER_INTERNAL_H
#include "abi/address_map.h"
#include "abi/bus.h"
#include "abi/codes.h"
#include "abi/counters.h"
#include "abi/device_config.h"
#include "abi/packets.h"
#include "abi/pte.h"
#include "abi/records.h"
#include "abi/registers.h"
#include "base/probe.h"
#include "runtime/kmd/kmd.h"
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { DRIVER_MAX_DEVICES = 16, RING_PACKETS = 256 };
enum { SUBMIT_PACKETS_MAX = 1 << 24 };
/* So much may wait to be seen ended before the driver looks by itself. */
enum { THROTTLE_COMMANDS = 16384 };
#define THROTTLE_BYTES (256ull << 20)

struct device;
struct driver;
struct file;
struct vm;
struct bo;
struct queue;
struct command;
struct semaphore;

static inline uint64_t page_round(uint64_t v) { return (v + GALENA_PAGE_SIZE - 1) & ~(GALENA_PAGE_SIZE - 1); }

/* ---- work items (worker.c) ---- */
struct work {
	struct work *next;
	uint64_t seq;  /* 1, 2, ... in the order in which the file has queued them */
	void (*apply)(struct driver *, struct work *); /* the driver's lock is not held; may free the item */
	bool light;    /* applying it gives no device work and queues nothing */
};
#define work_owner(post_, type, member) ((type *)((char *)(post_) - offsetof(type, member)))

/* ---- free extents of a linear space: VA heaps, DRAM (extents.c) ---- */
struct extent { uint64_t base, size; };
struct extents {
	struct extent *free; /* sorted, none adjacent */
	unsigned count, capacity, live; /* live: allocations that are out */
};
int extents_init(struct extents *, uint64_t base, uint64_t size);
void extents_fini(struct extents *);
/* Lowest address that fits; UINT64_MAX when none does. */
uint64_t extents_alloc(struct extents *, uint64_t size, uint64_t align);
/* Room for the extent is reserved by extents_alloc, so this cannot fail. */
void extents_free(struct extents *, uint64_t base, uint64_t size);

/* ---- memory ahead of its use (ahead.c); driver.lock ---- */
#define HUGE_SIZE (1ull << 21) /* bytes of a large page, of devices and of the host */
struct table { /* used from its beginning on */
	char *at;     /* whole pages, never touched yet */
	size_t size;  /* bytes */
	size_t ready; /* of them, in memory */
	size_t bits;  /* of a pinned page */
	bool huge;    /* may have large pages */
};
struct part {
	char *at;
	size_t size;
};
/* With so much in use, is less than half of what should be ready ahead of it? */
bool table_low(const struct table *, size_t used);
/* What is to be brought next, and counts as ready from now on; false: there is enough. */
bool table_next(struct table *, size_t used, struct part *);
/* All that should be ready. Lock held, dropped meanwhile; the pump's thread. */
void ahead_bring(struct driver *, const struct file *);

/* ---- pin table (pins.c) ---- */
enum { PIN_READ = 1, PIN_WRITE = 2 };
/* 16 Mi pages, 64 GiB, in each of two windows: of memory that maintenance of everything maintains, numbered from 0, and of
 * SYSTEM_MANUAL, numbered from PIN_MANUAL on. */
enum { PIN_BLOCK = 1 << 18, PIN_WINDOWS = 2, PIN_WINDOW = 1 << 24, PIN_MANUAL = PIN_WINDOW, PIN_BLOCKS = PIN_WINDOWS * PIN_WINDOW / PIN_BLOCK };
enum { PIN_RUN = 512 }; /* pages of 2 MiB */

struct pin { /* device side */
	uintptr_t page; /* the host's address, and in the bits below a page's size PIN_READ | PIN_WRITE; 0: not pinned */
};
static inline uint8_t pin_rights(struct pin pin) { return pin.page & (PIN_READ | PIN_WRITE); }
static inline uint8_t *pin_host(struct pin pin) { return (uint8_t *)(pin.page & ~(uintptr_t)(GALENA_PAGE_SIZE - 1)); }
/* An extent of pages, or of PFNs, that are referenced alike. None goes beyond a frame: PIN_RUN pages at a multiple of it. */
struct pin_piece {
	uint64_t page;               /* the first: the host's address, in pages; or a PFN */
	uint32_t count, number;      /* pages; of a page of the host, its PFN */
	uint32_t refs, write_refs;
};
struct pin_frame { /* the extents of all frames that share the entry, sorted */
	struct pin_piece *pieces;
	uint32_t count, room;
};
struct pin_map {
	struct pin_frame *frames; /* PIN_FRAMES, by the frames' first pages modulo that */
};
enum {
	PIN_LIVE,       /* pages of the host that whoever pins them shares */
	PIN_REFERENCES, /* by PFN: all that are pinned */
	PIN_CLAIMED,    /* pages of ranges with PIN_UNALIGNED */
	PIN_MAPS
};
struct pin_block {
	struct pin pin[PIN_BLOCK];
};
struct pins {
	struct pin_block **blocks;
	uint64_t *used;        /* bitmap of page numbers */
	uint32_t hint[PIN_WINDOWS]; /* no free number of the window below it */
	uint32_t last[PIN_WINDOWS]; /* the highest number of the window so far */
	struct pin_map maps[PIN_MAPS];
	uint32_t num_pinned;
	struct table used_table[PIN_WINDOWS], pin_table[PIN_BLOCKS]; /* of blocks that there are */
	volatile uint64_t generation; /* device side */
};
/* Pages with numbers in a row, and alike rights. */
struct pin_range {
	uint32_t number;
	uint32_t count : 30;
	uint32_t rights : 2; /* PIN_READ | PIN_WRITE; 0: no longer pinned */
};
/* What is pinned, or changes, of pages side by side in the host: in their order. Empty: all 0. */
struct pin_list {
	uint32_t count, room;
	struct pin_range one, *many; /* the only one, or room for some */
};
static inline const struct pin_range *pin_list_ranges(const struct pin_list *l) { return l->many ? l->many : &l->one; }
/* Room for so many; false when memory is short. */
bool pin_list_reserve(struct pin_list *, uint64_t ranges);
/* One more, or the last one longer; false when memory is short, never in a list that has room. */
bool pin_list_add(struct pin_list *, struct pin_range);
void pin_list_free(struct pin_list *);
/* A place in a list: its pages are mostly looked at one after the other. */
struct pin_cursor {
	const struct pin_list *list;
	uint32_t at;    /* a range */
	uint64_t first; /* the first of its pages, counted from the list's beginning */
};
/* The number of a page of the list, counted from its beginning. */
uint32_t pin_list_number(struct pin_cursor *, uint64_t page);
int pins_init(struct pins *);
void pins_fini(struct pins *);
void pins_bus_memory(struct driver *, struct bus_memory *);
enum pin_how {
	PIN_FOR_WRITE = 1, /* the device may write the pages */
	PIN_IN_A_ROW = 2,  /* page numbers in a row, where none of the pages is pinned already; otherwise every PIN_RUN pages of the range
	                    * have theirs in a row, beginning at a multiple of it, where none of them was pinned before */
	PIN_BY_ADDRESS = 8, /* numbered in SYSTEM_MANUAL, unless the page has a number already */
	PIN_UNALIGNED = 4, /* of a range that is not whole pages, and shares none with another live one that is pinned so */
	PIN_PART_FIRST = 16, PIN_PART_LAST = 32, /* the range has a part of its first page, or its last one: the pin has a PFN of its own for it */
};
/* Is too little of the tables in memory, and what should be next: see table_low(), table_next(). */
bool pins_low(const struct pins *);
bool pins_next(struct pins *, struct part *);
/* Plan: references the pages from host on, gives them PFNs and fills an empty list for pins_apply. how: enum pin_how.
 * 0, KMD_NO_MEMORY or KMD_SHARED_PAGE: then nothing is referenced. */
int pins_add(struct pins *, uint8_t *host, uint64_t count, unsigned how, struct pin_list *);
/* Plan: of what one pins_add() pinned so. Who pins the pages from now on does not share their PFNs, nor is refused for them. */
void pins_leave(struct pins *, const uint8_t *host, uint64_t count, unsigned how);
/* Plan: drops the references of one pins_add(), which filled the list added; after pins_leave(). Fills a list, which has room for as many
 * ranges as pages, with the rights that are left. */
void pins_drop(struct pins *, const struct pin_list *added, unsigned how, struct pin_list *);
/* Device side: of the pages from host on. */
void pins_apply(struct driver *, uint8_t *host, const struct pin_list *);
uint32_t pins_find(const struct pins *, const uint8_t *host);     /* the number of a page, or UINT32_MAX; plan */
/* Host address of system memory at a physical address, device side; NULL when it is not pinned. */
void *pins_host(const struct pins *, uint64_t pa);
static inline uint64_t pin_pa(uint32_t number)
{
	return number < PIN_MANUAL ? SYSTEM_BASE + (uint64_t)number * GALENA_PAGE_SIZE
				   : SYSTEM_MANUAL_BASE + (uint64_t)(number - PIN_MANUAL) * GALENA_PAGE_SIZE;
}
/* The number of the page at a physical address that may be any; UINT32_MAX when there is none for it. */
static inline uint32_t pin_number(uint64_t pa)
{
	const uint64_t base = pa < SYSTEM_MANUAL_BASE ? SYSTEM_BASE : SYSTEM_MANUAL_BASE, n = (pa - base) / GALENA_PAGE_SIZE;
	return pa < base || n >= PIN_WINDOW ? UINT32_MAX : (uint32_t)n + (base == SYSTEM_BASE ? 0 : PIN_MANUAL);
}

/* ---- internal memory: pinned pages and 32-byte slots (slab.c) ---- */
struct slot { /* 32 bytes that the device sees */
	void *host;
	struct slab_page *page;
	uint64_t pa;
};
struct page { /* a pinned page for the driver's own use */
	uint8_t *host;
	uint32_t number;
	bool dirty; /* was used before: whoever applies its first use clears it */
};
struct arena_room;
struct arena_chunk;
struct slab_page;
struct memory {
	struct arena_room *rooms; /* what is mapped; of the first, pages from free_from on are not handed out yet */
	uint64_t free_from;
	struct arena_chunk *chunks;
	struct page *free_pages;
	unsigned num_free, cap_free;
	struct slab_page *slabs, *slabs_with_room;
	struct queue_block *free_blocks, *all_blocks;
};
int memory_page_alloc(struct driver *, struct page *);
void memory_page_free(struct driver *, struct page);
int memory_slot_alloc(struct driver *, struct slot *);
void memory_slot_free(struct driver *, struct slot);
void memory_fini(struct driver *);
/* Maps zeroed host pages and pins them in a row, at once (boot) or by a post. */
uint8_t *memory_pin_fresh(struct driver *, uint64_t pages, uint32_t *first_number);

/* Memory of one hardware-visible queue: ring, then a page with descriptor and timeline. */
struct queue_block {
	struct queue_block *next_free, *next;
	uint8_t *host;
	uint64_t pa;
};
enum { BLOCK_RING_PAGES = RING_PACKETS * PACKET_SIZE / 4096, BLOCK_PAGES = BLOCK_RING_PAGES + 1, BLOCK_TIMELINE = 128 };
static inline uint64_t queue_block_desc(const struct queue_block *b)
{
	return b->pa + BLOCK_RING_PAGES * GALENA_PAGE_SIZE;
}
static inline uint64_t queue_block_timeline(const struct queue_block *b)
{
	return queue_block_desc(b) + BLOCK_TIMELINE;
}
struct queue_block *memory_block_alloc(struct driver *);
void memory_block_free(struct driver *, struct queue_block *);

/* ---- address spaces (space.c, pagetable.c) ---- */
struct pt_node {
	struct page page;
	bool linked;             /* device side: cleared and ready */
	struct pt_node **child;  /* NULL at level 0 */
};
struct vm {
	struct driver *driver;
	struct file *file;          /* whose it is */
	struct vm *prev, *next;
	unsigned refs;           /* the user's, one a buffer object, one a queue */
	uint16_t asid;
	struct extents va;
	struct pt_node *root;
	struct queue *queues; /* by vm_next */
	struct bo *bos;       /* all that are not reclaimed */
	struct work create, destroy;
	uint32_t devices;        /* device side: whose queues have used it */
};
void vm_ref(struct vm *);
void vm_unref(struct vm *);  /* lock held */
/* Plan: makes the tables for [va, va + size); huge: with 2 MiB leaves where they fit. */
int pagetable_prepare(struct driver *, struct vm *, uint64_t va, uint64_t size, bool huge);
/* Device side. next_pa is called for each leaf in turn; bits without address. */
void pagetable_map(struct vm *, uint64_t va, uint64_t size, bool huge,
		   uint64_t (*pa_of)(void *ctx, uint64_t offset), void *ctx, uint64_t bits);
void pagetable_unmap(struct vm *, uint64_t va, uint64_t size, bool huge);
/* Plan: the pages may be used anew by later posts. The nodes stay for posts on their way. */
void pagetable_give_back(struct driver *, struct pt_node *, int level);
void pagetable_free(struct pt_node *, int level);

/* ---- devices whose caches are not coherent (caches.c) ---- */
/* Copies a command and puts maintenance of everything around each run of packets that use memory. Returns the number of
 * packets, at most three times as many. */
unsigned caches_around(const union packet *in, unsigned count, union packet *out);
/* Device side: maintains the lines of pinned pages in all devices; op as in a cache packet. */
void caches_maintain(struct driver *, const struct pin_list *, unsigned op);

/* ---- buffer objects (bo.c) ---- */
struct bo {
	struct vm *vm;
	struct bo *prev, *next;
	uint64_t va, va_size;    /* first page, without the guard page */
	uint64_t size, offset;   /* as asked; offset of byte 0 in the first page */
	unsigned flags, device;
	bool huge, imported, fenced;
	bool left;               /* of host memory: whoever pins its pages now does not share their PFNs */
	uint8_t *host;           /* first page, NULL for DRAM */
	struct dmabuf *dmabuf;   /* whose memory it is, or NULL */
	unsigned how;            /* of the pins; enum pin_how */
	uint64_t pages;
	uint64_t dram;           /* physical address */
	unsigned fences;         /* queues whose commands may still use it */
	struct pin_list pin;     /* what its map changes; plan, then constant. Empty for DRAM */
	struct pin_list unpin;   /* what its unmap does */
	struct kmd_part *parts;  /* rights, where they differ within the object */
	unsigned num_parts;
	struct work map, unmap;
};
/* Lock held. */
int bo_create(struct vm *, unsigned device, uint64_t size, unsigned flags, const struct kmd_part *, unsigned num_parts, struct bo **);
uint64_t bo_address(const struct bo *); /* device virtual address of byte 0 */
void bo_release_locked(struct bo *);
void bo_reclaim(struct bo *); /* plan: every command that may use it is covered */
void bo_destroy(struct bo *); /* frees host memory, at close or as its unmapping is applied */
/* Imports a range of the process' memory. how: pins that are more than the flags say. dmabuf: whose memory it is, whose reference goes to
 * the object; or NULL. retry: the client has waited for released memory. */
int bo_import_host(struct vm *, void *ptr, uint64_t size, unsigned flags, unsigned how, struct dmabuf *, bool retry, struct bo **);
/* 0, or what the client has to wait for before it gets more memory: KMD_BEHIND, KMD_AGAIN. Lock held. */
enum { MANY_BEHIND = 4096 };
int bo_pressure(struct file *, bool retry);
/* The address space of a handle, or NULL. The caller of the request keeps the handle. */
struct vm *vm_of(struct file *, uint32_t handle);
/* The same for DRAM that is a dma-buf's, from a physical address on. Lock held. */
int bo_import_dram(struct vm *, unsigned device, uint64_t pa, uint64_t size, unsigned flags, struct dmabuf *, struct bo **);

/* ---- dma-bufs (dmabuf.c); driver.lock ---- */
/* The requests, without a handle; the lock is not held. */
int bo_import_dmabuf(struct vm *, int fd, uint64_t offset, uint64_t size, unsigned flags, bool retry, struct bo **);
int bo_import_protected(struct vm *, unsigned device, int fd, uint64_t offset, uint64_t size, unsigned flags, bool *clear, struct bo **);
void dmabuf_put(struct driver *, struct dmabuf *);
/* Of protected buffers without imports, which are kept, gives up the oldest if they are more than most. False: they are not. */
bool dmabuf_evict(struct driver *, unsigned most);
void dmabufs_fini(struct driver *); /* at close */

/* ---- protected memory (protected.c); driver.lock ---- */
struct region { /* plan */
	uint64_t base, size; /* size 0: none */
	struct extents room;
};
/* The physical address of so many bytes, whole pages; UINT64_MAX: there are none. What they hold is undefined. */
uint64_t protected_alloc(struct driver *, struct device *, uint64_t size, uint64_t align);
void protected_free(struct driver *, struct device *, uint64_t pa, uint64_t size);
void protected_fini(struct device *);

/* ---- host memory without an object (spare.c); driver.lock ---- */
enum { SPARES_MAX = 16 };
struct spares {
	uint8_t *host[SPARES_MAX]; /* the oldest first */
	uint64_t pages[SPARES_MAX], bytes;
	unsigned count;
};
/* Memory of that many pages with whatever it last held, or NULL. */
uint8_t *spare_take(struct spares *, uint64_t pages);
/* Takes the memory over; false: it is not worth it. */
bool spare_keep(struct spares *, uint8_t *host, uint64_t pages);
void spares_fini(struct spares *);

/* ---- shared virtual memory (svm.c); driver.lock ---- */
/* Where its addresses begin. ThreadSanitizer leaves a process a few windows of them; one begins where no program is loaded. */
#ifdef __SANITIZE_THREAD__
#define SVM_BASE 0x550000000000ull
#else
#define SVM_BASE VA_SVM_BASE
#endif
struct svm_range {
	uint8_t *base;     /* NULL until it is first needed */
	uint64_t size;     /* of the range, bytes */
	bool told;         /* that there are no more addresses */
	uint64_t open;     /* bytes from base on that the process can access */
	struct extents va; /* free addresses */
};
/* Zeroed memory of whole pages at an address that means the same to host and devices; NULL: none left. */
uint8_t *svm_take(struct svm_range *, uint64_t bytes);
/* Nobody uses it any more, device or host. */
void svm_give_back(struct svm_range *, uint8_t *host, uint64_t bytes);
void svm_close(struct svm_range *);

/* ---- commands (command.c) ---- */
enum dep_kind { DEP_QUEUE, DEP_SEM };
struct dep {
	enum dep_kind kind;
	struct queue *queue;     /* DEP_QUEUE: and value, the ordinal waited for */
	uint64_t value;
	struct command *command; /* whose completion record is looked at, or NULL */
	struct semaphore *sem;
};
struct ended { /* a completion that the client has not had yet */
	struct ended *next;
	struct command *command; /* NULL: a mark */
	uint64_t cookie;
};
struct command {
	struct command *group_next;     /* of a flush: first command of another queue */
	struct queue *queue;
	struct command *next;           /* plan: pending; device side: backlog, in flight */
	uint64_t ordinal;               /* 1 for the queue's first; what its timeline shows once it has ended */
	unsigned refs;                  /* plan: the queue's until it is covered, one a waiter */
	struct slot record;
	struct work work;               /* of the flush that this command is the first of */
	uint64_t scratch, scratch_size; /* what the queue's descriptor must say */
	uint64_t first;                 /* device side: ring index of its first packet */
	uint32_t label;
	struct ended ended;
	struct completion completion;   /* valid once ended */
	struct fault_record *fault;
	atomic_int state;               /* enum command_state */
	unsigned num_waits, num_signals, num_packets;
	struct dep *deps;               /* waits first, then semaphores that its packets signal */
	union packet packets[];
};
enum command_state { COMMAND_OUTSTANDING, COMMAND_ENDED, COMMAND_RETIRED /* and the client has handled its completion */ };
void command_unref(struct command *); /* lock held */
/* Commands of a queue up to an ordinal have ended and somebody has seen it (command.c). */
void cover(struct driver *, struct queue *, uint64_t ordinal);
void cover_all_ended(struct file *);
void cover_finish(struct file *, uint64_t seq);
/* The client has waited: many more commands may wait to be seen ended before it has to again. */
void throttle_reset(struct file *);

/* ---- queues (queue.c), hardware slots (slots.c) ---- */
struct fence { /* a released buffer object waits for a queue */
	struct fence *next;
	struct bo *bo;
	uint64_t ordinal;
};
struct queue {
	struct vm *vm;
	struct queue *prev, *next;  /* all of the driver */
	struct queue *vm_prev, *vm_next;
	unsigned device, priority;
	unsigned refs;                  /* plan: the user's, one a command */
	struct queue_block *block;
	/* plan */
	uint32_t handle, fence;
	uint64_t submitted, covered;
	struct command **commands;      /* that are not covered, by ordinal modulo room */
	uint64_t room;                  /* a power of two */
	struct failed { uint64_t *ordinals; unsigned count, room; } failed; /* covered commands that have failed, in order */
	struct command *pending, **pending_tail;     /* not flushed */
	struct fence *fences, **fences_tail;
	struct scratch { struct bo *bo; uint32_t bytes; /* of a lane */ } scratch[2]; /* of commands, of protected ones */
	struct queue *flush_next, *cover_next;
	bool flush_mark, cover_mark;
	uint64_t cover_target;
	struct work create, destroy;
	/* device side */
	volatile struct queue_desc *desc;
	union packet *ring;
	int slot;                       /* -1: none */
	bool waiting, broken;
	uint64_t nudged;                /* read index at which the queue was last told to go on, */
	unsigned nudges;                /* and how often there */
	struct queue *waiting_next;
	uint64_t bound_at;              /* for the least recently bound */
	uint64_t write, fed;            /* packets written; of the backlog's first command */
	struct command *backlog, **backlog_tail;
	struct command *inflight, **inflight_tail;
	uint32_t watch[DRIVER_MAX_DEVICES]; /* commands of each device that wait for it */
};
static inline volatile uint64_t *queue_timeline(const struct queue *q)
{
	return (volatile uint64_t *)(q->block->host + BLOCK_RING_PAGES * GALENA_PAGE_SIZE + BLOCK_TIMELINE);
}
void queue_unref(struct queue *); /* lock held */
void queue_flush_locked(struct queue *);
/* A command that is not covered; NULL: it is. Lock held. */
static inline struct command *queue_command(const struct queue *q, uint64_t ordinal)
{
	return ordinal > q->covered && ordinal <= q->submitted ? q->commands[ordinal & (q->room - 1)] : NULL;
}
/* The client has handled the completions of all commands up to the ordinal. Lock held. */
bool queue_retired(const struct queue *, uint64_t ordinal);
/* The command was covered, and has failed. */
bool queue_failed(const struct queue *, uint64_t ordinal);
/* Lets the queue run what is in its backlog. */
void slots_kick(struct driver *, struct queue *);
void slots_remove(struct driver *, struct queue *);
/* Gives free slots to queues that wait for one; at_rest: parked queues make room. */
void slots_schedule(struct driver *, unsigned device, bool at_rest);
void slots_feed(struct driver *, struct queue *);
/* What the command waits for before its first packet that is no wait has come about. */
bool slots_waits_over(const struct driver *, const struct command *);
/* Ends every command of the queue that the device has with a status. */
/* Nothing of the file's queues can go on by itself. While the devices run for others. */
bool slots_file_idle(const struct driver *, const struct file *);
void slots_abandon(struct driver *, struct queue *, int status);
/* Device side: the command no longer waits for anything. */
void queue_unwatch(const struct command *);

/* ---- semaphores (sem.c) ---- */
struct semaphore {
	struct driver *driver;
	struct file *file;
	struct semaphore *dead_next;
	unsigned refs;              /* plan: the user's, one a waiter */
	struct slot payload, record;
	bool posted;
	int32_t status;
	struct work signal;
	uint32_t watch[DRIVER_MAX_DEVICES]; /* device side */
};
void sem_unref(struct semaphore *);
/* The first signal counts. Lock held. */
void sem_signal(struct semaphore *, int32_t status);
void sems_reap(struct file *, bool all);
/* Device side: a payload has changed in memory; tells the devices that wait for it, but one. */
void notify_watchers(struct driver *, const uint32_t *watch, uint64_t pa, unsigned except);

/* ---- files (file.c): what a client has open ---- */
enum handle_kind { HANDLE_FREE, HANDLE_VM, HANDLE_BO, HANDLE_QUEUE, HANDLE_TIMELINE, HANDLE_COMMAND, HANDLE_FENCE };
struct handle {
	void *object; /* of a free one, the next + 1 */
	enum handle_kind kind;
	uint32_t generation;
};
struct call;
struct file {
	struct driver *driver;
	struct file *next;
	struct handle *handles;     /* from 1 on */
	uint32_t num_handles, free_handle; /* the first free one + 1; each has the next */
	/* work */
	struct work *head, **tail;  /* queued, not applied */
	struct work *follow, **follow_tail; /* queued by handlers of completions while the item `current` is carried out */
	uint64_t posted, applied;
	uint64_t current;           /* the item that is being carried out; 0: none */
	unsigned follows;
	bool abandoned;             /* its client has closed it; nothing is told to it */
	unsigned objects;           /* address spaces that are not destroyed, semaphores */
	uint64_t covered_seq;       /* every item up to it is known to have been applied */
	struct semaphore *dead_sems, **dead_tail;
	uint64_t uncovered, throttle;
	struct call *calls;         /* reads that the client has not fetched */
	/* completions */
	struct ended *ended, **ended_tail;
	struct command *delivered[KMD_EVENTS_MAX]; /* the client handles them */
	unsigned num_delivered;
	bool delivering;
	pthread_t deliverer;
	unsigned waiters;
	/* the completion thread */
	sem_t own_wake, *wake;      /* the first, or one that `galena top` can reach, too */
	bool served, stopping;
	bool server_sleeps;
	bool kicked;                /* it need not let work wait */
	uint64_t due;               /* the last item that has waited for a period */
	unsigned quiet;             /* periods without work */
};
/* A new handle of the object, 0 when there is no memory. Lock held. */
uint32_t handle_new(struct file *, enum handle_kind, void *object);
void file_free(struct file *);
struct driver *driver_of_process(void); /* for tests of the blocks; NULL: none is open */
void calls_free(struct file *); /* counters.c */
/* NULL: no handle of that kind. Lock held. */
void *handle_get(const struct file *, uint32_t handle, enum handle_kind);
/* The same, and the handle is free. */
void *handle_take(struct file *, uint32_t handle, enum handle_kind);

/* The requests (kmd.h), by name. */
#define REQUEST(name, type, function, what) int function(struct file *, struct type *);
#include "runtime/kmd/requests.def"
#undef REQUEST

/* ---- labels of commands (labels.c) ---- */
enum { LABEL_TRANSFERS = 1 };
struct labels {
	char **names; /* by label - 1 */
	uint32_t count;
};
int labels_init(struct driver *);
void labels_fini(struct driver *);
const char *label_name(const struct driver *, uint32_t label); /* NULL: none; lock held */

/* ---- devices ---- */
struct device {
	struct bus *bus;
	unsigned index;
	struct kmd_device_info info;
	struct extents dram;       /* plan */
	struct region regions[REG_REGIONS]; /* plan: protected parts of it */
	_Atomic uint64_t seen;     /* plan; read without the lock */
	uint64_t settled;
	atomic_bool lost;
	int lost_status;           /* of commands that it did not finish: minus a fault code */
	/* device side */
	bool active;               /* something may happen in it */
	bool in_run;               /* it has begun to run, and is not idle yet */
	uint64_t rest_cycle;       /* at its last rest; settled: what API calls see of it */
	struct queue *slots[REG_QUEUES];
	struct queue *waiting; /* for a slot: by priority, then in turn */
	uint64_t binds;
	struct boot_params *boot;
	uint8_t *log;
	struct fault_record *faults;
	uint64_t faults_seen;
};

struct driver {
	pthread_mutex_t lock;
	pthread_cond_t changed;     /* something was applied or retired */
	struct file *files;
	struct file *caller;        /* whose request has the lock */
	atomic_bool shared;         /* several files are open */
	bool running;               /* a thread is at the devices, without the lock */
	pthread_t runner;           /* that thread */
	bool server_runs;           /* it is a completion thread */
	bool at_rest;               /* nothing can happen in the devices by itself */
	unsigned cursor;            /* the device that runs */
	unsigned busy_files;        /* with an item that is being carried out */
	unsigned waiters;
	atomic_bool closing;
	bool exiting;               /* the process ends: only this thread comes in: */
	pthread_t exit_thread;
	bool recording;             /* something is recorded, checked or counted: its end is awaited at exit */
	bool booted;

	struct pins pins;
	struct memory memory;
	struct spares spares;
	struct svm_range svm;
	struct dmabuf *dmabufs;     /* that are imported, or kept */
	uint64_t dmabufs_left;      /* last imports that have gone, so far */
	struct vm *spaces;
	struct queue *queues, *queues_last; /* in order of creation */
	uint64_t asids[65536 / 64]; /* bitmap */
	uint64_t *context_table;
	uint64_t context_table_pa;
	uint64_t fenced_bytes, fenced_limit; /* host memory of released objects that wait to be covered */

	pid_t owner;                /* the process that opened it */
	struct labels labels;
	struct slot failed;         /* a record of a command that failed */
	struct kernels *kernels;    /* NULL: nothing counts */
	struct {                    /* device side: the line on a terminal (status.c) */
		bool wanted, shown;
		const struct command *command; /* seen on the device first at since (ns); may be gone */
		uint64_t ordinal, since, refreshed;
	} status;
	struct publisher *publisher; /* NULL: nobody is shown anything */
	sem_t *publish_wanted;      /* that `galena top` posts; NULL without a publisher */
	uint64_t published;         /* ns */

	unsigned num_devices;
	struct device devices[DRIVER_MAX_DEVICES];
};

/* ---- counters by kernel (kernels.c); only while somebody counts ---- */
int kernels_init(struct driver *);
void kernels_fini(struct driver *);
/* Device side. May the command be fed now? Then its counts begin. */
bool kernels_begin(struct driver *, struct device *, const struct command *);
/* It has ended; not counted: because the device is gone. */
void kernels_end(struct driver *, struct device *, const struct command *, bool counted);
/* Reads them all, by the bus: it takes device time. */
void counters_sample(struct bus *, uint64_t of[COUNTERS_MAX]);

/* ---- a line on the terminal about a command that takes long (status.c); device side ---- */
void status_open(struct driver *);
/* With status.wanted only: between two slices of a device's time. */
void status_tick(struct driver *, const struct device *);
/* Before anything else is written, and when the device is at rest. */
void status_clear(struct driver *);

/* ---- what `galena top` sees (publish.c); device side ---- */
void publish_open(struct driver *);
void publish_close(struct driver *);
/* At exit: there is nothing to see any more. */
void publish_unlink(struct driver *);
void publish_now(struct driver *);
/* The same, if the last time is long enough ago. With a publisher only. */
void publish_tick(struct driver *);

/* ---- the platform (open.c, identity.c, firmware.c) ---- */
/* Opens devices as the environment says, loads and boots firmware on each. NULL with *error a line. */
struct driver *driver_open(const char **error);
/* No other thread is inside, and nothing of the driver is used afterwards. */
void driver_close(struct driver *);
void driver_exit(struct driver *); /* kmd_exit() */
void driver_device_uuid(const struct driver *, unsigned device, uint8_t out[KMD_UUID_BYTES]);
void driver_uuid(uint8_t out[KMD_UUID_BYTES]);
uint64_t driver_watchdog(void);
bool driver_watchdog_given(void);

/* ---- the submission worker (worker.c) ---- */
void worker_init(struct driver *);
void worker_fini(struct driver *);
/* The driver's lock is held for a few microseconds: a thread that finds it taken looks again for a while before it sleeps, since
 * the holder would pay for waking it. */
void driver_lock(struct driver *);
void driver_unlock(struct driver *);
/* The same, for a request of the file. */
void file_lock(struct file *);
/* The calling thread handles completions of the file: it must not wait. Lock held. */
bool file_delivers(const struct file *);
/* Queues an item; lock held. */
void work_post(struct file *, struct work *);
/* A command has ended, or a mark has been reached. Lock held. */
void completion_add(struct file *, struct ended *);
/* The client is gone: its completions have been handled. Lock held. */
void completions_drop(struct file *);
/* Carries out all work of a file whose client has closed it, until nothing of it is left. Lock held, dropped meanwhile. */
void worker_finish(struct file *);
/* Waits until no thread is at the devices. Lock held, dropped meanwhile. */
void worker_pause(struct driver *);
/* If tables are about to be needed that are not in memory, wakes the completion thread to bring them. Lock held. */
void worker_look_ahead(struct file *);
/* At close: applies what is left, in this thread. Lock held, dropped meanwhile. */
void worker_drain(struct driver *);
/* At exit: no other thread is inside, which might stay for ever. */
bool worker_can_wait(struct driver *);
/* At exit: keeps all other threads out from then on. What runs for a thread that is inside is cut short.
 * False: this thread was interrupted in the middle of it, and the devices are not at rest. */
bool worker_seize(struct driver *);

/* What the driver is interrupted for. */
enum {
	INTERRUPTS = REG_HOST_IRQ_STATUS_COMPLETE | REG_HOST_IRQ_STATUS_FAULT | REG_HOST_IRQ_STATUS_BOOT |
		     REG_HOST_IRQ_STATUS_CRASH | REG_HOST_IRQ_STATUS_ECC
};
/* ---- interrupts (irq.c) ---- */
/* Lets it run until it has something to tell, at most a slice. False: it is idle. */
bool device_run(struct driver *, struct device *);
void device_retire(struct driver *, struct device *);
void retire_commands(struct driver *, struct command **, unsigned count);

/* ---- what the driver notes for those who look at the events (notes.c) ---- */
bool notes_wanted(const struct driver *);
/* To every device; kind is an enum event_kind. */
void note_all(const struct driver *, unsigned kind, uint16_t asid, uint64_t a, uint64_t b, uint64_t c);
void note_buffer(const struct driver *, const struct bo *, unsigned kind);
void note_bind(const struct device *, int slot, const struct queue *); /* NULL: no queue */
void note_pin(const struct driver *, uint32_t number, uint8_t rights);
/* Tells a device that was just opened what is pinned already. */
void note_pinned(const struct driver *, const struct device *);

/* A line on standard error when GALENA_LOG is info or debug (log.c). */
void driver_info(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same unless GALENA_LOG is none: what the application asked for cannot be had, and the line says why. */
void driver_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- firmware (firmware.c): loads it and boots the device. NULL or the error message. ---- */
const char *firmware_boot(struct driver *, struct device *);

/* One line into a buffer that stays valid (error.c is one function). */
const char *driver_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
