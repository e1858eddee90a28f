/* Queues and commands. */
#include "runtime/umd/internal.h"
#include <stdlib.h>

int umd_queue_create(struct umd_space *s, unsigned device, unsigned priority, struct umd_queue **out)
{
	struct kmd_queue_create a = { .vm = s->vm, .device = device, .priority = priority };
	struct umd_queue *q = malloc(sizeof *q);
	int error = q ? kmd_ioctl(s->umd->file, KMD_QUEUE_CREATE, &a) : KMD_NO_MEMORY;
	if (error) {
		free(q);
		return error;
	}
	*q = (struct umd_queue){ s->umd, a.queue };
	*out = q;
	return 0;
}

void umd_queue_release(struct umd_queue *q)
{
	if (!q)
		return;
	kmd_ioctl(q->umd->file, KMD_QUEUE_CLOSE, &(struct kmd_queue_close){ .queue = q->queue });
	free(q);
}

/* ---- commands ---- */
/* What the packets say, as the driver takes it: semaphore packets name fences by their handles (umd_command_wait_packet()). */
struct request {
	union packet *packets;
	struct kmd_point *waits, *signals;
	unsigned num_packets, num_waits, num_signals;
};

static void request_make(struct request *r, const union packet *packets, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		const union packet *p = &packets[i];
		if (p->head.type == PACKET_CODE_sem_wait)
			r->waits[r->num_waits++] = (struct kmd_point){ .fence = (uint32_t)p->sem_wait.semaphore, .flags = p->sem_wait.mode ? KMD_POINT_BINARY : 0, .value = p->sem_wait.value };
		else if (p->head.type == PACKET_CODE_sem_signal)
			r->signals[r->num_signals++] = (struct kmd_point){ .fence = (uint32_t)p->sem_signal.semaphore, .flags = p->sem_signal.value ? 0 : KMD_POINT_BINARY, .value = p->sem_signal.value };
		else
			r->packets[r->num_packets++] = *p;
	}
}

int umd_submit(struct umd_queue *q, const union packet *packets, unsigned count, uint32_t private_bytes, umd_done_fn done, void *arg,
	       struct umd_command **out)
{
	enum { FEW = 16 };
	struct few { union packet packets[FEW]; struct kmd_point waits[FEW], signals[FEW]; } few, *room = &few;
	struct request r = { few.packets, few.waits, few.signals, 0, 0, 0 };
	struct umd_command *c = malloc(sizeof *c);
	if (count > FEW) {
		room = malloc(count * (sizeof *r.packets + sizeof *r.waits + sizeof *r.signals));
		r.packets = (union packet *)(void *)room;
		r.waits = (struct kmd_point *)(void *)(r.packets + count);
		r.signals = r.waits + count;
	}
	int error = KMD_NO_MEMORY;
	if (!c || !room)
		goto out;
	request_make(&r, packets, count);
	*c = (struct umd_command){ .umd = q->umd, .users = 1, .refs = 1 + (out != NULL), .done = done, .arg = arg };
	struct kmd_submit a = { .queue = q->queue, .num_packets = r.num_packets, .num_waits = r.num_waits, .num_signals = r.num_signals,
				.packets = (uintptr_t)r.packets, .waits = (uintptr_t)r.waits, .signals = (uintptr_t)r.signals,
				.private_bytes = private_bytes, .cookie = (uintptr_t)c, .keep = out != NULL };
	error = kmd_ioctl(q->umd->file, KMD_SUBMIT, &a);
	if (error)
		goto out;
	c->fence = a.fence;
	if (a.crowded)
		q->umd->crowded = true;
	if (out)
		*out = c;
	c = NULL;
out:
	if (room != &few)
		free(room);
	free(c);
	return error;
}

void umd_command_wait_packet(const struct umd_command *c, union packet *out)
{
	*out = (union packet){ .sem_wait = { .head.type = PACKET_CODE_sem_wait, .semaphore = c->fence, .value = 1 } };
}

bool umd_command_ended(const struct umd_command *c, struct completion *out)
{
	if (!atomic_load_explicit(&c->ended, memory_order_acquire))
		return false;
	if (out)
		*out = c->completion;
	return true;
}

const struct fault_record *umd_command_fault(const struct umd_command *c)
{
	return umd_command_ended(c, NULL) && c->has_fault ? &c->fault : NULL;
}

const struct kmd_import *umd_command_import(const struct umd_command *c)
{
	return umd_command_ended(c, NULL) && c->import.size ? &c->import : NULL;
}

void umd_command_retain(struct umd_command *c) { atomic_fetch_add(&c->users, 1); }

void umd_command_unref(struct umd_command *c)
{
	if (atomic_fetch_sub(&c->refs, 1) == 1)
		free(c);
}

void umd_command_release(struct umd_command *c)
{
	if (!c || atomic_fetch_sub(&c->users, 1) != 1)
		return;
	kmd_ioctl(c->umd->file, KMD_FENCE_CLOSE, &(struct kmd_fence){ .fence = c->fence });
	umd_command_unref(c);
}

void umd_flush(struct umd_queue *q) { umd_flush_all(&q, 1); }

void umd_flush_all(struct umd_queue *const *queues, unsigned count)
{
	enum { FEW = 64 };
	uint32_t few[FEW], *handles = count > FEW ? malloc(count * sizeof *handles) : few;
	for (unsigned i = 0; handles && i < count; i++)
		handles[i] = queues[i]->queue;
	if (handles && count)
		kmd_ioctl(queues[0]->umd->file, KMD_FLUSH, &(struct kmd_flush){ .queues = (uintptr_t)handles, .num_queues = count });
	for (unsigned i = 0; !handles && i < count; i++) /* without memory, one by one */
		umd_flush(queues[i]);
	if (handles != few)
		free(handles);
}

int umd_wait(struct umd_command *c)
{
	COMPLETIONS_MAY_RUN();
	if (umd_delivers())
		return KMD_INVALID;
	int error = umd_wait_for(c->umd, &(struct kmd_wait){ .flags = KMD_WAIT_POINT, .fence = c->fence });
	if (error)
		return error;
	const int status = c->completion.status;
	return status == -FAULT_FIRMWARE || status == -FAULT_LOST ? KMD_DEVICE_LOST : 0;
}
