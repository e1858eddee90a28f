/* Processes with a time limit, several at a time; each in a group of its own, so that nothing of it outlives it. */
#define _GNU_SOURCE
#include "tools/conformance.h"
#include "tools/galena.h"
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct process {
	pid_t pid; /* 0: none */
	double start;
	bool late, too_much;
	char *scratch, *log;
	struct job *job;
};

/* ---- signals ---- */
static sigset_t waited, before;

static void signals_block(void)
{
	sigemptyset(&waited);
	sigaddset(&waited, SIGCHLD);
	sigaddset(&waited, SIGINT);
	sigaddset(&waited, SIGTERM);
	sigaddset(&waited, SIGHUP);
	sigprocmask(SIG_BLOCK, &waited, &before);
}

static void signals_restore(void) { sigprocmask(SIG_SETMASK, &before, NULL); }

/* Waits for a signal, 0.1 s at most. True: one that ends the run. */
static bool signals_wait(void)
{
	struct timespec limit = { 0, 100000000 };
	int s = sigtimedwait(&waited, NULL, &limit);
	return s == SIGINT || s == SIGTERM || s == SIGHUP;
}

/* ---- one process ---- */
static int entry_remove(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path), 0;
}

static void directory_remove(const char *path) { nftw(path, entry_remove, 16, FTW_DEPTH | FTW_PHYS); }

static void process_start(struct process *p, char **argv, const char *scratch, const char *log)
{
	char *slash;
	p->scratch = checked(strdup(scratch));
	p->log = checked(strdup(log));
	slash = strrchr(p->log, '/');
	*slash = 0;
	directory_need(p->log);
	*slash = '/';
	directory_need(scratch);
	int fd = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
	if (fd < 0)
		exit(fail(EXIT_FAILED, "conformance: cannot write %s: %s", log, strerror(errno)));
	dprintf(fd, "#");
	for (unsigned i = 0; argv[i]; i++)
		dprintf(fd, " %s", argv[i]);
	dprintf(fd, "\n");
	p->start = now();
	p->late = p->too_much = false;
	fflush(NULL);
	p->pid = fork();
	if (p->pid < 0)
		exit(fail(EXIT_FAILED, "conformance: cannot start a process: %s; try a smaller -j", strerror(errno)));
	if (!p->pid) {
		int null = open("/dev/null", O_RDONLY);
		setpgid(0, 0);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		signals_restore();
		dup2(null, 0);
		dup2(fd, 1);
		dup2(fd, 2);
		if (!chdir(scratch))
			execv(argv[0], argv);
		dprintf(2, "ERROR: cannot start %s: %s\n", argv[0], strerror(errno));
		_exit(EXIT_NO_PROGRAM);
	}
	setpgid(p->pid, p->pid);
	close(fd);
}

static void process_kill(struct process *p) { kill(-p->pid, SIGKILL); }

/* Whether it has ended, or was made to by its limits: then e is filled, and all that it started and left behind is gone. */
static bool process_ended(struct process *p, const struct process_limits *limits, struct ending *e)
{
	struct stat st;
	siginfo_t info = { 0 };
	/* its group has its number until it is waited for */
	if (waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOHANG | WNOWAIT) || !info.si_pid) {
		if (!p->late && !p->too_much) {
			p->late = now() - p->start > limits->seconds;
			p->too_much = !p->late && !stat(p->log, &st) && (unsigned long)st.st_size > limits->log_bytes;
			if (p->late || p->too_much)
				process_kill(p);
		}
		return false;
	}
	process_kill(p);
	waitpid(p->pid, &e->status, 0);
	e->late = p->late;
	e->too_much = p->too_much;
	e->seconds = now() - p->start;
	if (e->too_much && truncate(p->log, (off_t)limits->log_bytes))
		fail(0, "conformance: cannot shorten %s: %s", p->log, strerror(errno));
	directory_remove(p->scratch);
	free(p->scratch);
	free(p->log);
	p->pid = 0;
	return true;
}

