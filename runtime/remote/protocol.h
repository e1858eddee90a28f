/* Messages between a client and the server: a head, the arguments of the request, its arrays in the order of payloads.def. */
#ifndef GALENA_RUNTIME_REMOTE_PROTOCOL_H
#define GALENA_RUNTIME_REMOTE_PROTOCOL_H
#include "abi/packets.h"
#include "runtime/remote/remote.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

enum { REMOTE_HELLO = KMD_REQUESTS, REMOTE_JOIN }; /* beside the driver's requests: the first of a client; of another thread of it */
enum { REMOTE_MESSAGE_MAX = 1 << 30, REMOTE_ARGUMENTS_MAX = 256 };
struct remote_head {
	int32_t code;  /* request; of an answer, its result */
	uint32_t size; /* of what follows */
};
struct remote_hello {
	uint64_t abi;    /* both sides: GALENA_ABI_HASH */
	uint64_t token;  /* answer: what JOIN says. The descriptor of the memory comes with it */
	uint64_t memory; /* its size */
};
/* In answers, cpu of struct kmd_bo_create is where in the memory the object lies, and this bit; the bit alone with KMD_BO_SHARED, and of
 * kmd_bo_import_fd, where there is memory that the host may see. */
#define REMOTE_CPU (1ull << 63)

struct payload {
	uint16_t request;
	bool out;
	uint16_t pointer, count; /* offsets of the fields */
	uint8_t count_bytes;
	uint32_t element, most;
};
extern const struct payload remote_payloads[];
extern const unsigned remote_num_payloads;
/* Bytes of a request's arguments; 0: there is none. */
uint32_t remote_arguments(int32_t request);
uint64_t payload_count(const struct payload *, const void *arguments);
uint64_t *payload_pointer(const struct payload *, void *arguments);
/* The descriptor among a request's arguments that goes to the server, or comes from it (out); NULL: there is none. */
int32_t *remote_descriptor(int32_t request, void *arguments, bool out);

/* All of it, with a descriptor if fd is not negative. False: the other side is gone. */
bool remote_send(int socket, struct iovec *, unsigned count, int fd);
/* All of it. *fd: a descriptor that came, the caller's, or -1; fd may be NULL. False: the other side is gone. */
bool remote_receive(int socket, void *data, size_t size, int *fd);

#endif
