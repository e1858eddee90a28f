/* Fences by descriptor.
 *
 * An opaque descriptor is a fence: a memory file of one page, which holds the payload and the record. Its holders can map the page to read
 * it; its seals let only the driver write. It keeps the fence: while a client has it open the system refuses a lease of the file, by which the
 * driver knows.
 *
 * A sync file is a point of a fence: one of a pair of sockets, which can be read, and poll(2) says so, when the point is reached. Both are known
 * by their inodes. */
#define _GNU_SOURCE /* seals */
#include "base/cancel.h"
#include "base/list.h"
#include "base/memory_file.h"
#include "runtime/kmd/fence.h"
#include <fcntl.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RECORD_OFFSET = 64 };
_Static_assert(RECORD_OFFSET + offsetof(struct completion, status) == KMD_FENCE_STATUS, "as its readers know it");
enum { FENCE_SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL };

/* ---- memory ---- */
static void apply_pin(struct driver *d, struct work *work)
{
	struct fence *s = work_owner(work, struct fence, map);
	pins_apply(d, s->payload.host, &s->pin);
}

static void shared_free(struct fence *s)
{
	munmap(s->payload.host, GALENA_PAGE_SIZE);
	close(s->fd);
	pin_list_free(&s->pin);
	pin_list_free(&s->unpin);
	free(s);
}

static void apply_unpin(struct driver *d, struct work *work)
{
	struct fence *s = work_owner(work, struct fence, unmap);
	pins_apply(d, s->payload.host, &s->unpin);
	shared_free(s);
}

int fence_share(struct fence *s)
{
	NOT_CANCELLED;
	struct driver *d = s->driver;
	struct stat st;
	const int fd = memory_file_sized("galena-fence", MFD_ALLOW_SEALING, GALENA_PAGE_SIZE);
	if (fd < 0)
		return KMD_NO_MEMORY;
	uint8_t *page = mmap(NULL, GALENA_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED)
		goto err_close;
	if (fcntl(fd, F_ADD_SEALS, FENCE_SEALS) || fstat(fd, &st) || !pin_list_reserve(&s->unpin, 1) ||
	    pins_add(&d->pins, page, 1, PIN_FOR_WRITE, &s->pin))
		goto err_unmap;
	const uint64_t pa = pin_pa(pin_list_ranges(&s->pin)->number);
	s->payload = (struct slot){ .host = page, .pa = pa };
	s->record = (struct slot){ .host = page + RECORD_OFFSET, .pa = pa + RECORD_OFFSET };
	s->fd = fd;
	s->device = st.st_dev;
	s->inode = st.st_ino;
	s->next = d->fences;
	d->fences = s;
	s->map.apply = apply_pin;
	work_queue(d->caller, &s->map);
	return 0;
err_unmap:
	munmap(page, GALENA_PAGE_SIZE);
	pin_list_free(&s->unpin);
err_close:
	close(fd);
	return KMD_NO_MEMORY;
}

struct fence *fence_of_users(struct driver *d)
{
	struct fence *s = malloc(sizeof *s);
	if (!s)
		return NULL;
	*s = (struct fence){ .driver = d, .refs = 1, .fd = -1, .turns = true };
	if (!fence_share(s))
		return s;
	free(s);
	return NULL;
}

/* Its page frame number may be another's from now on. */
static void give_back(struct driver *d, struct fence *s)
{
	LIST_TAKE(d->fences, s, next);
	pins_leave(&d->pins, s->payload.host, 1, PIN_FOR_WRITE);
	pins_drop(&d->pins, &s->pin, PIN_FOR_WRITE, &s->unpin);
	s->unmap.apply = apply_unpin;
	work_queue(d->caller ? d->caller : d->files, &s->unmap);
}

