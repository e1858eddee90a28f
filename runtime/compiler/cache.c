/* The build cache: one file an entry, named by its key, written aside and renamed into place, with a checksum over all of it. An
 * error here means that the program is compiled again, nothing else. */
#include "runtime/compiler/cache.h"
#include "runtime/compiler/depend.h"
#include "base/file.h"
#include "base/path.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#define CACHE_MAGIC 0x3243434b474c4147ull

/* A result without files of the host is one entry. Otherwise the entry under the request's key is the list of the files, and the
 * key of the request, the list and the files' contents is that of the result's entry. */
struct entry_head {
	uint64_t magic, checksum; /* over what follows */
	uint64_t low, high;
	uint64_t list_size, log_size, object_size;
};

struct entry {
	struct entry_head head;
	char *list; /* depend.h */
	char *log;
	void *object;
};

/* The time to prune grows with the number of entries. So the cache is pruned once in as many new entries as that number divided by
 * PRUNE_PART. */
enum { PATH_ROOM = 4096, DEFAULT_LIMIT_MIB = 1024, PRUNE_LEAST = 64, PRUNE_MOST = 1 << 14, PRUNE_PART = 8 };

/* ---- key ---- */

static void hash_bytes(XXH3_state_t *s, const void *data, uint64_t size)
{
	XXH3_128bits_update(s, &size, sizeof size);
	if (size)
		XXH3_128bits_update(s, data, size);
}

static void hash_text(XXH3_state_t *s, const char *text) { hash_bytes(s, text ? text : "", text ? strlen(text) : 0); }

struct cache_key cache_key_make(const struct compile_request *r, const char *const *tools, size_t num_tools)
{
	XXH3_state_t s;
	XXH3_128bits_reset(&s);
	uint64_t head[] = { CACHE_MAGIC, GALENA_TOOLCHAIN_HASH, r->action, r->num_inputs, r->num_headers, r->debug };
	hash_bytes(&s, head, sizeof head);
	for (size_t i = 0; i < num_tools; i++) {
		struct stat st;
		uint64_t facts[3] = { 0 };
		if (!stat(tools[i], &st)) {
			facts[0] = (uint64_t)st.st_size;
			facts[1] = (uint64_t)st.st_mtim.tv_sec;
			facts[2] = (uint64_t)st.st_mtim.tv_nsec;
		}
		hash_text(&s, tools[i]);
		hash_bytes(&s, facts, sizeof facts);
	}
	hash_text(&s, r->options);
	for (size_t i = 0; i < r->num_inputs; i++)
		hash_bytes(&s, r->inputs[i].data, r->inputs[i].size);
	for (size_t i = 0; i < r->num_headers; i++) {
		hash_text(&s, r->headers[i].name);
		hash_bytes(&s, r->headers[i].data, r->headers[i].size);
	}
	XXH128_hash_t h = XXH3_128bits_digest(&s);
	return (struct cache_key){ h.low64, h.high64 };
}

/* ---- the files that a result depends on ---- */

static bool file_hash(XXH3_state_t *s, const char *path, const struct timespec *began)
{
	struct stat st;
	size_t size;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *data = fd >= 0 ? file_load(fd, &size, 0) : NULL;
	/* a file that has changed since then may not be what clang has read */
	bool good = data && (!began || (!fstat(fd, &st) && (st.st_ctim.tv_sec < began->tv_sec ||
		    (st.st_ctim.tv_sec == began->tv_sec && st.st_ctim.tv_nsec < began->tv_nsec))));
	if (good)
		hash_bytes(s, data, size);
	free(data);
	file_close(fd);
	return good;
}

/* Makes the key that of the result with the files as they are now. began: the build's begin, NULL for an earlier build. False: this
 * cannot be the result's key. */
