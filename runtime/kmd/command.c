/* Commands: submission, what they depend on, and when everybody has seen that they ended. */
#include "runtime/kmd/fence.h"
#include <stdlib.h>
#include <string.h>

/* ---- references ---- */
static void dep_drop(struct dep *dep)
{
	if (dep->command)
		command_unref(dep->command);
	if (dep->kind == DEP_QUEUE)
		queue_unref(dep->queue);
	else if (dep->fence)
		fence_unref(dep->fence);
}

static void command_free(struct command *c)
{
	struct driver *d = c->queue->vm->driver;
	if (c->record.pa)
		memory_slot_free(d, c->record);
	struct queue *q = c->queue;
	free(c->deps);
	free(c->fault);
	free(c);
	queue_unref(q);
}

void command_unref(struct command *c)
{
	if (!--c->refs)
		command_free(c);
}

/* ---- submission ---- */
/* The record that commands find which wait for one that has failed and was seen ended; 0 when there is no memory. */
static uint64_t failed_record(struct driver *d)
{
	if (!d->failed.pa && !memory_slot_alloc(d, &d->failed))
		*(struct completion *)d->failed.host = (struct completion){ .status = -FAULT_DEPENDENCY, .done = 1 };
	return d->failed.pa;
}

/* A point that is waited for: what the device looks at, and what is kept meanwhile. 0 or an error. */
static int dep_wait(struct file *f, const struct kmd_point *p, const struct queue *q, struct dep *dep, union packet *out)
{
	struct driver *d = f->driver;
	struct packet_sem_wait wait = { .head.type = PACKET_CODE_sem_wait, .value = p->value };
	struct queue *target = handle_get(f, p->fence, HANDLE_TIMELINE);
	struct command *command = target ? NULL : handle_get(f, p->fence, HANDLE_COMMAND);
	struct fence *fence = target || command ? NULL : fence_point(f, p->fence, &wait.value);
	*dep = (struct dep){ .value = p->value };
	if (target) {
		dep->kind = DEP_QUEUE;
		dep->queue = target;
		if (target == q && p->value > q->submitted)
			return KMD_INVALID; /* for itself */
		dep->command = queue_command(target, p->value);
		wait.semaphore = queue_block_timeline(target->block);
		wait.status = dep->command ? dep->command->record.pa : queue_failed(target, p->value) ? failed_record(d) : 0;
	} else if (command) {
		*dep = (struct dep){ .kind = DEP_QUEUE, .queue = command->queue, .value = command->ordinal, .command = command };
		wait.semaphore = queue_block_timeline(command->queue->block);
		wait.value = command->ordinal;
		wait.status = command->record.pa;
	} else if (fence) {
		dep->kind = DEP_FENCE;
		dep->fence = fence;
		dep->binary = p->flags & KMD_POINT_BINARY && !fence->turns && handle_get(f, p->fence, HANDLE_FENCE);
		if (dep->binary)
			wait.value = ++fence->waits;
		wait.semaphore = fence->payload.pa;
		wait.status = fence->record.pa;
	} else {
		return KMD_BAD_HANDLE;
	}
	*out = (union packet){ .sem_wait = wait };
	return 0;
}

static int dep_signal(struct file *f, const struct kmd_point *p, struct dep *dep, union packet *out)
{
	struct fence *fence = handle_get(f, p->fence, HANDLE_FENCE);
	if (!fence)
		return KMD_BAD_HANDLE;
	*dep = (struct dep){ .kind = DEP_FENCE, .fence = fence, .value = p->value, .binary = p->flags & KMD_POINT_BINARY || fence->turns };
	if (dep->binary)
		dep->value = ++fence->signals;
	*out = (union packet){ .sem_signal = { .head.type = PACKET_CODE_sem_signal, .semaphore = fence->payload.pa, .value = dep->value } };
	return 0;
}

