/* The client: sends requests to the server, each thread by its own connection. */
#define _GNU_SOURCE /* MAP_FIXED_NOREPLACE */
#include "abi/address_map.h"
#include "abi/environment.h"
#include "base/cancel.h"
#include "base/fork.h"
#include "base/list.h"
#include "base/log.h"
#include "base/table.h"
#include "abi_hash.h"
#include "runtime/kmd/driver.h"
#include "runtime/remote/protocol.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

struct connection { /* of a thread */
	struct connection *next;      /* of the thread */
	struct connection *next_open; /* of the file; lock */
	uint64_t serial;              /* the file's */
	int socket;                   /* lock; -1: the file is closed */
};
struct mapped { /* memory of an object that has a mapping of its own */
	uint64_t bo; /* key */
	void *at;    /* NULL: none any more */
	size_t size;
};
struct remote {
	uint64_t serial; /* of all files that were ever opened, another */
	struct sockaddr_un address;
	int main;        /* the server closes the file when this ends */
	uint64_t token;
	int memory;
	uint8_t *base;
	uint64_t size;
	struct connection *open; /* lock */
	struct table mapped;     /* lock */
	bool lost;               /* the server has ended; lock */
};

enum { REMOTES_MAX = 64 };
static struct remote *remotes[REMOTES_MAX];
static uint64_t serials;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
HELD_OVER_FORK(lock, FORKS_OTHERS)
static _Thread_local struct connection *mine;
static pthread_key_t thread_end;

/* The child's descriptors would keep the parent's file open after its end. */
static void remotes_forked(void)
{
	for (unsigned i = 0; i < REMOTES_MAX; i++) {
		if (!remotes[i])
			continue;
		close(remotes[i]->main);
		close(remotes[i]->memory);
		for (struct connection *c = remotes[i]->open; c; c = c->next_open)
			close(c->socket);
		remotes[i] = NULL;
	}
	mine = NULL;
}
AFTER_FORK(remotes_forked)

bool remote_path(char path[REMOTE_PATH_MAX])
{
	const char *given = getenv("GALENA_SOCKET"), *directory = getenv("XDG_RUNTIME_DIR");
	int n;
	if (given && *given)
		n = snprintf(path, REMOTE_PATH_MAX, "%s", given);
	else if (directory && *directory)
		n = snprintf(path, REMOTE_PATH_MAX, "%s/galena.sock", directory);
	else
		n = snprintf(path, REMOTE_PATH_MAX, "/tmp/galena-%u.sock", (unsigned)getuid());
	return n < REMOTE_PATH_MAX;
}

/* ---- connections ---- */
static int connect_to(const struct remote *r)
{
	int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (s < 0)
		return -1;
	while (connect(s, (const struct sockaddr *)&r->address, sizeof r->address)) {
		if (errno == EINTR)
			continue;
		const int error = errno;
		close(s);
		errno = error;
		return -1;
	}
	return s;
}

/* A message that opens a connection, and its answer. A result of the server's, or KMD_DEVICE_LOST. */
static int greet(int s, int32_t request, struct remote_hello *hello, int *fd)
{
	struct remote_head head = { request, sizeof *hello };
	struct iovec out[] = { { &head, sizeof head }, { hello, sizeof *hello } };
	if (!remote_send(s, out, 2, -1) || !remote_receive(s, &head, sizeof head, fd) || head.size != sizeof *hello ||
	    !remote_receive(s, hello, sizeof *hello, NULL))
		return KMD_DEVICE_LOST;
	return head.code;
}

/* The connections of this thread to files that are closed. */
static void mine_sweep(void)
{
	for (struct connection **at = &mine, *c; (c = *at);) {
		if (c->socket >= 0) {
			at = &c->next;
			continue;
		}
		*at = c->next;
		free(c);
	}
}

static void connection_close(struct connection *c)
{
	for (unsigned i = 0; i < REMOTES_MAX && c->socket >= 0; i++) {
		struct remote *r = remotes[i];
		if (!r || r->serial != c->serial)
			continue;
		LIST_TAKE(r->open, c, next_open);
		close(c->socket);
		c->socket = -1;
	}
}

