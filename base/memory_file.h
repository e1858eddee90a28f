/* Files in memory, which processes share by descriptor. Each descriptor is closed on exec; -1 is an error, and errno says which.
 * Threads: any. */
#ifndef GALENA_BASE_MEMORY_FILE_H
#define GALENA_BASE_MEMORY_FILE_H
#include <stddef.h>

/* The same file by a descriptor of a number from least on. A descriptor that has a lower number is closed; -1 stays. */
int descriptor_above(int fd, int least);
/* An empty file, whose descriptor has a number from least on. Where the system has no memory files (a seccomp filter refuses
 * memfd_create), it is a file without a name in TMPDIR, /tmp or /dev/shm. */
int memory_file_open(const char *name, int least);
/* One that holds the data. */
int memory_file_with(const char *name, int least, const void *data, size_t size);
/* A memory file (never another) of this size, all zeros; flags: as memfd_create has them. */
int memory_file_sized(const char *name, unsigned flags, size_t size);

#endif
