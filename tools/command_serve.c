/* `galena serve`: devices that several processes share. */
#include "tools/galena.h"
#include "abi/environment.h"
#include "runtime/remote/remote.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>

static const struct argp_option options[] = {
	{ "socket", 's', "PATH", 0, "where to listen: GALENA_SOCKET, $XDG_RUNTIME_DIR/galena.sock or /tmp/galena-UID.sock by default", 0 },
	{ 0 },
};

static error_t option_parse(int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case 's': setenv("GALENA_SOCKET", arg, 1); return 0;
	case ARGP_KEY_ARG: argp_error(state, "unexpected argument '%s'", arg); return EINVAL;
	default: return ARGP_ERR_UNKNOWN;
	}
}

/* A descriptor that can be read when the user wants it to end. */
static int end_wanted(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

int command_serve(int argc, char **argv)
{
	static const struct argp_child children[] = { { &device_argp, 0, NULL, 0 }, { 0 } };
	static const struct argp argp = {
		options, option_parse, NULL,
		"Opens devices and shares them with the programs that set GALENA_DEVICE=remote, as processes share silicon.\v"
		"Until Ctrl-C or SIGTERM. When a program ends, however it does, what it had is given back, and the others go on. Recordings "
		"(GALENA_TRACE, GALENA_CHECK and the like, set for the server) are of all programs together. A program cannot import its own anonymous memory "
		"(CL_IMPORT_TYPE_HOST_ARM: CL_INVALID_OPERATION); buffers with CL_MEM_USE_HOST_PTR are copies, made good at map and unmap.\n\n"
		"Examples:\n"
		"  galena serve --config mini &\n"
		"  GALENA_DEVICE=remote galena run -- ./program\n"
		"  GALENA_CHECK=1 galena serve --socket /tmp/s.sock\n\n"
		"Exit: 0 ended as asked, 2 an option is off, 3 it could not serve.", children, NULL, NULL,
	};
	char path[REMOTE_PATH_MAX];
	const char *message;
	argp_parse(&argp, argc, argv, 0, NULL, NULL);
	const char *wrong = environment_check();
	if (wrong)
		return fail(EXIT_USAGE, "%s", wrong);
	if (!remote_path(path))
		return fail(EXIT_USAGE, "the path of a socket has at most %d characters", REMOTE_PATH_MAX - 1);
	if (!strcmp(environment_value("GALENA_DEVICE"), "remote"))
		unsetenv("GALENA_DEVICE"); /* that is for the programs */
	const int end = end_wanted();
	if (end < 0)
		return fail(EXIT_FAILED, "no descriptor for signals: %s", strerror(errno));
	return remote_serve(path, end, &message) ? fail(EXIT_FAILED, "%s", message) : EXIT_OK;
}
