/* Translated superblocks, the model's side: where code-cache entries come from, when they are entered, what becomes of bad ones,
 * and that the check engine sees what they do wrong. The translator is this program itself: started with -o, it
 * writes one of its own functions, which were written for the kernel below, as a code-cache entry. */
#include "testbench/model/kernel.h"
#include "testbench/model/code_entries.h"
#include "superblock_hash.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

static char directories[64], directory[96], lines_path[96]; /* directory: the last of those in directories */
static unsigned num_directories;

/* ---- the translator ---- */

/* Lines of translators that made this code-cache entry and ran with this policy. name "": any code-cache entry. */
static unsigned ran_for(const char *name, int policy)
{
	char line[128], end[64];
	unsigned n = 0;
	FILE *f = fopen(lines_path, "r");
	snprintf(end, sizeof(end), "%s, policy %d\n", name, policy);
	while (f && fgets(line, sizeof(line), f))
		n += strstr(line, end) != NULL;
	if (f)
		fclose(f);
	return n;
}

static unsigned ran_with(int policy) { return ran_for("", policy); }

/* One that gets no processor: it waits until one with another policy has run. */
static void starve(const char *before)
{
	usleep(100000); /* until it has its policy */
	for (unsigned i = 0; i < 600 && sched_getscheduler(0) == SCHED_IDLE && ran_with(SCHED_OTHER) == strtoul(before, NULL, 0); i++)
		usleep(100000);
}

static void seal(struct code_entry *b, size_t size)
{
	const size_t hashed = offsetof(struct code_entry, key);
	b->checksum = XXH3_64bits((const char *)b + hashed, size - hashed);
}

/* CODE_ENTRY names the function, or what to do instead: fail, worthless. Each run is a line in LINES. */
static int translate(const char *path)
{
	static uint8_t bytes[sizeof(struct superblock_request) + SUPERBLOCK_MAX_CODE], image[1 << 16];
	struct superblock_request *q = (struct superblock_request *)bytes;
	struct code_entry *b = (struct code_entry *)image;
	const char *name = getenv("CODE_ENTRY"), *lines = getenv("LINES_FILE");
	size_t size = fread(bytes, 1, sizeof(bytes), stdin);
	FILE *f = lines ? fopen(lines, "a") : NULL;
	snprintf(lines_path, sizeof(lines_path), "%s", lines ? lines : "");
	if (getenv("SLOW"))
		sleep(1);
	if (getenv("STARVED"))
		starve(getenv("STARVED"));
	if (f) {
		fprintf(f, "%s, policy %d\n", name, sched_getscheduler(0));
		fclose(f);
	}
	if (size < sizeof(*q) || size != sizeof(*q) + q->code_bytes || q->magic != SUPERBLOCK_REQUEST_MAGIC ||
	    q->version != GALENA_SUPERBLOCK_VERSION || q->entry - q->code_va >= q->code_bytes)
		return 1;
	*b = (struct code_entry){ .magic = CODE_ENTRY_MAGIC, .version = GALENA_SUPERBLOCK_VERSION,
				   .key = { q->key[0], q->key[1] } };
	/* only the loop is known */
	uint32_t words[LOOP_INSNS] = { 0 };
	if (q->entry - q->code_va + sizeof(words) <= q->code_bytes)
		memcpy(words, bytes + sizeof(*q) + (q->entry - q->code_va), sizeof(words));
	bool loop_here = words[0] == 0x00c70733u && words[1] == 0x00e52023u && words[2] == 0xfff58593u;
	if (!strcmp(name, "fail"))
		return 1;
	size = sizeof(*b);
	if (loop_here && strcmp(name, "worthless")) {
		unsigned i = 0;
		while (strcmp(code_entries[i].name, name))
			i++;
		b->text_offset = (sizeof(*b) + 63) & ~63u;
		b->text_bytes = (uint32_t)(code_entries[i].stop - code_entries[i].start);
		b->entry_offset = (uint32_t)((const char *)(uintptr_t)code_entries[i].fn - code_entries[i].start);
		b->low = q->entry;
		b->high = q->entry + sizeof(words);
		b->needs = 1 << 10 | 1 << 11 | 1 << 12 | 1 << 14;
		bool any = !strncmp(name, "apart", 5); /* forms, and mask */
		if (any)
			b->needs = 0;
		/* what the function is written for */
		if (!any && (q->flags & SUPERBLOCK_MASKED || q->encoding[10] != ENC_AFFINE || q->encoding[11] != ENC_UNIFORM || q->encoding[12] != ENC_AFFINE || q->encoding[14] != ENC_AFFINE))
			b->text_bytes = 0;
		memcpy(image + b->text_offset, code_entries[i].start, b->text_bytes);
		size = b->text_offset + b->text_bytes;
	}
	seal(b, size);
	char aside[PATH_MAX];
	snprintf(aside, sizeof(aside), "%s.%d", path, (int)getpid());
	f = strcmp(path, "-") ? fopen(aside, "w") : stdout;
	if (!f || fwrite(image, 1, size, f) != size || fclose(f))
		return 1;
	return strcmp(path, "-") ? rename(aside, path) != 0 : 0;
}