/* An open file of its own, for a client's descriptor; -1 without /proc. */
static int opened(const struct fence *s)
{
	char path[32];
	snprintf(path, sizeof path, "/proc/self/fd/%d", s->fd);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* A client has a descriptor or a mapping of it. */
static bool held_outside(const struct fence *s)
{
	NOT_CANCELLED;
	const int fd = s->exported ? opened(s) : -1;
	if (fd < 0)
		return false;
	fcntl(fd, F_SETSIG, SIGURG); /* ignored, should another program open the file just now */
	const bool held = fcntl(fd, F_SETLEASE, F_WRLCK) && errno == EAGAIN;
	close(fd);
	return held;
}

/* Signals that are queued are applied first, unless a handler of completions overtakes them. */
static void release(struct driver *d, struct fence *s)
{
	s->late = s->queued && d->caller && file_delivers(d->caller);
	if (!s->late)
		give_back(d, s);
}

/* Gives up those that only descriptors had kept. */
static void kept_sweep(struct driver *d)
{
	for (struct fence *s = d->fences, *next; s; s = next) {
		next = s->next;
		if (!s->kept || held_outside(s))
			continue;
		s->kept = false;
		release(d, s);
	}
}

void fence_shared_release(struct fence *s)
{
	struct driver *d = s->driver;
	if (d->closing)
		return; /* fences_fini() */
	s->kept = held_outside(s);
	if (!s->kept)
		release(d, s);
}

void fence_shared_signalled(struct fence *s)
{
	struct driver *d = s->driver;
	HOLDING_DRIVER(d);
	fence_tell(s);
	if (!--s->queued && s->late && !d->closing)
		give_back(d, s);
}

/* ---- sync files ---- */
void fence_tell(struct fence *s)
{
	for (struct sync_file *y = s->syncs; y; y = y->fence_next) {
		if (y->told || !fence_reached(s, y->value))
			continue;
		const int32_t status = fence_status(s);
		y->told = true;
		send(y->end, &status, sizeof status, MSG_NOSIGNAL | MSG_DONTWAIT);
	}
	if (s->driver->waiters)
		pthread_cond_broadcast(&s->driver->changed);
}

/* Gives up those that have no descriptor any more, and no handle. */
static void sync_files_sweep(struct driver *d)
{
	for (struct sync_file **at = &d->sync_files, *y; (y = *at);) {
		struct pollfd p = { .fd = y->end, .events = POLLHUP };
		if (y->handles || poll(&p, 1, 0) != 1 || !(p.revents & POLLHUP)) {
			at = &y->next;
			continue;
		}
		LIST_TAKE(y->fence->syncs, y, fence_next);
		*at = y->next;
		close(y->end);
		fence_unref(y->fence);
		free(y);
	}
}

void sync_file_close(struct sync_file *y)
{
	y->handles--;
	sync_files_sweep(y->fence->driver);
}

/* The clients' descriptor, or a negative error. */
static int sync_file_make(struct fence *s, uint64_t value)
{
	struct driver *d = s->driver;
	struct sync_file *y = malloc(sizeof *y);
	struct stat st;
	int ends[2];
	if (!y || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) {
		free(y);
		return KMD_NO_MEMORY;
	}
	shutdown(ends[1], SHUT_WR);
	fstat(ends[1], &st);
	*y = (struct sync_file){ .next = d->sync_files, .fence_next = s->syncs, .fence = s, .value = value, .end = ends[0],
				 .device = st.st_dev, .inode = st.st_ino };
	d->sync_files = y;
	s->syncs = y;
	s->refs++;
	fence_tell(s);
	return ends[1];
}

/* ---- requests ---- */
int ioctl_fence_export(struct file *f, struct kmd_fence_fd *a)
{
	NOT_CANCELLED;
	const uint64_t asked = a->value;
	HOLDING_FILE(f);
	sync_files_sweep(f->driver);
	kept_sweep(f->driver);
	struct fence *s = a->kind == KMD_FENCE_SYNC_FILE ? fence_point(f, a->fence, &a->value) : handle_get(f, a->fence, HANDLE_FENCE);
	if (!s)
		return KMD_BAD_HANDLE;
	if (s->fd < 0 || a->kind > KMD_FENCE_SYNC_FILE || (s->turns && (a->kind != KMD_FENCE_SYNC_FILE || asked)))
		return KMD_INVALID;
	const bool taken = a->kind == KMD_FENCE_SYNC_FILE && !a->value && !s->turns;
	int fd = a->kind == KMD_FENCE_OPAQUE ? opened(s) : sync_file_make(s, taken ? s->waits + 1 : a->value);
	if (fd < 0 && a->kind == KMD_FENCE_OPAQUE)
		fd = fcntl(s->fd, F_DUPFD_CLOEXEC, 0); /* one that keeps nothing */
	if (fd < 0)
		return KMD_NO_MEMORY;
	s->exported |= a->kind == KMD_FENCE_OPAQUE;
	s->waits += taken;
	a->fd = fd;
	return 0;
}

int ioctl_fence_import(struct file *f, struct kmd_fence_fd *a)
{
	struct driver *d = f->driver;
	struct stat st;
	if (a->kind > KMD_FENCE_SYNC_FILE)
		return KMD_INVALID;
	if (fstat(a->fd, &st))
		return KMD_BAD_DESCRIPTOR;
	HOLDING_FILE(f);
	kept_sweep(d);
	struct fence *s = a->kind == KMD_FENCE_OPAQUE ? d->fences : NULL;
	struct sync_file *y = a->kind == KMD_FENCE_OPAQUE ? NULL : d->sync_files;
	while (s && (s->device != st.st_dev || s->inode != st.st_ino))
		s = s->next;
	while (y && (y->device != st.st_dev || y->inode != st.st_ino))
		y = y->next;
	if (!s && !y)
		return KMD_BAD_DESCRIPTOR;
	a->fence = s ? handle_new(f, HANDLE_FENCE, s) : handle_new(f, HANDLE_SYNC_FILE, y);
	if (!a->fence)
		return KMD_NO_MEMORY;
	*(s ? &s->refs : &y->handles) += 1;
	if (s)
		s->kept = s->late = false;
	return 0;
}

/* ---- the end ---- */
void fences_fail(struct file *f)
{
	for (uint32_t i = 0; i < f->num_handles; i++) {
		struct fence *s = f->handles[i].kind == HANDLE_FENCE ? f->handles[i].object : NULL;
		if (s && s->file == f && (s->fd >= 0 || !s->signalled))
			fence_signal(s, 0, -FAULT_ABORTED);
	}
	for (struct fence *s = f->driver->fences; s; s = s->next)
		if (s->file == f)
			s->file = NULL;
}

void fences_fini(struct driver *d)
{
	for (struct sync_file *y = d->sync_files, *next; y; y = next) {
		next = y->next;
		close(y->end);
		free(y);
	}
	for (struct fence *s = d->fences, *next; s; s = next) {
		next = s->next;
		shared_free(s);
	}
}
