#include "traces/wave.h"
#include "base/log.h"
#include "traces/output_name.h"
#include "abi/codes.h"
#include "abi/device_config.h"
#include "abi/registers.h"
#include "base/limit.h"
#include <errno.h>
#include <fstapi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

enum scope { SCOPE_host, SCOPE_cp, SCOPE_queue, SCOPE_mmu, SCOPE_prot, SCOPE_l2, SCOPE_sem, SCOPE_dma, SCOPE_media, SCOPE_cu, SCOPES };
enum signal {
#define SIGNAL(scope, name, bits, pulse, doc) SIGNAL_##scope##_##name,
#include "traces/wave_signals.def"
#undef SIGNAL
	SIGNALS
};
static const struct signal_row {
	enum scope scope;
	const char *name;
	uint8_t bits;
	bool pulse;
} signals[SIGNALS] = {
#define SIGNAL(scope, name, bits, pulse, doc) { SCOPE_##scope, #name, bits, pulse },
#include "traces/wave_signals.def"
#undef SIGNAL
};
static const char *const scope_names[SCOPES] = { "host", "cp", "queue", "mmu", "prot", "l2", "sem", "dma", "media", "cu" };

enum {
	INSTANCES = 16,        /* of a scope, at most */
	HELD_MAX = 1 << 18,    /* changes that wait for their time */
};

/* A change of a signal at a cycle; order keeps changes of one cycle as they came. */
struct change {
	uint64_t cycle, order, value;
	uint16_t signal;
	uint16_t instance;
};

struct wave {
	struct event_sink sink; /* first */
	void *fst;
	unsigned instances[SCOPES];
	fstHandle handle[SIGNALS][INSTANCES];
	uint64_t last[SIGNALS][INSTANCES];
	bool seen[SIGNALS][INSTANCES];
	uint64_t moved[INSTANCES]; /* by each DMA engine, of the transfer that it has */
	uint16_t slot[INSTANCES];  /* of that transfer */
	unsigned walks, groups[INSTANCES];
	struct change *held;
	size_t num_held, cap_held;
	uint64_t order, emitted;  /* the cycle that was written last */
	bool began, failed;
	char path[4200];
};

/* ---- writing changes in the order of time ---- */

