/* Files: what a client has open, its handles, and the way of a request to its function. */
#include "abi/environment.h"
#include "base/cancel.h"
#include "base/fork.h"
#include "base/list.h"
#include "runtime/kmd/fence.h"
#include "runtime/kmd/observe.h"
#include "runtime/remote/remote.h"
#include <stdlib.h>
#include <string.h>

enum { FILES_MAX = 256 };
static struct file *files[FILES_MAX];
static struct driver *devices;
static unsigned open_files;
static pthread_mutex_t files_lock = PTHREAD_MUTEX_INITIALIZER;
HELD_OVER_FORK(files_lock, FORKS_OTHERS)

/* The child's files are its parent's, whose threads hold what they hold. */
static void files_forked(void)
{
	memset(files, 0, sizeof files);
	devices = NULL;
	open_files = 0;
}
AFTER_FORK(files_forked)

/* ---- handles; lock held ----
 * An index, and above it how often it was used before: a handle that was closed is none for long. */
enum { HANDLE_BITS = 22 };

static bool handles_grow(struct file *f)
{
	const uint32_t count = f->num_handles ? 2 * f->num_handles : 64;
	struct handle *grown = count < 1u << HANDLE_BITS ? realloc(f->handles, count * sizeof *grown) : NULL;
	if (!grown)
		return false;
	f->handles = grown;
	for (uint32_t n = count; n-- > f->num_handles;) {
		grown[n] = (struct handle){ .object = (void *)(uintptr_t)f->free_handle };
		f->free_handle = n + 1;
	}
	f->num_handles = count;
	return true;
}

uint32_t handle_new(struct file *f, enum handle_kind kind, void *object)
{
	if (!f->free_handle && !handles_grow(f))
		return 0;
	const uint32_t n = f->free_handle;
	struct handle *h = &f->handles[n - 1];
	f->free_handle = (uint32_t)(uintptr_t)h->object;
	h->object = object;
	h->kind = kind;
	return h->generation << HANDLE_BITS | n;
}

static struct handle *handle_at(const struct file *f, uint32_t handle)
{
	const uint32_t n = handle & ((1u << HANDLE_BITS) - 1);
	struct handle *h = n && n <= f->num_handles ? &f->handles[n - 1] : NULL;
	return h && h->generation == handle >> HANDLE_BITS ? h : NULL;
}

void *handle_get(const struct file *f, uint32_t handle, enum handle_kind kind)
{
	const struct handle *h = handle_at(f, handle);
	return h && h->kind == kind ? h->object : NULL;
}

void *handle_take(struct file *f, uint32_t handle, enum handle_kind kind)
{
	void *object = handle_get(f, handle, kind);
	if (!object)
		return NULL;
	struct handle *h = handle_at(f, handle);
	*h = (struct handle){ .object = (void *)(uintptr_t)f->free_handle, .generation = (h->generation + 1) % (1u << (32 - HANDLE_BITS)) };
	f->free_handle = (uint32_t)(h - f->handles) + 1;
	return object;
}

/* ---- opening and closing ---- */
static struct file *file_make(struct driver *d, struct arena *arena)
{
	struct file *f = calloc(1, sizeof *f);
	if (!f)
		return NULL;
	f->driver = d;
	f->arena = arena;
	f->tail = &f->head;
	f->follow_tail = &f->follow;
	f->ended_tail = &f->ended;
	f->dead_tail = &f->dead_fences;
	f->throttle = THROTTLE_COMMANDS;
	sem_init(&f->own_wake, 0, 0);
	f->wake = &f->own_wake;
	return f;
}

int kmd_open(const char **message)
{
	if (!strncmp(environment_value("GALENA_DEVICE"), "remote", strlen("remote")))
		return remote_open(message);
	return file_open(NULL, message);
}