/* ---- the tests ---- */

static unsigned starts(void)
{
	FILE *f = fopen(lines_path, "r");
	unsigned n = 0;
	for (int c; f && (c = fgetc(f)) != EOF;)
		n += c == '\n';
	if (f)
		fclose(f);
	return n;
}

static void directory_remove(void)
{
	DIR *d = opendir(directory);
	for (struct dirent *e; d && (e = readdir(d));)
		if (*e->d_name != '.')
			unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
	rmdir(directory);
}

/* The cache is in another directory from now on: what a process in the background has yet to write goes to the one before. */
static void empty_directory(void)
{
	snprintf(directory, sizeof(directory), "%s/%u", directories, num_directories++);
	if (mkdir(directory, 0700))
		abort();
	setenv("GALENA_CACHE_DIR", directory, 1);
}

static bool directory_is_empty(void)
{
	DIR *d = opendir(directory);
	bool empty = d != NULL;
	for (struct dirent *e; d && (e = readdir(d));)
		empty &= *e->d_name == '.';
	if (d)
		closedir(d);
	return empty;
}

/* The one code-cache entry with text in the cache; its size. */
static size_t cached_code_entry(char *path, size_t room)
{
	size_t found = 0;
	DIR *d = opendir(directory);
	assert_non_null(d);
	for (struct dirent *e; (e = readdir(d));) {
		struct stat st;
		char at[PATH_MAX];
		snprintf(at, sizeof(at), "%s/%s", directory, e->d_name);
		if (!strstr(e->d_name, ".region") || stat(at, &st) || (size_t)st.st_size <= sizeof(struct code_entry))
			continue;
		assert_int_equal(found, 0);
		found = (size_t)st.st_size;
		snprintf(path, room, "%s", at);
	}
	closedir(d);
	return found;
}

static void engine(const char *name, const char *code_entry, const char *hot)
{
	setenv("GALENA_ENGINE", name, 1);
	setenv("CODE_ENTRY", code_entry, 1);
	if (hot)
		setenv("GALENA_TRANSLATE_HOT", hot, 1);
	else
		unsetenv("GALENA_TRANSLATE_HOT");
}

struct result {
	struct compute_counters counters;
	uint64_t end;
	uint32_t out[OUT_BYTES / 4];
	struct superblock_counters superblocks;
	struct compute_fault fault;
};

static struct result results[2];

static void run_on(struct bench *b, const char *text, uint64_t count, uint32_t items, struct result *result)
{
	b->arg[1] = count;
	const struct rig_end *e = run(b, text, (struct rig_range){ .global = { items }, .local = { 64 } });
	result->counters = *compute_counters(b->r->compute);
	result->end = e->end;
	result->fault = e->fault;
	memcpy(result->out, b->out, OUT_BYTES);
	struct superblocks *g = compute_superblocks(b->r->compute);
	result->superblocks = g ? superblocks_counters(g) : (struct superblock_counters){ 0 };
}

/* settle: no translator of this run is left when it ends. */
static void run_and(const char *text, uint64_t count, uint32_t items, struct result *result, bool settle)
{
	struct bench b = open_bench(0);
	run_on(&b, text, count, items, result);
	if (settle && compute_superblocks(b.r->compute))
		superblocks_wait(compute_superblocks(b.r->compute));
	rig_destroy(b.r);
}

static void run_once(const char *text, uint64_t count, uint32_t items, struct result *result)
{
	run_and(text, count, items, result, true);
}

