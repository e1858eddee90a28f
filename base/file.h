/* Whole files. What fails sets errno: beyond the limit of file sizes it is EFBIG, and no signal comes. Interrupted calls are repeated.
 * Threads: any. */
#ifndef GALENA_BASE_FILE_H
#define GALENA_BASE_FILE_H
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/uio.h>

/* As an offset: at the descriptor's position, which moves. Any other offset leaves the position. */
enum { FILE_POSITION = -1 };

/* All of the data. */
bool file_write_all(int fd, const void *data, size_t size, off_t at);
/* Bytes read: fewer than size only at the file's end. -1: an error. */
ssize_t file_read_all(int fd, void *data, size_t size, off_t at);
/* From the offset to the file's end, with a 0 behind it; the caller frees it. NULL: an error. */
void *file_load(int fd, size_t *size, off_t at);
/* The same for all of a named file. */
void *file_load_path(const char *path, size_t *size);
/* The file's first size - 1 bytes at most, as a string; its length. An error is an empty string. */
size_t file_text(const char *path, char *text, size_t size);
/* Closes the descriptor, unless it is -1, and keeps errno. */
void file_close(int fd);

/* Writes a file under another name beside it and then renames it, so that a reader finds the old file or the whole new one. It
 * allocates nothing. */
bool file_replace(const char *path, mode_t mode, const struct iovec *parts, int count);
/* Makes the directory and those above it, unless they are there. */
bool directory_make(const char *path);

#endif
