/* dma-bufs that are imported: where their memory is.
 *
 * One that the host may see is mapped once, however often and by whichever of its descriptors it is imported: its pages have one
 * page number each, so that devices hold no line of them twice. The numbers are of SYSTEM_MANUAL: whether caches are
 * maintained is for each import to say.
 *
 * A protected one has protected memory of a device, from its first import on. That stays when its last import goes, for there may be
 * a descriptor somewhere; the one whose import went first gives way when there is no memory for another, or when they are
 * many. */
#define _GNU_SOURCE /* seals */
#include "base/cancel.h"
#include "base/list.h"
#include "base/memory_file.h"
#include "runtime/heap/heap_buffer.h"
#include "runtime/kmd/fence.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { KEPT_MAX = 64 };

struct dmabuf { /* software state */
	struct dmabuf *next;
	struct heap_buffer buffer;
	unsigned refs;         /* one an import */
	uint8_t *host;         /* not protected: its mapping, */
	bool writable;         /* with this right */
	struct device *device; /* protected: whose */
	uint64_t dram;         /* memory it has */
	int fd;                /* keeps the buffer, so that its inode is no other's */
	enum { CONTENTS_UNDEFINED, CONTENTS_CLEARING, CONTENTS_DEFINED } contents; /* clearing: by the importer that was told to */
	uint64_t left;         /* when its last import went */
	struct fence *users;   /* by which they take turns; NULL: no object has it */
	unsigned having;       /* objects that have it, and are not reclaimed */
};

static struct dmabuf *find(const struct driver *d, uint64_t device, uint64_t inode)
{
	struct dmabuf *m = d->dmabufs;
	while (m && (m->buffer.device != device || m->buffer.inode != inode))
		m = m->next;
	return m;
}

static struct dmabuf *add(struct driver *d, const struct heap_buffer *b)
{
	struct dmabuf *m = malloc(sizeof *m);
	if (!m)
		return NULL;
	*m = (struct dmabuf){ .next = d->dmabufs, .buffer = *b, .fd = -1 };
	d->dmabufs = m;
	return m;
}

/* Not the device's memory. */
static void forget(struct dmabuf *m)
{
	if (m->host)
		munmap(m->host, m->buffer.size);
	if (m->fd >= 0)
		close(m->fd);
	free(m);
}

static void drop(struct driver *d, struct dmabuf *m)
{
	LIST_TAKE(d->dmabufs, m, next);
	if (m->device)
		protected_free(d, m->device, m->dram, m->buffer.size);
	forget(m);
}

/* ---- memory that the host may see ---- */

/* at: in place of the mapping there, which shows the same pages; NULL: anywhere */
static uint8_t *map(int fd, const struct heap_buffer *b, uint8_t *at)
{
	int rights = PROT_READ | (b->writable ? PROT_WRITE : 0);
	uint8_t *host = mmap(at, b->size, rights, MAP_SHARED | (at ? MAP_FIXED : 0), fd, 0);
	return host == MAP_FAILED ? NULL : host;
}

static struct dmabuf *mapped_get(struct driver *d, int fd, const struct heap_buffer *b)
{
	HOLDING_DRIVER(d);
	struct dmabuf *m = find(d, b->device, b->inode), *fresh = NULL;
	if (!m)
		m = fresh = add(d, b);
	if (!m)
		return NULL;
	if (!m->host || (b->writable && !m->writable)) {
		uint8_t *host = map(fd, b, m->host);
		if (!host) {
			if (fresh)
				drop(d, fresh);
			return NULL;
		}
		m->host = host;
		m->writable = b->writable;
	}
	m->refs++;
	return m;
}

/* ---- protected memory ---- */

bool dmabuf_evict(struct driver *d, unsigned most)
{
	struct dmabuf *oldest = NULL;
	unsigned kept = 0;
	for (struct dmabuf *m = d->dmabufs; m; m = m->next) {
		if (m->refs)
			continue;
		kept++;
		if (!oldest || m->left < oldest->left)
			oldest = m;
	}
	if (kept > most)
		drop(d, oldest);
	return kept > most;
}

