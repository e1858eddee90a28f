/* What goes through a zygote's socket: this, and descriptors with it (SCM_RIGHTS): the text, where the status goes, the
 * working directory, and the job's own. Limits of resources are the asker's, as they would be those of its child. The text is a memory file, so that it may have any length: arguments, then environment,
 * each string with its 0. */
#ifndef GALENA_ZYGOTE_REQUEST_H
#define GALENA_ZYGOTE_REQUEST_H
#include <stdint.h>

#define ZYGOTE_SOCKET "GALENA_ZYGOTE_SOCKET" /* variable: the descriptor, a comma, the seconds until it ends when idle */
/* Status of a job that could not begin: descriptors or memory were short. */
enum { REQUEST_UNABLE = 127 };
enum { REQUEST_MAGIC = 0x7a79676f, REQUEST_TEXT = 0, REQUEST_REPLY, REQUEST_DIRECTORY, REQUEST_FDS, ZYGOTE_LIMITS = 16 };

struct zygote_request {
	uint32_t magic, num_args, num_variables, num_fds; /* fds: of the job */
	uint64_t text_bytes;
	uint64_t limits[ZYGOTE_LIMITS][2]; /* soft and hard, by the number of the resource */
};

#endif
