/* What the checkers share: the rules, the check of one device, and the report of a broken rule. */
#ifndef GALENA_CHECKERS_CHECK_H
#define GALENA_CHECKERS_CHECK_H
#include "abi/events.h"
#include "checkers/shadow.h"

/* ---- the rules, from the catalogue ---- */
enum rule_id {
#define RULE(id, document, clause, text, checker) RULE_##id,
#include "device_rules.def"
#undef RULE
	NUM_RULES
};
struct rule {
	const char *id, *document, *clause, *text, *checker;
};
extern const struct rule rules[NUM_RULES];

/* A rule was broken, here and in this way. */
struct breach {
	enum rule_id rule;
	uint64_t cycle;
	unsigned device, unit, queue, asid; /* queue: EVENT_NO_QUEUE if none */
	bool in_packet;                     /* packet is valid: ring index of the queue's last begun */
	uint64_t packet;
	uint64_t address;
	const char *what;                   /* what happened, and what should have; until the call returns */
};

/* ---- the check of one device: events in, breaches out; one thread ---- */
struct check;
typedef void (*breach_fn)(void *ctx, const struct breach *);
/* line_bytes: of a device whose caches are not coherent; 0: they are. NULL when memory is short. */
struct check *check_create(unsigned device, uint32_t line_bytes, breach_fn, void *ctx);
void check_event(struct check *, const struct event *);
/* How often an event was compared with the rule. */
uint64_t check_looked(const struct check *, enum rule_id);
/* Memory ran out at some time: the check is not complete since then. */
bool check_short_of_memory(const struct check *);
/* No event follows. Reports the breaches that waited for the access they belong to. */
void check_finish(struct check *);
void check_destroy(struct check *);

/* ---- inside: for the checkers ---- */
struct sem_waiter { uint64_t address, value; uint64_t mode; bool armed; };
enum { SEM_WAITERS = REG_QUEUES + HOST_WAITS, IRQ_BITS = 8, DMA_UNITS = 8, UNITS = 32, STALE_LINES = 64, MOST_CHECKERS = 15 };
typedef void check_fn(struct check *, const struct event *);
struct dma_range { uint64_t va, bytes; bool known; };

struct check {
	unsigned device;
	uint32_t line_bytes;
	breach_fn breach;
	void *ctx;
	uint64_t looked[NUM_RULES];
	check_fn *wanted[EVENT_KINDS][MOST_CHECKERS + 1]; /* the checkers that get events of a kind; NULL ends the list */
	struct shadow shadow;
	/* of each checker */
	struct { uint64_t page; unsigned unit; } pins;
	struct { struct sem_waiter waiter[SEM_WAITERS]; bool woken[SHADOW_QUEUES]; } sem;
	uint64_t irq_causes[IRQ_BITS]; /* that have not raised their bit of IRQ_STATUS yet */
	struct { struct dma_range source, target; } dma[DMA_UNITS];
	struct { uint64_t doorbell[SHADOW_QUEUES]; bool written[SHADOW_QUEUES]; } queue;
	struct { unsigned pending; struct event line[STALE_LINES]; } cache;
	struct { bool pending; struct event asked; } protection[UNITS];
	struct {
		struct table pages; /* struct import_page */
		unsigned dirty[SHADOW_QUEUES]; /* lines, of all pages */
	} import;
	struct { struct table pages; } host; /* struct host_page */
};

struct checker {
	const char *name; /* of its file, as in the catalogue */
	check_fn *event;
	uint8_t kinds[12]; /* which events it is given: enum event_kind, ended by 0 */
};
void cache_finish(struct check *);
void protection_finish(struct check *);
void import_finish(struct check *);
/* The entry of a table for the page of pa, made if there is none; NULL without memory, which the check remembers. */
void *check_page(struct check *, struct table *, uint64_t pa, size_t bytes);
extern const struct checker pins_checker, sem_checker, protection_checker, mmu_checker, cache_checker, dma_checker,
	irq_checker, queue_checker, buffer_checker, import_checker, mmio_checker, host_checker;

/* The event breaks the rule: what, as printf. */
__attribute__((format(printf, 5, 6))) void check_broken(struct check *, enum rule_id, const struct event *,
							uint64_t address, const char *what, ...);
static inline void check_looks(struct check *c, enum rule_id id) { c->looked[id]++; }

/* "reads", "writes", ...: of an access event. */
const char *check_verb(const struct event *);
static inline bool check_writes(const struct event *e) { return e->kind == EVENT_WRITE || e->kind == EVENT_ATOMIC; }

#endif
