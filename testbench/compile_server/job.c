/* A compile server whose jobs say what they find, and end as they are told.
 * job WHAT...: args, env NAME, cwd, parent, limit, copy (standard input to standard output), later MILLISECONDS TEXT,
 * exit STATUS, die SIGNAL */
#include "compile_server/compile_server.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static int constructed;
__attribute__((constructor)) static void construct(void) { constructed++; }

static int job(int argc, char **argv, char **envp)
{
	const char *what = argc > 1 ? argv[1] : "", *with = argc > 2 ? argv[2] : "";
	char text[4096];
	(void)envp;
	if (constructed != 1)
		return 99;
	if (!strcmp(what, "args")) {
		for (int i = 2; i < argc; i++)
			printf("%zu %.20s\n", strlen(argv[i]), argv[i]);
	} else if (!strcmp(what, "env")) {
		printf("%s\n", getenv(with) ? getenv(with) : "-");
	} else if (!strcmp(what, "cwd")) {
		printf("%s\n", getcwd(text, sizeof text));
	} else if (!strcmp(what, "parent")) {
		printf("%d\n", (int)getppid());
	} else if (!strcmp(what, "limit")) {
		struct rlimit limit;
		getrlimit(RLIMIT_CPU, &limit);
		printf("%lu\n", (unsigned long)limit.rlim_cur);
	} else if (!strcmp(what, "copy")) {
		while (fgets(text, sizeof text, stdin))
			fputs(text, stdout);
	} else if (!strcmp(what, "later")) {
		usleep((useconds_t)atoi(with) * 1000);
		printf("%s\n", argc > 3 ? argv[3] : "");
	} else if (!strcmp(what, "exit")) {
		return atoi(with);
	} else if (!strcmp(what, "die")) {
		signal(atoi(with), SIG_DFL);
		raise(atoi(with));
	}
	return 0;
}

int main(void)
{
	int socket = compile_server_socket();
	if (socket < 0)
		return 64;
	compile_server_serve(socket, job);
}
