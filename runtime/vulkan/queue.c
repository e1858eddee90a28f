/* Submission: batches of semaphores and command buffers become commands of the driver. One batch is one command, but where it is cut: events are
 * set at the end of a command and waited for at the beginning of one, and the end of a command is what a timestamp is taken of. Nothing waits in
 * the host. */
#include "abi/codes.h"
#include "base/hold.h"
#include "runtime/vulkan/objects.h"
#include <stdlib.h>
#include <string.h>

/* The next command of the driver, as far as it is made. */
struct batch {
	VkQueue queue;
	union packet *packets;
	unsigned count, cap;
	uint32_t private_bytes;
	bool open, work;      /* it has a packet; one that is not a wait */
	bool submitted;       /* there is no way back */
	struct umd_sem **spent; /* payloads that were imported, which waits have taken */
	unsigned num_spent, cap_spent;
	struct umd_bo *read;     /* what its copies read, given up when the command has ended, */
	struct results *results; /* and what it waits for */
	VkResult result;
};

/* ---- the ends of commands ---- */
static void command_ended(void *device, const struct completion *c)
{
	if (!c->status)
		return;
	if (c->status != -FAULT_DEPENDENCY) /* what it waited for has said why */
		log_write(LOG_INFO, "Vulkan: a command has failed: %s", fault_name(-c->status));
	device_lost(device);
}

struct stamp {
	VkDevice device;
	VkQueryPool pool;
	uint32_t query;
	uint64_t generation;
};

static void stamp_drop(struct stamp *s)
{
	query_pool_unref(s->pool);
	free(s);
}

static void stamp_ended(void *stamp, const struct completion *c)
{
	struct stamp *s = stamp;
	command_ended(s->device, c);
	query_known(s->pool, s->query, s->generation, c->end);
	stamp_drop(s);
}

/* ---- packets ---- */
static union packet *next(void *batch)
{
	static _Thread_local union packet dummy;
	struct batch *b = batch;
	union packet *p = &dummy;
	if (list_grow(&b->packets, b->count, &b->cap, sizeof *b->packets))
		p = &b->packets[b->count++];
	else
		b->result = VK_ERROR_OUT_OF_HOST_MEMORY;
	return memset(p, 0, sizeof *p);
}

/* Where caches are not coherent the driver of the kernel maintains all but memory by descriptor. */
static void maintain(struct batch *b, unsigned op)
{
	VkDevice d = b->queue->device;
	if (d->physical->info->coherent)
		return;
	HOLDING(&d->lock);
	for (VkDeviceMemory m = d->maintained; m; m = m->next)
		next(b)->cache = (struct packet_cache){.head.type = PACKET_CODE_cache, .address = m->address, .size = m->size, .op = op};
}

void queue_observed(VkQueue q, uint64_t sequence)
{
	uint64_t before = atomic_load(&q->observed);
	while (before < sequence && !atomic_compare_exchange_weak(&q->observed, &before, sequence))
		;
}

/* A command fails if the one before it in the queue has. One that the application has seen end well needs no wait; one that has merely ended
 * does, so that the packets do not depend on how fast the device's thread is. */
static void open(struct batch *b)
{
	VkQueue q = b->queue;
	if (b->open)
		return;
	b->open = true;
	if (q->sequence > atomic_load(&q->observed))
		umd_command_wait_packet(q->last, next(b));
}

static void work(struct batch *b, const union packet *packets, unsigned count)
{
	open(b);
	if (!b->work)
		maintain(b, CACHE_CLEAN | CACHE_INVALIDATE);
	b->work = true;
	for (unsigned i = 0; i < count; i++)
		*next(b) = packets[i];
}

/* When all before it has ended, the host says what is known and lets the copy go on. */
struct results {
	atomic_uint refs; /* the handler's and the batch's */
	VkDevice device;
	VkQueryPool pool;
	uint32_t first, count;
	struct umd_sem *sem;
	uint64_t *known; /* a value and whether it is available, for each query */
};

static void results_drop(struct results *r)
{
	if (!r || atomic_fetch_sub(&r->refs, 1) != 1)
		return;
	umd_sem_release(r->sem);
	query_pool_unref(r->pool);
	free(r);
}

static void results_ended(void *results, const struct completion *c)
{
	struct results *r = results;
	command_ended(r->device, c);
	for (uint32_t i = 0; i < r->count; i++)
		r->known[2 * i + 1] = query_available(r->pool, r->first + i, &r->known[2 * i]);
	umd_sem_signal(r->sem, c->status);
	results_drop(r);
}

