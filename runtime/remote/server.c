/* The server: a thread for each connection, a file of the driver for each client. */
#define _GNU_SOURCE /* struct ucred */
#include "abi_hash.h"
#include "base/list.h"
#include "runtime/kmd/driver.h"
#include "runtime/remote/protocol.h"
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

struct client {
	struct client *next;
	int file;
	uint64_t token;
	bool gone;
	struct connection *connections;
};
struct connection {
	struct connection *next;
	int socket;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct client *clients;
static struct connection *mains; /* connections that clients begin with, and those that have not said what they are */

/* ---- requests ---- */
struct message {
	char *bytes;    /* arguments, then arrays */
	uint32_t size;
	void *out;      /* the array that is answered */
	uint64_t room;  /* its elements */
	const struct payload *out_payload;
};

/* Points the arguments to what came with them. False: that is not what the request says. */
static bool pointers_set(struct message *m, int32_t request)
{
	uint64_t at = remote_arguments(request);
	for (unsigned i = 0; i < remote_num_payloads; i++) {
		const struct payload *p = &remote_payloads[i];
		uint64_t *pointer = p->request == request ? payload_pointer(p, m->bytes) : NULL;
		if (!pointer || !*pointer)
			continue;
		const uint64_t count = payload_count(p, m->bytes);
		if (p->out) {
			m->out_payload = p;
			m->room = p->most ? p->most : count;
			if (m->room > REMOTE_MESSAGE_MAX / p->element)
				return false;
			m->out = calloc(m->room ? m->room : 1, p->element);
			if (!m->out)
				return false;
			*pointer = (uintptr_t)m->out;
			continue;
		}
		*pointer = (uintptr_t)(m->bytes + at);
		if (p->most && count > p->most)
			continue; /* none came: the driver refuses the number */
		if (count > (m->size - at) / p->element)
			return false;
		at += count * p->element;
	}
	return at == m->size;
}

static int carry_out(int file, int32_t request, struct message *m, int fd)
{
	if (request == KMD_BO_IMPORT_RANGE)
		return KMD_NOT_REACHED; /* of another process */
	struct kmd_bo_import_fd *import = request == KMD_BO_IMPORT_FD ? (void *)m->bytes : NULL;
	int32_t *given = remote_descriptor(request, m->bytes, false);
	const int32_t named = given ? *given : -1; /* its number there */
	if (given)
		*given = fd;
	const int result = kmd_ioctl(file, (enum kmd_request)request, m->bytes);
	if (given)
		*given = named;
	if (request == KMD_BO_CREATE && !result) {
		struct kmd_bo_create *a = (void *)m->bytes;
		if (a->cpu)
			a->cpu = REMOTE_CPU | (a->flags & KMD_BO_SHARED ? 0 : file_arena_offset(file, a->bo));
	}
	if (import)
		import->cpu = !result && import->cpu ? REMOTE_CPU : 0;
	return result;
}

static bool answer(int socket, int32_t request, struct message *m, int result)
{
	const int32_t *got = result ? NULL : remote_descriptor(request, m->bytes, true);
	const int fd = got ? *got : -1;
	struct remote_head head = { result, remote_arguments(request) };
	struct iovec iov[3] = { { &head, sizeof head }, { m->bytes, head.size } };
	unsigned n = 2;
	if (m->out) {
		uint64_t count = payload_count(m->out_payload, m->bytes);
		count = count < m->room ? count : m->room;
		iov[n] = (struct iovec){ m->out, count * m->out_payload->element };
		head.size += (uint32_t)iov[n++].iov_len;
	}
	const bool sent = remote_send(socket, iov, n, fd);
	if (fd >= 0)
		close(fd); /* it is the client's */
	return sent;
}

/* One request. False: the connection is over. */
static bool serve_request(int socket, int file)
{
	struct remote_head head;
	struct message m = { 0 };
	int fd;
	if (!remote_receive(socket, &head, sizeof head, &fd))
		return false;
	const uint32_t least = remote_arguments(head.code);
	bool good = least && head.size >= least && head.size <= REMOTE_MESSAGE_MAX;
	m.size = head.size;
	m.bytes = good ? malloc(m.size) : NULL;
	good = m.bytes && remote_receive(socket, m.bytes, m.size, NULL) && pointers_set(&m, head.code);
	const int result = good ? carry_out(file, head.code, &m, fd) : 0;
	if (fd >= 0)
		close(fd);
	good = good && answer(socket, head.code, &m, result);
	free(m.out);
	free(m.bytes);
	return good;
}

/* ---- clients ---- */
static void unlink_connection(struct connection **list, const struct connection *c)
{
	while (*list != c)
		list = &(*list)->next;
	*list = c->next;
}

/* The connection is served no more: who waits for the end of all looks again. */
static void connection_over(struct connection **list, const struct connection *c)
{
	pthread_mutex_lock(&lock);
	unlink_connection(list, c);
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

/* Another thread of a client. */
static void serve_thread(struct connection *c, struct remote_hello *hello)
{
	struct remote_head head = { KMD_BAD_HANDLE, sizeof *hello };
	struct iovec iov[] = { { &head, sizeof head }, { hello, sizeof *hello } };
	pthread_mutex_lock(&lock);
	struct client *client = clients;
	while (client && (client->token != hello->token || client->gone))
		client = client->next;
	if (client) {
		unlink_connection(&mains, c);
		c->next = client->connections;
		client->connections = c;
		head.code = 0;
	}
	pthread_mutex_unlock(&lock);
	bool more = remote_send(c->socket, iov, 2, -1) && client;
	while (more)
		more = serve_request(c->socket, client->file);
	connection_over(client ? &client->connections : &mains, c);
}

/* A client that has ended: its file is closed when its threads are out of it. */
static void client_end(struct client *client)
{
	pthread_mutex_lock(&lock);
	client->gone = true;
	for (struct connection *c = client->connections; c; c = c->next)
		shutdown(c->socket, SHUT_RDWR);
	pthread_mutex_unlock(&lock);
	file_gone(client->file);
	pthread_mutex_lock(&lock);
	while (client->connections)
		pthread_cond_wait(&changed, &lock);
	LIST_TAKE(clients, client, next);
	pthread_mutex_unlock(&lock);
	kmd_close(client->file);
	free(client);
}

static struct client *client_begin(struct remote_hello *hello, struct arena **arena)
{
	const char *message;
	struct client *client = calloc(1, sizeof *client);
	*arena = client ? arena_open() : NULL;
	if (!*arena)
		goto err_free;
	if (getrandom(&client->token, sizeof client->token, 0) != sizeof client->token)
		goto err_arena;
	client->file = file_open(*arena, &message);
	if (client->file < 0)
		goto err_arena;
	hello->token = client->token;
	hello->memory = (*arena)->size;
	pthread_mutex_lock(&lock);
	client->next = clients;
	clients = client;
	pthread_mutex_unlock(&lock);
	return client;
err_arena:
	arena_close(*arena);
err_free:
	free(client);
	return NULL;
}

static void serve_client(struct connection *c, struct remote_hello *hello)
{
	struct arena *arena = NULL;
	struct client *client = NULL;
	struct remote_head head = { KMD_INVALID, sizeof *hello };
	if (hello->abi == GALENA_ABI_HASH) {
		client = client_begin(hello, &arena);
		head.code = client ? 0 : KMD_NO_MEMORY;
	}
	struct iovec iov[] = { { &head, sizeof head }, { hello, sizeof *hello } };
	if (remote_send(c->socket, iov, 2, client ? arena->fd : -1) && client) {
		char nothing;
		remote_receive(c->socket, &nothing, 1, NULL); /* until it ends */
	}
	if (client)
		client_end(client);
	connection_over(&mains, c);
}

/* A process of this user's, or root's. */
static bool peer_welcome(int socket)
{
	struct ucred peer;
	socklen_t size = sizeof peer;
	return !getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) && (peer.uid == getuid() || !peer.uid);
}

static void *serve_connection(void *arg)
{
	struct connection *c = arg;
	struct remote_head head;
	struct remote_hello hello;
	const bool good = peer_welcome(c->socket) && remote_receive(c->socket, &head, sizeof head, NULL) && head.size == sizeof hello &&
			  remote_receive(c->socket, &hello, sizeof hello, NULL);
	if (good && head.code == REMOTE_HELLO) {
		serve_client(c, &hello);
	} else if (good && head.code == REMOTE_JOIN) {
		serve_thread(c, &hello);
	} else {
		connection_over(&mains, c);
	}
	close(c->socket);
	free(c);
	return NULL;
}

/* ---- the socket ---- */
/* A socket file that a server has left is in the way. */
static bool stale(const struct sockaddr_un *address)
{
	int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	const bool refused = s >= 0 && connect(s, (const struct sockaddr *)address, sizeof *address) && errno == ECONNREFUSED;
	if (s >= 0)
		close(s);
	return refused && !unlink(address->sun_path);
}

static int listen_at(const struct sockaddr_un *address, const char **message)
{
	int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int error = s < 0 ? errno : 0;
	if (!error && bind(s, (const struct sockaddr *)address, sizeof *address))
		error = errno;
	if (error == EADDRINUSE && stale(address))
		error = bind(s, (const struct sockaddr *)address, sizeof *address) ? errno : 0;
	if (!error && listen(s, 64))
		error = errno;
	if (!error)
		return s;
	if (s >= 0)
		close(s);
	*message = error == EADDRINUSE ? driver_error("%s: a server is there already; another path: --socket PATH", address->sun_path)
				       : driver_error("%s: %s", address->sun_path, strerror(error));
	return -1;
}

static void welcome(int listener)
{
	struct connection *c = malloc(sizeof *c);
	pthread_t thread;
	int s = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	if (s < 0 || !c) {
		if (s >= 0)
			close(s);
		else
			usleep(1000); /* too many descriptors are open */
		free(c);
		return;
	}
	pthread_mutex_lock(&lock);
	*c = (struct connection){ mains, s };
	mains = c;
	pthread_mutex_unlock(&lock);
	if (!pthread_create(&thread, NULL, serve_connection, c)) {
		pthread_detach(thread);
		return;
	}
	pthread_mutex_lock(&lock);
	unlink_connection(&mains, c);
	pthread_mutex_unlock(&lock);
	close(s);
	free(c);
}

/* Ends what clients there still are. */
static void farewell(void)
{
	pthread_mutex_lock(&lock);
	for (struct connection *c = mains; c; c = c->next)
		shutdown(c->socket, SHUT_RDWR);
	while (mains || clients)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}

int remote_serve(const char *path, int stop, const char **message)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	if (strlen(path) >= sizeof address.sun_path) {
		*message = driver_error("%s: the path of a socket has at most %zu characters", path, sizeof address.sun_path - 1);
		return -1;
	}
	snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
	const int own = file_open(NULL, message); /* the devices live as long as the server */
	if (own < 0)
		return -1;
	const int listener = listen_at(&address, message);
	if (listener < 0) {
		kmd_close(own);
		return -1;
	}
	printf("galena: serving the devices at %s\n", path);
	fflush(stdout);
	struct pollfd wait[2] = { { .fd = listener, .events = POLLIN }, { .fd = stop, .events = POLLIN } };
	while (!wait[1].revents) {
		if (poll(wait, 2, -1) > 0 && wait[0].revents)
			welcome(listener);
	}
	unlink(path);
	close(listener);
	farewell();
	kmd_close(own);
	return 0;
}
