/* What a client sends through the socket: this record, and descriptors with it (SCM_RIGHTS): the text, the end of a pipe for the
 * status, the working directory, and the job's own. The text is a memory file, so that it may have any length: the arguments,
 * then the environment, each string with its 0. */
#ifndef GALENA_COMPILE_SERVER_REQUEST_H
#define GALENA_COMPILE_SERVER_REQUEST_H
#include <stdint.h>

#define SERVER_SOCKET "GALENA_SERVER_SOCKET" /* variable: the descriptor, a comma, the seconds until an idle server ends */
/* Status of a job that could not begin: descriptors or memory were short. */
enum { REQUEST_UNABLE = 127 };
enum { REQUEST_MAGIC = 0x7a79676f, REQUEST_TEXT = 0, REQUEST_REPLY, REQUEST_DIRECTORY, REQUEST_FDS, REQUEST_LIMITS = 16 };

struct server_request {
	uint32_t magic, num_args, num_variables, num_fds; /* fds: of the job */
	uint64_t text_bytes;
	uint64_t limits[REQUEST_LIMITS][2]; /* the client's, soft and hard, by the number of the resource */
};

#endif
