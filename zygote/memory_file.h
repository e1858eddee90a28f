/* Files without a name, for what goes from process to process. */
#ifndef GALENA_ZYGOTE_MEMORY_FILE_H
#define GALENA_ZYGOTE_MEMORY_FILE_H
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* The descriptor by a number from least on, closed on exec; the one that is given is closed when it has another. -1 and errno; -1 stays. */
int descriptor_above(int fd, int least);
/* An empty file in memory; where the system has none (a seccomp filter refuses memfd_create), one without a name in TMPDIR, /tmp or
 * /dev/shm. Its descriptor is closed on exec and has a number from least on. -1 and errno. */
int memory_file_open(const char *name, int least);
/* All of the data into any file, from there on; its position stays. False and errno: EFBIG, without a signal, beyond the limit of file sizes. */
bool file_write_all(int fd, const void *data, size_t size, off_t at);
/* Both: closed again when it cannot hold the data. */
int memory_file_with(const char *name, int least, const void *data, size_t size);

#endif
