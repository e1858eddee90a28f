#define _GNU_SOURCE
#include "traces/profile_share.h"
#include "base/limit.h"
#include "abi/profile.h"
#include "traces/sender.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int profile_share(unsigned device, char **path, const char **error)
{
	static char message[PATH_MAX + 160];
	const char *directory = getenv("GALENA_PROFILE");
	char whole[PATH_MAX]; /* a program may change its directory */
	*path = NULL;
	if (!directory || !*directory)
		return 0;
	*error = "GALENA_PROFILE: out of host memory";
	if (asprintf(path, "%s/%d-device%u" PROFILE_MEMORY_ENDING, realpath(directory, whole) ? whole : directory, (int)getpid(), device) < 0)
		goto err;
	unlink(*path); /* of a program that this process was before */
	int fd = open(*path, O_RDWR | O_CLOEXEC | O_CREAT | O_EXCL, 0600);
	if (fd < 0) {
		snprintf(message, sizeof message, "GALENA_PROFILE: cannot write %s: %s%s", *path, strerror(errno), limit_advice(errno));
		*error = message;
		free(*path);
		goto err;
	}
	close(fd);
	if (!sender_request(MESSAGE_PROFILE_OPEN, *path, strlen(*path) + 1, error))
		return 0;
	unlink(*path);
	free(*path);
err:
	*path = NULL;
	return -1;
}
