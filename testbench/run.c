/* Runs test programs, several at a time: run BUILD PROGRAM...
 *
 * Prints a line a program as it ends, with its wall and processor time, the reasons of what it leaves out, and the end of
 * its output if it fails; then the time of each area, and the total. A program says which of its cases passed in TAP or
 * cmocka's way. Its exit status decides; it is skipped where it ends well and every case of it was left out.
 *
 * testbench/schedule.tsv says which programs have the machine to themselves, and which take long: these start first. The
 * times of the last run (BUILD/test/logs/times) replace its guesses.
 *
 * TEST_JOBS: how many run at a time (half as many again as CPUs of this process: programs wait for compilers and each other). TEST_TIMEOUT:
 * seconds that one may take (600). */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SCHEDULE "testbench/schedule.tsv"
#define TAIL_LINES 40
#define KILL_GRACE 5 /* seconds between SIGTERM and SIGKILL */

struct program {
	char *path, *name, *log;
	double weight;      /* guess of its wall time, seconds */
	bool alone;         /* nothing else runs meanwhile */
	int index;          /* as given */
	pid_t group;        /* of processes: the program's id */
	bool running, killed;
	double begin, deadline;
	double wall, cpu;   /* seconds; cpu of all its processes that have ended */
};

struct area {
	char name[32];
	int programs;
	double wall, cpu;
};

static const char *build;
static struct program *programs;
static int n_programs, n_passed, n_failed, n_skipped, n_cases_skipped, n_running;
static volatile sig_atomic_t interrupted;
static double started;

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double seconds(const struct rusage *u)
{
	return (double)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) + (double)(u->ru_utime.tv_usec + u->ru_stime.tv_usec) * 1e-6;
}

