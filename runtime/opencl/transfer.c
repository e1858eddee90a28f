/* DMA of boxes, and host memory as one side of it. */
#include "runtime/kmd/profile.h"
#include "runtime/opencl/command.h"
#include "runtime/opencl/queue.h"
#include "runtime/opencl/svm.h"
#include <stdlib.h>
#include <string.h>

/* Above this size, application memory is pinned and reached by DMA where it lies; below, the bytes
 * go through staging memory: cheaper, and addresses on a stack or in a heap, which differ from run
 * to run, do not show on the bus. */
enum { STAGE_BYTES = 64 << 10 };

static union packet *next_packet(void *c) { return command_packet(c); }

void command_copy(struct command *c, struct box src, struct box dst, const size_t region[3])
{
	box_copy_packets(src, dst, region, next_packet, c);
}

void command_fill(struct command *c, const void *pattern, size_t size, struct box dst, const size_t region[3])
{
	struct staging s;
	if (!region[0] || !region[1] || !region[2] || command_staging(c, size, 128, &s))
		return;
	memcpy(s.cpu, pattern, size);
	box_fill_packet(s.address, (unsigned)size, dst, region, next_packet, c);
}

/* ---- host memory ---- */

void box_copy(char *dst, size_t dst_row, size_t dst_slice, const char *src, size_t src_row, size_t src_slice, const size_t r[3])
{
	PHASE_HERE(COPY);
	for (size_t z = 0; z < r[2]; z++)
		for (size_t y = 0; y < r[1]; y++)
			memcpy(dst + z * dst_slice + y * dst_row, src + z * src_slice + y * src_row, r[0]);
}

/* Bytes from the first of the box to its last. */
static size_t span(size_t row, size_t slice, const size_t r[3]) { return (r[2] - 1) * slice + (r[1] - 1) * row + r[0]; }

/* The application's own pages; NULL when they cannot be pinned. */
static struct umd_bo *import(struct command *c, void *ptr, size_t row, size_t slice, const size_t r[3], unsigned flags)
{
	struct umd_bo *bo;
	if (umd_bo_import(c->queue->context->space, ptr, span(row, slice, r), flags, &bo))
		return NULL;
	command_release_bo(c, bo);
	return c->error ? NULL : bo;
}

static void host_pitches(size_t *row, size_t *slice, const size_t region[3])
{
	if (!*row)
		*row = region[0];
	if (!*slice)
		*slice = *row * region[1];
}

/* ---- host memory that a command before has yet to write ----
 *
 * A command that reads host memory may be behind one that writes it, and no thread need have waited
 * in between: read into ptr, then write from ptr. What goes through staging memory is copied in and
 * out by the host, so order on the device is not enough. Then the second command waits for a
 * semaphore, which is signalled when the first one's bytes are in place and copied on. */

struct late_copy {
	struct late_copy *next;
	struct _cl_event **writers; /* in use; the last one of each stream */
	unsigned num_writers;       /* those that may not have delivered yet */
	struct umd_sem *sem;
	void *dst;                  /* staging memory, NULL when the host's pages are read where they lie */
	const void *src;
	size_t row, slice, region[3];
};

static bool writes_into(const struct _cl_event *e, const char *begin, const char *end)
{
	return e->state->host_begin && e->state->host_begin < end && begin < e->state->host_end;
}

/* The commands known that write into the range and may not have done so. context->lock. False when
 * there is no memory. */
static bool find_writers(const struct command *c, struct late_copy *l)
{
	const char *begin = l->src, *end = begin + span(l->row, l->slice, l->region);
	const struct stream *streams = c->queue->host_writers ? c->queue->streams : NULL;
	l->writers = malloc((c->num_waits + queue_num_streams(c->queue)) * sizeof *l->writers);
	if (!l->writers)
		return false;
	for (const struct stream *s = streams; s; s = s->next) {
		struct _cl_event *last = NULL;
		for (struct _cl_event *e = s->first; e; e = e->next)
			if (writes_into(e, begin, end))
				last = e;
		if (last)
			l->writers[l->num_writers++] = last;
	}
	for (cl_uint i = 0; i < c->num_waits; i++) {
		struct _cl_event *e = c->wait_list[i];
		if (e->queue && e->queue != c->queue && e->number > e->stream->covered && writes_into(e, begin, end))
			l->writers[l->num_writers++] = e;
	}
	for (unsigned i = 0; i < l->num_writers; i++)
		object_use(&l->writers[i]->object);
	return true;
}

static bool may_have_writers(const struct command *c)
{
	bool any = c->queue->host_writers;
	for (cl_uint i = 0; i < c->num_waits; i++)
		any |= c->wait_list[i]->queue && c->wait_list[i]->queue->host_writers;
	return any;
}

/* True if the bytes have to be waited for (or there is no memory: c->error); then the semaphore's
 * packet stands in the command. */
static bool copy_late(struct command *c, void *dst, const void *src, size_t row, size_t slice, const size_t region[3])
{
	struct late_copy made = {.dst = dst, .src = src, .row = row, .slice = slice, .region = {region[0], region[1], region[2]}}, *l;
	pthread_mutex_lock(&c->queue->context->lock);
	bool ok = !may_have_writers(c) || find_writers(c, &made);
	pthread_mutex_unlock(&c->queue->context->lock);
	if (ok && !made.num_writers) {
		free(made.writers);
		return false;
	}
	l = ok ? malloc(sizeof *l) : NULL;
	if (!l || umd_sem_create(galena_platform.driver, 0, &made.sem)) {
		for (unsigned i = 0; i < made.num_writers; i++)
			object_unuse(&made.writers[i]->object);
		free(made.writers);
		free(l);
		c->error = FAIL(CL_OUT_OF_HOST_MEMORY, "no memory for the command");
		return true;
	}
	*l = made;
	umd_sem_wait_packet(l->sem, command_packet(c));
	c->late = l;
	return true;
}

