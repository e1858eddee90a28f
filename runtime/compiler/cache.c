/* The build cache: one file a result, named by its key, written aside and renamed into place, with a
 * checksum over all of it. Whatever goes wrong here means compiling again, nothing else. */
#include "runtime/compiler/cache.h"
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

#define CACHE_MAGIC 0x3143434b474c4147ull

struct entry_head {
	uint64_t magic, checksum; /* over what follows */
	uint64_t low, high;
	uint64_t log_size, object_size;
};

/* A look at all entries takes time with their number: it comes after as many new ones as that divided by PRUNE_PART. */
enum { PATH_ROOM = 4096, DEFAULT_LIMIT_MIB = 1024, PRUNE_LEAST = 64, PRUNE_MOST = 1 << 14, PRUNE_PART = 8 };

/* ---- can it be cached? ---- */

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }

static bool header_known(const struct compile_request *r, const char *name, size_t length)
{
	for (size_t i = 0; i < r->num_headers; i++)
		if (strlen(r->headers[i].name) == length && !memcmp(r->headers[i].name, name, length))
			return true;
	return false;
}

/* Does a word at p stand in a directive? A '#' before it, or what may hide one: the end of a
 * comment, a digraph, a trigraph. */
static bool in_directive(const char *text, const char *p)
{
	while (p > text && is_blank(p[-1]))
		p--;
	return p > text && (p[-1] == '#' || p[-1] == '/' || p[-1] == ':' || p[-1] == '=');
}

/* Are all files that a text includes among the request's headers? */
static bool includes_known(const struct compile_request *r, const struct compile_input *in)
{
	/* a directive may be split over lines: join them first */
	char *text = malloc(in->size + 1);
	size_t n = 0;
	const char *data = in->data;
	if (!text)
		return false;
	for (size_t i = 0; i < in->size; i++) {
		if (data[i] == '\\' && i + 1 < in->size && data[i + 1] == '\n')
			i++;
		else if (data[i] == '\\' && i + 2 < in->size && data[i + 1] == '\r' && data[i + 2] == '\n')
			i += 2;
		else
			text[n++] = data[i];
	}
	text[n] = 0;
	static const char *const words[] = { "include", "import", "embed", "__has_" };
	bool known = strlen(text) == n;
	for (size_t w = 0; known && w < sizeof words / sizeof *words; w++) {
		for (const char *p = text; known && (p = strstr(p, words[w])); p++) {
			if (w == 3) {
				known = false;
			} else if (in_directive(text, p)) {
				const char *q = p + strlen(words[w]);
				while (*q == ' ' || *q == '\t')
					q++;
				const char *end = *q == '"' ? strchr(q + 1, '"') : *q == '<' ? strchr(q, '>') : NULL;
				known = w == 0 && end && header_known(r, q + 1, (size_t)(end - q - 1));
			}
		}
	}
	free(text);
	return known;
}

bool cache_is_possible(const struct compile_request *r)
{
	char directory[PATH_MAX];
	if (!cache_path(directory))
		return false;
	if (r->action == COMPILE_LINK)
		return true;
	for (size_t i = 0; i < r->num_inputs; i++)
		if (!includes_known(r, &r->inputs[i]))
			return false;
	for (size_t i = 0; i < r->num_headers; i++)
		if (!includes_known(r, &r->headers[i]))
			return false;
	return true;
}

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

/* ---- files ---- */

static bool entry_path(struct cache_key key, char *path, size_t room)
{
	char dir[PATH_MAX];
	return cache_path(dir) &&
	       snprintf(path, room, "%s/%016llx%016llx", dir, (unsigned long long)key.high,
			(unsigned long long)key.low) < (int)room;
}

static bool read_fully(int fd, void *data, size_t size)
{
	return file_read_all(fd, data, size, FILE_POSITION) == (ssize_t)size;
}

static uint64_t entry_checksum(const struct entry_head *head, const void *log, const void *object)
{
	XXH3_state_t s;
	XXH3_64bits_reset(&s);
	XXH3_64bits_update(&s, &head->low, sizeof *head - offsetof(struct entry_head, low));
	if (head->log_size)
		XXH3_64bits_update(&s, log, head->log_size);
	if (head->object_size)
		XXH3_64bits_update(&s, object, head->object_size);
	return XXH3_64bits_digest(&s);
}

bool cache_load(struct cache_key key, void **object, size_t *size, char **log)
{
	char path[PATH_ROOM];
	struct entry_head head;
	struct stat st;
	bool good = false;
	*object = NULL;
	*log = NULL;
	if (!entry_path(key, path, sizeof path))
		return false;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (!fstat(fd, &st) && read_fully(fd, &head, sizeof head) && head.magic == CACHE_MAGIC &&
	    head.low == key.low && head.high == key.high && head.log_size < (uint64_t)st.st_size &&
	    head.object_size < (uint64_t)st.st_size &&
	    (uint64_t)st.st_size == sizeof head + head.log_size + head.object_size) {
		*log = malloc(head.log_size + 1);
		*object = malloc(head.object_size + 1);
		if (*log && *object && read_fully(fd, *log, head.log_size) &&
		    read_fully(fd, *object, head.object_size)) {
			(*log)[head.log_size] = 0;
			*size = head.object_size;
			good = head.checksum == entry_checksum(&head, *log, *object);
		}
	}
	close(fd);
	if (!good) {
		unlink(path);
		free(*object);
		free(*log);
		*object = NULL;
		*log = NULL;
	}
	return good;
}

/* How many entries the last look at them found stands beside them. */
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

/* Keeps the cache below its limit (GALENA_CACHE_SIZE, MiB): drops what was used longest ago. */
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

void cache_store(struct cache_key key, const void *object, size_t size, const char *log)
{
	char path[PATH_ROOM], directory[PATH_MAX];
	if (!entry_path(key, path, sizeof path) || !cache_path(directory) || !directory_make(directory))
		return;
	struct entry_head head = { .magic = CACHE_MAGIC, .low = key.low, .high = key.high,
				   .log_size = strlen(log), .object_size = size };
	head.checksum = entry_checksum(&head, log, object);
	const struct iovec parts[] = { { &head, sizeof head }, { (void *)(uintptr_t)log, head.log_size }, { (void *)(uintptr_t)object, size } };
	if (file_replace(path, 0600, parts, 3) && key.low % prune_interval(directory) == 0)
		prune(directory);
}
