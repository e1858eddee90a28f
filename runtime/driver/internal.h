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
#include "abi/counters.h"
#include "abi/device_config.h"
#include "abi/pte.h"
#include "abi/registers.h"
#include "runtime/driver/driver.h"
#include "runtime/driver/probe.h"
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/types.h>

enum { DRIVER_MAX_DEVICES = 16, RING_PACKETS = 256 };
/* So much may wait to be seen ended before the driver looks by itself. */
enum { THROTTLE_COMMANDS = 16384 };
#define THROTTLE_BYTES (256ull << 20)

struct device;

static inline uint64_t page_round(uint64_t v) { return (v + GALENA_PAGE_SIZE - 1) & ~(GALENA_PAGE_SIZE - 1); }

/* ---- posted work (pump.c) ---- */
struct post {
	struct post *next;
	uint64_t seq;  /* 1, 2, ... in the order of the posts */
	void (*apply)(struct driver *, struct post *); /* runs in the pump; may free the post */
	bool light;    /* applying it gives no device work and posts nothing */
};
#define post_owner(post_, type, member) ((type *)((char *)(post_) - offsetof(type, member)))

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
void ahead_bring(struct driver *);

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
	void *owner[PIN_BLOCK]; /* struct slab_page or struct queue_block of internal pages */
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
 * 0, DRV_NO_MEMORY or DRV_SHARED_PAGE: then nothing is referenced. */
int pins_add(struct pins *, uint8_t *host, uint64_t count, unsigned how, struct pin_list *);
/* Plan: of what one pins_add() pinned so. Who pins the pages from now on does not share their PFNs, nor is refused for them. */
void pins_leave(struct pins *, const uint8_t *host, uint64_t count, unsigned how);
/* Plan: drops the references of one pins_add(), which filled the list added; after pins_leave(). Fills a list, which has room for as many
 * ranges as pages, with the rights that are left. */