static int by_time(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	if (x->cycle != y->cycle)
		return x->cycle < y->cycle ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static void emit(struct wave *w, const struct change *c)
{
	char bits[65];
	unsigned n = signals[c->signal].bits;

	if (w->seen[c->signal][c->instance] && w->last[c->signal][c->instance] == c->value)
		return;
	w->seen[c->signal][c->instance] = true;
	w->last[c->signal][c->instance] = c->value;
	if (!w->began || c->cycle > w->emitted) {
		fstWriterEmitTimeChange(w->fst, c->cycle);
		w->emitted = c->cycle;
		w->began = true;
	}
	for (unsigned i = 0; i < n; i++)
		bits[i] = c->value >> (n - 1 - i) & 1 ? '1' : '0';
	bits[n] = '\0';
	fstWriterEmitValueChange(w->fst, w->handle[c->signal][c->instance], bits);
}

/* Writes what lies before a cycle. */
static void flush(struct wave *w, uint64_t before)
{
	size_t n = 0;

	qsort(w->held, w->num_held, sizeof(*w->held), by_time);
	while (n < w->num_held && w->held[n].cycle < before)
		emit(w, &w->held[n++]);
	memmove(w->held, w->held + n, (w->num_held - n) * sizeof(*w->held));
	w->num_held -= n;
}

static void hold(struct wave *w, uint64_t cycle, unsigned signal, unsigned instance, uint64_t value)
{
	if (cycle < w->emitted) /* a block that reports later than it said it would */
		cycle = w->emitted;
	if (w->num_held == HELD_MAX)
		flush(w, w->held[HELD_MAX / 2].cycle + 1);
	if (w->num_held == w->cap_held) {
		size_t cap = w->cap_held ? w->cap_held * 2 : 1024;
		struct change *more = realloc(w->held, cap * sizeof(*more));

		if (!more) {
			w->failed = true;
			return;
		}
		w->held = more;
		w->cap_held = cap;
	}
	w->held[w->num_held++] = (struct change){ cycle, w->order++, value, (uint16_t)signal, (uint16_t)instance };
}

/* ---- what an event does to signals ---- */

/* Where the value of a signal comes from: of the event, or of what is kept of the block. */
enum source { END_OF_ROW, ZERO, ONE, WORD_A, WORD_B, WORD_C, UNIT, QUEUE, MOVED, GROUPS };

enum { EFFECTS = 5 };
#define SET(signal, source) { SIGNAL_##signal, source }
static const struct effect {
	uint8_t signal, source;
} effects[EVENT_KINDS][EFFECTS] = {
	[EVENT_RESET] = { SET(host_reset, ONE), SET(host_lost, ZERO) },
	[EVENT_MMIO_READ] = { SET(host_mmio_read, ONE), SET(host_mmio_offset, WORD_A), SET(host_mmio_value, WORD_B) },
	[EVENT_MMIO_WRITE] = { SET(host_mmio_write, ONE), SET(host_mmio_offset, WORD_A), SET(host_mmio_value, WORD_B) },
	[EVENT_IRQ_RAISE] = { SET(host_irq_status, WORD_B), SET(host_irq_line, WORD_C) },
	[EVENT_IRQ_CLEAR] = { SET(host_irq_status, WORD_B), SET(host_irq_line, WORD_C) },
	[EVENT_DOORBELL] = { SET(queue_doorbell, WORD_A) },
	[EVENT_LOST] = { SET(host_lost, ONE) },
	[EVENT_INJECTED] = { SET(host_injected, WORD_A) },
	[EVENT_CP_STATE] = { SET(cp_state, WORD_A), SET(cp_pc, WORD_B) },
	[EVENT_FW_STATE] = { SET(cp_fw_state, WORD_A) },
	[EVENT_PACKET] = { SET(queue_packet, WORD_A), SET(queue_packet_type, WORD_B), SET(queue_active, ONE) },
	[EVENT_PACKET_END] = { SET(queue_status, WORD_B), SET(queue_active, ZERO) },
	[EVENT_QUEUE_STATE] = { SET(queue_state, WORD_A) },
	[EVENT_WALK] = { SET(mmu_walk, ONE), SET(mmu_walk_va, WORD_A), SET(mmu_walk_unit, UNIT) },
	[EVENT_WALK_READ] = { SET(mmu_pte_pa, WORD_A), SET(mmu_pte, WORD_B), SET(mmu_level, WORD_C) },
	[EVENT_WALK_END] = { SET(mmu_walk_pa, WORD_B), SET(mmu_walk_fault, WORD_C) },
	[EVENT_TLB_FILL] = { SET(mmu_tlb_fill, ONE), SET(mmu_tlb_unit, UNIT), SET(mmu_tlb_va, WORD_A) },
	[EVENT_TLB_INVALIDATE] = { SET(mmu_invalidate, ONE) },
	[EVENT_CONTEXT_TABLE] = { SET(mmu_invalidate, ONE) },
	[EVENT_READ] = { SET(cu_read, ONE), SET(cu_va, WORD_A), SET(cu_pa, WORD_B) },
	[EVENT_WRITE] = { SET(cu_write, ONE), SET(cu_va, WORD_A), SET(cu_pa, WORD_B) },
	[EVENT_ATOMIC] = { SET(cu_atomic, ONE), SET(cu_va, WORD_A), SET(cu_pa, WORD_B) },
	[EVENT_FETCH] = { SET(cu_fetch, ONE), SET(cu_va, WORD_A), SET(cu_pa, WORD_B) },
	/* an engine is free, whether the transfer ends or is stalled until it is replayed */
	[EVENT_FAULT] = { SET(cu_fault_va, WORD_A), SET(cu_fault, WORD_B), SET(dma_busy, ZERO), SET(dma_fault_va, WORD_A), SET(dma_fault, WORD_B) },
	[EVENT_LINE_FILL] = { SET(l2_line_fill, ONE), SET(l2_line_pa, WORD_A) },
	[EVENT_LINE_STALE] = { SET(l2_line_stale, ONE), SET(l2_line_pa, WORD_A) },
	[EVENT_LINE_WRITEBACK] = { SET(l2_line_writeback, ONE), SET(l2_line_pa, WORD_A) },
	[EVENT_MAINTAIN] = { SET(l2_maintain, ONE) },
	[EVENT_DRAM_ROW] = { SET(l2_dram_activate, ONE), SET(l2_dram_bank, WORD_A), SET(l2_dram_row, WORD_B) },
	[EVENT_VIOLATION] = { SET(prot_violation, ONE), SET(prot_pa, WORD_A) },
	[EVENT_SEM_WAIT] = { SET(sem_wait, ONE), SET(sem_pa, WORD_A), SET(sem_value, WORD_B) },
	[EVENT_SEM_WAKE] = { SET(sem_wake, ONE), SET(sem_pa, WORD_A), SET(sem_value, WORD_B) },
	[EVENT_SEM_SIGNAL] = { SET(sem_signal, ONE), SET(sem_pa, WORD_A), SET(sem_value, WORD_B) },
	[EVENT_DMA_START] = { SET(dma_busy, ONE), SET(dma_slot, QUEUE), SET(dma_moved, ZERO), SET(dma_fault, ZERO) },
	[EVENT_DMA_BEAT] = { SET(dma_src, WORD_A), SET(dma_dst, WORD_B), SET(dma_bytes, WORD_C), SET(dma_beat, ONE), SET(dma_moved, MOVED) },
	[EVENT_DMA_END] = { SET(dma_busy, ZERO), SET(dma_fault, WORD_B) },
	[EVENT_MEDIA_START] = { SET(media_busy, ONE), SET(media_slot, QUEUE), SET(media_job, WORD_A), SET(media_type, WORD_C), SET(media_fault, ZERO) },
	[EVENT_MEDIA_END] = { SET(media_busy, ZERO), SET(media_fault, WORD_B) },
	[EVENT_GROUP] = { SET(cu_groups, GROUPS), SET(cu_group, WORD_A) },
	[EVENT_GROUP_END] = { SET(cu_groups, GROUPS) },
	[EVENT_BARRIER] = { SET(cu_barrier, ONE) },
	[EVENT_WARP_END] = { SET(cu_warp_end, ONE) },
};

/* Which instance of a scope an event is about: not below w->instances when the event is of another block. */
static unsigned instance_of(const struct event *e, enum scope scope)
{
	switch (scope) {
	case SCOPE_queue: return e->queue;
	case SCOPE_dma: return (unsigned)e->unit - UNIT_DMA;
	case SCOPE_cu: return (unsigned)e->unit - UNIT_CU;
	default: return 0;
	}
}

static uint64_t source_value(const struct wave *w, const struct event *e, enum source source, unsigned instance)
{
	switch (source) {
	case ONE: return 1;
	case WORD_A: return e->a;
	case WORD_B: return e->b;
	case WORD_C: return e->c;
	case UNIT: return e->unit;
	case QUEUE: return e->queue;
	case MOVED: return w->moved[instance];
	case GROUPS: return w->groups[instance];
	default: return 0;
	}
}

static void set(struct wave *w, const struct event *e, unsigned signal, enum source source)
{
	const struct signal_row *row = &signals[signal];
	unsigned instance = instance_of(e, row->scope);

	if (instance >= w->instances[row->scope])
		return;
	uint64_t value = source_value(w, e, source, instance);
	hold(w, e->cycle, signal, instance, row->bits < 64 ? value & ((1ull << row->bits) - 1) : value);
	if (row->pulse)
		hold(w, e->cycle + 1, signal, instance, 0);
}

/* What is kept of an engine. False: the event is of a transfer that the engine no longer has; it was stalled, or waited again. */
static bool dma_follow(struct wave *w, const struct event *e)
{
	unsigned n = instance_of(e, SCOPE_dma);

	if (n >= w->instances[SCOPE_dma])
		return false;
	if (e->kind == EVENT_DMA_START) {
		w->moved[n] = 0;
		w->slot[n] = e->queue;
	} else if (e->kind == EVENT_DMA_BEAT) {
		w->moved[n] += e->c;
	}
	return e->kind != EVENT_DMA_END || w->slot[n] == e->queue;
}

/* What is kept of the blocks, and the signals that depend on more than the kind of the event. False: no effect follows. */
static bool state_follow(struct wave *w, const struct event *e)
{
	unsigned cu = instance_of(e, SCOPE_cu);

	switch (e->kind) {
	case EVENT_WALK:
		w->walks++;
		break;
	case EVENT_WALK_END:
		w->walks -= w->walks > 0;
		/* a walk that finds all it needs at hand is still seen */
		hold(w, e->cycle + 1, SIGNAL_mmu_walk, 0, w->walks > 0);
		break;
	case EVENT_READ:
	case EVENT_WRITE:
	case EVENT_ATOMIC:
	case EVENT_FETCH:
		if (e->unit == UNIT_CP) {
			set(w, e, e->kind == EVENT_READ ? SIGNAL_cp_read : SIGNAL_cp_write, ONE);
			set(w, e, SIGNAL_cp_pa, WORD_B);
		}
		break;
	case EVENT_DMA_START:
	case EVENT_DMA_BEAT:
	case EVENT_DMA_END:
		return dma_follow(w, e);
	case EVENT_GROUP:
		if (cu < w->instances[SCOPE_cu])
			w->groups[cu]++;
		break;
	case EVENT_GROUP_END:
		if (cu < w->instances[SCOPE_cu])
			w->groups[cu] -= w->groups[cu] > 0;
		break;
	}
	return true;
}

static void wave_event(struct event_sink *s, const struct event *e)
{
	struct wave *w = (struct wave *)s;

	if (e->kind >= EVENT_KINDS || !state_follow(w, e))
		return;
	for (unsigned i = 0; i < EFFECTS && effects[e->kind][i].source != END_OF_ROW; i++)
		set(w, e, effects[e->kind][i].signal, (enum source)effects[e->kind][i].source);
}

static void wave_complete(struct event_sink *s, uint64_t cycle)
{
	struct wave *w = (struct wave *)s;

	if (w->num_held > 4096)
		flush(w, cycle);
}

/* ---- file ---- */

/* Device 0 writes path, device n path with .n before its ending. */
static void file_name(char *out, size_t size, const char *path, unsigned device)
{
	const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');

	if (!device)
		snprintf(out, size, "%s", path);
	else if (dot)
		snprintf(out, size, "%.*s.%u%s", (int)(dot - path), path, device, dot);
	else
		snprintf(out, size, "%s.%u", path, device);
}

static void declare(struct wave *w)
{
	for (unsigned scope = 0; scope < SCOPES; scope++)
		for (unsigned n = 0; n < w->instances[scope]; n++) {
			char name[32];

			snprintf(name, sizeof(name), w->instances[scope] > 1 ? "%s%u" : "%s", scope_names[scope], n);
			fstWriterSetScope(w->fst, FST_ST_VCD_MODULE, name, NULL);
			for (unsigned i = 0; i < SIGNALS; i++)
				if (signals[i].scope == scope)
					w->handle[i][n] = fstWriterCreateVar(w->fst, FST_VT_VCD_WIRE, FST_VD_IMPLICIT,
									     signals[i].bits, signals[i].name, 0);
			fstWriterSetUpscope(w->fst);
		}
	for (unsigned i = 0; i < SIGNALS; i++)
		for (unsigned n = 0; n < w->instances[signals[i].scope]; n++)
			hold(w, 0, i, n, 0);
}

struct event_sink *wave_open(const char *path, const struct bus_params *p, const char **error)
{
	static char message[1024];
	struct device_config config;
	char file[512], scope[32], bad[DEVICE_CONFIG_SPEC_MAX + 256];
	struct wave *w;

	*error = message;
	if (device_config_parse(p->config ? p->config : "full", &config, bad, sizeof(bad))) {
		snprintf(message, sizeof(message), "%.1000s", bad);
		return NULL;
	}
	if (p->speed != BUS_TIMED) {
		snprintf(message, sizeof(message), "a waveform needs time: set GALENA_SPEED to timed, or leave GALENA_WAVE out");
		return NULL;
	}
	path = output_name(path, error);
	if (!path)
		return NULL;
	*error = message;
	w = calloc(1, sizeof(*w));
	file_name(file, sizeof(file), path, p->index);
	if (w)
		w->fst = fstWriterCreate(strcpy(w->path, file), 1);
	if (!w || !w->fst) {
		snprintf(message, sizeof(message), "cannot write the waveform %s: %s; set GALENA_WAVE to a file that can be made",
			 file, strerror(errno));
		free(w);
		return NULL;
	}
	output_replaced(file);
	w->sink.event = wave_event;
	w->sink.complete = wave_complete;
	for (unsigned i = 0; i < SCOPES; i++)
		w->instances[i] = 1;
	w->instances[SCOPE_queue] = REG_QUEUES;
	w->instances[SCOPE_dma] = config.dma_engines < INSTANCES ? config.dma_engines : INSTANCES;
	w->instances[SCOPE_cu] = config.num_cu < INSTANCES ? config.num_cu : INSTANCES;
	fstWriterSetDate(w->fst, "-"); /* the same run gives the same file */
	fstWriterSetVersion(w->fst, "Galena " GALENA_VERSION);
	fstWriterSetPackType(w->fst, FST_WR_PT_LZ4);
	fstWriterSetTimescale(w->fst, -9); /* a cycle is shown as a nanosecond, as the clock is 1 GHz */
	snprintf(scope, sizeof(scope), "device%u", p->index);
	fstWriterSetScope(w->fst, FST_ST_VCD_MODULE, scope, NULL);
	declare(w);
	fstWriterSetUpscope(w->fst);
	*error = NULL;
	return &w->sink;
}

void wave_close(struct event_sink *s)
{
	struct wave *w = (struct wave *)s;

	flush(w, UINT64_MAX);
	fstWriterClose(w->fst);
	if (w->failed)
		log_write(LOG_ALWAYS, "the waveform is not complete: no memory");
	/* the writer of the format does not tell that it could not write */
	struct stat st;
	struct rlimit limit;
	if (!stat(w->path, &st) && !getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY && (rlim_t)st.st_size >= limit.rlim_cur)
		log_write(LOG_ALWAYS, "the waveform %s is not complete: %s%s", w->path, strerror(EFBIG), limit_advice(EFBIG));
	free(w->held);
	free(w);
}
