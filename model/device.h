/* The device: its blocks, composed, and the event loop that moves them through time. Inside the
 * model only; the outside sees struct bus.
 *
 * Time. Every block has its own time; device.now is what the host sees. The loop takes a slice of
 * time, lets the command processor, the compute units, the DMA engines and the media unit run through
 * it in this order, and goes on with the next. A slice ends early where one block has done what another must
 * see at once: an interrupt to the host, a started or ended dispatch, a transfer. A block may so
 * see what another has done late by at most a slice, never early; the order is always the same. */
#ifndef GALENA_MODEL_DEVICE_H
#define GALENA_MODEL_DEVICE_H
#include "abi/bus.h"
#include "abi/device_config.h"
#include "model/cu/compute.h"
#include "model/mem/cache.h"
#include "model/cp/cp.h"
#include "model/dma/dma.h"
#include "model/inject.h"
#include "model/media/media.h"
#include "model/mem/l2.h"
#include "model/mmu/mmu.h"
#include "model/mem/physmem.h"
#include "model/profile/profile.h"
#include "model/prot/protection.h"
#include "model/regs.h"
#include "model/sem/sem.h"

/* Why registers are not ready: bits. */
enum device_stall { STALL_SEM = 1, STALL_FETCH = 2, STALL_CLEAR = 4, STALL_RESET = 8 };

/* The packet that is being fetched, with what the slot's registers held when it was started. */
enum fetch_kind { FETCH_DISPATCH, FETCH_TRANSFER, FETCH_JOB };
struct fetch {
	enum fetch_kind kind;
	unsigned slot;
	uint32_t space;
	uint64_t address, flags, scratch, scratch_size;
	uint64_t begun, at; /* cycle of the start; at which the packet is there, UINT64_MAX: none is fetched */
};

/* What counters showed at the last reset. */
struct device_base {
	struct compute_counters compute;
	struct mmu_counters mmu;
	struct l2_counters l2;
	uint64_t dma_bytes, dma_busy, media_bytes, media_busy, cp_insns;
};

struct device {
	struct bus bus; /* first member: the bus is the device */
	struct device_config config_copy;
	bool exact;               /* in each cycle every block is where the others are */
	char config_name[256];
	const struct device_config *config;
	unsigned index;
	uint64_t now;
	/* blocks */
	struct physmem mem;
	struct prot prot;
	struct inject inject;
	struct cache *cache; /* NULL when coherent */
	struct profile *profile; /* NULL: it is not profiled */
	struct event_sink *events;
	void (*failed)(int fault); /* NULL: not called */
	struct sem sem;
	struct l2 *l2;
	struct mmu *mmu;
	struct dma *dma;
	struct media *media;
	struct cp *cp;
	struct compute *compute;
	struct regs *regs;
	struct reg_hook hooks[REG_NUM_IDS];
	/* private */
	bool timed;
	bool in_cp;       /* the command processor runs: it is the master, and its time counts */
	bool cp_run;      /* CTRL.CP_RUN as last seen */
	bool crash_seen;  /* the crash is in the registers */
	bool reset_asked; /* by the command processor: done when it has stopped */
	bool cp_irq;      /* level of the command processor's interrupt line */
	bool lost;        /* until reset */
	uint32_t irq_hidden; /* bits of IRQ_STATUS that do not raise the line: an injected loss */
	uint32_t irq_again;  /* bits that are raised again when the host clears them */
	uint32_t doorbells_late; /* one bit a queue: doorbell_at is when the doorbell reaches the command processor */
	uint64_t doorbell_at[REG_QUEUES];
	uint64_t due_at;     /* when a doorbell or a block of these is due; UINT64_MAX for none */
	unsigned stalls;     /* enum device_stall */
	struct fetch fetch;
	uint64_t dispatch_start[COMPUTE_SLOTS];
	uint64_t clear_end;  /* of memory that was protected; UINT64_MAX: none is cleared */
	uint64_t reset_end;  /* UINT64_MAX: no reset is in progress */
	uint64_t held;       /* a write to a register is not over before this cycle */
	uint64_t crash_at;   /* with CP_CRASH armed; no time passes just to reach it */
	uint64_t ecc_seen;   /* memory errors that the host was told of */
	uint32_t dispatch_busy;
	uint64_t write_until; /* the register write in progress takes until then */
	bool media_busy; /* asked in every slice, most of which have no job */
	uint64_t faults;
	struct device_base base;
};