/* The command is not submitted: its waits and signals of binary semaphores do not count. */
static void deps_undo(struct dep *deps, unsigned waits, unsigned count)
{
	for (unsigned i = 0; deps && i < count; i++)
		if (deps[i].binary)
			*(i < waits ? &deps[i].fence->waits : &deps[i].fence->signals) -= 1;
}

static bool names_semaphore(const union packet *p)
{
	return p->head.type == PACKET_CODE_sem_wait || p->head.type == PACKET_CODE_sem_signal;
}

/* Sees to private memory for the queue's commands, or for its protected ones; the old one lives as long as commands that use it. */
static int scratch_grow(struct queue *q, uint32_t private_bytes, bool hidden)
{
	struct scratch *scratch = &q->scratch[hidden];
	const unsigned flags = KMD_BO_DRAM | (hidden ? KMD_BO_PROTECTED : 0);
	const struct kmd_device_info *info = &q->vm->driver->devices[q->device].info;
	if (private_bytes <= scratch->bytes)
		return 0;
	if (private_bytes > VA_PRIVATE_SIZE)
		return KMD_INVALID;
	uint32_t bytes = 256;
	while (bytes < private_bytes)
		bytes *= 2;
	struct bo *bo;
	uint64_t lanes = (uint64_t)info->num_cu * info->warps_per_cu * info->lanes;
	int error = bo_create(q->vm, q->device, lanes * bytes, flags, NULL, 0, &bo);
	if (error) { /* the power of two was for later commands */
		bytes = (private_bytes + 15) & ~15u;
		error = bo_create(q->vm, q->device, lanes * bytes, flags, NULL, 0, &bo);
	}
	if (error)
		return error;
	if (scratch->bo)
		bo_release_locked(scratch->bo);
	*scratch = (struct scratch){ bo, bytes };
	return 0;
}

/* What its dispatches are called; devices hear of it only while something counts. */
static uint32_t label_of(const struct driver *d, struct command *c)
{
	uint32_t label = 0;
	for (unsigned i = 0; i < c->num_packets; i++) {
		struct packet_head *h = &c->packets[i].head;
		if (h->type == PACKET_CODE_dispatch && !label)
			label = h->tag;
		if (!d->kernels)
			h->tag = 0;
	}
	return label;
}

/* Room for one more command that is not covered. */
static int queue_room(struct queue *q)
{
	if (q->submitted - q->covered < q->room)
		return 0;
	const uint64_t room = q->room ? 2 * q->room : 16;
	struct command **grown = malloc(room * sizeof *grown);
	if (!grown)
		return KMD_NO_MEMORY;
	for (uint64_t n = q->covered + 1; n <= q->submitted; n++)
		grown[n & (room - 1)] = q->commands[n & (q->room - 1)];
	free(q->commands);
	q->commands = grown;
	q->room = room;
	return 0;
}

void throttle_reset(struct file *f)
{
	if (f->uncovered >= f->throttle)
		f->throttle = 2 * f->uncovered + THROTTLE_COMMANDS;
}

/* A turn comes before all other waits: a command that fails at one of those still has had its turn, and its successor waits for its predecessor. */
static void turns_first(const struct dep *deps, union packet *waits, unsigned count)
{
	for (unsigned i = 0, turns = 0; i < count; i++) {
		if (deps[i].kind != DEP_FENCE || !deps[i].fence->turns)
			continue;
		const union packet turn = waits[i];
		memmove(&waits[turns + 1], &waits[turns], (i - turns) * sizeof *waits);
		waits[turns++] = turn;
	}
}