/* ---- commands of the driver ---- */
static void spent_drop(struct batch *b)
{
	for (unsigned i = 0; i < b->num_spent; i++)
		umd_sem_release(b->spent[i]);
	b->num_spent = 0;
	umd_bo_release(b->read);
	results_drop(b->results);
	b->read = NULL;
	b->results = NULL;
}

static int submit(struct batch *b, umd_done_fn done, void *arg, struct umd_command **command)
{
	VkQueue q = b->queue;
	umd_throttle(q->device->space);
	int error = umd_submit(q->queue, b->packets, b->count, b->private_bytes, done, arg, command);
	if (error == KMD_NO_MEMORY || error == KMD_NO_DEVICE_MEMORY) { /* released objects may only wait for their commands to be seen ended */
		umd_sync(driver());
		error = umd_submit(q->queue, b->packets, b->count, b->private_bytes, done, arg, command);
	}
	return error;
}

/* done: called when the command has ended; not if it is not submitted: false. */
static bool batch_submit(struct batch *b, umd_done_fn done, void *arg)
{
	struct umd_command *command;
	work(b, NULL, 0);
	maintain(b, CACHE_CLEAN);
	if (!b->count)
		next(b); /* a command has a packet, if one that does nothing */
	if (!b->result)
		b->result = device_error(b->queue->device, submit(b, done, arg, &command));
	if (!b->result) {
		umd_command_release(b->queue->last);
		b->queue->last = command;
		b->queue->sequence++;
		b->submitted = true;
	} else if (b->submitted) {
		b->result = device_lost(b->queue->device);
	}
	spent_drop(b);
	b->count = 0;
	b->open = b->work = false;
	return !b->result;
}

/* What follows is in another command. */
static void batch_end(struct batch *b) { batch_submit(b, command_ended, b->queue->device); }

static void batch_stamp(struct batch *b, const struct cut *cut)
{
	struct query *q = &cut->pool->queries[cut->first];
	struct stamp *s = malloc(sizeof *s);
	if (!s) {
		b->result = VK_ERROR_OUT_OF_HOST_MEMORY;
		return;
	}
	q->written = true;
	*s = (struct stamp){b->queue->device, cut->pool, cut->first, ++q->generation};
	atomic_fetch_add(&cut->pool->refs, 1);
	if (!batch_submit(b, stamp_ended, s))
		stamp_drop(s);
}

/* ---- results of queries, copied by the device ---- */
/* Whether a query has been submitted by now decides whether its value is copied. */
static void copy_results(struct batch *b, const struct cut *cut, uint64_t from)
{
	const size_t bytes = cut->flags & VK_QUERY_RESULT_64_BIT ? 8 : 4, region[3] = {bytes, 1, 1};
	work(b, NULL, 0);
	for (uint32_t i = 0; i < cut->count; i++) {
		const struct box value = {.address = from + 16 * i}, available = {.address = from + 16 * i + 8};
		const uint64_t to = cut->address + i * cut->stride;
		if (cut->pool->queries[cut->first + i].written || cut->flags & VK_QUERY_RESULT_PARTIAL_BIT)
			box_copy_packets(value, (struct box){.address = to}, region, next, b);
		if (cut->flags & VK_QUERY_RESULT_WITH_AVAILABILITY_BIT)
			box_copy_packets(available, (struct box){.address = to + bytes}, region, next, b);
	}
}

static void batch_results(struct batch *b, const struct cut *cut)
{
	VkDevice d = b->queue->device;
	struct results *r = calloc(1, sizeof *r);
	struct umd_bo *bo = NULL;
	union packet wait;
	if (!r || umd_bo_create(d->space, 0, 16 * (uint64_t)cut->count, KMD_BO_UNCACHED, &bo) || umd_sem_create(driver(), 0, &r->sem)) {
		umd_bo_release(bo);
		free(r);
		b->result = VK_ERROR_OUT_OF_HOST_MEMORY;
		return;
	}
	atomic_init(&r->refs, 1);
	r->device = d;
	r->pool = cut->pool;
	r->first = cut->first;
	r->count = cut->count;
	r->known = umd_bo_cpu(bo);
	atomic_fetch_add(&cut->pool->refs, 1);
	const uint64_t from = umd_bo_address(bo);
	atomic_fetch_add(&r->refs, 1);
	umd_sem_wait_packet(r->sem, &wait);
	if (!batch_submit(b, results_ended, r)) {
		results_drop(r);
		results_drop(r);
		umd_bo_release(bo);
		return;
	}
	open(b);
	*next(b) = wait;
	b->read = bo;
	b->results = r;
	copy_results(b, cut, from);
}

