/* Fuzzes the socket of `galena serve`: a client that says anything, with or without descriptors, and goes without a word. Whatever it was, a client
 * that keeps to the protocol is served as before. */
#define _GNU_SOURCE
#include "abi_hash.h"
#include "runtime/kmd/driver.h"
#include "runtime/remote/protocol.h"
#include "testbench/fuzz/fuzz.h"
#include "testbench/fuzz/input.h"
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { PATIENCE_MS = 20, HANDLES = 8, BYTES_MAX = 4096 };

static void wrong(const char *what)
{
	fprintf(stderr, "fuzz: %s\n", what);
	abort();
}

/* ---- the server, in a thread ---- */
static char path[64];
static int stop[2], good = -1; /* the file of the client that keeps to the protocol */

static void *serve(void *ignored)
{
	const char *message;
	(void)ignored;
	if (remote_serve(path, stop[0], &message))
		wrong(message);
	return NULL;
}

static void socket_remove(void) { unlink(path); }

static void server_start(void)
{
	pthread_t thread;
	const char *message = "";
	setenv("GALENA_SPEED", "functional", 1);
	setenv("GALENA_CONFIG", "mini", 1);
	snprintf(path, sizeof path, "/tmp/galena-fuzz-%d.sock", (int)getpid());
	setenv("GALENA_SOCKET", path, 1);
	atexit(socket_remove);
	if (pipe(stop) || pthread_create(&thread, NULL, serve, NULL))
		wrong("no server");
	for (unsigned i = 0; i < 10000 && good < 0; i++, usleep(1000))
		good = remote_open(&message);
	if (good < 0)
		wrong(message);
}

/* ---- the client ---- */
static int connect_to_server(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
	if (s < 0 || connect(s, (const struct sockaddr *)&address, sizeof address))
		wrong("the server does not listen");
	return s;
}

static bool readable(int s) { return poll(&(struct pollfd){ .fd = s, .events = POLLIN }, 1, PATIENCE_MS) == 1; }

/* Whatever comes back. */
static void drain(int s)
{
	char bytes[BYTES_MAX];
	while (readable(s) && recv(s, bytes, sizeof bytes, MSG_DONTWAIT) > 0)
		;
}

/* HELLO or JOIN, mostly right. */
static void greet(int s, int32_t request, struct remote_hello *hello)
{
	const uint8_t how = (uint8_t)take(1);
	struct remote_head head = { how < 250 ? request : (int32_t)take(4), how % 50 ? sizeof *hello : (uint32_t)take(4) };
	struct iovec iov[] = { { &head, sizeof head }, { hello, sizeof *hello } };
	int fd = -1;
	hello->abi = how % 40 ? GALENA_ABI_HASH : take(8);
	if (remote_send(s, iov, 2, -1) && readable(s) && remote_receive(s, &head, sizeof head, &fd) && !head.code && head.size == sizeof *hello)
		remote_receive(s, hello, sizeof *hello, NULL);
	if (fd >= 0)
		close(fd);
}

/* The words of the arguments are small numbers, as handles are, or any. */
static void request(int s)
{
	static _Alignas(8) uint8_t bytes[BYTES_MAX];
	struct remote_head head = { (int32_t)(take(1) % (KMD_REQUESTS + 3)), 0 };
	const uint32_t arguments = remote_arguments(head.code), more = take(1) % 4 ? 0 : (uint32_t)take(2) % 1024;
	head.size = take(1) % 32 ? arguments + more : (uint32_t)take(4);
	const uint32_t sent = head.size < BYTES_MAX ? head.size : BYTES_MAX;
	for (uint32_t i = 0; i + 4 <= sent; i += 4) {
		const uint8_t how = (uint8_t)take(1);
		const uint32_t word = how < 128 ? 0 : how < 240 ? how % HANDLES : (uint32_t)take(4);
		memcpy(bytes + i, &word, sizeof word);
	}
	struct iovec iov[] = { { &head, sizeof head }, { bytes, sent } };
	const int fd = take(1) % 8 ? -1 : memfd_create("fuzz", MFD_CLOEXEC);
	if (remote_send(s, iov, 2, fd))
		drain(s);
	if (fd >= 0)
		close(fd);
}

static void good_client_works(void)
{
	struct kmd_platform platform = { 0 };
	struct kmd_vm vm = { 0 };
	if (remote_ioctl(good, KMD_PLATFORM, &platform) || !platform.num_devices || remote_ioctl(good, KMD_VM_CREATE, &vm) ||
	    remote_ioctl(good, KMD_VM_CLOSE, &vm))
		wrong("another client is not served any more");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct remote_hello hello = { 0 };
	if (good < 0)
		server_start();
	at = data;
	end = data + size;
	const int main_connection = connect_to_server();
	greet(main_connection, REMOTE_HELLO, &hello);
	const int thread = connect_to_server();
	greet(thread, REMOTE_JOIN, &hello);
	while (at < end)
		request(take(1) % 16 ? thread : main_connection);
	close(thread);
	close(main_connection);
	good_client_works();
	return 0;
}