enum { ENOUGH = 1000 }; /* runs after which what has not happened does not */


static void assert_same(const struct result *x, const struct result *y)
{
	assert_memory_equal(&x->counters, &y->counters, sizeof(x->counters));
	assert_memory_equal(&x->fault, &y->fault, sizeof(x->fault));
	assert_int_equal(x->end, y->end);
	assert_memory_equal(x->out, y->out, OUT_BYTES);
}

/* Any number of rounds, so turns end anywhere in the loop: memory, counters and cycles are the interpreter's. */
static void as_the_interpreter(void **state)
{
	static const uint64_t counts[] = { 1, 2, 3, 100, 1021, 1024, 4097, 20000 };
	(void)state;
	for (unsigned i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		engine("interp", "fail", NULL);
		run_once(KERNEL, counts[i], 256, &results[0]);
		assert_int_equal(results[0].out[5], counts[i] * 5);
		assert_int_equal(results[0].counters.warp_insns, 8 * (BEFORE + 1 + LOOP_INSNS * counts[i]));
		engine("translate", "good", "0");
		run_once(KERNEL, counts[i], 256, &results[1]);
		assert_same(&results[0], &results[1]);
		assert_int_equal(results[1].superblocks.entered != 0, counts[i] > 1);
		if (counts[i] > 100) /* nearly all of it */
			assert_true(results[1].superblocks.insns > results[1].counters.warp_insns * 9 / 10);
		engine("check", "good", NULL);
		run_once(KERNEL, counts[i], 256, &results[1]);
		assert_same(&results[0], &results[1]);
		assert_int_equal(results[1].superblocks.entered != 0, counts[i] > 1);
	}
}

/* Off where it cannot be exact: timed, lanes that are fewer, and when nobody asks. */
static void only_where_it_may(void **state)
{
	(void)state;
	engine("translate", "good", "0");
	for (unsigned setup = 1; setup < 4; setup++) {
		struct bench b = open_bench(setup);
		assert_null(compute_superblocks(b.r->compute));
		rig_destroy(b.r);
	}
	engine("interp", "good", "0");
	struct bench b = open_bench(0);
	assert_null(compute_superblocks(b.r->compute));
	rig_destroy(b.r);
	/* half a warp: the lanes that are not there */
	engine("translate", "good", "0");
	run_once(KERNEL, 300, 16, &results[0]);
	assert_int_equal(results[0].superblocks.entered, 0);
	assert_int_equal(results[0].out[15], 300 * 15);
	assert_int_equal(results[0].out[16], 0);
}

/* Other forms of the same registers than the code-cache entry was made for are interpreted. */
static void forms_have_to_match(void **state)
{
	(void)state;
	/* x14 is a word a lane in every second work-group: lane * lane */
	static const char text[] = ITEM "ld a1, 8(a0)\n ld a0, 0(a0)\n sh2add a0, s0, a0\n csrr a2, 0xcca\n li a4, 0\n"
					"csrr a5, 0xcc3\n andi a5, a5, 1\n beqz a5, 1f\n mul a4, a2, a2\n" LOOP_TAIL;
	engine("interp", "fail", NULL);
	run_once(text, 50, 512, &results[0]);
	engine("translate", "good", "0");
	run_once(text, 50, 512, &results[1]);
	assert_same(&results[0], &results[1]);
	assert_int_equal(results[1].out[64 + 3], 50 * 3 + 9);
	assert_true(results[1].superblocks.entered != 0);
	assert_true(results[1].superblocks.insns < results[1].counters.warp_insns * 6 / 10);
	engine("check", "good", NULL);
	run_once(text, 50, 512, &results[1]);
	assert_same(&results[0], &results[1]);
}

/* In the background the run goes on; what was made is there the next time, for other devices, too. */
static void made_in_the_background(void **state)
{
	(void)state;
	empty_directory();
	engine("translate", "good", "2000");
	struct bench b = open_bench(0);
	struct superblocks *g = compute_superblocks(b.r->compute);
	for (unsigned i = 0; i < ENOUGH && !superblocks_counters(g).entered; i++) { /* each time its code is elsewhere */
		run_on(&b, KERNEL, LONG, 256, &results[0]);
		superblocks_wait(g);
	}
	assert_true(superblocks_counters(g).entered > 0);
	rig_destroy(b.r);
	/* and now the loop's code is there */
	setenv("CODE_ENTRY", "fail", 1);
	b = open_bench(0);
	g = compute_superblocks(b.r->compute);
	for (unsigned i = 0; i < ENOUGH && !superblocks_counters(g).entered; i++) {
		run_on(&b, KERNEL, LONG, 256, &results[0]);
		superblocks_wait(g); /* it is read in the background */
	}
	assert_true(superblocks_counters(g).entered > 0);
	rig_destroy(b.r);
}