static void thread_ends(void *ignored)
{
	(void)ignored;
	pthread_mutex_lock(&lock);
	for (struct connection *c = mine; c; c = c->next)
		connection_close(c);
	mine_sweep();
	pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void key_make(void) { pthread_key_create(&thread_end, thread_ends); }

static struct connection *connection_open(struct remote *r)
{
	struct connection *c = malloc(sizeof *c);
	struct remote_hello hello = { .abi = GALENA_ABI_HASH, .token = r->token };
	if (!c)
		return NULL;
	*c = (struct connection){ .serial = r->serial, .socket = connect_to(r) };
	if (c->socket < 0 || greet(c->socket, REMOTE_JOIN, &hello, NULL)) {
		if (c->socket >= 0)
			close(c->socket);
		free(c);
		return NULL;
	}
	pthread_mutex_lock(&lock);
	mine_sweep();
	c->next = mine;
	mine = c;
	c->next_open = r->open;
	r->open = c;
	pthread_mutex_unlock(&lock);
	pthread_setspecific(thread_end, c); /* not NULL: the thread's end is told */
	return c;
}

static struct connection *connection_of(struct remote *r)
{
	for (struct connection *c = mine; c; c = c->next)
		if (c->serial == r->serial)
			return c;
	return connection_open(r);
}

static struct remote *remote_of(int file)
{
	const int n = file - REMOTE_FILES;
	return n >= 0 && n < REMOTES_MAX ? __atomic_load_n(&remotes[n], __ATOMIC_ACQUIRE) : NULL;
}

/* ---- opening and closing ---- */
static void remote_free(struct remote *r)
{
	if (r->main >= 0)
		close(r->main);
	if (r->memory >= 0)
		close(r->memory);
	if (r->base)
		munmap(r->base, r->size);
	table_free(&r->mapped);
	free(r);
}

/* What is recorded is recorded where the devices are. */
static void recordings_warn(void)
{
	static const char format[] = "%s does nothing with GALENA_DEVICE=remote: the devices are the server's; give it to galena serve";
	for (const char *name = NULL; (name = environment_output(name));)
		log_write(LOG_ERROR, format, name);
	if (*environment_value("GALENA_INJECT"))
		log_write(LOG_ERROR, format, "GALENA_INJECT");
}

static const char *remote_connect(struct remote *r)
{
	struct remote_hello hello = { .abi = GALENA_ABI_HASH };
	if (!remote_path(r->address.sun_path))
		return "the path of the server's socket (GALENA_SOCKET) is too long";
	r->address.sun_family = AF_UNIX;
	r->main = connect_to(r);
	if (r->main < 0)
		return driver_error("GALENA_DEVICE=remote: no server at %s (%s); start one with: galena serve", r->address.sun_path, strerror(errno));
	const int result = greet(r->main, REMOTE_HELLO, &hello, &r->memory);
	if (result == KMD_INVALID)
		return driver_error("the server at %s is of another version of the kit", r->address.sun_path);
	if (result == KMD_DEVICE_LOST)
		return driver_error("the server at %s has ended, or is another user's", r->address.sun_path);
	if (result || r->memory < 0)
		return driver_error("the server at %s has no memory for another client (%d)", r->address.sun_path, result);
	r->token = hello.token;
	r->size = hello.memory;
	void *base = mmap(NULL, r->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, r->memory, 0);
	if (base == MAP_FAILED)
		return driver_error("no address space for the %llu GiB of memory that are shared with the server (ulimit -v)",
			      (unsigned long long)(r->size >> 30));
	r->base = base;
	return NULL;
}

int remote_open(const char **message)
{
	NOT_CANCELLED;
	const char *ignored, *error = environment_check();
	if (!message)
		message = &ignored;
	struct remote *r = error ? NULL : calloc(1, sizeof *r);
	*message = error ? driver_error("%s", error) : "out of host memory";
	if (!r)
		return KMD_NO_MEMORY;
	r->main = r->memory = -1;
	error = remote_connect(r);
	pthread_mutex_lock(&lock);
	int n = 0;
	while (n < REMOTES_MAX && remotes[n])
		n++;
	if (n == REMOTES_MAX && !error)
		error = "too many files of the server are open";
	if (!error) {
		r->serial = ++serials;
		remotes[n] = r;
	}
	pthread_mutex_unlock(&lock);
	if (error) {
		remote_free(r);
		*message = error;
		return KMD_NO_MEMORY;
	}
	recordings_warn();
	*message = NULL;
	return REMOTE_FILES + n;
}

void remote_close(int file)
{
	NOT_CANCELLED;
	struct remote *r = remote_of(file);
	if (!r)
		return;
	pthread_mutex_lock(&lock);
	remotes[file - REMOTE_FILES] = NULL;
	for (struct connection *c = r->open; c; c = c->next_open) {
		close(c->socket);
		c->socket = -1; /* its thread frees it */
		c->serial = 0;
	}
	mine_sweep();
	pthread_mutex_unlock(&lock);
	/* the server answers when the file is closed: what comes next finds nothing of it */
	char nothing;
	shutdown(r->main, SHUT_WR);
	remote_receive(r->main, &nothing, 1, NULL);
	for (struct mapped *m = NULL; (m = table_next(&r->mapped, m));)
		if (m->at)
			munmap(m->at, m->size);
	remote_free(r);
}

/* ---- memory ---- */
static bool mapped_add(struct remote *r, uint32_t bo, void *at, size_t size)
{
	pthread_mutex_lock(&lock);
	struct mapped *m = table_add(&r->mapped, bo, sizeof *m);
	if (m)
		*m = (struct mapped){ bo, at, size };
	pthread_mutex_unlock(&lock);
	return m;
}

static void mapped_drop(struct remote *r, uint32_t bo)
{
	pthread_mutex_lock(&lock);
	struct mapped *m = table_find(&r->mapped, bo);
	if (m && m->at)
		munmap(m->at, m->size);
	if (m)
		m->at = NULL;
	pthread_mutex_unlock(&lock);
}

/* Maps a file for the object; 0: it cannot. */
static uint64_t map_file(struct remote *r, uint32_t bo, void *address, int fd, uint64_t offset, uint64_t size, bool writable)
{
	const uint64_t in_page = offset % GALENA_PAGE_SIZE;
	const int rights = PROT_READ | (writable ? PROT_WRITE : 0);
	void *at = mmap(address, size + in_page, rights, MAP_SHARED | (address ? MAP_FIXED_NOREPLACE : 0), fd, (off_t)(offset - in_page));
	if (at != MAP_FAILED && ((address && at != address) || !mapped_add(r, bo, at, size + in_page))) {
		munmap(at, size + in_page);
		at = MAP_FAILED;
	}
	return at == MAP_FAILED ? 0 : (uint64_t)(uintptr_t)at + in_page;
}

static int close_bo(int file, uint32_t bo, int error)
{
	remote_ioctl(file, KMD_BO_CLOSE, &(struct kmd_bo_close){ .bo = bo });
	return error;
}

static int created(int file, struct remote *r, struct kmd_bo_create *a)
{
	if (!a->cpu)
		return 0;
	const uint64_t offset = a->cpu & ~REMOTE_CPU;
	a->cpu = (uintptr_t)r->base + offset;
	if (a->flags & KMD_BO_SVM)
		a->cpu = map_file(r, a->bo, (void *)(uintptr_t)a->va, r->memory, offset, a->size, true);
	if (a->flags & KMD_BO_SHARED) {
		struct kmd_bo_export export = { .bo = a->bo, .fd = -1 };
		a->cpu = remote_ioctl(file, KMD_BO_EXPORT, &export) ? 0 : map_file(r, a->bo, NULL, export.fd, 0, a->size, true);
		if (export.fd >= 0)
			close(export.fd);
	}
	return a->cpu ? 0 : close_bo(file, a->bo, KMD_NO_MEMORY);
}

static int imported(int file, struct remote *r, struct kmd_bo_import_fd *a)
{
	if (!a->cpu)
		return 0;
	const bool writable = (fcntl(a->fd, F_GETFL) & O_ACCMODE) != O_RDONLY;
	a->cpu = map_file(r, a->bo, NULL, a->fd, a->offset, a->size, writable);
	return a->cpu ? 0 : close_bo(file, a->bo, KMD_NO_MEMORY);
}

/* ---- requests ---- */
/* The server's answer into the arguments, but for their pointers. */
static bool answer_take(struct connection *c, enum kmd_request request, void *arguments, int *result, int *fd)
{
	struct remote_head head;
	_Alignas(8) char answer[REMOTE_ARGUMENTS_MAX];
	const uint32_t bytes = remote_arguments((int32_t)request);
	if (!remote_receive(c->socket, &head, sizeof head, fd) || head.size < bytes || !remote_receive(c->socket, answer, bytes, NULL))
		return false;
	uint32_t left = head.size - bytes;
	for (unsigned i = 0; i < remote_num_payloads; i++) {
		const struct payload *p = &remote_payloads[i];
		if (p->request != request)
			continue;
		const uint64_t to = *payload_pointer(p, arguments), room = p->most ? p->most : payload_count(p, arguments);
		*payload_pointer(p, answer) = to;
		if (!p->out || !left)
			continue;
		if (left > room * p->element || !remote_receive(c->socket, (void *)(uintptr_t)to, left, NULL))
			return false;
		left = 0;
	}
	memcpy(arguments, answer, bytes);
	*result = head.code;
	return !left;
}

static bool exchange(struct connection *c, enum kmd_request request, void *arguments, int *result)
{
	struct remote_head head = { (int32_t)request, remote_arguments((int32_t)request) };
	struct iovec iov[5] = { { &head, sizeof head }, { arguments, head.size } };
	unsigned n = 2;
	uint64_t size = head.size;
	for (unsigned i = 0; i < remote_num_payloads; i++) {
		const struct payload *p = &remote_payloads[i];
		if (p->request != request || p->out || !*payload_pointer(p, arguments))
			continue;
		const uint64_t count = payload_count(p, arguments);
		if (p->most && count > p->most)
			continue; /* the server refuses the number */
		iov[n] = (struct iovec){ (void *)(uintptr_t)*payload_pointer(p, arguments), count * p->element };
		size += iov[n++].iov_len;
	}
	*result = KMD_NO_MEMORY;
	if (size > REMOTE_MESSAGE_MAX)
		return true;
	head.size = (uint32_t)size;
	const int32_t *given = remote_descriptor((int32_t)request, arguments, false);
	int32_t *got = remote_descriptor((int32_t)request, arguments, true);
	*result = KMD_BAD_DESCRIPTOR;
	if (given && (*given < 0 || fcntl(*given, F_GETFD) < 0))
		return true;
	int came = -1;
	if (!remote_send(c->socket, iov, n, given ? *given : -1) || !answer_take(c, request, arguments, result, &came))
		return false;
	if (got && !*result) {
		*got = came;
		*result = came < 0 ? KMD_NO_MEMORY : 0; /* no room for another descriptor */
	} else if (came >= 0) {
		close(came);
	}
	return true;
}

static int lost(struct remote *r)
{
	pthread_mutex_lock(&lock);
	if (!r->lost)
		log_write(LOG_ERROR, "the server of the devices at %s has ended: they are lost", r->address.sun_path);
	r->lost = true;
	pthread_mutex_unlock(&lock);
	return KMD_DEVICE_LOST;
}

int remote_ioctl(int file, enum kmd_request request, void *arguments)
{
	NOT_CANCELLED;
	struct remote *r = remote_of(file);
	int result;
	if (!r)
		return KMD_BAD_HANDLE;
	if (!remote_arguments((int32_t)request))
		return KMD_INVALID;
	if (request == KMD_BO_CLOSE) /* before: the address may be another thread's object's at once */
		mapped_drop(r, ((struct kmd_bo_close *)arguments)->bo);
	struct connection *c = r->lost ? NULL : connection_of(r);
	if (!c || !exchange(c, request, arguments, &result))
		return lost(r);
	if (!result && request == KMD_BO_CREATE)
		return created(file, r, arguments);
	if (!result && request == KMD_BO_IMPORT_FD)
		return imported(file, r, arguments);
	return result;
}
