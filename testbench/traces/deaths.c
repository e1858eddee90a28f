/* Programs that die at random points, with all recorders on: every file opens, and ends where the program died, and says how. The
 * programs are of testbench/traces/dying.c; what they know of themselves is compared with what the files hold. */
#define _GNU_SOURCE
#include "testbench/traces/dying.h"
#include "abi/codes.h"
#include "testbench/build_tree.h"
#include "testbench/random.h"
#include "traces/event_file.h"
#include "traces/program_end.h"
#include "traces/replay.h"
#include "traces/trace_reader.h"
#include <errno.h>
#include <fcntl.h>
#include <fstapi.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RUNS_A_WAY = 4, DEVICES = 2, PROGRAM_SECONDS = 30 };

/* A program that dies gives nothing back, and a replay of it cannot close a device in a call that never came back. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "detect_leaks=0"; }

static char self[PATH_MAX], directory[] = "/tmp/galena-deaths-XXXXXX";
static unsigned failures;
static const char *context;

__attribute__((format(printf, 2, 3))) static void expect(bool holds, const char *format, ...)
{
	va_list ap;
	if (holds)
		return;
	printf("not ok: %s: ", context);
	va_start(ap, format);
	vprintf(format, ap);
	va_end(ap);
	puts("");
	failures++;
}

/* ---- running one ---- */

static void child_exec(enum way way, uint64_t seed, int facts)
{
	static const char *const variables[][2] = {
		{ "GALENA_TRACE", "t.bus" },   { "GALENA_EVENTS", "e.events" }, { "GALENA_WAVE", "w.fst" }, { "GALENA_CHECK", "check.txt" },
		{ "GALENA_HASH", "hash.txt" }, { "GALENA_COUNTERS", "c.json" }, { "GALENA_PROFILE", "." },   { "GALENA_CONFIG", "mini" },
		{ "GALENA_DEVICES", "2" },
	};
	char numbers[3][32];
	struct rlimit none = { 0, 0 };
	setrlimit(RLIMIT_CORE, &none);
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
		setenv(variables[i][0], variables[i][1], 1);
	if (chdir(directory))
		_exit(98);
	snprintf(numbers[0], sizeof numbers[0], "%d", way);
	snprintf(numbers[1], sizeof numbers[1], "%" PRIu64, seed);
	snprintf(numbers[2], sizeof numbers[2], "%d", facts);
	execl(self, self, "--program", numbers[0], numbers[1], numbers[2], NULL);
	_exit(98);
}

