/* The kernel closes the socket when the program dies or calls exec, before anybody can reap it. The pidfd then says how it ended (Linux
 * 6.15 and later), and so does /proc as long as its parent has not asked. A program may also have closed the socket itself, as
 * daemons do: then it still has the ring mapped, and goes on. */
#define _GNU_SOURCE
#include "traces/program_watch.h"
#include "base/process.h"
#include "traces/program_end.h"
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

enum { EXITING = 4 /* PF_EXITING */, LOOK_MS = 50 };

/* struct pidfd_info of <linux/pidfd.h>, which older headers do not have. */
struct exit_info {
	uint64_t mask, cgroup;
	uint32_t pid, tgid, ppid, ids[8];
	int32_t exit_code;
};
_Static_assert(sizeof(struct exit_info) == 64, "struct pidfd_info, first version");
#define EXIT_INFO_GET _IOWR(0xFF, 11, struct exit_info)
#define EXIT_INFO_EXIT (1u << 3)

static uint64_t end_of_status(int status)
{
	return WIFSIGNALED(status) ? program_end(PROGRAM_SIGNAL, (unsigned)WTERMSIG(status)) :
				     program_end(PROGRAM_STATUS, (unsigned)WEXITSTATUS(status));
}

enum life { ALIVE, ENDING, GONE };

/* What /proc says; *status when the program is ending and that is known. */
static enum life check(const struct program_watch *w, int *status)
{
	struct process_stat s;
	if (!process_stat(w->pid, &s))
		return GONE;
	*status = s.status;
	return s.state == 'Z' || s.state == 'X' || s.flags & EXITING ? ENDING : ALIVE;
}

static bool pidfd_says(const struct program_watch *w, int *status)
{
	struct exit_info info = { .mask = EXIT_INFO_EXIT };
	if (w->process < 0 || ioctl(w->process, EXIT_INFO_GET, &info) || !(info.mask & EXIT_INFO_EXIT))
		return false;
	*status = info.exit_code;
	return true;
}

/* Whether the process still is the program that began. */
static bool has_memory(const struct program_watch *w)
{
	char path[64], line[512], number[32];
	bool has = false;
	snprintf(path, sizeof path, "/proc/%d/maps", (int)w->pid);
	snprintf(number, sizeof number, " %ju ", (uintmax_t)w->memory);
	FILE *f = fopen(path, "re");
	while (f && !has && fgets(line, sizeof line, f))
		has = strstr(line, number) && strstr(line, "memfd:galena");
	if (f)
		fclose(f);
	return has;
}

/* Sleeps until the process is gone from among the living, at most ms. */
static bool process_over(const struct program_watch *w, int ms)
{
	struct pollfd p = { w->process, POLLIN, 0 };
	int status;
	if (w->process >= 0)
		return poll(&p, 1, ms) == 1;
	if (ms)
		poll(NULL, 0, ms);
	return check(w, &status) != ALIVE;
}

/* The socket is closed. */
static uint64_t end_find(const struct program_watch *w)
{
	for (;;) {
		int status = 0;
		enum life life = check(w, &status);
		if (pidfd_says(w, &status) || (life == ENDING && status))
			return end_of_status(status);
		if (life == GONE)
			return program_end(PROGRAM_LOST, 0);
		if (life == ENDING) { /* with status 0, or it is not known yet */
			if (process_over(w, 1000))
				return pidfd_says(w, &status) || check(w, &status) == ENDING ? end_of_status(status) : program_end(PROGRAM_LOST, 0);
			continue;
		}
		if (!has_memory(w) && check(w, &status) == ALIVE)
			return program_end(PROGRAM_EXEC, 0);
		process_over(w, LOOK_MS);
	}
}

uint64_t program_wait(const struct program_watch *w)
{
	struct pollfd p[2] = { { w->socket, POLLIN, 0 }, { w->process, POLLIN, 0 } };
	while (poll(p, 2, -1) < 0 && errno == EINTR)
		;
	return end_find(w);
}

void process_wait(const struct program_watch *w)
{
	while (!process_over(w, w->process >= 0 ? -1 : 1000))
		;
}
