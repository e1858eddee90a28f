#include "base/hold.h"
#include "runtime/vaapi/filter.h"
#include "runtime/vaapi/job.h"
#include <stdlib.h>
#include <string.h>

void job_begin(struct job *j, struct display *d) { *j = (struct job){.display = d}; }

void job_uses(struct job *j, struct memory *m)
{
	for (unsigned i = 0; i < j->num_memories; i++)
		if (j->memories[i] == m)
			return;
	if (j->num_memories < JOB_MEMORIES_MAX)
		j->memories[j->num_memories++] = memory_ref(m);
	else
		j->status = FAIL(VA_STATUS_ERROR_MAX_NUM_EXCEEDED, "a picture of more than %d surfaces", JOB_MEMORIES_MAX);
}

void *job_data(struct job *j, size_t size, uint64_t *address)
{
	struct umd_bo *bo;
	if (j->num_data == JOB_MEMORIES_MAX)
		j->status = FAIL(VA_STATUS_ERROR_MAX_NUM_EXCEEDED, "a picture of more than %d parts", JOB_MEMORIES_MAX);
	if (j->status)
		return NULL;
	j->status = driver_status(umd_bo_create(j->display->space, j->display->device, size, KMD_BO_SYSTEM | KMD_BO_UNCACHED, &bo));
	if (j->status)
		return NULL;
	j->data[j->num_data++] = bo;
	*address = umd_bo_address(bo);
	return umd_bo_cpu(bo);
}

void job_filter(struct job *j, struct filter *f) { j->filters[j->num_filters++] = f; }

union packet *job_packet(void *job)
{
	static _Thread_local union packet dummy;
	struct job *j = job;
	union packet *p = &dummy;
	if (j->count == j->cap) {
		const unsigned cap = j->cap ? 2 * j->cap : 16;
		union packet *more = realloc(j->packets, cap * sizeof *more);
		if (more) {
			j->packets = more;
			j->cap = cap;
		}
	}
	if (j->count < j->cap)
		p = &j->packets[j->count++];
	else
		j->status = VA_STATUS_ERROR_ALLOCATION_FAILED;
	return memset(p, 0, sizeof *p);
}

void job_drop(struct job *j)
{
	for (unsigned i = 0; i < j->num_memories; i++)
		memory_unref(j->memories[i]);
	for (unsigned i = 0; i < j->num_data; i++)
		umd_bo_release(j->data[i]);
	for (unsigned i = 0; i < j->num_filters; i++)
		filter_put(j->display, j->filters[i]);
	free(j->packets);
	*j = (struct job){.display = j->display};
}

/* ---- submission ---- */
/* Where caches are not coherent the kernel-mode driver maintains no memory that others have by descriptor. */
static void maintain(struct job *j, unsigned op)
{
	for (unsigned i = 0; i < j->num_memories; i++)
		if (j->memories[i]->maintained)
			job_packet(j)->cache = (struct packet_cache){.head.type = PACKET_CODE_cache, .address = j->memories[i]->address,
								     .size = j->memories[i]->size, .op = op};
}

/* The job has its turn at all that it uses, and what it does is between maintenance. */
static void surround(struct job *j)
{
	const unsigned work = j->count;
	for (unsigned i = 0; i < j->num_memories; i++) {
		union packet turn[2];
		if (!j->memories[i]->users)
			continue;
		umd_turn_packets(j->memories[i]->users, turn);
		*job_packet(j) = turn[0];
		*job_packet(j) = turn[1];
	}
	maintain(j, CACHE_CLEAN | CACHE_INVALIDATE);
	const unsigned before = j->count - work;
	union packet *moved = malloc(j->count * sizeof *moved);
	if (moved && !j->status) {
		memcpy(moved, j->packets + work, before * sizeof *moved);
		memcpy(moved + before, j->packets, work * sizeof *moved);
		memcpy(j->packets, moved, j->count * sizeof *moved);
	} else {
		j->status = VA_STATUS_ERROR_ALLOCATION_FAILED;
	}
	free(moved);
	maintain(j, CACHE_CLEAN);
}

static void uses(struct umd_command **by, struct umd_command *command)
{
	umd_command_retain(command);
	umd_command_release(*by);
	*by = command;
}

/* The order of jobs of one display is that of its queue. */
static int submit(struct job *j, struct umd_command **command)
{
	struct display *d = j->display;
	HOLDING(&d->lock);
	const int error = umd_submit(d->queue, j->packets, j->count, 0, NULL, NULL, command);
	if (error)
		return error;
	for (unsigned i = 0; i < j->num_memories; i++)
		uses(&j->memories[i]->last, *command);
	if (j->decodes)
		uses(&j->decodes->decode, *command);
	return 0;
}

VAStatus job_submit(struct job *j, struct umd_command **out)
{
	struct umd_command *command = NULL;
	if (!j->status && j->count)
		surround(j);
	if (!j->status && j->count) {
		umd_throttle(j->display->space);
		int error = submit(j, &command);
		if (error == KMD_NO_MEMORY || error == KMD_NO_DEVICE_MEMORY) { /* released objects may only wait for their commands to be seen ended */
			umd_sync(j->display->umd);
			error = submit(j, &command);
		}
		j->status = driver_status(error);
	}
	if (command)
		umd_flush(j->display->queue);
	if (command && out)
		*out = command;
	else
		umd_command_release(command);
	const VAStatus status = j->status;
	job_drop(j);
	return status;
}

VAStatus job_wait(struct umd_command *command)
{
	struct completion c;
	const int error = umd_wait(command);
	const bool failed = !error && umd_command_ended(command, &c) && c.status;
	umd_command_release(command);
	FAIL_IF(failed, VA_STATUS_ERROR_OPERATION_FAILED, "the device has failed: %s", fault_text(-c.status));
	return driver_status(error);
}

bool job_stream_error(const struct completion *c) { return c->status == -FAULT_BAD_STREAM; }