/* The packets of a command: waits, the client's, signals. */
static int command_fill(struct file *f, const struct kmd_submit *a, struct command *c, union packet *list, unsigned *count)
{
	const struct kmd_point *waits = (const struct kmd_point *)(uintptr_t)a->waits, *signals = (const struct kmd_point *)(uintptr_t)a->signals;
	const union packet *packets = (const union packet *)(uintptr_t)a->packets;
	unsigned n = 0;
	int error = 0;
	if (a->num_waits + a->num_signals) {
		c->deps = calloc(a->num_waits + a->num_signals, sizeof *c->deps);
		if (!c->deps)
			return KMD_NO_MEMORY;
	}
	for (unsigned i = 0; i < a->num_waits && !error; i++, n++)
		error = dep_wait(f, &waits[i], c->queue, &c->deps[i], &list[n]);
	if (!error)
		turns_first(c->deps, list, a->num_waits);
	for (unsigned i = 0; i < a->num_packets; i++)
		list[n++] = packets[i];
	for (unsigned i = 0; i < a->num_signals && !error; i++, n++)
		error = dep_signal(f, &signals[i], &c->deps[a->num_waits + i], &list[n]);
	for (unsigned i = 0; i < n; i++) {
		list[i].head.flags &= PACKET_PROTECTED | PACKET_PATIENT;
		list[i].head.completion = 0;
	}
	c->num_waits = a->num_waits;
	c->num_signals = a->num_signals;
	*count = n;
	return error;
}

static int submit(struct file *f, struct kmd_submit *a, struct command *c, union packet *list)
{
	struct driver *d = f->driver;
	struct queue *q = c->queue;
	unsigned count;
	bool hidden = false;
	int error = command_fill(f, a, c, list, &count);
	if (error)
		return error;
	for (unsigned i = 0; i < count; i++)
		hidden |= (list[i].head.flags & PACKET_PROTECTED) != 0;
	if (list == c->packets)
		c->num_packets = count;
	else
		c->num_packets = caches_around(list, count, c->packets);
	error = queue_room(q);
	if (!error)
		error = scratch_grow(q, a->private_bytes, hidden);
	if (!error)
		error = memory_slot_alloc(d, &c->record);
	if (!error && a->keep && !(a->fence = handle_new(f, HANDLE_COMMAND, c)))
		error = KMD_NO_MEMORY;
	if (error) {
		if (c->record.pa)
			memory_slot_free(d, c->record);
		return error;
	}
	for (unsigned i = 0; i < c->num_waits + c->num_signals; i++) {
		struct dep *dep = &c->deps[i];
		if (dep->command)
			dep->command->refs++;
		if (dep->kind == DEP_QUEUE)
			dep->queue->refs++;
		else
			dep->fence->refs++;
	}
	struct packet_head *last = &c->packets[c->num_packets - 1].head;
	last->flags |= PACKET_END | PACKET_IRQ;
	last->completion = c->record.pa;
	if (q->scratch[hidden].bo) {
		c->scratch = bo_address(q->scratch[hidden].bo);
		c->scratch_size = q->scratch[hidden].bo->size;
	}
	c->label = label_of(d, c);
	c->ended = (struct ended){ .command = c, .cookie = a->cookie };
	a->value = c->ordinal = ++q->submitted;
	c->refs = 1 + (a->keep != 0);
	q->refs++;
	*q->pending_tail = c;
	q->pending_tail = &c->next;
	q->commands[c->ordinal & (q->room - 1)] = c;
	a->crowded = ++f->uncovered >= f->throttle;
	return 0;
}

int ioctl_submit(struct file *f, struct kmd_submit *a)
{
	struct driver *d = f->driver;
	const union packet *packets = (const union packet *)(uintptr_t)a->packets;
	const uint64_t total = (uint64_t)a->num_waits + a->num_packets + a->num_signals;
	if (!total || total > SUBMIT_PACKETS_MAX)
		return KMD_INVALID;
	if ((a->num_packets && !packets) || (a->num_waits && !a->waits) || (a->num_signals && !a->signals))
		return KMD_BAD_ADDRESS;
	for (unsigned i = 0; i < a->num_packets; i++)
		if (names_semaphore(&packets[i]))
			return KMD_INVALID;
	const bool coherent = d->devices[0].info.coherent; /* all are of one configuration */
	struct command *c = malloc(sizeof *c + (coherent ? 1 : 3) * total * sizeof c->packets[0]);
	union packet *list = !c || coherent ? NULL : malloc(total * sizeof *list);
	if (!c || (!coherent && !list)) {
		free(c);
		return KMD_NO_MEMORY;
	}
	memset(c, 0, sizeof *c);
	file_lock(f);
	c->queue = handle_get(f, a->queue, HANDLE_QUEUE);
	int error = !c->queue ? KMD_BAD_HANDLE : d->devices[c->queue->device].lost ? KMD_DEVICE_LOST : 0;
	if (!error)
		error = submit(f, a, c, coherent ? c->packets : list);
	if (error)
		deps_undo(c->deps, a->num_waits, a->num_waits + a->num_signals);
	driver_unlock(d);
	free(list);
	if (error) {
		free(c->deps);
		free(c);
	}
	return error;
}

