/* The compile server: a process that has loaded a compiler and forks for each job. Loading a compiler takes longer than compiling
 * a small kernel; a fork of a loaded compiler does not load anything.
 *
 * A job is what a process would be: arguments, environment, descriptors from 0 on, working directory, limits of resources. It
 * ends with a status as wait() reports it. A client asks through a socket (SOCK_SEQPACKET). Threads and forked children of the
 * process that started the server may ask, and several jobs may run at a time. The server is not a child of the application:
 * the application gets no signal from it, and wait() does not find it. The server ends when no process has the other end of
 * its socket any more and its jobs have ended.
 *
 * start.c and client.c belong to the client, serve.c and text.c to the server. */
#ifndef GALENA_COMPILE_SERVER_H
#define GALENA_COMPILE_SERVER_H
#include <stdbool.h>
#include <sys/stat.h>

/* ---- client.c ---- */

enum { COMPILE_SERVER_FDS = 200, COMPILE_SERVER_IDLE_SECONDS = 60 };

/* The client's state. The first job starts the server; a server that is gone, or whose files have changed, is replaced. */
struct compile_server {
	unsigned idle;       /* the server ends after as many seconds without a job; 0: never */
	int socket;          /* -1: no server runs, or the program could not be started */
	char *program;       /* what it has loaded, and the files as they were then */
	struct stat files[2];
};
#define COMPILE_SERVER_INIT { .idle = COMPILE_SERVER_IDLE_SECONDS, .socket = -1 }

struct compile_server_job {
	const char *program;             /* the server's file; it calls compile_server_serve */
	const char *preload;             /* a library that does so in its place, loaded by LD_PRELOAD; may be NULL */
	bool background;                 /* server and jobs run with what processors have left over (SCHED_IDLE) */
	char *const *argv, *const *envp; /* of the job; NULL ends each */
	const int *fds;                  /* become 0, 1, ... of the job; at most COMPILE_SERVER_FDS; the caller's as before */
	unsigned num_fds;
};

/* Asks for a job. Returns a descriptor (close-on-exec) for compile_server_wait; poll() reports it as readable when the job has
 * ended. -1 and errno: no job runs, and the caller does without the server. Any thread. */
int compile_server_ask(struct compile_server *, const struct compile_server_job *);
/* Waits for the end of a job and closes its descriptor. Returns 0 and *status as wait() reports it. ECONNRESET: the server is
 * gone, and the job has not begun (for want of descriptors or memory, say) or is dead. */
int compile_server_wait(int job, int *status);
/* Closes the socket. The state is as at first. */
void compile_server_close(struct compile_server *);

/* ---- start.c ---- */

/* Starts the program as a server with an environment that names its socket. Returns the client's end (close-on-exec), or -1 and
 * errno. */
int compile_server_start(const char *program, const char *preload, unsigned idle, bool background);

/* ---- serve.c ---- */

/* The socket that this process has to serve, as its environment says; -1: the process is not a compile server. */
int compile_server_socket(void);
/* Serves until the other ends of the socket are closed, then ends the process. Each job calls run and then exit() with what
 * it returns. */
void compile_server_serve(int socket, int (*run)(int argc, char **argv, char **envp)) __attribute__((noreturn));

#endif