/* Its status, as of waitpid(). */
static int program_run(enum way way, uint64_t seed, const struct facts *f, int fd, pid_t *pid)
{
	int status = 0;
	*pid = fork();
	if (!*pid)
		child_exec(way, seed, fd);
	if (way == WAY_KILLED || way == WAY_INTERRUPTED) {
		while (!f->operations && !waitpid(*pid, &status, WNOHANG))
			usleep(500);
		usleep((useconds_t)(splitmix64(&seed) % 5000));
		kill(*pid, way == WAY_KILLED ? SIGKILL : SIGINT);
	}
	while (waitpid(*pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

static void path_of(char *path, const char *name) { snprintf(path, PATH_MAX, "%s/%s", directory, name); }

/* The recorder is done when it has given its files back. */
static void recorder_wait(const char *name)
{
	char path[PATH_MAX];
	path_of(path, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	expect(fd >= 0, "%s: %s", name, strerror(errno));
	if (fd < 0)
		return;
	flock(fd, LOCK_SH);
	close(fd);
}

static uint64_t expected_end(enum way way, int status)
{
	if (way == WAY_EXEC || way == WAY_EXEC_SAME)
		return program_end(PROGRAM_EXEC, 0);
	if (way == WAY_EXIT || way == WAY_RETURN)
		return program_end(PROGRAM_DONE, 0);
	return WIFSIGNALED(status) ? program_end(PROGRAM_SIGNAL, (unsigned)WTERMSIG(status)) :
				     program_end(PROGRAM_STATUS, (unsigned)WEXITSTATUS(status));
}

/* The numbers are of two sides of one instruction, or of one access at whose middle it died: at most one apart. */
static void near(const char *what, uint64_t recorded, uint64_t least, uint64_t most)
{
	expect(recorded >= least && recorded <= most, "%s: %" PRIu64 " recorded; the program knows of %" PRIu64 " to %" PRIu64, what, recorded,
	       least, most);
}

/* ---- what the files hold ---- */
struct recorded {
	uint64_t calls, mmio, returns, accesses, bytes, cycle, records;
	uint64_t events, event_mmio, event_cycle[DEVICES];
};

static void trace_check(const char *name, uint64_t end, struct recorded *r)
{
	char path[PATH_MAX];
	const char *error = "";
	struct trace_record rec;
	path_of(path, name);
	struct trace_reader *t = trace_reader_open(path, &error);
	int n = -1;
	while (t && (n = trace_reader_next(t, &rec, &error)) > 0) {
		bool call = rec.kind >= TRACE_READ32 && rec.kind <= TRACE_WAIT, access = rec.kind == TRACE_MEM_READ || rec.kind == TRACE_MEM_WRITE;
		r->calls += call;
		r->mmio += call && rec.kind != TRACE_WAIT;
		r->returns += rec.kind == TRACE_RETURN;
		r->accesses += access;
		r->bytes += access && rec.ok ? rec.b : 0;
		if (rec.kind == TRACE_RETURN)
			r->cycle = rec.b;
		r->records++;
	}
	expect(n == 0, "the trace: %s", error);
	if (!n)
		expect(trace_reader_end(t) == end, "the trace says: %s; it was: %.100s", program_end_text(trace_reader_end(t)), strdup(program_end_text(end)));
	trace_reader_close(t);
}

static size_t file_read(const char *name, char *text, size_t size)
{
	char path[PATH_MAX];
	path_of(path, name);
	FILE *f = fopen(path, "re");
	size_t n = f ? fread(text, 1, size - 1, f) : 0;
	text[n] = 0;
	if (f)
		fclose(f);
	return n;
}

static void replay_check(const char *name)
{
	char path[PATH_MAX], text[256], hash[32];
	const char *error = "";
	struct replay_result result;
	path_of(path, name);
	int rc = replay_run(path, &(struct replay_options){ .check_cycles = true }, &result, &error);
	expect(!rc, "the replay: %s", rc < 0 ? error : result.difference);
	snprintf(hash, sizeof hash, "%016" PRIx64, result.hash);
	file_read("hash.txt", text, sizeof text);
	expect(rc || strstr(text, hash), "the hash that was reported is not that of the trace, %s: %s", hash, text);
}

/* What the program waited for is counted, each command; and perhaps the one at whose middle it died. */
static void counters_check(const struct facts *f)
{
	static char text[64 << 10];
	const char *at = text;
	uint64_t calls = 0, number;
	size_t n = file_read("c.json", text, sizeof text);
	expect(text[0] == '[' && n > 3 && !strcmp(text + n - 3, "\n]\n"), "the counters are not a whole JSON array: %s", text);
	while ((at = strstr(at, "\"calls\": ")) && sscanf(at + 9, "%" SCNu64, &number) == 1) {
		calls += number;
		at++;
	}
	near("copies that were counted", calls, (uint64_t)f->operations, (uint64_t)f->operations + 1);
}

/* The profile of a device has what it had counted when its last access ended; that of the host, how often it was called. */
static void profile_check(enum way way, pid_t pid, const struct recorded *r, const struct facts *f)
{
	char name[64];
	const char *line;
	static char text[1 << 20];
	uint64_t cycle = 0, latest = 0, ns;
	const bool between = r->calls == f->calls && r->returns == f->returns && f->calls == f->returns; /* it died between two accesses */
	for (int device = 0; device < DEVICES; device++) {
		snprintf(name, sizeof name, "%d-device%d.counts", (int)pid, device);
		size_t n = file_read(name, text, sizeof text);
		expect(n && !strncmp(text, "galena-profile 1\n", 17) && strstr(text, "\ncounts ") && text[n - 1] == '\n', "no profile of device %d: %.80s",
		       device, text);
		expect((line = strstr(text, "\ncycles ")) && sscanf(line, " cycles %" SCNu64, &cycle) == 1, "no cycles in the profile of device %d", device);
		latest = !between || cycle == f->cycle ? f->cycle : latest;
		if (way != WAY_EXEC_SAME) /* that has a device 0, too: one of the two has a number in its name */
			continue;
		snprintf(name, sizeof name, "%d-device%d-2.counts", (int)pid, device);
		if (file_read(name, text, sizeof text) && (line = strstr(text, "\ncycles ")) && sscanf(line, " cycles %" SCNu64, &cycle) == 1)
			latest = cycle == f->cycle ? cycle : latest;
	}
	expect(latest == f->cycle, "no device's profile is as of cycle %" PRIu64, f->cycle);
	snprintf(name, sizeof name, "%d.host", (int)pid);
	size_t n = file_read(name, text, sizeof text);
	uint64_t calls = 0, number;
	expect(n && text[n - 1] == '\n', "no profile of the host: %.80s", text);
	for (line = text; (line = strstr(line, ";device ")); line++)
		if (sscanf(line, ";device %" SCNu64 " %" SCNu64, &number, &ns) == 2)
			calls += number;
	near("calls of the device in the profile of the host", calls, f->calls, f->calls + 1);
}

static void events_check(uint64_t end, struct recorded *r)
{
	char path[PATH_MAX];
	const char *error = "";
	struct event_record rec;
	path_of(path, "e.events");
	struct event_reader *e = event_reader_open(path, &error);
	int n = -1;
	while (e && (n = event_reader_next(e, &rec, &error)) > 0) {
		bool mmio = !rec.opened && (rec.event.kind == EVENT_MMIO_READ || rec.event.kind == EVENT_MMIO_WRITE);
		r->events += !rec.opened;
		r->event_mmio += mmio;
		if (mmio)
			r->event_cycle[rec.device] = rec.event.cycle;
	}
	expect(n == 0, "the events: %s", error);
	if (!n)
		expect(event_reader_end(e) == end, "the events say: %s", program_end_text(event_reader_end(e)));
	event_reader_close(e);
}

static void wave_check(const char *name, uint64_t last_cycle)
{
	char path[PATH_MAX];
	path_of(path, name);
	void *w = fstReaderOpen(path);
	expect(w != NULL, "%s does not open", name);
	if (!w)
		return;
	uint64_t at = fstReaderGetEndTime(w);
	expect(at >= last_cycle, "%s ends at %" PRIu64 "; there is an event at %" PRIu64, name, at, last_cycle);
	fstReaderClose(w);
}

static void report_check(uint64_t end, const struct recorded *r)
{
	char path[PATH_MAX], text[8192];
	uint64_t events = UINT64_MAX;
	path_of(path, "check.txt");
	FILE *f = fopen(path, "re");
	size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
	text[n] = 0;
	if (f)
		fclose(f);
	/* what it becomes by exec reports to the same file, and may do so first */
	unsigned reports = 0;
	for (const char *s = text; events != r->events && (s = strstr(s, "rules over ")); s++)
		reports += sscanf(s, "rules over %" SCNu64 " events", &events) == 1;
	expect(reports > 0, "no report of the check: %s", text);
	expect(events == r->events, "the check saw %" PRIu64 " events, the event file has %" PRIu64, events, r->events);
	expect(!*program_end_text(end) || strstr(text, program_end_text(end)), "the report of the check does not say how it ended: %s", text);
}

static void directory_empty(void)
{
	char command[PATH_MAX + 32];
	snprintf(command, sizeof command, "rm -rf %s/*", directory);
	if (system(command))
		failures++;
}

static void death(enum way way, uint64_t seed)
{
	char name[256], again[64];
	int fd = memfd_create("facts", 0);
	struct recorded r = { 0 };
	pid_t pid;
	if (fd < 0 || ftruncate(fd, sizeof(struct facts)))
		exit(1);
	struct facts *f = mmap(NULL, sizeof *f, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	snprintf(name, sizeof name, "%s, seed %" PRIu64, way_names[way], seed);
	context = name;
	int status = program_run(way, seed, f, fd, &pid);
	expect(!WIFEXITED(status) || WEXITSTATUS(status) < 97, "the program did not run: status %d", WEXITSTATUS(status));
	recorder_wait("t.bus");
	uint64_t end = expected_end(way, status);
	trace_check("t.bus", end, &r);
	events_check(end, &r);
	wave_check("w.fst", r.event_cycle[0]);
	wave_check("w.1.fst", r.event_cycle[1]);
	report_check(end, &r);
	near("calls", r.calls, f->calls - (f->calls > 0), f->calls);
	near("returns", r.returns, f->returns, f->returns + 1);
	near("accesses", r.accesses, f->accesses - (f->accesses > 0), f->accesses);
	near("events of registers", r.event_mmio, r.mmio - (r.mmio > 0), r.mmio);
	if (r.returns == f->returns)
		expect(r.cycle == f->cycle, "the last return is at cycle %" PRIu64 "; the program knows of %" PRIu64, r.cycle, f->cycle);
	replay_check("t.bus");
	counters_check(f);
	if (way == WAY_EXEC_SAME) {
		snprintf(again, sizeof again, "t.%d.bus", (int)pid);
		recorder_wait(again);
	}
	profile_check(way, pid, &r, f);
	if (way == WAY_EXEC_SAME) {
		trace_check(again, program_end(PROGRAM_DONE, 0), &r);
	}
	munmap(f, sizeof *f);
	close(fd);
	directory_empty();
}

/* The program that WAY_EXEC_SAME becomes. */
static int program_again(void)
{
	const char *error;
	struct bus *b = bus_open(&(struct bus_params){ .device = "model", .config = "mini" }, &error);
	if (!b)
		return 97;
	bus_write32(b, 0, 0);
	bus_close(b);
	return 0;
}

int main(int argc, char **argv)
{
	program_path(self, 0);
	if (argc == 5 && !strcmp(argv[1], "--program"))
		return dying_program((enum way)atoi(argv[2]), strtoull(argv[3], NULL, 0), atoi(argv[4]), self);
	if (argc == 2 && !strcmp(argv[1], "--again"))
		return program_again();
	uint64_t seed = seed_take(argc, argv);
	int only = argc > 2 ? atoi(argv[2]) : -1; /* a way, for looking at it */
	if (!mkdtemp(directory))
		return 1;
	unsigned programs = 0;
	for (unsigned run = 0; run < RUNS_A_WAY; run++)
		for (int way = 0; way < WAYS; way++) {
			if (only >= 0 && way != only)
				continue;
			alarm(PROGRAM_SECONDS);
			death((enum way)way, seed * 1000 + (uint64_t)way * RUNS_A_WAY + run);
			programs++;
		}
	directory_empty();
	rmdir(directory);
	printf("%s %u programs died, %u failures\n", failures ? "not ok" : "ok", programs, failures);
	return failures != 0;
}