/* ---- covering ---- */
static bool first_retired(const struct queue *q)
{
	return q->covered < q->submitted && queue_retired(q, q->covered + 1);
}

/* Commands that wait for it later fail. Without memory they do not. */
static void failed_add(struct queue *q, uint64_t ordinal)
{
	struct failed *f = &q->failed;
	if (f->count == f->room) {
		uint64_t *grown = realloc(f->ordinals, (2 * f->room + 8) * sizeof *grown);
		if (!grown)
			return;
		f->ordinals = grown;
		f->room = 2 * f->room + 8;
	}
	f->ordinals[f->count++] = ordinal;
}

/* Puts a queue on the work list of cover(). */
static void cover_add(struct queue **list, struct queue *q, uint64_t ordinal)
{
	if (ordinal <= q->covered)
		return;
	if (!q->cover_mark) {
		q->cover_mark = true;
		q->cover_target = ordinal;
		q->refs++;
		q->cover_next = *list;
		*list = q;
	} else if (ordinal > q->cover_target) {
		q->cover_target = ordinal;
	}
}

/* The first uncovered command of a queue is covered from now on. */
static void cover_pop(struct driver *d, struct queue *q, struct queue **list)
{
	struct command *c = queue_command(q, q->covered + 1);
	struct device *dev = &d->devices[q->device];
	q->covered = c->ordinal;
	q->vm->file->uncovered--;
	if (c->completion.status)
		failed_add(q, c->ordinal);
	if (c->completion.end > dev->seen)
		dev->seen = c->completion.end;
	while (q->fences && q->fences->ordinal <= q->covered) {
		struct bo_fence *f = q->fences;
		q->fences = f->next;
		if (!q->fences)
			q->fences_tail = &q->fences;
		if (!--f->bo->fences)
			bo_reclaim(f->bo);
		free(f);
	}
	for (unsigned i = 0; i < c->num_waits + c->num_signals; i++) {
		struct dep *dep = &c->deps[i];
		/* a command that failed may have skipped its waits: nothing follows from its end */
		if (i < c->num_waits && dep->kind == DEP_QUEUE && !c->completion.status)
			cover_add(list, dep->queue, dep->value);
		dep_drop(dep);
	}
	c->num_waits = c->num_signals = 0;
	command_unref(c);
}

/* Covers what has retired in the queues of a list, and in those that are added meanwhile: up to their targets, or all. */
static void cover_list(struct driver *d, struct queue *list, bool all)
{
	while (list) {
		struct queue *q = list;
		list = q->cover_next;
		q->cover_mark = false;
		while ((all || q->covered < q->cover_target) && first_retired(q))
			cover_pop(d, q, &list);
		queue_unref(q);
	}
}

void cover(struct driver *d, struct queue *q, uint64_t ordinal)
{
	struct queue *list = NULL;
	cover_add(&list, q, ordinal);
	cover_list(d, list, false);
}

void cover_finish(struct file *f, uint64_t seq)
{
	if (seq > f->covered_seq)
		f->covered_seq = seq;
	fences_reap(f, false);
}

void cover_all_ended(struct file *f)
{
	struct driver *d = f->driver;
	struct queue *list = NULL;
	for (struct queue *q = d->queues; q; q = q->next)
		if (q->vm->file == f)
			cover_add(&list, q, q->submitted);
	cover_list(d, list, true);
}
