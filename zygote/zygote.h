/* Zygotes: a process that has a program loaded, and forks for each job that it is asked for. To load a compiler takes
 * longer than a small kernel takes to compile; a fork of one that is loaded does not.
 *
 * A job is what a process would be: arguments, environment, descriptors from 0 on, the working directory; it ends with a
 * status as wait() tells it. A zygote is asked through a socket (SOCK_SEQPACKET), also by forked children of whoever
 * started it, by several threads at a time, and for several jobs at a time. It is nobody's child: an application neither
 * gets signals of it nor finds it in wait(). It ends when nobody has the other end of its socket any more and
 * its jobs are done.
 *
 * zygote/start.c, zygote/client.c, zygote/keep.c: who asks. zygote/serve.c: the zygote, called by a program of ours.
 * zygote/preload.c: the same, for any program (libexec/galena-zygote.so, with LD_PRELOAD). */
#ifndef GALENA_ZYGOTE_H
#define GALENA_ZYGOTE_H
#include <pthread.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/* ---- start.c ---- */

/* posix_spawn(), but what the caller did to its signals is not the affair of the new process: they are as for a program that a shell
 * starts. child, unless NULL, takes its number; with NULL it is nobody's child: no SIGCHLD, nothing for wait(-1).
 * Returns 0 or an errno. Any thread. */
int zygote_spawn(const char *path, const posix_spawn_file_actions_t *, char *const argv[], char *const envp[], pid_t *child);
/* The same, nobody's child, and it only gets what processors have left over (SCHED_IDLE), as far as the system has that. */
int zygote_spawn_background(const char *path, const posix_spawn_file_actions_t *, char *const argv[], char *const envp[]);
/* Starts program as a zygote and returns the socket to ask it through (close-on-exec), or -1 and errno. preload: the file of
 * zygote/preload.c, NULL for a program that calls zygote_serve. idle: seconds without a job after which it ends; 0: never. */
int zygote_start(const char *program, const char *preload, unsigned idle);
/* The same for a program that calls zygote_serve; it and its jobs get what processors have left over. */
int zygote_start_background(const char *program, unsigned idle);

/* ---- client.c ---- */

struct zygote_job {
	char *const *argv, *const *envp; /* NULL ends each */
	const int *fds;                  /* become 0, 1, ... of the job; at most ZYGOTE_FDS */
	unsigned num_fds;
};
enum { ZYGOTE_FDS = 200 };

/* Asks for a job. Returns a descriptor (close-on-exec) that zygote_wait reads; it also has something to read when the job
 * has ended, for poll(). -1 and errno: no job runs. The job's descriptors are the caller's as before. */
int zygote_ask(int socket, const struct zygote_job *);
/* Waits for the end of a job, closes its descriptor. Returns 0 and *status as of wait(); ECONNRESET when the zygote is gone: then
 * the job has either not begun, for want of descriptors or memory, say, or is dead. */
int zygote_wait(int job, int *status);

/* ---- keep.c ---- */

/* A zygote that is started when there is use for it. The first run of a program is better a process of its own: most who run
 * it once do not run it again. Zeroes but for the lock at first: ZYGOTE_KEEPER. */
struct zygote_keeper {
	pthread_mutex_t lock;
	bool background;  /* it is started by zygote_start_background */
	bool open;
	int socket;
	unsigned runs;
	char *program;    /* that it has loaded, and the file as it was then */
	struct stat file;
};
#define ZYGOTE_KEEPER { .lock = PTHREAD_MUTEX_INITIALIZER }
/* A descriptor of the zygote's socket, which the caller closes; -1: the program is to be run without it. gone: the one
 * of before does not answer. Another file of that name gets a zygote of its own. Any thread. */
int zygote_keep(struct zygote_keeper *, const char *program, bool gone);

/* ---- serve.c ---- */

/* The socket that this process is to serve, by its environment; -1: it is no zygote. */
int zygote_socket(void);
/* Serves until the socket's other ends are closed, then ends the process. In each job, run is called and exit() with what it
 * returns. */
void zygote_serve(int socket, int (*run)(int argc, char **argv, char **envp)) __attribute__((noreturn));

#endif