/* Opens a device of this configuration; the backend "model" of bus_open. */
struct bus *device_open(const struct bus_params *, const struct device_config *, const char **error);

/* What registers do, each in the table of one file: device_regs.c, device_irq.c, device_slots.c,
 * device_counters.c, device_reset.c. */
extern const struct reg_hook device_control_hooks[REG_NUM_IDS], device_irq_hooks[REG_NUM_IDS],
	device_slot_hooks[REG_NUM_IDS], device_counter_hooks[REG_NUM_IDS], device_inject_hooks[REG_NUM_IDS];
/* Sets bits of a register that is not an array. */
void device_bits_set(struct device *, enum reg_id, uint64_t bits);
/* Cycle of the access or event in progress. */
uint64_t device_time(const struct device *);
void device_reset(struct device *);
/* What runs in a slot; false: nothing. */
bool device_progress(struct device *, unsigned slot, struct bus_progress *);
/* What the CNT registers hold. */
void device_counters(struct device *, struct counter_values *);
/* Tells of what the event would be, if it is a failure. */
void device_failure(const struct device *, unsigned kind, uint64_t a, uint64_t b, uint64_t c);
/* Nothing runs any more until reset: what ran is aborted. */
void device_lose(struct device *, enum fault cause);
/* What due_at or crash_at has come for. */
void device_due(struct device *);
void device_blocks_due(struct device *);
/* After any change of what is due. */
void device_due_update(struct device *);
/* Whether an access has to wait for a block, and then the cycle at which it is to be tried again. */
bool device_stalled(struct device *, enum reg_bank, uint32_t offset, unsigned bytes, bool write, uint64_t *cycle);
/* The packet of a slot is fetched (address, slot and what the registers hold are given), and its work begins. */
void device_fetch(struct device *, const struct fetch *);
bool device_fetches(const struct device *, enum fetch_kind, unsigned slot);
/* Ends the slot's work with ABORTED, if its packet is not there yet. */
bool device_fetch_abort(struct device *, enum fetch_kind, unsigned slot);
/* Cycle at which so many bytes that were protected have been cleared, behind those that are being cleared; UINT64_MAX: none are. */
uint64_t device_clear_from(const struct device *, uint64_t bytes);
/* They have been. */
void device_clear_end(struct device *);
void device_bell_delay(struct device *, unsigned queue, uint64_t cycles);
/* Ends the waits of the host. */
void device_host_waits_end(struct device *);
/* Sets bits of IRQ_STATUS. */
void device_irq_raise(struct device *, uint32_t bits);
/* Level of the command processor's interrupt, after anything that may have changed it at cycle. */
void device_irq_update(struct device *, uint64_t cycle);
/* An enabled interrupt is pending. */
bool device_host_irq(const struct device *);
/* Tells the host of memory errors since the last look; such as the device cannot survive lose it. */
void device_memory_errors(struct device *);
/* Puts a crash of the command processor into the registers, once. */
void device_crash_report(struct device *);
/* Callbacks of the blocks. */
void device_dispatch_result(void *ctx, const struct compute_result *, uint64_t cycle);
void device_dma_result(void *ctx, const struct dma_result *, uint64_t cycle);
void device_media_result(void *ctx, const struct media_result *, uint64_t cycle);
void device_sem_woken(void *ctx, const struct sem_woken *, uint64_t cycle);
void device_sem_stored(void *ctx, const struct sem_stored *, uint64_t cycle);

#endif
