/* Jobs: what the device does with surfaces and images, one command of the display's queue each. */
#ifndef GALENA_RUNTIME_VAAPI_JOB_H
#define GALENA_RUNTIME_VAAPI_JOB_H
#include "runtime/umd/box.h"
#include "runtime/vaapi/objects.h"

enum { JOB_MEMORIES_MAX = 64 };
struct job {
	struct display *display;
	union packet *packets;
	unsigned count, cap;
	struct memory *memories[JOB_MEMORIES_MAX]; /* that it uses */
	unsigned num_memories;
	struct umd_bo *data[JOB_MEMORIES_MAX];     /* that it reads, and that is given up behind it */
	unsigned num_data;
	struct filter *filters[8 * JOB_MEMORIES_MAX]; /* that it uses */
	unsigned num_filters;
	struct surface *decodes; /* into this surface, or NULL */
	VAStatus status;
};
void job_begin(struct job *, struct display *);
/* The job uses this memory. */
void job_uses(struct job *, struct memory *);
/* Memory that the job reads, which the host fills before it is submitted; NULL: job->status says why. */
void *job_data(struct job *, size_t size, uint64_t *address);
/* Takes the reference of a filter; there are no more than eight for each job_data(). */
void job_filter(struct job *, struct filter *);
/* A zeroed packet to be filled in; never NULL. */
union packet *job_packet(void *job);
/* Submits it and lets go of what it has; *command, which is the caller's, if it is not NULL. */
VAStatus job_submit(struct job *, struct umd_command **command);
/* Instead of that. */
void job_drop(struct job *);
/* Whether a command has ended because of what a stream holds. */
bool job_stream_error(const struct completion *);
/* Waits for the command, which it releases. */
VAStatus job_wait(struct umd_command *);

#endif
