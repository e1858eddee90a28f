/* Memory of surfaces and images: the host's, which others may have by descriptor. */
#include "base/clock.h"
#include "base/hold.h"
#include "runtime/vaapi/objects.h"
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

static VAStatus made(struct display *d, struct umd_bo *bo, bool shared, int fd, struct memory **out)
{
	struct memory *m = calloc(1, sizeof *m);
	const int error = !m ? KMD_NO_MEMORY : shared ? umd_bo_users(bo, &m->users) : 0;
	if (error) {
		free(m);
		umd_bo_release(bo);
		if (fd >= 0)
			close(fd);
		return driver_status(error);
	}
	atomic_init(&m->refs, 1);
	m->bo = bo;
	m->address = umd_bo_address(bo);
	m->size = umd_bo_size(bo);
	m->cpu = umd_bo_cpu(bo);
	m->maintained = shared && !d->info->coherent;
	m->fd = fd;
	*out = m;
	return VA_STATUS_SUCCESS;
}

VAStatus memory_create(struct display *d, uint64_t size, bool shared, struct memory **out)
{
	struct umd_bo *bo;
	TRY(driver_status(umd_bo_create(d->space, d->device, size, shared ? KMD_BO_SHARED : KMD_BO_SYSTEM, &bo)));
	return made(d, bo, shared, -1, out);
}

VAStatus memory_import(struct display *d, int fd, struct memory **out)
{
	struct kmd_dmabuf b;
	struct umd_bo *bo;
	FAIL_IF(umd_dmabuf_query(fd, &b), VA_STATUS_ERROR_INVALID_PARAMETER, "descriptor %d is not of memory that devices can import", fd);
	FAIL_IF(b.is_protected || !b.writable, VA_STATUS_ERROR_INVALID_PARAMETER, "descriptor %d is of memory that is protected, or read only", fd);
	const int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	FAIL_IF(own < 0, VA_STATUS_ERROR_ALLOCATION_FAILED, "no descriptor");
	const int error = umd_bo_import_dmabuf(d->space, own, 0, b.size, KMD_BO_SHARED, &bo);
	if (error) {
		close(own);
		return driver_status(error);
	}
	return made(d, bo, true, own, out);
}

VAStatus memory_export(struct memory *m, int *fd)
{
	if (m->fd < 0)
		return driver_status(umd_bo_export(m->bo, fd));
	*fd = fcntl(m->fd, F_DUPFD_CLOEXEC, 0);
	FAIL_IF(*fd < 0, VA_STATUS_ERROR_ALLOCATION_FAILED, "no descriptor");
	return VA_STATUS_SUCCESS;
}

struct memory *memory_ref(struct memory *m)
{
	atomic_fetch_add(&m->refs, 1);
	return m;
}

void memory_unref(struct memory *m)
{
	if (!m || atomic_fetch_sub(&m->refs, 1) != 1)
		return;
	umd_command_release(m->last);
	umd_sem_release(m->users);
	umd_bo_release(m->bo);
	if (m->fd >= 0)
		close(m->fd);
	free(m);
}

static struct umd_command *last_of(struct display *d, struct memory *m)
{
	HOLDING(&d->lock);
	if (m->last)
		umd_command_retain(m->last);
	return m->last;
}

VAStatus memory_wait(struct display *d, struct memory *m)
{
	if (m->users)
		return driver_status(umd_sem_wait(m->users, 0));
	struct umd_command *last = last_of(d, m);
	const int error = last ? umd_wait(last) : 0;
	umd_command_release(last);
	return driver_status(error);
}

/* What can be read of it is that all users until now have ended. */
static int sync_file(struct memory *m)
{
	int fd = -1;
	return m->users && !umd_sem_export(m->users, KMD_FENCE_SYNC_FILE, &fd) ? fd : -1;
}

bool memory_idle(struct display *d, struct memory *m, uint64_t timeout)
{
	const uint64_t start = clock_ns();
	struct umd_command *last = last_of(d, m);
	struct pollfd users = {.fd = sync_file(m), .events = POLLIN};
	bool idle = false;
	for (;;) {
		umd_sync(d->umd);
		idle = users.fd >= 0 ? poll(&users, 1, 0) == 1 : !last || umd_command_ended(last, NULL);
		if (idle || clock_ns() - start >= timeout)
			break;
		poll(&users, 1, 1); /* another client has to bring it about */
	}
	umd_command_release(last);
	if (users.fd >= 0)
		close(users.fd);
	return idle;
}