/* Without a cache directory the code-cache entry comes through memory. */
static void made_without_a_cache(void **state)
{
	(void)state;
	empty_directory();
	setenv("GALENA_CACHE", "0", 1);
	engine("translate", "good", "0");
	run_once(KERNEL, 200, 256, &results[0]);
	unsetenv("GALENA_CACHE");
	assert_true(results[0].superblocks.entered > 0);
	char path[PATH_MAX];
	assert_int_equal(cached_code_entry(path, sizeof(path)), 0);
}

/* The translator fails, is not there, or has nothing to offer. */
static void nothing_is_made(void **state)
{
	char good[PATH_MAX];
	(void)state;
	snprintf(good, sizeof(good), "%s", getenv("GALENA_TRANSLATE"));
	engine("interp", "fail", NULL);
	run_once(KERNEL, 200, 256, &results[0]);
	static const char *const how[] = { "fail", "worthless", "/nowhere/to/be/found", "/etc/passwd" };
	for (unsigned i = 0; i < 4; i++) {
		empty_directory();
		engine("translate", *how[i] == '/' ? "good" : how[i], "0");
		if (*how[i] == '/')
			setenv("GALENA_TRANSLATE", how[i], 1);
		unsigned before = starts();
		run_once(KERNEL, 200, 256, &results[1]);
		setenv("GALENA_TRANSLATE", good, 1);
		assert_same(&results[0], &results[1]);
		assert_int_equal(results[1].superblocks.entered, 0);
		assert_true(starts() - before < 20); /* and is not asked for ever */
	}
	/* that there is nothing is kept */
	empty_directory();
	engine("translate", "worthless", "0");
	run_once(KERNEL, 200, 256, &results[1]);
	unsigned before = starts();
	run_once(KERNEL, 200, 256, &results[1]);
	assert_int_equal(starts(), before);
}

static void spoil(const char *path, const struct code_entry *head, const uint8_t *bytes, size_t size)
{
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	if (size >= sizeof(*head)) {
		assert_int_equal(fwrite(head, sizeof(*head), 1, f), 1);
		assert_int_equal(fwrite(bytes + sizeof(*head), 1, size - sizeof(*head), f), size - sizeof(*head));
	} else {
		assert_int_equal(fwrite(bytes, 1, size, f), size);
	}
	assert_int_equal(fclose(f), 0);
}

/* Files in the cache that are not what they should be are removed, and nothing of them runs. */
static void damaged_code_entries(void **state)
{
	char path[PATH_MAX];
	static uint8_t bytes[1 << 16];
	(void)state;
	empty_directory();
	engine("translate", "good", "0");
	run_once(KERNEL, 200, 256, &results[0]);
	size_t size = cached_code_entry(path, sizeof(path));
	assert_true(size > sizeof(struct code_entry));
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	assert_int_equal(fread(bytes, 1, sizeof(bytes), f), size);
	fclose(f);
	struct code_entry *b = (struct code_entry *)bytes;
	setenv("CODE_ENTRY", "fail", 1);
	for (unsigned i = 0; i < 16; i++) {
		struct code_entry h = *b;
		size_t keep = size;
		bool sealed = true;
		uint8_t saved = bytes[size - 1];
		switch (i) {
		case 0: h.magic++; break;
		case 1: h.version ^= 1; break;
		case 2: h.checksum++; sealed = false; break;
		case 3: h.key[0]++; break;
		case 4: h.key[1]--; break;
		case 5: h.text_offset = (uint32_t)size + 1; break;
		case 6: h.text_bytes++; break;
		case 7: h.text_bytes = UINT32_MAX; break;
		case 8: h.entry_offset = h.text_bytes; break;
		case 9: h.low = h.high; break;
		case 10: h.high += 1 << 20; break;
		case 11: h.text_offset = 8; break;
		case 12: bytes[size - 1] ^= 4; sealed = false; break; /* in the code */
		case 13: keep = size - 5; sealed = false; break;
		case 14: keep = sizeof(h) - 1; sealed = false; break;
		case 15: keep = 0; sealed = false; break;
		}
		if (sealed) { /* the header lies, its checksum does not */
			static uint8_t whole[1 << 16];
			memcpy(whole, bytes, size);
			memcpy(whole, &h, sizeof(h));
			seal((struct code_entry *)whole, size);
			h.checksum = ((struct code_entry *)whole)->checksum;
		}
		spoil(path, &h, bytes, keep);
		bytes[size - 1] = saved;
		run_once(KERNEL, 200, 256, &results[1]);
		assert_memory_equal(results[0].out, results[1].out, OUT_BYTES);
		if (results[1].superblocks.entered)
			fail_msg("code-cache entry damaged in way %u has run", i);
		assert_int_not_equal(access(path, F_OK), 0);
	}
	spoil(path, b, bytes, size);
	run_once(KERNEL, 200, 256, &results[1]);
	assert_true(results[1].superblocks.entered > 0); /* so it was the damage */
}