void pins_drop(struct pins *, const struct pin_list *added, unsigned how, struct pin_list *);
/* Device side: of the pages from host on. */
void pins_apply(struct driver *, uint8_t *host, const struct pin_list *);
void **pins_owner(const struct pins *, uint32_t number); /* of a page; NULL: not pinned */
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
enum owner_kind { OWNER_SLAB, OWNER_BLOCK }; /* first in what pin_block.owner points at */
enum slot_kind { SLOT_FREE, SLOT_COMMAND, SLOT_SEM };
struct slot { /* 32 bytes that the device sees */
	void *host;
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
int memory_slot_alloc(struct driver *, enum slot_kind, void *owner, struct slot *);
void memory_slot_free(struct driver *, struct slot);
/* Who owns the slot at a physical address; SLOT_FREE if it is none. */
enum slot_kind memory_slot_owner(struct driver *, uint64_t pa, void **owner);
void memory_fini(struct driver *);
/* Maps zeroed host pages and pins them in a row, at once (boot) or by a post. */
uint8_t *memory_pin_fresh(struct driver *, uint64_t pages, uint32_t *first_number, void *owner);

/* Memory of one hardware-visible queue: ring, then a page with descriptor and timeline. */
struct queue_block {
	enum owner_kind kind; /* OWNER_BLOCK */
	struct queue_block *next_free, *next;
	uint8_t *host;
	uint64_t pa;
	struct drv_queue *queue; /* plan */
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
struct queue_block *memory_block_alloc(struct driver *, struct drv_queue *);
void memory_block_free(struct driver *, struct queue_block *);
/* The queue whose timeline payload is at a physical address, or NULL. */
struct drv_queue *memory_timeline_owner(struct driver *, uint64_t pa);

/* ---- address spaces (space.c, pagetable.c) ---- */
struct pt_node {
	struct page page;
	bool linked;             /* device side: cleared and ready */
	struct pt_node **child;  /* NULL at level 0 */
};
struct drv_space {
	struct driver *driver;
	struct drv_space *prev, *next;
	unsigned refs;           /* the user's, one a buffer object, one a queue */
	uint16_t asid;
	struct extents va;
	struct pt_node *root;
	struct drv_queue *queues; /* by space_next */
	struct drv_bo *bos;       /* all that are not reclaimed */
	struct post create, destroy;
	uint32_t devices;        /* device side: whose queues have used it */
};
void space_ref(struct drv_space *);
void space_unref(struct drv_space *);  /* lock held */
/* Plan: makes the tables for [va, va + size); huge: with 2 MiB leaves where they fit. */
int pagetable_prepare(struct driver *, struct drv_space *, uint64_t va, uint64_t size, bool huge);
/* Device side. next_pa is called for each leaf in turn; bits without address. */
void pagetable_map(struct drv_space *, uint64_t va, uint64_t size, bool huge,
		   uint64_t (*pa_of)(void *ctx, uint64_t offset), void *ctx, uint64_t bits);
void pagetable_unmap(struct drv_space *, uint64_t va, uint64_t size, bool huge);
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
struct drv_bo {
	struct drv_space *space;
	struct drv_bo *prev, *next;
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
	struct drv_part *parts;  /* rights, where they differ within the object */
	unsigned num_parts;
	struct post map, unmap;
};
/* drv_bo_create() without a look at what has ended, should there be no memory. Lock held. */
int bo_create_locked(struct drv_space *, unsigned device, uint64_t size, unsigned flags, struct drv_bo **);
void bo_release_locked(struct drv_bo *);
void bo_reclaim(struct drv_bo *); /* plan: every command that may use it is covered */
void bo_destroy(struct drv_bo *); /* frees host memory, at close or by the pump */
/* drv_bo_import() with pins that are more than the flags say, of memory that is a dma-buf's, whose reference goes to the
 * object; or NULL. */
int bo_import_host(struct drv_space *, void *ptr, uint64_t size, unsigned flags, unsigned how, struct dmabuf *, struct drv_bo **);
/* The same for DRAM that is a dma-buf's, from a physical address on. Lock held. */
int bo_import_dram(struct drv_space *, unsigned device, uint64_t pa, uint64_t size, unsigned flags, struct dmabuf *, struct drv_bo **);

/* ---- dma-bufs (dmabuf.c); driver.lock ---- */
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
	struct drv_queue *queue;     /* DEP_QUEUE: and value, the ordinal waited for */
	uint64_t value;
	struct drv_command *command; /* whose completion record is looked at, or NULL */
	struct drv_sem *sem;
};
struct drv_command {
	struct drv_command *group_next; /* of a flush: first command of another queue */
	struct drv_queue *queue;
	struct drv_command *next;       /* plan: pending; device side: backlog, in flight */
	struct drv_command *next_uncovered; /* plan */
	uint64_t ordinal;               /* 1 for the queue's first; what its timeline shows once it has ended */
	unsigned refs;                  /* plan: the user's, the uncovered list's, one a waiter */
	struct slot record;
	struct post post;               /* of the flush that this command is the first of */
	uint64_t scratch, scratch_size; /* what the queue's descriptor must say */
	uint64_t first;                 /* device side: ring index of its first packet */
	drv_done_fn done;
	void *arg;
	struct completion completion;   /* valid once ended */
	struct fault_record *fault;
	atomic_int state;               /* enum command_state */
	bool lost;                      /* ended because the device is gone */
	bool awaited;                   /* plan: somebody sleeps until it is retired */
	unsigned num_waits, num_signals, num_packets;
	struct dep *deps;               /* waits first, then semaphores that its packets signal */
	union packet packets[];
};
enum command_state { COMMAND_OUTSTANDING, COMMAND_ENDED, COMMAND_RETIRED /* and its callback has run */ };
void command_unref(struct drv_command *); /* lock held */
/* Commands of a queue up to an ordinal have ended and somebody has seen it (command.c). */
void cover(struct driver *, struct drv_queue *, uint64_t ordinal);
void cover_all_ended(struct driver *);
void cover_finish(struct driver *, uint64_t seq);

/* ---- queues (queue.c), hardware slots (slots.c) ---- */
struct fence { /* a released buffer object waits for a queue */
	struct fence *next;
	struct drv_bo *bo;
	uint64_t ordinal;
};
struct drv_queue {
	struct drv_space *space;
	struct drv_queue *prev, *next;  /* all of the driver */
	struct drv_queue *space_prev, *space_next;
	unsigned device, priority;
	unsigned refs;                  /* plan: the user's, one a command */
	struct queue_block *block;
	/* plan */
	uint64_t submitted, covered;
	struct drv_command *pending, **pending_tail;     /* not flushed */
	struct drv_command *uncovered, **uncovered_tail;
	struct fence *fences, **fences_tail;
	struct drv_scratch { struct drv_bo *bo; uint32_t bytes; /* of a lane */ } scratch[2]; /* of commands, of protected ones */
	struct drv_queue *flush_next, *cover_next;
	bool flush_mark, cover_mark;
	uint64_t cover_target;
	struct post create, destroy;
	/* device side */
	volatile struct queue_desc *desc;
	union packet *ring;
	int slot;                       /* -1: none */
	bool waiting, broken;
	uint64_t nudged;                /* read index at which the queue was last told to go on, */
	unsigned nudges;                /* and how often there */
	struct drv_queue *waiting_next;
	uint64_t bound_at;              /* for the least recently bound */
	uint64_t write, fed;            /* packets written; of the backlog's first command */
	struct drv_command *backlog, **backlog_tail;
	struct drv_command *inflight, **inflight_tail;
	uint32_t watch[DRIVER_MAX_DEVICES]; /* commands of each device that wait for it */
};
static inline volatile uint64_t *queue_timeline(const struct drv_queue *q)
{
	return (volatile uint64_t *)(q->block->host + BLOCK_RING_PAGES * GALENA_PAGE_SIZE + BLOCK_TIMELINE);
}
void queue_unref(struct drv_queue *); /* lock held */
void queue_flush_locked(struct drv_queue *);
/* Lets the queue run what is in its backlog. */
void slots_kick(struct driver *, struct drv_queue *);
void slots_remove(struct driver *, struct drv_queue *);
/* Gives free slots to queues that wait for one; at_rest: parked queues make room. */
void slots_schedule(struct driver *, unsigned device, bool at_rest);
void slots_feed(struct driver *, struct drv_queue *);
/* What the command waits for before its first packet that is no wait has come about. */
bool slots_waits_over(const struct driver *, const struct drv_command *);
/* Ends every command of the queue that the device has with a status. */
void slots_abandon(struct driver *, struct drv_queue *, int status);
/* Device side: the command no longer waits for anything. */
void queue_unwatch(const struct drv_command *);

/* ---- semaphores (sem.c) ---- */
struct drv_sem {
	struct driver *driver;
	struct drv_sem *dead_next;
	unsigned refs;              /* plan: the user's, one a waiter */
	struct slot payload, record;
	bool posted;
	int32_t status;
	struct post signal;
	uint32_t watch[DRIVER_MAX_DEVICES]; /* device side */
};
void sem_unref(struct drv_sem *);
void sems_reap(struct driver *, bool all);
/* Device side: a payload has changed in memory; tells the devices that wait for it, but one. */
void notify_watchers(struct driver *, const uint32_t *watch, uint64_t pa, unsigned except);

/* ---- devices ---- */
struct device {
	struct bus *bus;
	unsigned index;
	struct drv_device_info info;
	struct extents dram;       /* plan */
	struct region regions[REG_REGIONS]; /* plan: protected parts of it */
	_Atomic uint64_t seen;     /* plan; drv_time reads it without the lock */
	uint64_t settled;
	atomic_bool lost;
	int lost_status;           /* of commands that it did not finish: minus a fault code */
	/* device side */
	bool active;               /* something may happen in it */
	uint64_t rest_cycle;       /* at its last rest; settled: what API calls see of it */
	struct drv_queue *slots[REG_QUEUES];
	struct drv_queue *waiting; /* for a slot: by priority, then in turn */
	uint64_t binds;
	struct boot_params *boot;
	uint8_t *log;
	struct fault_record *faults;
	uint64_t faults_seen;
};

struct driver {
	pthread_mutex_t lock;
	pthread_cond_t changed;     /* something was applied or retired */
	sem_t own_work, *work;      /* for the thread: the first, or one that `galena top` can reach, too */
	struct post *head, **tail;  /* posted, not applied */
	struct post *follow, **follow_tail; /* posted by callbacks while the post numbered running is applied */
	uint64_t running;
	uint64_t posted, applied;
	bool pumping;
	bool thread_pumps;          /* it is the driver's thread that does */
	unsigned waiters;
	pthread_t thread;
	bool thread_started, thread_stops;
	bool thread_sleeps;
	bool hurry;                 /* the thread need not let posts lie about */
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
	struct drv_space *spaces;
	struct drv_queue *queues, *queues_last; /* in order of creation */
	struct drv_sem *dead_sems, **dead_tail;
	uint64_t asids[65536 / 64]; /* bitmap */
	uint64_t *context_table;
	uint64_t context_table_pa;
	uint64_t covered_seq;       /* every post up to it is known to have been applied */
	uint64_t uncovered, throttle;
	uint64_t fenced_bytes, fenced_limit; /* host memory of released objects that wait to be covered */

