/* Code-cache entries: their keys, the cache on disk, the processes that make them. A code-cache entry on disk is a file like any other:
 * what does not check is removed and made again. Whatever goes wrong here means interpreting on, nothing else. */
#include "model/engine/superblocks.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory_file.h"
#include "base/path.h"
#include "base/text.h"
#include "base/spawn.h"
#include "compile_server/compile_server.h"
#include "superblock_hash.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

extern char **environ;

enum { MAX_JOBS = 2, KEEP_ABOVE = 16 }; /* descriptors: out of the way of the child's */

/* A translator that this process, or the one that it was forked from, has started. */
struct job {
	bool busy;
	int alive;        /* has an end, or something to read, when the translator has ended */
	const struct superblock_store *store;
	uint64_t key[2];
	int output;       /* without a cache: memory file that it writes to */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;
static struct job jobs[MAX_JOBS];

static void job_free(struct job *j)
{
	close(j->alive);
	if (j->output >= 0)
		close(j->output);
	j->busy = false;
}

void superblock_lock(void) { pthread_mutex_lock(&lock); }
void superblock_unlock(void) { pthread_mutex_unlock(&lock); }
static void fork_prepare(void) { pthread_atfork(superblock_lock, superblock_unlock, superblock_unlock); }

/* ---- what the environment says ---- */

bool superblock_store_init(struct superblock_store *s)
{
	const char *given = getenv("GALENA_TRANSLATE");
	struct stat st;
	char path[PATH_MAX];
	*s = (struct superblock_store){ .given = given && *given };
	const bool found = kit_path(path, "GALENA_TRANSLATE", "libexec/galena-translate");
	if (!found || stat(path, &st) || !(s->translator = strdup(path))) {
		log_write(LOG_INFO, "no galena-translate %s%s: kernels are interpreted", found ? "at " : "found", found ? path : "");
		return false;
	}
	s->identity[0] = (uint64_t)st.st_size;
	s->identity[1] = (uint64_t)st.st_mtim.tv_sec;
	s->identity[2] = (uint64_t)st.st_mtim.tv_nsec;
	s->directory = cache_path(path) ? strdup(path) : NULL; /* that of the build cache */
	pthread_once(&fork_once, fork_prepare);
	return true;
}

void superblock_store_fini(struct superblock_store *s)
{
	superblock_lock();
	for (unsigned i = 0; i < MAX_JOBS; i++)
		if (jobs[i].busy && jobs[i].store == s && jobs[i].output >= 0) /* its output will not be read */
			job_free(&jobs[i]);
	superblock_unlock();
	free(s->translator);
	free(s->directory);
}

/* ---- files ---- */

void superblock_key_make(const struct superblock_store *s, struct superblock_request *r)
{
	XXH3_state_t state;
	r->magic = SUPERBLOCK_REQUEST_MAGIC;
	r->version = GALENA_SUPERBLOCK_VERSION;
	r->key[0] = r->key[1] = 0;
	XXH3_128bits_reset(&state);
	XXH3_128bits_update(&state, s->identity, sizeof(s->identity));
	XXH3_128bits_update(&state, r, sizeof(*r) + r->code_bytes);
	XXH128_hash_t h = XXH3_128bits_digest(&state);
	r->key[0] = h.low64;
	r->key[1] = h.high64;
}

static char *code_entry_path(const struct superblock_store *s, const struct superblock_request *r)
{
	return text_format("%s/%016llx%016llx.region", s->directory, (unsigned long long)r->key[1], (unsigned long long)r->key[0]);
}

/* NULL when the file is what the request asked for; otherwise what is wrong with it. */
static const char *code_entry_check(const struct superblock_request *r, const struct code_entry *b, size_t size)
{
	const size_t hashed = offsetof(struct code_entry, key);
	if (size < sizeof(*b) || b->magic != CODE_ENTRY_MAGIC)
		return "is no code-cache entry";
	if (b->version != GALENA_SUPERBLOCK_VERSION)
		return "is of another version";
	if (b->key[0] != r->key[0] || b->key[1] != r->key[1])
		return "is for another request";
	if (b->checksum != XXH3_64bits((const char *)b + hashed, size - hashed))
		return "is damaged";
	if (!b->text_bytes)
		return NULL;
	if (b->text_offset < sizeof(*b) || b->text_offset > size || b->text_bytes > size - b->text_offset ||
	    b->entry_offset >= b->text_bytes)
		return "has no text";
	if (b->low > r->entry || b->high <= r->entry || b->low < r->code_va || b->high > r->code_va + r->code_bytes)
		return "does not hold its entry";
	return NULL;
}

static bool copy_fully(int to, int from, size_t size)
{
	off_t at = 0;
	while ((size_t)at < size) {
		ssize_t n = sendfile(to, from, &at, size - (size_t)at);
		if (n <= 0 && !(n < 0 && errno == EINTR))
			return false;
	}
	return true;
}

/* The file in executable memory of our own, NULL if it cannot be read: what others do to the file later does not reach it. A copy
 * that the system makes and that is executable from the start takes a tenth of the time of one that becomes so: then each page
 * of it is taken out of the TLB. */
static struct code_entry *code_entry_copy(int fd, size_t size, size_t room)
{
	struct code_entry *b = MAP_FAILED;
	int copy = memory_file_open("superblock", KEEP_ABOVE);
	if (copy >= 0 && copy_fully(copy, fd, size))
		b = mmap(NULL, room, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_POPULATE, copy, 0);
	if (copy >= 0)
		close(copy);
	if (b != MAP_FAILED)
		return b;
	/* where no such file is to be had, or nothing of it may be executed */
	b = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (b == MAP_FAILED)
		return NULL;
	if (file_read_all(fd, b, size, 0) == (ssize_t)size && !mprotect(b, room, PROT_READ | PROT_EXEC))
		return b;
	munmap(b, room);
	return NULL;
}

/* path: where the file lies, NULL if it has no name. */
static enum superblock_result code_entry_read(const struct superblock_request *r, int fd,
				    const char *path, size_t most, struct superblock_code *c)
{
	struct stat st;
	const char *wrong = "cannot be read";
	size_t size = 0, room = 0;
	struct code_entry *b = NULL;
	if (!fstat(fd, &st) && st.st_size >= (off_t)sizeof(*b) && st.st_size <= SUPERBLOCK_MAX_TEXT) {
		size = (size_t)st.st_size;
		if (size > most)
			return SUPERBLOCK_LARGE;
		room = (size + GALENA_PAGE_SIZE - 1) & ~(size_t)(GALENA_PAGE_SIZE - 1);
		b = code_entry_copy(fd, size, room);
	}
	if (b)
		wrong = code_entry_check(r, b, size);
	if (wrong || !b->text_bytes) {
		if (b)
			munmap(b, room);
		if (!wrong)
			return SUPERBLOCK_WORTHLESS;
		log_write(LOG_INFO, "translated code %s %s", path ? path : "in memory", wrong);
		if (path)
			unlink(path);
		return SUPERBLOCK_ABSENT;
	}
	*c = (struct superblock_code){ .needs = b->needs, .low = b->low, .high = b->high, .needs_ids = b->needs_ids,
				   .map = b, .map_bytes = room };
	const char *entry = (const char *)b + b->text_offset + b->entry_offset;
	memcpy(&c->entry, &entry, sizeof(entry));
	return SUPERBLOCK_READY;
}

enum superblock_result superblock_load(const struct superblock_store *s, const struct superblock_request *r, size_t most, struct superblock_code *c)
{
	char *path = s->directory ? code_entry_path(s, r) : NULL;
	enum superblock_result result = SUPERBLOCK_ABSENT;
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	if (fd >= 0) {
		result = code_entry_read(r, fd, path, most, c);
		close(fd);
	}
	free(path);
	return result;
}

void superblock_code_free(struct superblock_code *c)
{
	if (c->map)
		munmap(c->map, c->map_bytes);
	c->map = NULL;
}

/* ---- processes ---- */

static bool job_ended(const struct job *j, bool wait)
{
	struct pollfd p = { .fd = j->alive };
	int n;
	while ((n = poll(&p, 1, wait ? -1 : 0)) < 0 && errno == EINTR)
		;
	return n != 0;
}

static struct job *job_find(const struct superblock_request *r)
{
	for (unsigned i = 0; i < MAX_JOBS; i++)
		if (jobs[i].busy && jobs[i].key[0] == r->key[0] && jobs[i].key[1] == r->key[1])
			return &jobs[i];
	return NULL;
}

/* Where there are few processors, one at a time: the program has threads of its own for them. */
static unsigned job_limit(void)
{
	return sysconf(_SC_NPROCESSORS_ONLN) > MAX_JOBS ? MAX_JOBS : 1;
}

static struct job *job_slot(void)
{
	for (unsigned i = 0; i < job_limit(); i++) {
		if (!jobs[i].busy)
			return &jobs[i];
		/* the next request finds it in the cache */
		if (jobs[i].output < 0 && job_ended(&jobs[i], false)) {
			job_free(&jobs[i]);
			return &jobs[i];
		}
	}
	return NULL;
}

static int request_file(const struct superblock_request *r)
{
	return memory_file_with("superblock", KEEP_ABOVE, r, sizeof(*r) + r->code_bytes);
}

/* As a process of its own: nothing of ours stays open in it but these, and its end of the pipe. */
static int spawn(const struct superblock_store *s, const int fds[3], char **argv, bool background)
{
	posix_spawn_file_actions_t actions;
	int ends[2];
	if (pipe2(ends, O_CLOEXEC))
		return -1;
	ends[1] = descriptor_above(ends[1], KEEP_ABOVE);
	posix_spawn_file_actions_init(&actions);
	for (int i = 0; i < 3; i++)
		posix_spawn_file_actions_adddup2(&actions, fds[i], i);
	posix_spawn_file_actions_adddup2(&actions, ends[1], 3);
	posix_spawn_file_actions_addclosefrom_np(&actions, 4);
	int e = errno;
	if (ends[1] >= 0)
		e = spawn_detached(s->translator, &actions, argv, environ, background);
	posix_spawn_file_actions_destroy(&actions);
	if (ends[1] >= 0)
		close(ends[1]);
	if (e)
		close(ends[0]);
	errno = e;
	return e ? -1 : ends[0];
}

/* As a job of the compile server, which has the kit's own translator loaded. */
static int ask(const struct superblock_store *s, const int fds[3], char **argv, bool background)
{
	static struct compile_server servers[2] = { COMPILE_SERVER_INIT, COMPILE_SERVER_INIT };
	const struct compile_server_job job = { .program = s->translator, .background = background, .argv = argv, .envp = environ,
						.fds = fds, .num_fds = 3 };
	return s->given ? -1 : compile_server_ask(&servers[background], &job);
}

/* It may outlive us, and the application is not to hear of it. Returns what has an end when it has ended, or -1 and errno. */
static int translator_start(const struct superblock_store *s, int input, int output, char *path, bool kick)
{
	int nothing = descriptor_above(open("/dev/null", O_WRONLY | O_CLOEXEC), KEEP_ABOVE);
	const int fds[3] = { input, output >= 0 ? output : nothing, log_enabled(LOG_INFO) ? STDERR_FILENO : nothing };
	char *argv[] = { s->translator, (char *)"-o", path, kick ? (char *)"--nice" : NULL, NULL };
	bool background = !kick && !s->urgent;
	if (nothing < 0)
		return -1;
	int alive = kick ? -1 : ask(s, fds, argv, background);
	if (alive < 0)
		alive = spawn(s, fds, argv, background);
	int e = errno;
	close(nothing);
	errno = e;
	return alive;
}

/* Starts a translator for the request in this place; false and errno. */
static bool job_begin(const struct superblock_store *s, const struct superblock_request *r, struct job *j, bool kick)
{
	int input = request_file(r), output = -1, alive = -1, e = errno;
	bool kept = s->directory && directory_make(s->directory);
	char *path = kept ? code_entry_path(s, r) : text_format("-");
	if (input >= 0 && !kept && (output = memory_file_open("code-cache entry", KEEP_ABOVE)) < 0)
		e = errno;
	if (!path)
		e = ENOMEM;
	if (input >= 0 && path && (kept || output >= 0) && (alive = translator_start(s, input, output, path, kick)) < 0)
		e = errno;
	free(path);
	if (input >= 0)
		close(input);
	if (alive < 0 && output >= 0)
		close(output);
	errno = e;
	if (alive < 0)
		return false;
	if (j->busy)
		job_free(j);
	*j = (struct job){ .busy = true, .alive = alive, .store = s, .key = { r->key[0], r->key[1] }, .output = output };
	return true;
}

enum superblock_job superblock_job_start(const struct superblock_store *s, const struct superblock_request *r)
{
	struct job *j = job_find(r);
	if (j)
		return SUPERBLOCK_RUNNING; /* for another device */
	j = job_slot();
	if (!j)
		return SUPERBLOCK_BUSY;
	if (job_begin(s, r, j, false))
		return SUPERBLOCK_RUNNING;
	int e = errno;
	log_write(LOG_INFO, "cannot start %s: %s: kernels are interpreted", s->translator, strerror(e));
	errno = e;
	return SUPERBLOCK_UNABLE;
}

void superblock_job_kick(const struct superblock_store *s, const struct superblock_request *r)
{
	struct job *j = job_find(r);
	if (j)
		job_begin(s, r, j, true); /* if not, the one that runs will do */
}

enum superblock_job superblock_job_poll(const struct superblock_store *s, const struct superblock_request *r, bool wait,
				enum superblock_result *result, struct superblock_code *c)
{
	struct job *j = job_find(r);
	if (j && !job_ended(j, wait)) {
		*result = SUPERBLOCK_ABSENT;
		return SUPERBLOCK_RUNNING;
	}
	*result = j && j->output >= 0 ? code_entry_read(r, j->output, NULL, SIZE_MAX, c) : superblock_load(s, r, SIZE_MAX, c);
	if (*result == SUPERBLOCK_ABSENT)
		log_write(LOG_INFO, "%s has failed for the code at 0x%llx", s->translator, (unsigned long long)r->entry);
	if (j)
		job_free(j);
	return SUPERBLOCK_ENDED;
}