/* clear: NULL for the importer that clears the buffer. *error: why there is none */
static struct dmabuf *protected_get(struct driver *d, struct device *dev, int fd, const struct heap_buffer *b, bool *clear, int *error)
{
	struct dmabuf *m = find(d, b->device, b->inode);
	*error = KMD_AGAIN; /* another importer clears it */
	if (clear && m && m->contents == CONTENTS_CLEARING)
		return NULL;
	*error = KMD_INVALID; /* its memory is another device's */
	if (m && m->device != dev)
		return NULL;
	if (!m) {
		uint64_t pa = protected_alloc(d, dev, b->size, b->size >= PIN_RUN * GALENA_PAGE_SIZE ? PIN_RUN * GALENA_PAGE_SIZE : GALENA_PAGE_SIZE);
		*error = KMD_NO_DEVICE_MEMORY;
		if (pa == UINT64_MAX)
			return NULL;
		*error = KMD_NO_MEMORY;
		m = add(d, b);
		if (!m) {
			protected_free(d, dev, pa, b->size);
			return NULL;
		}
		m->device = dev;
		m->dram = pa;
		m->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
		if (m->fd < 0) {
			drop(d, m);
			return NULL;
		}
	}
	m->refs++;
	return m;
}

static void contents_set(struct driver *d, struct dmabuf *m, bool defined)
{
	m->contents = defined ? CONTENTS_DEFINED : CONTENTS_UNDEFINED;
	if (d->waiters)
		pthread_cond_broadcast(&d->changed);
}

/* ---- imports ---- */

void dmabuf_put(struct driver *d, struct dmabuf *m)
{
	if (--m->refs)
		return;
	if (!m->device) {
		drop(d, m);
		return;
	}
	m->left = ++d->dmabufs_left;
	if (!atomic_load(&d->closing))
		dmabuf_evict(d, KEPT_MAX);
}

void dmabufs_fini(struct driver *d)
{
	for (struct dmabuf *m = d->dmabufs, *next; m; m = next) {
		next = m->next;
		forget(m);
	}
}

static int check(int fd, uint64_t offset, uint64_t size, unsigned flags, struct heap_buffer *b)
{
	if (heap_buffer_of(fd, b))
		return KMD_BAD_DESCRIPTOR;
	return !size || offset > b->size || size > b->size - offset || (flags & ~(unsigned)(KMD_BO_READ_ONLY | KMD_BO_CONSISTENT | KMD_BO_SHARED)) ? KMD_INVALID : 0;
}

/* Its pages are committed as it is imported. */
static bool fits_host(uint64_t size) { return size / GALENA_PAGE_SIZE <= (uint64_t)sysconf(_SC_PHYS_PAGES); }

int bo_import_dmabuf(struct vm *s, int fd, uint64_t offset, uint64_t size, unsigned flags, bool retry, struct bo **out)
{
	NOT_CANCELLED;
	struct driver *d = s->driver;
	struct heap_buffer b;
	int error = check(fd, offset, size, flags, &b);
	if (error || b.kind == HEAP_PROTECTED || !(b.writable || flags & KMD_BO_READ_ONLY))
		return error ? error : KMD_INVALID;
	if (!fits_host(size))
		return KMD_NO_MEMORY;
	struct dmabuf *m = mapped_get(d, fd, &b);
	if (!m)
		return KMD_NO_MEMORY;
	error = bo_import_host(s, m->host + offset, size, flags, PIN_BY_ADDRESS | (b.kind == HEAP_CMA ? PIN_CONTIGUOUS : 0), m, retry, out);
	if (error) {
		HOLDING_FILE(s->file);
		dmabuf_put(d, m);
	}
	return error;
}

int bo_import_protected(struct vm *s, unsigned device, int fd, uint64_t offset, uint64_t size, unsigned flags, bool *clear,
			    struct bo **out)
{
	NOT_CANCELLED;
	struct driver *d = s->driver;
	struct heap_buffer b;
	int error = check(fd, offset, size, flags, &b);
	if (error || b.kind != HEAP_PROTECTED || device >= d->num_devices)
		return error ? error : KMD_INVALID;
	HOLDING_FILE(s->file);
	struct dmabuf *m = protected_get(d, &d->devices[device], fd, &b, clear, &error);
	if (m)
		error = bo_import_dram(s, device, m->dram + offset, size, flags | KMD_BO_DRAM | KMD_BO_PROTECTED, m, out);
	if (m && error) {
		dmabuf_put(d, m);
	} else if (m && clear) {
		*clear = m->contents == CONTENTS_UNDEFINED;
		if (*clear)
			m->contents = CONTENTS_CLEARING;
	}
	return error;
}

/* ---- exports ---- */