struct ending process_run(char **argv, const char *scratch, const char *log, const struct process_limits *limits)
{
	struct process p = { 0 };
	struct ending e = { 0 };
	signals_block();
	process_start(&p, argv, scratch, log);
	while (!process_ended(&p, limits, &e))
		if (signals_wait()) {
			process_kill(&p);
			exit(fail(EXIT_FAILED, "conformance: ended by a signal"));
		}
	signals_restore();
	return e;
}

/* ---- all of them ---- */
static void job_start(struct process *p, struct job *job, unsigned slot, const struct run_options *o)
{
	const struct module *m = job->module;
	unsigned n = 0, count = list_length(m->args);
	char **argv = checked(calloc(count + 3, sizeof *argv));
	char *scratch = text("%s/scratch/%u", o->output, slot), *log = text("%s/%s", o->output, job->log);
	argv[n++] = m->program;
	for (unsigned i = 0; i < count; i++)
		argv[n++] = m->args[i];
	argv[n] = job->subtest;
	p->job = job;
	process_start(p, argv, scratch, log);
	free(argv);
	free(scratch);
	free(log);
}

struct progress { double start; unsigned all, done, bad; };

static void job_print(const struct job *job, const struct run_options *o)
{
	bool color = isatty(1);
	for (unsigned i = 0; i < job->num_results; i++) {
		const struct result *r = &job->results[i];
		bool good = verdict_good(r->verdict);
		if (good && !o->verbose)
			continue;
		progress_end();
		printf("%s%-9s%s %s/%s%s%s  (%.1f s)\n", color ? good ? "\033[32m" : "\033[31m" : "", verdict_names[r->verdict], color ? "\033[0m" : "",
		       job->module->name, r->name, r->message ? ": " : "", r->message ? r->message : "", job->seconds);
	}
	fflush(stdout);
}

/* On a terminal all the time, elsewhere twice a minute. */
static void progress_print(const struct progress *p, double *last)
{
	double t = now() - p->start, rate = t > 0 ? 60 * p->done / t : 0;
	char what[160];
	snprintf(what, sizeof what, "%u of %u run, %u with a failure, %.0f a minute", p->done, p->all, p->bad, rate);
	if (isatty(2)) {
		progress_show((double)p->done / p->all, what);
	} else if (now() - *last > 30) {
		*last = now();
		if (p->done)
			fprintf(stderr, "%s, %.0f s left\n", what, t * (p->all - p->done) / p->done);
	}
}

bool plan_run(struct plan *plan, const struct run_options *o)
{
	struct process *process = checked(calloc(o->parallel, sizeof *process));
	struct progress progress = { .start = now() };
	double last = now();
	unsigned next = 0, running = 0;
	bool ended = false;
	for (unsigned i = 0; i < plan->num_jobs; i++)
		progress.all += !plan->jobs[i].done;
	signals_block();
	while (!ended && progress.done < progress.all) {
		for (unsigned i = 0; i < o->parallel; i++) {
			struct process *p = &process[i];
			struct ending e;
			if (p->pid && process_ended(p, &o->limits, &e)) {
				char *log = text("%s/%s", o->output, p->job->log);
				bool good = true;
				job_judge(p->job, o->patterns, log, &e, o->trust_exit);
				free(log);
				for (unsigned r = 0; r < p->job->num_results; r++)
					good &= verdict_good(p->job->results[r].verdict);
				progress.done++;
				progress.bad += !good;
				running--;
				state_add(o->state, p->job);
				job_print(p->job, o);
			}
			while (!p->pid && next < plan->num_jobs) {
				struct job *job = &plan->jobs[next++];
				if (job->done)
					continue;
				job_start(p, job, i, o);
				running++;
			}
		}
		progress_print(&progress, &last);
		ended = running && signals_wait();
	}
	progress_end();
	for (unsigned i = 0; i < o->parallel; i++)
		if (process[i].pid) {
			struct ending e;
			process_kill(&process[i]);
			while (!process_ended(&process[i], &o->limits, &e))
				signals_wait();
		}
	signals_restore();
	free(process);
	return !ended;
}