/* Dropped instructions take the places where code begins with them; the code is found again by its bytes, and other
 * bytes at the same place do not run it. */
static void dropped_instructions(void **state)
{
	(void)state;
	size_t words;
	uint32_t *text = rig_assemble(KERNEL, &words);
	engine("translate", "good", "0");
	struct bench b = open_bench(0);
	uint64_t va = rig_load(b.r, text, words);
	struct rig_range range = { .global = { 256 }, .local = { 64 }, .kernarg = arg_va };
	b.arg[1] = 300;
	rig_run(b.r, va, &range);
	struct superblocks *g = compute_superblocks(b.r->compute);
	uint64_t first = superblocks_counters(g).insns, more = superblocks_counters(g).code_entries;
	assert_true(first > 0);
	setenv("CODE_ENTRY", "fail", 1);
	compute_flush_code(b.r->compute, b.r->now);
	rig_run(b.r, va, &range);
	assert_true(superblocks_counters(g).insns > first * 3 / 2);
	assert_int_equal(superblocks_counters(g).code_entries, more);
	/* twice the step */
	uint32_t *loop_word = NULL;
	for (size_t i = 0; i < words; i++)
		if (text[i] == 0x00c70733u)
			loop_word = &text[i];
	assert_non_null(loop_word);
	*loop_word = 0x20c74733u; /* sh2add a4, a4, a2 */
	uint64_t pa = rig_dram(b.r, 4096);
	memcpy(rig_host(b.r, pa), text, words * 4);
	rig_map(b.r, va, pa, 4096, PTE_R | PTE_X);
	mmu_invalidate(b.r->mmu, MMU_PAGE, RIG_ASID, va);
	uint64_t then = superblocks_counters(g).insns;
	b.arg[1] = 3;
	rig_run(b.r, va, &range);
	/* x = 4 x + lane */
	assert_int_equal(b.out[7], 7 * 4 * 4 + 7 * 4 + 7);
	assert_int_equal(superblocks_counters(g).insns, then);
	free(text);
	rig_destroy(b.r);
}

/* What the check engine says of a code-cache entry, in a process of its own. */
static void check_says_of(const char *text, const char *code_entry, uint64_t rounds, const char *what)
{
	int ends[2], status;
	char said[4096];
	size_t size = 0;
	empty_directory();
	assert_int_equal(pipe(ends), 0);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		alarm(60);
		dup2(ends[1], 2);
		close(ends[0]);
		engine("check", code_entry, NULL);
		run_once(text, rounds, 64, &results[1]);
		_exit(0);
	}
	close(ends[1]);
	for (ssize_t n; (n = read(ends[0], said + size, sizeof(said) - 1 - size)) > 0;)
		size += (size_t)n;
	said[size] = 0;
	close(ends[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT || !strstr(said, what))
		fail_msg("%s: status %x, '%s' lacks '%s'", code_entry, status, said, what);
}

static void check_says(const char *code_entry, uint64_t rounds, const char *what)
{
	check_says_of(KERNEL, code_entry, rounds, what);
}