	pid_t owner;                /* the process that opened it */
	struct kernels *kernels;    /* NULL: nobody counts */
	struct {                    /* device side, but for name: the line on a terminal (status.c) */
		bool wanted, shown;
		const char *(*name)(void *arg);
		const struct drv_command *command; /* seen on the device first at since (ns); may be gone */
		uint64_t ordinal, since, refreshed;
	} status;
	struct publisher *publisher; /* NULL: nobody is shown anything */
	uint64_t published;         /* ns */

	unsigned num_devices;
	struct device devices[DRIVER_MAX_DEVICES];
};

/* ---- counters by kernel (kernels.c); only while somebody counts ---- */
int kernels_init(struct driver *);
void kernels_fini(struct driver *);
/* Device side. May the command be fed now? Then its counts begin. */
bool kernels_begin(struct driver *, struct device *, const struct drv_command *);
/* It has ended; not counted: because the device is gone. */
void kernels_end(struct driver *, struct device *, const struct drv_command *, bool counted);
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

/* ---- the pump ---- */
int pump_init(struct driver *);
void pump_fini(struct driver *);
/* The driver's lock is held for a few microseconds: whoever finds it taken looks again for a while before it sleeps, since
 * the holder would pay for waking it. */
void driver_lock(struct driver *);
/* Appends to the list; lock held. urgent: somebody should apply it soon. */
void pump_post(struct driver *, struct post *, bool urgent);
void pump_start_thread(struct driver *);
/* Lock held: if tables are about to be needed that are not in memory, wakes the thread to bring them. */
void pump_look_ahead(struct driver *);
/* Lock held, dropped in between: applies one item, or waits for who does. */
void pump_step(struct driver *);
/* A function that may run completions begins with this, its caller holding no lock of any library: completions release
 * objects, and that takes locks. A checker that is preloaded (testbench/locks) ends the program at a violation. */
extern void galena_completions_may_run(const char *function) __attribute__((weak, visibility("default")));
#define COMPLETIONS_MAY_RUN(driver) \
	((void)(galena_completions_may_run && !pump_is_mine(driver) ? galena_completions_may_run(__func__) : (void)0))
bool pump_is_mine(struct driver *); /* the caller is a callback of the pump */
/* Posts fn and waits until it has been applied. */
void pump_call(struct driver *, void (*fn)(struct driver *, void *), void *arg);
/* at_once: not even what it is applying runs to its end. */
void pump_stop_thread(struct driver *, bool at_once);
void pump_drain(struct driver *);
/* At exit: applies what has been posted, unless threads of the application's are inside, which may go on for ever. */
void pump_finish(struct driver *);
/* At exit: does the same, and keeps all other threads out from then on. What runs for a thread that is inside is cut short.
 * False: this thread was interrupted in the middle of it, and the devices are not at rest. */
bool pump_seize(struct driver *);
/* Waits until everything posted so far has been applied, and covers what has ended; lock held. */
void pump_sync_locked(struct driver *);

/* What the driver is interrupted for. */
enum {
	INTERRUPTS = REG_HOST_IRQ_STATUS_COMPLETE | REG_HOST_IRQ_STATUS_FAULT | REG_HOST_IRQ_STATUS_BOOT |
		     REG_HOST_IRQ_STATUS_CRASH | REG_HOST_IRQ_STATUS_ECC
};
/* ---- interrupts (irq.c): runs a device until it is at rest ---- */
void device_run(struct driver *, struct device *);
void device_retire(struct driver *, struct device *);
void retire_commands(struct driver *, struct drv_command **, unsigned count);

/* ---- what the driver notes for those who look at the events (notes.c) ---- */
bool notes_wanted(const struct driver *);
/* To every device; kind is an enum event_kind. */
void note_all(const struct driver *, unsigned kind, uint16_t asid, uint64_t a, uint64_t b, uint64_t c);
void note_buffer(const struct driver *, const struct drv_bo *, unsigned kind);
void note_bind(const struct device *, int slot, const struct drv_queue *); /* NULL: no queue */
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