/* ---- dispatches whose sizes are in memory ---- */
/* The device copies the sizes for the host. When it has, a queue of its own runs the dispatch, and what follows waits for that. */
struct indirect {
	VkDevice device;
	struct umd_sem *sem;
	struct umd_bo *bo; /* its memory */
	struct indirect_memory {
		struct dispatch dispatch;
		uint32_t groups[4];
	} *memory;
};

static void indirect_drop(struct indirect *i, int status)
{
	umd_sem_signal(i->sem, status);
	umd_sem_release(i->sem);
	umd_bo_release(i->bo);
	free(i);
}

static void indirect_ran(void *indirect, const struct completion *c)
{
	struct indirect *i = indirect;
	command_ended(i->device, c);
	indirect_drop(i, c->status);
}

static void indirect_known(void *indirect, const struct completion *c)
{
	struct indirect *i = indirect;
	const uint32_t *groups = i->memory->groups;
	struct umd_command *command;
	command_ended(i->device, c);
	if (c->status || !groups[0] || !groups[1] || !groups[2]) {
		indirect_drop(i, c->status);
		return;
	}
	dispatch_groups(&i->memory->dispatch, groups);
	const union packet packet = i->memory->dispatch.packet;
	if (umd_submit(i->device->indirect, &packet, 1, packet.dispatch.private_bytes, indirect_ran, i, &command)) {
		device_lost(i->device);
		indirect_drop(i, -1);
		return;
	}
	umd_command_release(command);
	umd_flush(i->device->indirect);
}

static void batch_dispatch(struct batch *b, const struct cut *cut)
{
	VkDevice d = b->queue->device;
	struct indirect *i = calloc(1, sizeof *i);
	union packet wait;
	if (!i || umd_bo_create(d->space, 0, sizeof *i->memory, KMD_BO_UNCACHED, &i->bo) || umd_sem_create(driver(), 0, &i->sem)) {
		if (i)
			umd_bo_release(i->bo);
		free(i);
		b->result = VK_ERROR_OUT_OF_HOST_MEMORY;
		return;
	}
	i->device = d;
	i->memory = umd_bo_cpu(i->bo);
	i->memory->dispatch = *cut->dispatch;
	i->memory->dispatch.packet.dispatch.kernarg = umd_bo_address(i->bo);
	work(b, NULL, 0);
	box_copy_packets((struct box){.address = cut->address}, (struct box){.address = umd_bo_address(i->bo) + offsetof(struct indirect_memory, groups)},
			 (const size_t[3]){3 * sizeof(uint32_t), 1, 1}, next, b);
	umd_sem_wait_packet(i->sem, &wait);
	if (!batch_submit(b, indirect_known, i)) {
		indirect_drop(i, -1);
		return;
	}
	open(b);
	*next(b) = wait;
}

/* ---- batches ---- */
static void batch_cut(struct batch *b, const struct cut *cut)
{
	switch (cut->kind) {
	case CUT_SET_EVENT:
		open(b);
		umd_sem_advance_packet(cut->event->sem, atomic_load(&cut->event->value), next(b));
		batch_end(b);
		break;
	case CUT_RESET_EVENT: atomic_fetch_add(&cut->event->value, 1); break;
	case CUT_WAIT_EVENT:
		if (b->work)
			batch_end(b);
		open(b);
		umd_sem_reach_packet(cut->event->sem, atomic_load(&cut->event->value), next(b));
		break;
	case CUT_TIMESTAMP: batch_stamp(b, cut); break;
	case CUT_RESET_QUERIES: query_reset(cut->pool, cut->first, cut->count); break;
	case CUT_COPY_RESULTS: batch_results(b, cut); break;
	case CUT_DISPATCH: batch_dispatch(b, cut); break;
	}
}

static void batch_commands(struct batch *b, VkCommandBuffer c)
{
	unsigned done = 0;
	if (b->private_bytes < c->private_bytes)
		b->private_bytes = c->private_bytes;
	for (unsigned i = 0; i < c->num_cuts && !b->result; i++) {
		if (c->cuts[i].at > done)
			work(b, c->packets + done, c->cuts[i].at - done);
		done = c->cuts[i].at;
		batch_cut(b, &c->cuts[i]);
	}
	if (c->num_packets > done)
		work(b, c->packets + done, c->num_packets - done);
}