int file_open(struct arena *arena, const char **message)
{
	NOT_CANCELLED;
	const char *ignored;
	struct file *f = NULL;
	int n = 0;
	if (!message)
		message = &ignored;
	pthread_mutex_lock(&files_lock);
	while (n < FILES_MAX && files[n])
		n++;
	*message = "too many files of the devices are open";
	if (n == FILES_MAX)
		goto err_unlock;
	if (!devices)
		devices = driver_open(message);
	if (!devices)
		goto err_unlock;
	*message = "out of host memory";
	f = file_make(devices, arena);
	if (!f)
		goto err_close;
	driver_lock(devices);
	if (!devices->files && devices->publisher)
		f->wake = devices->publish_wanted;
	struct file **at = &devices->files;
	while (*at)
		at = &(*at)->next;
	*at = f;
	devices->shared = devices->files->next != NULL;
	driver_unlock(devices);
	open_files++;
	files[n] = f;
	*message = NULL;
	pthread_mutex_unlock(&files_lock);
	return n;
err_close:
	if (!open_files) {
		driver_close(devices);
		devices = NULL;
	}
err_unlock:
	pthread_mutex_unlock(&files_lock);
	return KMD_NO_MEMORY;
}

struct driver *driver_of_process(void) { return devices; }

static struct file *file_of(int file)
{
	return file >= 0 && file < FILES_MAX ? __atomic_load_n(&files[file], __ATOMIC_ACQUIRE) : NULL;
}

void file_free(struct file *f)
{
	calls_free(f);
	arena_close(f->arena);
	sem_destroy(&f->own_wake);
	free(f->handles);
	free(f);
}

/* Gives all objects up, and waits until what is under way has ended: what waits for a fence of the client fails. Lock held, dropped
 * meanwhile. */
static void file_abandon(struct driver *d, struct file *f)
{
	static const enum handle_kind order[] = { HANDLE_QUEUE, HANDLE_COMMAND, HANDLE_BO, HANDLE_FENCE, HANDLE_SYNC_FILE, HANDLE_VM };
	f->abandoned = true;
	completions_drop(f);
	fences_fail(f);
	for (unsigned k = 0; k < sizeof order / sizeof *order; k++)
		for (uint32_t i = 0; i < f->num_handles; i++) {
			void *object = f->handles[i].kind == order[k] ? f->handles[i].object : NULL;
			if (!object)
				continue;
			f->handles[i].kind = HANDLE_FREE;
			switch (order[k]) {
			case HANDLE_QUEUE: queue_flush_locked(object); queue_unref(object); break;
			case HANDLE_COMMAND: command_unref(object); break;
			case HANDLE_BO: bo_close(object); break;
			case HANDLE_FENCE: fence_unref(object); break;
			case HANDLE_SYNC_FILE: sync_file_close(object); break;
			default: vm_close(object); break;
			}
		}
	worker_finish(f);
	LIST_TAKE(d->files, f, next);
	d->shared = d->files && d->files->next;
	if (d->caller == f)
		d->caller = NULL;
	file_free(f);
}

void kmd_close(int file)
{
	NOT_CANCELLED;
	struct file *f = file_of(file);
	if (file >= REMOTE_FILES)
		remote_close(file);
	if (!f)
		return;
	pthread_mutex_lock(&files_lock);
	struct driver *d = f->driver;
	files[file] = NULL;
	if (open_files > 1) { /* others go on meanwhile */
		pthread_mutex_unlock(&files_lock);
		file_lock(f);
		file_abandon(d, f);
		driver_unlock(d);
		pthread_mutex_lock(&files_lock);
	}
	if (!--open_files) {
		devices = NULL;
		driver_close(d);
	}
	pthread_mutex_unlock(&files_lock);
}

void file_gone(int file)
{
	struct file *f = file_of(file);
	HOLDING_DRIVER(f->driver);
	f->gone = true;
	pthread_cond_broadcast(&f->driver->changed);
	if (f->server_sleeps)
		sem_post(f->wake);
}

uint64_t file_arena_offset(int file, uint32_t handle)
{
	struct file *f = file_of(file);
	HOLDING_DRIVER(f->driver);
	const struct bo *bo = handle_get(f, handle, HANDLE_BO);
	return bo && bo->arena ? (uint64_t)(bo->arena - f->arena->base) : UINT64_MAX;
}

void kmd_exit(int file)
{
	NOT_CANCELLED;
	struct file *f = file_of(file);
	if (f)
		driver_exit(f->driver);
}

int kmd_ioctl(int file, enum kmd_request request, void *arguments)
{
	struct file *f = file_of(file);
	if (!f)
		return file >= REMOTE_FILES ? remote_ioctl(file, request, arguments) : KMD_BAD_HANDLE;
	switch (request) {
#define REQUEST(name, type, function, what) case KMD_##name: return function(f, arguments);
#include "runtime/kmd/requests.def"
#undef REQUEST
	default: return KMD_INVALID;
	}
}