int bo_create_shared(struct vm *s, uint64_t size, unsigned flags, bool retry, struct bo **out)
{
	NOT_CANCELLED;
	char name[64];
	snprintf(name, sizeof name, HEAP_FILE_NAME "%s", heap_names[HEAP_SYSTEM]);
	const int fd = memory_file_sized(name, MFD_ALLOW_SEALING, page_round(size));
	if (fd < 0)
		return KMD_NO_MEMORY;
	int error = fcntl(fd, F_ADD_SEALS, heap_seals(HEAP_SYSTEM)) ? KMD_NO_MEMORY : bo_import_dmabuf(s, fd, 0, size, flags | KMD_BO_SHARED, retry, out);
	if (error)
		close(fd);
	else
		(*out)->dmabuf->fd = fd;
	return error;
}

int ioctl_bo_export(struct file *f, struct kmd_bo_export *a)
{
	NOT_CANCELLED;
	HOLDING_FILE(f);
	const struct bo *bo = handle_get(f, a->bo, HANDLE_BO);
	if (!bo)
		return KMD_BAD_HANDLE;
	if (!bo->dmabuf || bo->dmabuf->device || bo->dmabuf->fd < 0)
		return KMD_INVALID;
	a->fd = fcntl(bo->dmabuf->fd, F_DUPFD_CLOEXEC, 0);
	return a->fd < 0 ? KMD_NO_MEMORY : 0;
}

int ioctl_bo_cleared(struct file *f, struct kmd_bo_cleared *a)
{
	HOLDING_FILE(f);
	struct bo *bo = handle_get(f, a->bo, HANDLE_BO);
	int error = !bo ? KMD_BAD_HANDLE : !bo->dmabuf || !bo->dmabuf->device ? KMD_INVALID : 0;
	if (!error)
		contents_set(f->driver, bo->dmabuf, a->done);
	return error;
}

int ioctl_bo_users(struct file *f, struct kmd_bo_users *a)
{
	NOT_CANCELLED;
	HOLDING_FILE(f);
	struct bo *bo = handle_get(f, a->bo, HANDLE_BO);
	struct dmabuf *m = bo ? bo->dmabuf : NULL;
	if (!m)
		return bo ? KMD_INVALID : KMD_BAD_HANDLE;
	if (!m->users)
		m->users = fence_of_users(f->driver);
	if (!m->users)
		return KMD_NO_MEMORY;
	m->having += !bo->has_users;
	bo->has_users = true;
	a->fence = handle_new(f, HANDLE_FENCE, m->users);
	if (!a->fence)
		return KMD_NO_MEMORY;
	m->users->refs++;
	return 0;
}

void dmabuf_users_leave(struct dmabuf *m)
{
	if (--m->having)
		return;
	fence_unref(m->users);
	m->users = NULL;
}

/* ---- caches ---- */

struct maintain {
	struct work work;
	struct pin_list pins; /* the pages that are pinned */
	unsigned op;
};

static void apply_maintain(struct driver *d, struct work *work)
{
	struct maintain *m = work_owner(work, struct maintain, work);
	caches_maintain(d, &m->pins, m->op);
	pin_list_free(&m->pins);
	free(m);
}

/* The pinned pages of the buffer; false when memory is short. */
static bool pins_of(struct driver *d, const struct dmabuf *m, struct maintain *out)
{
	const uint64_t pages = m->buffer.size / GALENA_PAGE_SIZE;
	for (uint64_t i = 0; i < pages; i++) {
		uint32_t number = pins_find(&d->pins, m->host + i * GALENA_PAGE_SIZE);
		if (number != UINT32_MAX && !pin_list_add(&out->pins, (struct pin_range){ .number = number, .count = 1 }))
			return false;
	}
	return true;
}

int ioctl_maintain(struct file *f, struct kmd_maintain *a)
{
	struct driver *d = f->driver;
	a->ticket = 0;
	HOLDING_FILE(f);
	const struct dmabuf *found = find(d, a->device, a->inode);
	for (unsigned i = 0; i < d->num_devices && found; i++)
		if (d->devices[i].lost)
			return KMD_DEVICE_LOST;
	if (!found || !found->host)
		return 0;
	struct maintain *m = malloc(sizeof *m);
	if (!m)
		return KMD_NO_MEMORY;
	*m = (struct maintain){ .work.apply = apply_maintain, .op = a->op };
	const bool all = pins_of(d, found, m);
	if (all && m->pins.count) {
		work_queue(f, &m->work);
		a->ticket = m->work.seq;
		return 0;
	}
	pin_list_free(&m->pins);
	free(m);
	return all ? 0 : KMD_NO_MEMORY;
}