static bool key_add_files(struct cache_key *key, const char *list, size_t size, const struct timespec *began)
{
	XXH3_state_t s;
	XXH3_128bits_reset(&s);
	hash_bytes(&s, key, sizeof *key);
	for (const char *p = list; p < list + size && *p; p += strlen(p) + 1) {
		hash_text(&s, p);
		if (*p == DEPEND_USED ? !file_hash(&s, p + 1, began) : !access(p + 1, R_OK))
			return false;
	}
	XXH128_hash_t h = XXH3_128bits_digest(&s);
	*key = (struct cache_key){ h.low64, h.high64 };
	return true;
}

/* ---- entries ---- */

static bool entry_path(struct cache_key key, char *path, size_t room)
{
	char dir[PATH_MAX];
	return cache_path(dir) &&
	       snprintf(path, room, "%s/%016llx%016llx", dir, (unsigned long long)key.high,
			(unsigned long long)key.low) < (int)room;
}

/* This file has the number of entries that the last pruning left. */
static const char count_name[] = ".entries";

static uint64_t prune_interval(const char *directory)
{
	char path[PATH_ROOM + 16];
	unsigned long long count = 0;
	snprintf(path, sizeof path, "%s/%s", directory, count_name);
	FILE *f = fopen(path, "re");
	if (f && fscanf(f, "%llu", &count) != 1)
		count = 0;
	if (f)
		fclose(f);
	count /= PRUNE_PART;
	return count < PRUNE_LEAST ? PRUNE_LEAST : count > PRUNE_MOST ? PRUNE_MOST : count;
}

static void count_write(DIR *dir, size_t count)
{
	int fd = openat(dirfd(dir), count_name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		return;
	char text[32];
	file_write_all(fd, text, (size_t)snprintf(text, sizeof text, "%zu\n", count), 0);
	close(fd);
}

struct cached_file { char name[64]; uint64_t size; struct timespec used; };

static int compare_use(const void *a, const void *b)
{
	const struct cached_file *x = a, *y = b;
	if (x->used.tv_sec != y->used.tv_sec)
		return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
	return x->used.tv_nsec < y->used.tv_nsec ? -1 : x->used.tv_nsec > y->used.tv_nsec;
}

/* Keeps the cache below its limit (GALENA_CACHE_SIZE, MiB): drops the entries that were used longest ago. */
static void prune(const char *directory)
{
	const char *text = getenv("GALENA_CACHE_SIZE");
	uint64_t limit = (text && *text ? strtoull(text, NULL, 0) : DEFAULT_LIMIT_MIB) << 20, total = 0;
	struct cached_file *files = NULL;
	size_t count = 0, left, room = 0;
	DIR *dir = opendir(directory);
	for (struct dirent *d; dir && (d = readdir(dir));) {
		struct stat st;
		size_t length = strlen(d->d_name);
		if (length < 32 || length >= sizeof files->name ||
		    fstatat(dirfd(dir), d->d_name, &st, 0) || !S_ISREG(st.st_mode))
			continue;
		if (count == room) {
			struct cached_file *more = realloc(files, (room = 2 * room + 1024) * sizeof *files);
			if (!more)
				break;
			files = more;
		}
		memcpy(files[count].name, d->d_name, length + 1);
		files[count].size = (uint64_t)st.st_blocks * 512;
		files[count++].used = st.st_atim.tv_sec > st.st_mtim.tv_sec ? st.st_atim : st.st_mtim;
		total += (uint64_t)st.st_blocks * 512;
	}
	left = count;
	if (total > limit) {
		qsort(files, count, sizeof *files, compare_use);
		for (size_t i = 0; i < count && total > limit / 4 * 3; i++)
			if (!unlinkat(dirfd(dir), files[i].name, 0)) {
				total -= files[i].size;
				left--;
			}
	}
	if (dir) {
		count_write(dir, left);
		closedir(dir);
	}
	free(files);
}

static uint64_t entry_checksum(const struct entry *e)
{
	XXH3_state_t s;
	XXH3_64bits_reset(&s);
	XXH3_64bits_update(&s, &e->head.low, sizeof e->head - offsetof(struct entry_head, low));
	if (e->head.list_size)
		XXH3_64bits_update(&s, e->list, e->head.list_size);
	if (e->head.log_size)
		XXH3_64bits_update(&s, e->log, e->head.log_size);
	if (e->head.object_size)
		XXH3_64bits_update(&s, e->object, e->head.object_size);
	return XXH3_64bits_digest(&s);
}

static void entry_free(struct entry *e)
{
	free(e->list);
	free(e->log);
	free(e->object);
	*e = (struct entry){ 0 };
}

/* size bytes of the file and a 0. */
static void *part_read(int fd, uint64_t size)
{
	char *data = malloc(size + 1);
	if (data && file_read_all(fd, data, size, FILE_POSITION) == (ssize_t)size) {
		data[size] = 0;
		return data;
	}
	free(data);
	return NULL;
}

static bool entry_read(struct cache_key key, struct entry *e)
{
	char path[PATH_ROOM];
	struct entry_head *head = &e->head;
	struct stat st;
	*e = (struct entry){ 0 };
	int fd = entry_path(key, path, sizeof path) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0)
		return false;
	bool good = !fstat(fd, &st) && file_read_all(fd, head, sizeof *head, FILE_POSITION) == (ssize_t)sizeof *head &&
		    head->magic == CACHE_MAGIC && head->low == key.low && head->high == key.high &&
		    head->list_size < (uint64_t)st.st_size && head->log_size < (uint64_t)st.st_size && head->object_size < (uint64_t)st.st_size &&
		    (uint64_t)st.st_size == sizeof *head + head->list_size + head->log_size + head->object_size &&
		    (e->list = part_read(fd, head->list_size)) && (e->log = part_read(fd, head->log_size)) &&
		    (e->object = part_read(fd, head->object_size)) && head->checksum == entry_checksum(e);
	close(fd);
	if (!good) {
		unlink(path);
		entry_free(e);
	}
	return good;
}

