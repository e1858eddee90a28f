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

enum scope { SCOPE_host, SCOPE_cp, SCOPE_queue, SCOPE_mmu, SCOPE_prot, SCOPE_l2, SCOPE_sem, SCOPE_dma, SCOPE_cu, SCOPES };
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
static const char *const scope_names[SCOPES] = { "host", "cp", "queue", "mmu", "prot", "l2", "sem", "dma", "cu" };

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

static void set_in(struct wave *w, const struct event *e, unsigned instance, unsigned signal, uint64_t value)
{
	unsigned bits = signals[signal].bits;

	if (instance >= w->instances[signals[signal].scope])
		return;
	hold(w, e->cycle, signal, instance, bits < 64 ? value & ((1ull << bits) - 1) : value);
	if (signals[signal].pulse)
		hold(w, e->cycle + 1, signal, instance, 0);
}

static void set(struct wave *w, const struct event *e, unsigned signal, uint64_t value) { set_in(w, e, 0, signal, value); }

/* ---- what the events of each block do to its signals ---- */

static void host_event(struct wave *w, const struct event *e)
{
	switch (e->kind) {
	case EVENT_RESET:
		set(w, e, SIGNAL_host_reset, 1);
		set(w, e, SIGNAL_host_lost, 0);
		break;
	case EVENT_MMIO_READ:
	case EVENT_MMIO_WRITE:
		set(w, e, e->kind == EVENT_MMIO_READ ? SIGNAL_host_mmio_read : SIGNAL_host_mmio_write, 1);
		set(w, e, SIGNAL_host_mmio_offset, e->a);
		set(w, e, SIGNAL_host_mmio_value, e->b);
		break;
	case EVENT_IRQ_RAISE:
	case EVENT_IRQ_CLEAR:
		set(w, e, SIGNAL_host_irq_status, e->b);
		set(w, e, SIGNAL_host_irq_line, e->c);
		break;
	case EVENT_DOORBELL:
		set_in(w, e, e->queue, SIGNAL_queue_doorbell, e->a);
		break;
	case EVENT_LOST:
		set(w, e, SIGNAL_host_lost, 1);
		break;
	case EVENT_INJECTED:
		set(w, e, SIGNAL_host_injected, e->a);
		break;
	}
}

static void cp_event(struct wave *w, const struct event *e)
{
	switch (e->kind) {
	case EVENT_CP_STATE:
		set(w, e, SIGNAL_cp_state, e->a);
		set(w, e, SIGNAL_cp_pc, e->b);
		break;
	case EVENT_FW_STATE:
		set(w, e, SIGNAL_cp_fw_state, e->a);
		break;
	case EVENT_PACKET:
		set_in(w, e, e->queue, SIGNAL_queue_packet, e->a);
		set_in(w, e, e->queue, SIGNAL_queue_packet_type, e->b);
		set_in(w, e, e->queue, SIGNAL_queue_active, 1);
		break;
	case EVENT_PACKET_END:
		set_in(w, e, e->queue, SIGNAL_queue_status, e->b);
		set_in(w, e, e->queue, SIGNAL_queue_active, 0);
		break;
	case EVENT_QUEUE_STATE:
		set_in(w, e, e->queue, SIGNAL_queue_state, e->a);
		break;
	}
}

static void mmu_event(struct wave *w, const struct event *e)
{
	switch (e->kind) {
	case EVENT_WALK:
		w->walks++;
		set(w, e, SIGNAL_mmu_walk, 1);
		set(w, e, SIGNAL_mmu_walk_va, e->a);
		set(w, e, SIGNAL_mmu_walk_unit, e->unit);
		break;
	case EVENT_WALK_READ:
		set(w, e, SIGNAL_mmu_pte_pa, e->a);
		set(w, e, SIGNAL_mmu_pte, e->b);
		set(w, e, SIGNAL_mmu_level, e->c);
		break;
	case EVENT_WALK_END:
		w->walks -= w->walks > 0;
		/* a walk that finds all it needs at hand is still seen */
		hold(w, e->cycle + 1, SIGNAL_mmu_walk, 0, w->walks > 0);
		set(w, e, SIGNAL_mmu_walk_pa, e->b);
		set(w, e, SIGNAL_mmu_walk_fault, e->c);
		break;
	case EVENT_TLB_FILL:
		set(w, e, SIGNAL_mmu_tlb_fill, 1);
		set(w, e, SIGNAL_mmu_tlb_unit, e->unit);
		set(w, e, SIGNAL_mmu_tlb_va, e->a);
		break;
	case EVENT_TLB_INVALIDATE:
	case EVENT_CONTEXT_TABLE:
		set(w, e, SIGNAL_mmu_invalidate, 1);
		break;
	}
}