/* To the first writer that has not delivered; gives it back if all have. context->lock. */
static struct late_copy *late_attach(struct late_copy *l)
{
	for (unsigned i = 0; i < l->num_writers; i++) {
		struct command_state *state = l->writers[i]->state;
		if (state->delivered)
			continue;
		l->next = NULL;
		struct late_copy **at = &state->late;
		while (*at)
			at = &(*at)->next;
		*at = l;
		return NULL;
	}
	return l;
}

void late_drop(struct late_copy *l)
{
	if (!l)
		return;
	umd_sem_release(l->sem);
	for (unsigned i = 0; i < l->num_writers; i++)
		object_unuse(&l->writers[i]->object);
	free(l->writers);
	free(l);
}

void late_run(struct late_copy *l)
{
	while (l) {
		struct late_copy *next = l->next;
		struct _cl_context *c = l->writers[0]->context;
		pthread_mutex_lock(&c->lock);
		l = late_attach(l); /* another one may still have to deliver */
		pthread_mutex_unlock(&c->lock);
		if (l && l->dst)
			box_copy(l->dst, l->region[0], l->region[0] * l->region[1], l->src, l->row, l->slice, l->region);
		if (l)
			umd_sem_signal(l->sem, 0);
		late_drop(l);
		l = next;
	}
}

static void late_posted(void *l)
{
	callback_deferred++;
	late_run(l);
	callback_deferred--;
}

/* Whether the writers have delivered is asked when all posts before this one have been applied, not
 * now: so the traffic does not depend on how far the device happens to be. */
void late_submit(struct late_copy *l)
{
	if (l && umd_post(galena_platform.driver, late_posted, l))
		late_posted(l);
}

/* Shared virtual memory, which the device reaches where it lies. */
static bool is_shared(struct command *c, const void *ptr, size_t row, size_t slice, const size_t region[3])
{
	return svm_place(c->queue->context, ptr, span(row, slice, region)) == SVM_INSIDE;
}

struct box command_host_source(struct command *c, const void *src, size_t row, size_t slice, const size_t region[3])
{
	const size_t bytes = region[0] * region[1] * region[2];
	host_pitches(&row, &slice, region);
	if (is_shared(c, src, row, slice, region))
		return (struct box){(uintptr_t)src, row, slice};
	struct umd_bo *bo = bytes > STAGE_BYTES ? import(c, (void *)(uintptr_t)src, row, slice, region, KMD_BO_READ_ONLY) : NULL;
	if (bo) {
		copy_late(c, NULL, src, row, slice, region);
		return (struct box){umd_bo_address(bo), row, slice};
	}
	struct staging s;
	if (command_staging(c, bytes, 64, &s))
		return (struct box){0};
	if (!copy_late(c, s.cpu, src, row, slice, region))
		box_copy(s.cpu, region[0], region[0] * region[1], src, row, slice, region);
	return (struct box){.address = s.address};
}

void command_copy_from_host(struct command *c, const void *src, size_t row, size_t slice, struct box dst, const size_t region[3])
{
	if (region[0] && region[1] && region[2])
		command_copy(c, command_host_source(c, src, row, slice, region), dst, region);
}

struct copy_out {
	void *dst;
	const void *src;
	size_t row, slice, region[3];
};

static void copy_out(void *arg, cl_int status)
{
	struct copy_out *o = arg;
	if (status == CL_COMPLETE)
		box_copy(o->dst, o->row, o->slice, o->src, o->region[0], o->region[0] * o->region[1], o->region);
	free(o);
}

struct box command_host_target(struct command *c, void *dst, size_t row, size_t slice, const size_t region[3])
{
	const size_t bytes = region[0] * region[1] * region[2];
	host_pitches(&row, &slice, region);
	if (is_shared(c, dst, row, slice, region))
		return (struct box){(uintptr_t)dst, row, slice};
	c->state->host_begin = dst;
	c->state->host_end = (char *)dst + span(row, slice, region);
	struct umd_bo *bo = bytes > STAGE_BYTES ? import(c, dst, row, slice, region, 0) : NULL;
	if (bo)
		return (struct box){umd_bo_address(bo), row, slice};
	struct staging s;
	if (command_staging(c, bytes, 64, &s))
		return (struct box){0};
	struct copy_out *o = malloc(sizeof *o);
	if (!o) {
		c->error = FAIL(CL_OUT_OF_HOST_MEMORY, "no memory for the command");
		return (struct box){0};
	}
	*o = (struct copy_out){dst, s.cpu, row, slice, {region[0], region[1], region[2]}};
	command_hook(c, copy_out, o);
	return (struct box){.address = s.address};
}

void command_copy_to_host(struct command *c, struct box src, void *dst, size_t row, size_t slice, const size_t region[3])
{
	if (region[0] && region[1] && region[2])
		command_copy(c, src, command_host_target(c, dst, row, slice, region), region);
}