static void check_sees(void **state)
{
	(void)state;
	check_says("bad_register", 200, "x11 of lane 0 is 0x10000000");
	check_says("bad_store", 200, "(lane 5) is 0x");
	check_says("no_store", 200, "(lane 7) is 0x00000007, the interpreter's 0x00000578, stored at pc 0x");
	check_says("far_store", 200, "(lane 31) is 0x0000001f, the interpreter's 0x00001838, stored at pc 0x");
	check_says("bad_pc", 200, "the interpreter is at pc 0x");
	check_says("beyond", 5000, "that exceeds its limit");
	check_says("late", 200, "the interpreter is at pc 0x");
}

/* Paths that have divergent: what lanes leave that run, what those find that wait, who goes where. */
static void lanes_apart(void **state)
{
	(void)state;
	empty_directory();
	engine("interp", "fail", NULL);
	run_once(APART, 100, 256, &results[0]);
	assert_int_equal(results[0].out[5], (100 + 16 * 5 + 1) * 5);
	for (unsigned i = 0; i < 2; i++) {
		empty_directory();
		engine(i ? "check" : "translate", "apart_good", "0");
		run_once(APART, 100, 256, &results[1]);
		assert_same(&results[0], &results[1]);
		assert_true(results[1].superblocks.insns > results[1].counters.warp_insns / 2); /* most of them apart */
	}
	check_says_of(APART, "apart_bad_lane", 100, "x14 of lane 29 is 0x");
	check_says_of(APART, "apart_bad_waiting", 100, "x14 of lane 1 is 0x");
	check_says_of(APART, "apart_store_waiting", 100, "(lane 0) is 0x");
	check_says_of(APART, "apart_store_wrong", 100, "(lane 30) is 0x001");
	check_says_of(APART, "apart_bad_way", 100, "the interpreter");
	check_says_of(APART, "apart_uncounted", 100, "lanes have executed");
}

/* A child of a fork goes on with its parent's device and translators; its memory is shared, so the parent waits. */
static void forked(void **state)
{
	int status;
	(void)state;
	empty_directory();
	engine("translate", "good", "2000");
	struct bench b = open_bench(0);
	run_on(&b, KERNEL, LONG, 256, &results[0]);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		alarm(60);
		for (unsigned i = 0; i < 3; i++) {
			run_on(&b, KERNEL, LONG + i, 256, &results[1]);
			superblocks_wait(compute_superblocks(b.r->compute));
		}
		_exit(results[1].out[9] != (LONG + 2) * 9);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	run_on(&b, KERNEL, LONG, 256, &results[1]);
	assert_memory_equal(results[0].out, results[1].out, OUT_BYTES);
	superblocks_wait(compute_superblocks(b.r->compute));
	rig_destroy(b.r);
}

static volatile sig_atomic_t children;
static void child_ended(int number) { children += number == SIGCHLD; }

/* The application hears nothing of translators: they are no children of it, while they run and when they have ended. */
static void no_child_of_the_application(void **state)
{
	(void)state;
	void (*const handlers[])(int) = { child_ended, SIG_IGN, SIG_DFL };
	size_t words;
	uint32_t *text = rig_assemble(KERNEL, &words); /* by a child of ours */
	for (unsigned i = 0; i < 6; i++) {
		struct sigaction before, act = { .sa_handler = handlers[i % 3] };
		struct rig_range range = { .global = { 256 }, .local = { 64 }, .kernarg = arg_va };
		empty_directory();
		if (i / 3)
			setenv("GALENA_CACHE", "0", 1);
		setenv("SLOW", "1", 1);
		engine("translate", "good", "2000");
		struct bench b = open_bench(0);
		struct superblocks *g = compute_superblocks(b.r->compute);
		uint64_t va = rig_load(b.r, text, words);
		unsigned begun = starts();
		b.arg[1] = LONG;
		assert_int_equal(sigaction(SIGCHLD, &act, &before), 0);
		rig_run(b.r, va, &range);
		assert_int_equal(waitpid(-1, NULL, 0), -1); /* a child would be waited for */
		assert_int_equal(errno, ECHILD);
		superblocks_wait(g);
		assert_int_equal(waitpid(-1, NULL, 0), -1);
		assert_int_equal(errno, ECHILD);
		for (unsigned k = 0; k < ENOUGH && !superblocks_counters(g).code_entries; k++) { /* one is made at a time */
			rig_run(b.r, va, &range);
			superblocks_wait(g);
		}
		assert_int_equal(sigaction(SIGCHLD, &before, NULL), 0);
		assert_true(superblocks_counters(g).code_entries > 0);
		assert_true(starts() > begun);
		rig_destroy(b.r);
		unsetenv("SLOW");
		unsetenv("GALENA_CACHE");
	}
	free(text);
	assert_int_equal(children, 0);
	/* the handler would have counted */
	struct sigaction before, act = { .sa_handler = child_ended };
	assert_int_equal(sigaction(SIGCHLD, &act, &before), 0);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		_exit(0);
	while (waitpid(pid, NULL, 0) < 0)
		assert_int_equal(errno, EINTR);
	assert_int_equal(children, 1);
	assert_int_equal(sigaction(SIGCHLD, &before, NULL), 0);
}