/* An access, or a fault, of a unit. */
static void access_event(struct wave *w, const struct event *e)
{
	static const uint16_t cu_strobe[] = { [EVENT_READ] = SIGNAL_cu_read, [EVENT_WRITE] = SIGNAL_cu_write,
					      [EVENT_ATOMIC] = SIGNAL_cu_atomic, [EVENT_FETCH] = SIGNAL_cu_fetch };

	if (e->kind == EVENT_REPLAY)
		return;
	if (e->unit >= UNIT_CU) {
		unsigned n = e->unit - UNIT_CU;

		if (e->kind == EVENT_FAULT) {
			set_in(w, e, n, SIGNAL_cu_fault_va, e->a);
			set_in(w, e, n, SIGNAL_cu_fault, e->b);
			return;
		}
		set_in(w, e, n, cu_strobe[e->kind], 1);
		set_in(w, e, n, SIGNAL_cu_va, e->a);
		set_in(w, e, n, SIGNAL_cu_pa, e->b);
	} else if (e->unit >= UNIT_DMA && e->kind == EVENT_FAULT) {
		/* the engine is free, whether the transfer ends or is stalled until it is replayed */
		set_in(w, e, e->unit - UNIT_DMA, SIGNAL_dma_busy, 0);
		set_in(w, e, e->unit - UNIT_DMA, SIGNAL_dma_fault_va, e->a);
		set_in(w, e, e->unit - UNIT_DMA, SIGNAL_dma_fault, e->b);
	} else if (e->unit == UNIT_CP && e->kind != EVENT_FAULT) {
		set(w, e, e->kind == EVENT_READ ? SIGNAL_cp_read : SIGNAL_cp_write, 1);
		set(w, e, SIGNAL_cp_pa, e->b);
	}
}

static void l2_event(struct wave *w, const struct event *e)
{
	switch (e->kind) {
	case EVENT_LINE_FILL:
	case EVENT_LINE_STALE:
	case EVENT_LINE_WRITEBACK:
		set(w, e, e->kind == EVENT_LINE_FILL ? SIGNAL_l2_line_fill
			  : e->kind == EVENT_LINE_STALE ? SIGNAL_l2_line_stale : SIGNAL_l2_line_writeback, 1);
		set(w, e, SIGNAL_l2_line_pa, e->a);
		break;
	case EVENT_MAINTAIN:
		set(w, e, SIGNAL_l2_maintain, 1);
		break;
	case EVENT_DRAM_ROW:
		set(w, e, SIGNAL_l2_dram_activate, 1);
		set(w, e, SIGNAL_l2_dram_bank, e->a);
		set(w, e, SIGNAL_l2_dram_row, e->b);
		break;
	}
}

static void prot_event(struct wave *w, const struct event *e)
{
	if (e->kind != EVENT_VIOLATION)
		return;
	set(w, e, SIGNAL_prot_violation, 1);
	set(w, e, SIGNAL_prot_pa, e->a);
}

static void sem_event(struct wave *w, const struct event *e)
{
	if (e->kind == EVENT_SEM_NOTIFY)
		return;
	set(w, e, e->kind == EVENT_SEM_WAIT ? SIGNAL_sem_wait : e->kind == EVENT_SEM_WAKE ? SIGNAL_sem_wake : SIGNAL_sem_signal, 1);
	set(w, e, SIGNAL_sem_pa, e->a);
	set(w, e, SIGNAL_sem_value, e->b);
}

static void dma_event(struct wave *w, const struct event *e)
{
	unsigned n = e->unit - UNIT_DMA;

	if (n >= w->instances[SCOPE_dma])
		return;
	switch (e->kind) {
	case EVENT_DMA_START:
		w->moved[n] = 0;
		w->slot[n] = e->queue;
		set_in(w, e, n, SIGNAL_dma_busy, 1);
		set_in(w, e, n, SIGNAL_dma_slot, e->queue);
		set_in(w, e, n, SIGNAL_dma_moved, 0);
		set_in(w, e, n, SIGNAL_dma_fault, 0);
		break;
	case EVENT_DMA_BEAT:
		w->moved[n] += e->c;
		set_in(w, e, n, SIGNAL_dma_src, e->a);
		set_in(w, e, n, SIGNAL_dma_dst, e->b);
		set_in(w, e, n, SIGNAL_dma_bytes, e->c);
		set_in(w, e, n, SIGNAL_dma_beat, 1);
		set_in(w, e, n, SIGNAL_dma_moved, w->moved[n]);
		break;
	case EVENT_DMA_END:
		if (w->slot[n] != e->queue) /* it stood, or waited again: the engine has another one */
			break;
		set_in(w, e, n, SIGNAL_dma_busy, 0);
		set_in(w, e, n, SIGNAL_dma_fault, e->b);
		break;
	}
}

static void cu_event(struct wave *w, const struct event *e)
{
	unsigned n = e->unit - UNIT_CU;

	if (n >= w->instances[SCOPE_cu])
		return;
	switch (e->kind) {
	case EVENT_GROUP:
		set_in(w, e, n, SIGNAL_cu_groups, ++w->groups[n]);
		set_in(w, e, n, SIGNAL_cu_group, e->a);
		break;
	case EVENT_GROUP_END:
		w->groups[n] -= w->groups[n] > 0;
		set_in(w, e, n, SIGNAL_cu_groups, w->groups[n]);
		break;
	case EVENT_BARRIER:
		set_in(w, e, n, SIGNAL_cu_barrier, 1);
		break;
	case EVENT_WARP_END:
		set_in(w, e, n, SIGNAL_cu_warp_end, 1);
		break;
	}
}

static const struct {
	const char *block;
	void (*event)(struct wave *, const struct event *);
} blocks[] = {
	{ "host", host_event }, { "cp", cp_event },     { "mmu", mmu_event }, { "access", access_event }, { "l2", l2_event },
	{ "prot", prot_event }, { "dma", dma_event }, { "sem", sem_event }, { "cu", cu_event },
};

static void wave_event(struct event_sink *s, const struct event *e)
{
	const struct event_row *row = event_row(e->kind);

	for (size_t i = 0; row && i < sizeof(blocks) / sizeof(*blocks); i++)
		if (!strcmp(blocks[i].block, row->block))
			blocks[i].event((struct wave *)s, e);
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