static void __attribute__((format(printf, 1, 2), noreturn)) die(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	fputs("run: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	exit(2);
}

static char *text(const char *format, ...)
{
	va_list args;
	char *s;
	va_start(args, format);
	if (vasprintf(&s, format, args) < 0)
		die("out of memory");
	va_end(args);
	return s;
}

/* ---- order ---- */

/* schedule.tsv: a heading, then PROGRAM, seconds, alone or shared, and why. PROGRAM is AREA/NAME. */
static void read_schedule(void)
{
	FILE *f = fopen(SCHEDULE, "r");
	char line[1024];
	if (!f)
		die("%s: %s; start this in the directory of the Makefile", SCHEDULE, strerror(errno));
	for (int n = 1; fgets(line, sizeof line, f); n++) {
		char name[128], how[16], why[2];
		double weight;
		if (n == 1)
			continue;
		if (sscanf(line, "%127[^\t]\t%lf\t%15[^\t]\t%1[^\n]", name, &weight, how, why) != 4 || (strcmp(how, "alone") && strcmp(how, "shared")))
			die("%s:%d: not a row of program, seconds, alone or shared, reason", SCHEDULE, n);
		for (int i = 0; i < n_programs; i++)
			if (!strcmp(programs[i].name, name)) {
				programs[i].weight = weight;
				programs[i].alone = !strcmp(how, "alone");
			}
	}
	fclose(f);
}

static void read_times(const char *path)
{
	FILE *f = fopen(path, "r");
	char name[128];
	double wall;
	if (!f)
		return;
	while (fscanf(f, "%127s %lf %*f", name, &wall) == 2)
		for (int i = 0; i < n_programs; i++)
			if (!strcmp(programs[i].name, name))
				programs[i].weight = wall;
	fclose(f);
}

/* Programs that are not in this run keep their times. */
static void write_times(const char *path)
{
	char *new = text("%s.new", path);
	FILE *old = fopen(path, "r"), *f = fopen(new, "w");
	char name[128];
	double wall, cpu;
	if (!f)
		die("%s: %s", new, strerror(errno));
	while (old && fscanf(old, "%127s %lf %lf", name, &wall, &cpu) == 3) {
		bool there = false;
		for (int i = 0; i < n_programs; i++)
			there |= !strcmp(programs[i].name, name) && programs[i].wall > 0;
		if (!there)
			fprintf(f, "%s %.2f %.2f\n", name, wall, cpu);
	}
	for (int i = 0; i < n_programs; i++)
		if (programs[i].wall > 0)
			fprintf(f, "%s %.2f %.2f\n", programs[i].name, programs[i].wall, programs[i].cpu);
	if (old)
		fclose(old);
	if (fclose(f) || rename(new, path))
		die("%s: %s", path, strerror(errno));
	free(new);
}

/* Shared ones before those that run alone, then longest first, then as given. */
static int before(const void *a, const void *b)
{
	const struct program *p = a, *q = b;
	if (p->alone != q->alone)
		return p->alone - q->alone;
	if (p->weight != q->weight)
		return p->weight < q->weight ? 1 : -1;
	return p->index - q->index;
}

static int as_given(const void *a, const void *b) { return ((const struct program *)a)->index - ((const struct program *)b)->index; }

/* ---- what a program printed ---- */

static bool is_skip(const char *line) { return strstr(line, "# skip"); }
static bool is_pass(const char *line) { return (strstr(line, "OK ]") || !strncmp(line, "ok ", 3)) && !is_skip(line); }

/* Prints the lines of a log that say what was left out, or the last ones that are not of a check that passed. */
static void show(const char *log, bool tail)
{
	FILE *f = fopen(log, "r");
	char *line = NULL, *last[TAIL_LINES] = { 0 };
	size_t size = 0;
	int n = 0;
	while (f && getline(&line, &size, f) >= 0) {
		line[strcspn(line, "\n")] = 0;
		if (tail && !is_pass(line)) {
			free(last[n % TAIL_LINES]);
			last[n++ % TAIL_LINES] = text("%s", line);
		} else if (!tail && is_skip(line)) {
			printf("      %s\n", line);
		}
	}
	for (int i = n < TAIL_LINES ? 0 : n - TAIL_LINES; tail && i < n; i++)
		printf("      %s\n", last[i % TAIL_LINES]);
	for (int i = 0; i < TAIL_LINES; i++)
		free(last[i]);
	free(line);
	if (f)
		fclose(f);
}

/* Whether cases were left out and none passed; counts those left out of a program that has others. */
static bool left_out(const char *log)
{
	FILE *f = fopen(log, "r");
	char *line = NULL;
	size_t size = 0;
	int passes = 0, skips = 0;
	while (f && getline(&line, &size, f) >= 0) {
		skips += is_skip(line);
		passes += is_pass(line);
	}
	free(line);
	if (f)
		fclose(f);
	n_cases_skipped += passes ? skips : 0;
	return skips && !passes;
}

/* ---- runs ---- */

static void start(struct program *p, double limit)
{
	fflush(stdout);
	p->begin = now();
	p->deadline = p->begin + limit;
	p->group = fork();
	if (p->group < 0)
		die("fork: %s", strerror(errno));
	if (!p->group) {
		/* a group of its own, so that all of it can be ended; the terminal is not its own, so no input */
		setpgid(0, 0);
		int in = open("/dev/null", O_RDONLY), out = open(p->log, O_WRONLY | O_CREAT | O_TRUNC, 0644);
		if (in < 0 || out < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0)
			die("%s: %s", p->log, strerror(errno));
		close(in);
		close(out);
		sigset_t none;
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		execl(p->path, p->path, (char *)NULL);
		fprintf(stderr, "cannot start %s: %s\n", p->path, strerror(errno));
		_exit(127);
	}
	setpgid(p->group, p->group);
	for (int i = 0; i < n_programs; i++)
		if (&programs[i] != p && programs[i].group == p->group)
			programs[i].group = 0; /* it has ended, and its number is another's now */
	p->running = true;
	n_running++;
}

static void ended(struct program *p, int status)
{
	char why[64] = "";
	bool good = WIFEXITED(status) && !WEXITSTATUS(status) && !p->killed, skipped = good && left_out(p->log);
	p->wall = now() - p->begin;
	p->running = false;
	n_running--;
	n_failed += !good;
	n_skipped += skipped;
	n_passed += good && !skipped;
	if (p->killed)
		kill(-p->group, SIGKILL);
	if (p->killed)
		snprintf(why, sizeof why, " (not over after TEST_TIMEOUT)");
	else if (WIFSIGNALED(status))
		snprintf(why, sizeof why, " (%s)", strsignal(WTERMSIG(status)));
	else if (!good)
		snprintf(why, sizeof why, " (exit %d)", WEXITSTATUS(status));
	if (isatty(1))
		printf("\r\033[K");
	printf("%-5s %-36s %7.1f s %7.1f s cpu%s\n", !good ? "FAIL" : skipped ? "skip" : "ok", p->name, p->wall, p->cpu, why);
	show(p->log, !good);
	fflush(stdout);
}

/* Ends what took too long: all of its process group, gently first. */
static void kill_late(void)
{
	for (int i = 0; i < n_programs; i++) {
		struct program *p = &programs[i];
		if (!p->running || now() < p->deadline)
			continue;
		kill(-p->group, p->killed ? SIGKILL : SIGTERM);
		p->killed = true;
		p->deadline = now() + KILL_GRACE;
	}
}

/* Takes what has ended, or waits for a second. Processes that outlived their program are adopted here and taken, too. */
static struct program *of_group(pid_t group)
{
	for (int i = 0; i < n_programs; i++)
		if (programs[i].group == group)
			return &programs[i];
	return NULL;
}

/* Takes a process that has ended, or waits for a second. Processes that outlived their program are adopted, and counted there. */
static void wait_some(void)
{
	siginfo_t info = { 0 };
	if (!waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid) {
		struct program *p = of_group(getpgid(info.si_pid));
		struct rusage use;
		int status;
		if (wait4(info.si_pid, &status, 0, &use) < 0)
			die("wait4: %s", strerror(errno));
		if (p)
			p->cpu += seconds(&use);
		if (p && p->running && p->group == info.si_pid)
			ended(p, status);
		return;
	}
	sigset_t child;
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigtimedwait(&child, NULL, &(struct timespec){ 1, 0 });
	kill_late();
	if (isatty(1)) {
		printf("\r\033[K[%d/%d] %.0f s:", n_passed + n_failed + n_skipped, n_programs, now() - started);
		for (int i = 0; i < n_programs; i++)
			if (programs[i].running)
				printf(" %s", programs[i].name);
		fflush(stdout);
	}
}

static void on_interrupt(int signal) { interrupted = signal; }

static void run_all(int jobs, double limit)
{
	for (int next = 0; next < n_programs || n_running;) {
		struct program *p = next < n_programs ? &programs[next] : NULL;
		/* what runs alone comes last: once one has started, nothing else does */
		bool room = p && n_running < (p->alone ? 1 : jobs);
		if (interrupted) {
			for (int i = 0; i < n_programs; i++)
				if (programs[i].running)
					kill(-programs[i].group, SIGTERM);
			printf("run: ended by %s after %d of %d programs\n", strsignal(interrupted), n_passed + n_failed + n_skipped, n_programs);
			exit(128 + interrupted);
		}
		if (room) {
			start(p, limit);
			next++;
		} else {
			wait_some();
		}
	}
}

/* ---- the end ---- */

static void report(int jobs)
{
	struct area areas[64] = { 0 };
	int n = 0;
	double cpu = 0;
	qsort(programs, (size_t)n_programs, sizeof *programs, as_given);
	for (int i = 0; i < n_programs; i++) {
		char name[sizeof areas->name];
		int a = 0;
		snprintf(name, sizeof name, "%.*s", (int)strcspn(programs[i].name, "/"), programs[i].name);
		while (a < n && strcmp(areas[a].name, name))
			a++;
		if (a == n && n == sizeof areas / sizeof *areas)
			die("more than %d areas", n);
		if (a == n)
			strcpy(areas[n++].name, name);
		areas[a].programs++;
		areas[a].wall += programs[i].wall;
		areas[a].cpu += programs[i].cpu;
		cpu += programs[i].cpu;
	}
	printf("\n%-12s %8s %8s %10s\n", "area", "programs", "time", "cpu");
	for (int a = 0; a < n; a++)
		printf("%-12s %8d %6.0f s %8.0f s\n", areas[a].name, areas[a].programs, areas[a].wall, areas[a].cpu);
	printf("%-12s %8d %6.0f s %8.0f s   %d at a time\n", "all", n_programs, now() - started, cpu, jobs);
	if (n_cases_skipped)
		printf("%d cases of programs that passed were left out, for the reasons above\n", n_cases_skipped);
	printf("%d passed, %d failed, %d skipped\n", n_passed, n_failed, n_skipped);
}

static double number(const char *variable, double otherwise)
{
	const char *value = getenv(variable);
	char *end;
	if (!value || !*value)
		return otherwise;
	double x = strtod(value, &end);
	if (*end || x < 1)
		die("%s=%s: not a number from 1 on", variable, value);
	return x;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		die("run BUILD PROGRAM...");
	build = argv[1];
	n_programs = argc - 2;
	programs = calloc((size_t)n_programs + 1, sizeof *programs);
	char *logs = text("%s/test/logs", build), *times = text("%s/times", logs), *prefix = text("%s/test/", build);
	char *command = text("mkdir -p '%s'", logs);
	if (!programs || system(command))
		die("%s: cannot be made", logs);
	free(command);
	for (int i = 0; i < n_programs; i++) {
		struct program *p = &programs[i];
		p->index = i;
		p->path = argv[i + 2];
		p->name = strncmp(p->path, prefix, strlen(prefix)) ? p->path : p->path + strlen(prefix);
		char *file = text("%s", p->name);
		for (char *c = file; (c = strchr(c, '/'));)
			*c = '_';
		p->log = text("%s/%s.log", logs, file);
		p->weight = 1;
		free(file);
	}
	read_schedule();
	read_times(times);
	qsort(programs, (size_t)n_programs, sizeof *programs, before);
	setenv("GALENA_BUILD", build, 1);
	/* programs that compile the same kernels do it once, whatever the user's own cache holds */
	char *whole = realpath(build, NULL), *cache = text("%s/test/cache/galena", whole ? whole : build);
	setenv("GALENA_CACHE_DIR", cache, 0);
	free(whole), free(cache);

	cpu_set_t cpus;
	int n_cpus = sched_getaffinity(0, sizeof cpus, &cpus) ? 1 : CPU_COUNT(&cpus);
	int jobs = (int)number("TEST_JOBS", n_cpus + n_cpus / 2);
	double limit = number("TEST_TIMEOUT", 600);
	sigset_t child;
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	signal(SIGINT, on_interrupt);
	signal(SIGTERM, on_interrupt);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	started = now();
	run_all(jobs, limit);
	report(jobs);
	write_times(times);
	for (int i = 0; i < n_programs; i++)
		free(programs[i].log);
	free(programs);
	free(logs), free(times), free(prefix);
	return n_failed || !(n_passed + n_skipped);
}
