#define _GNU_SOURCE /* on_exit */
#include "traces/exit_status.h"
#include "base/fork.h"
#include "base/setting.h"
#include "traces/sender.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_bool watched, faulted;

/* The child of a fork has devices of its own. */
static void exit_status_forked(void) { atomic_store(&faulted, false); }
AFTER_FORK(exit_status_forked)

/* Whether the status tells of this kind: "rule" or "fault". */
static bool asked(const char *kind)
{
	const char *on = getenv("GALENA_FAIL_ON");
	if (on && *on)
		return !strcmp(on, "all") || !strcmp(on, kind);
	return setting("GALENA_CHECK");
}

static void program_exit(int status, void *unused)
{
	bool broken = false, complete = sender_end(&broken);
	(void)unused;
	if (status != EXIT_SUCCESS)
		return;
	/* the handlers that are left run, and this is the status */
	if (!complete || (broken && asked("rule")))
		exit(EXIT_RULE);
	if (atomic_load(&faulted) && asked("fault"))
		exit(EXIT_FAULT);
}

void exit_status_watch(void)
{
	if (!atomic_exchange(&watched, true))
		on_exit(program_exit, NULL);
}

void exit_status_fault(int fault)
{
	(void)fault;
	if (!atomic_exchange(&faulted, true) && asked("fault"))
		exit_status_watch();
}
