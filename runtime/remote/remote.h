/* The driver's boundary on a Unix socket: processes share devices as they share silicon (`galena serve`, GALENA_DEVICE=remote).
 *
 * A client has a file of the server's driver. Requests and their arrays cross the socket, descriptors with them. System memory of buffer
 * objects lies in a memory file that both processes have mapped; shared virtual memory has the same addresses in both. Each thread of a
 * client has a connection, and a thread of the server serves it: what the driver says of threads holds. When the client has ended, in whatever
 * way, its file is closed.
 *
 * What a client cannot have: imports of its own anonymous memory (KMD_NOT_REACHED). */
#ifndef GALENA_RUNTIME_REMOTE_REMOTE_H
#define GALENA_RUNTIME_REMOTE_REMOTE_H
#include "runtime/kmd/kmd.h"
#include <stdbool.h>

/* Files of a server have numbers from here on. */
enum { REMOTE_FILES = 1 << 16 };
/* As kmd_open(), kmd_close() and kmd_ioctl() (client.c). KMD_DEVICE_LOST: the server has ended. */
int remote_open(const char **message);
void remote_close(int file);
int remote_ioctl(int file, enum kmd_request, void *arguments);

enum { REMOTE_PATH_MAX = 108 };
/* Where the server listens: GALENA_SOCKET, or a place of this user's. False: that is too long. */
KMD_API bool remote_path(char path[REMOTE_PATH_MAX]);
/* Opens the devices, listens at the path, and says so in a line on standard output; serves until stop, a descriptor, can be read. 0, or -1 with
 * *message a line. Once at a time. */
KMD_API int remote_serve(const char *path, int stop, const char **message);

#endif