static void batch_wait(struct batch *b, VkSemaphore s, uint64_t value)
{
	open(b);
	if (s->timeline) {
		if (value)
			umd_sem_reach_packet(s->sem, value, next(b));
		return;
	}
	umd_sem_take_packet(s->imported ? s->imported : s->sem, next(b));
	if (!s->imported)
		return;
	if (list_grow(&b->spent, b->num_spent, &b->cap_spent, sizeof *b->spent)) {
		b->spent[b->num_spent++] = s->imported;
		s->imported = NULL;
	} else {
		b->result = VK_ERROR_OUT_OF_HOST_MEMORY;
	}
}

static void batch_signal(struct batch *b, VkSemaphore s, uint64_t value)
{
	open(b);
	if (s->timeline)
		umd_sem_advance_packet(s->sem, value, next(b));
	else
		umd_sem_give_packet(s->imported ? s->imported : s->sem, next(b));
}

static void batch_fence(struct batch *b, VkFence f)
{
	open(b);
	umd_sem_give_packet(f->imported ? f->imported : f->sem, next(b));
}

/* One after the other; the fence after all of them. */
typedef void (*batch_fill_fn)(struct batch *, const void *infos, uint32_t index);
static VkResult queue_submit(VkQueue q, uint32_t count, const void *infos, batch_fill_fn fill, VkFence fence)
{
	struct batch b = {.queue = q};
	if (atomic_load(&q->device->lost))
		return VK_ERROR_DEVICE_LOST;
	for (uint32_t i = 0; i < count && !b.result; i++) {
		fill(&b, infos, i);
		if (fence && i == count - 1)
			batch_fence(&b, fence);
		batch_end(&b);
	}
	if (fence && !count) {
		batch_fence(&b, fence);
		batch_end(&b);
	}
	if (fence) {
		fence->queue = b.result || fence->shared || fence->imported ? NULL : q;
		fence->sequence = q->sequence;
	}
	umd_flush(q->queue);
	free(b.packets);
	free(b.spent);
	return b.result;
}

static void fill_one(struct batch *b, const void *infos, uint32_t index)
{
	const VkSubmitInfo *s = (const VkSubmitInfo *)infos + index;
	const VkTimelineSemaphoreSubmitInfo *t = chain_find(s->pNext, VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
	for (uint32_t i = 0; i < s->waitSemaphoreCount; i++)
		batch_wait(b, s->pWaitSemaphores[i], t && i < t->waitSemaphoreValueCount ? t->pWaitSemaphoreValues[i] : 0);
	for (uint32_t i = 0; i < s->commandBufferCount; i++)
		batch_commands(b, s->pCommandBuffers[i]);
	for (uint32_t i = 0; i < s->signalSemaphoreCount; i++)
		batch_signal(b, s->pSignalSemaphores[i], t && i < t->signalSemaphoreValueCount ? t->pSignalSemaphoreValues[i] : 0);
}

VkResult VKAPI_CALL galena_vkQueueSubmit(VkQueue q, uint32_t count, const VkSubmitInfo *infos, VkFence fence)
{
	return queue_submit(q, count, infos, fill_one, fence);
}

static void fill_two(struct batch *b, const void *infos, uint32_t index)
{
	const VkSubmitInfo2 *s = (const VkSubmitInfo2 *)infos + index;
	for (uint32_t i = 0; i < s->waitSemaphoreInfoCount; i++)
		batch_wait(b, s->pWaitSemaphoreInfos[i].semaphore, s->pWaitSemaphoreInfos[i].value);
	for (uint32_t i = 0; i < s->commandBufferInfoCount; i++)
		batch_commands(b, s->pCommandBufferInfos[i].commandBuffer);
	for (uint32_t i = 0; i < s->signalSemaphoreInfoCount; i++)
		batch_signal(b, s->pSignalSemaphoreInfos[i].semaphore, s->pSignalSemaphoreInfos[i].value);
}

VkResult VKAPI_CALL galena_vkQueueSubmit2(VkQueue q, uint32_t count, const VkSubmitInfo2 *infos, VkFence fence)
{
	return queue_submit(q, count, infos, fill_two, fence);
}

VkResult VKAPI_CALL galena_vkQueueWaitIdle(VkQueue q)
{
	if (q->last && umd_wait(q->last))
		return device_lost(q->device);
	queue_observed(q, q->sequence);
	return atomic_load(&q->device->lost) ? VK_ERROR_DEVICE_LOST : VK_SUCCESS;
}