/* Without a cache, a device that goes while its translators run leaves no place taken. */
static void abandoned(void **state)
{
	(void)state;
	setenv("GALENA_CACHE", "0", 1);
	setenv("SLOW", "1", 1);
	for (unsigned i = 0; i < 4; i++) { /* each of other code */
		char text[sizeof(KERNEL) + 32];
		snprintf(text, sizeof(text), "%s addi a7, zero, %u\n", KERNEL, i + 2);
		engine("translate", "good", "1");
		run_and(text, LONG, 256, &results[0], false);
	}
	unsetenv("SLOW");
	engine("translate", "good", "0");
	run_once(KERNEL, 200, 256, &results[1]);
	unsetenv("GALENA_CACHE");
	assert_true(results[1].superblocks.entered > 0);
}

/* Code that is slower than the interpreter is tried and given up; what is computed, and in which cycle, stays the same. */
static void slower_code(void **state)
{
	(void)state;
	empty_directory();
	engine("interp", "fail", NULL);
	run_once(KERNEL, LONG, 256, &results[0]);
	engine("translate", "slowly", "2000");
	struct bench b = open_bench(0);
	run_on(&b, KERNEL, LONG, 256, &results[1]);
	assert_same(&results[0], &results[1]);
	size_t words;
	uint32_t *text = rig_assemble(KERNEL, &words);
	struct rig_range range = { .global = { 256 }, .local = { 64 }, .kernarg = arg_va };
	uint64_t va = rig_load(b.r, text, words), insns = 0, tried = 0;
	struct superblocks *g = compute_superblocks(b.r->compute);
	unsigned without = 0; /* runs, one after the other, that nothing of it was in: while it is tried the lot makes that one or two */
	for (unsigned i = 0; i < ENOUGH && without < 12; i++) {
		memset(b.out, 0, OUT_BYTES);
		b.arg[1] = LONG;
		rig_run(b.r, va, &range);
		superblocks_wait(g);
		assert_memory_equal(b.out, results[0].out, OUT_BYTES);
		tried += superblocks_counters(g).insns > insns;
		without = tried && superblocks_counters(g).insns == insns ? without + 1 : 0;
		insns = superblocks_counters(g).insns;
	}
	assert_true(tried > 0);
	assert_int_equal(without, 12);
	free(text);
	rig_destroy(b.r);
}

static int64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Devices that interpret for a fourth of what is worth a translation ask for nothing, however many there are: each of them
 * would have to wait for it, and gain nothing. */
static void short_programs(void **state)
{
	enum { HOT_MS = 800, DEVICES = 8 };
	char hot[16];
	(void)state;
	empty_directory();
	snprintf(hot, sizeof(hot), "%u", HOT_MS * 1000);
	engine("translate", "good", hot);
	unsigned before = starts();
	for (unsigned i = 0; i < DEVICES; i++) {
		struct bench b = open_bench(0);
		for (int64_t begin = now_ms(); now_ms() - begin < HOT_MS / 4;)
			run_on(&b, KERNEL, LONG, 256, &results[0]);
		assert_int_equal(results[0].superblocks.entered, 0);
		superblocks_wait(compute_superblocks(b.r->compute));
		rig_destroy(b.r);
	}
	assert_int_equal(starts(), before);
	assert_true(directory_is_empty());
	/* the same program does, where it is said to be worth it */
	engine("translate", "good", "1000");
	struct bench b = open_bench(0);
	for (unsigned i = 0; i < ENOUGH && starts() == before; i++) {
		run_on(&b, KERNEL, LONG, 256, &results[0]);
		superblocks_wait(compute_superblocks(b.r->compute));
	}
	assert_true(starts() > before);
	rig_destroy(b.r);
}