static void entry_write(struct cache_key key, struct entry *e)
{
	char path[PATH_ROOM], directory[PATH_MAX];
	struct entry_head *head = &e->head;
	if (!entry_path(key, path, sizeof path) || !cache_path(directory) || !directory_make(directory))
		return;
	head->magic = CACHE_MAGIC;
	head->low = key.low;
	head->high = key.high;
	head->checksum = entry_checksum(e);
	const struct iovec parts[] = { { head, sizeof *head }, { e->list, head->list_size }, { e->log, head->log_size }, { e->object, head->object_size } };
	if (file_replace(path, 0600, parts, 4) && key.low % prune_interval(directory) == 0)
		prune(directory);
}

bool cache_load(struct cache_key key, void **object, size_t *size, char **log)
{
	struct entry e;
	bool good = entry_read(key, &e);
	*object = NULL;
	*log = NULL;
	if (good && e.head.list_size) {
		good = key_add_files(&key, e.list, e.head.list_size, NULL);
		entry_free(&e);
		good = good && entry_read(key, &e);
	}
	if (!good || e.head.list_size) {
		entry_free(&e);
		return false;
	}
	free(e.list);
	*object = e.object;
	*size = e.head.object_size;
	*log = e.log;
	return true;
}

void cache_store(struct cache_key key, const struct compile_dependencies *files, const void *object, size_t size, const char *log)
{
	struct entry list = { .head.list_size = files->size, .list = files->list };
	struct entry result = { .head = { .log_size = strlen(log), .object_size = size }, .log = (char *)(uintptr_t)log,
				.object = (void *)(uintptr_t)object };
	if (!files->size)
		return;
	if (*files->list) {
		struct cache_key first = key;
		if (!key_add_files(&key, files->list, files->size, &files->began))
			return;
		entry_write(first, &list);
	}
	entry_write(key, &result);
}