/* Translators get what processors have left over. Only one that does not end while the program could have used its code for
 * long is helped by another that takes its share. */
static void left_over(void **state)
{
	(void)state;
	empty_directory();
	unsigned idle = ran_with(SCHED_IDLE), other = ran_with(SCHED_OTHER);
	char before[16];
	snprintf(before, sizeof(before), "%u", other);
	setenv("STARVED", before, 1);
	engine("translate", "good", "2000");
	struct bench b = open_bench(0);
	struct superblocks *g = compute_superblocks(b.r->compute);
	size_t words;
	uint32_t *text = rig_assemble(KERNEL, &words);
	struct rig_range range = { .global = { 256 }, .local = { 64 }, .kernarg = arg_va };
	uint64_t va = rig_load(b.r, text, words);
	b.arg[1] = LONG;
	for (unsigned i = 0; i < 4 * ENOUGH && ran_with(SCHED_OTHER) == other; i++)
		rig_run(b.r, va, &range);
	free(text);
	superblocks_wait(g);
	assert_true(superblocks_counters(g).code_entries > 0);
	rig_destroy(b.r);
	unsetenv("STARVED");
	assert_true(ran_with(SCHED_OTHER) > other);
	for (unsigned i = 0; i < 600 && ran_with(SCHED_IDLE) == idle; i++) /* it goes on when it can */
		usleep(100000);
	assert_true(ran_with(SCHED_IDLE) > idle);
	/* one that the run waits for is as the program; others of before may still be on their way */
	empty_directory();
	idle = ran_for("worthless", SCHED_IDLE);
	other = ran_for("worthless", SCHED_OTHER);
	engine("translate", "worthless", "0");
	run_once(KERNEL, 200, 256, &results[0]);
	assert_int_equal(ran_for("worthless", SCHED_IDLE), idle);
	assert_true(ran_for("worthless", SCHED_OTHER) > other);
}

/* Why a translator cannot be started is told. */
static void cannot_start(void **state)
{
	struct superblock_store s;
	struct superblock_request q = { .entry = 4 };
	(void)state;
	assert_true(superblock_store_init(&s));
	free(s.translator);
	s.translator = strdup("/nowhere/to/be/found");
	superblock_key_make(&s, &q);
	errno = 0;
	assert_int_equal(superblock_job_start(&s, &q), SUPERBLOCK_UNABLE);
	assert_int_equal(errno, ENOENT);
	superblock_store_fini(&s);
}

int main(int argc, char **argv)
{
	if (argc >= 3 && !strcmp(argv[1], "-o"))
		return translate(argv[2]);
	char self[PATH_MAX];
	if (!realpath("/proc/self/exe", self))
		return 1;
	setenv("GALENA_TRANSLATE", self, 1);
	snprintf(directories, sizeof(directories), "/tmp/galena-superblock-XXXXXX");
	if (!mkdtemp(directories))
		return 1;
	snprintf(lines_path, sizeof(lines_path), "%s.lines", directories);
	setenv("LINES_FILE", lines_path, 1);
	empty_directory();
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_the_interpreter), cmocka_unit_test(only_where_it_may),
		cmocka_unit_test(forms_have_to_match), cmocka_unit_test(made_in_the_background),
		cmocka_unit_test(made_without_a_cache), cmocka_unit_test(nothing_is_made),
		cmocka_unit_test(damaged_code_entries), cmocka_unit_test(dropped_instructions),
		cmocka_unit_test(check_sees), cmocka_unit_test(lanes_apart), cmocka_unit_test(forked),
		cmocka_unit_test(no_child_of_the_application),
		cmocka_unit_test(slower_code), cmocka_unit_test(short_programs), cmocka_unit_test(left_over),
		cmocka_unit_test(cannot_start), cmocka_unit_test(abandoned), /* the last one: its translators run on */
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	while (num_directories) {
		snprintf(directory, sizeof(directory), "%s/%u", directories, --num_directories);
		directory_remove();
	}
	rmdir(directories);
	unlink(lines_path);
	return failed;
}
