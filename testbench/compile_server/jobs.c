/* The jobs of a compile server are what processes of their own would be, and a client hears how each ends. Usage: jobs [seed] */
#include "testbench/random.h"
#include "compile_server/compile_server.h"
#include "compile_server/request.h"
#include "testbench/build_tree.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
/* after what it needs */
#include <cmocka.h>

extern char **environ;

static char job_path[PATH_MAX + 64];
static uint64_t seed = 1;

enum { MOST_ARGS = 8, PATIENCE_MS = 20000 };

struct run {
	int job, output;
	const char *argv[MOST_ARGS + 2];
};

static struct compile_server start(unsigned idle)
{
	struct compile_server server = COMPILE_SERVER_INIT;
	server.idle = idle;
	return server;
}

/* Asks for a job with these arguments (the last is NULL), input and environment. False: it was not taken. */
static bool ask_with(struct compile_server *server, struct run *r, int input, char **envp, const char *const *args)
{
	size_t n = 0;
	r->argv[n++] = "job";
	while (*args)
		r->argv[n++] = *args++;
	r->argv[n] = NULL;
	r->output = memfd_create("output", MFD_CLOEXEC);
	const int fds[] = { input, r->output, STDERR_FILENO };
	const struct compile_server_job job = { .program = job_path, .argv = (char *const *)(uintptr_t)r->argv, .envp = envp, .fds = fds, .num_fds = 3 };
	r->job = compile_server_ask(server, &job);
	if (r->job < 0)
		close(r->output);
	return r->job >= 0;
}

static bool ask(struct compile_server *server, struct run *r, const char *what, const char *with, const char *more)
{
	const char *const args[] = { what, with, with ? more : NULL, NULL };
	return ask_with(server, r, STDIN_FILENO, environ, args);
}

/* Its status, and what it has written without the last newline. */
static int finish(struct run *r, char text[256])
{
	int status = -1;
	assert_int_equal(compile_server_wait(r->job, &status), 0);
	ssize_t n = pread(r->output, text, 255, 0);
	text[n > 0 ? n : 0] = 0;
	if (n > 0 && text[n - 1] == '\n')
		text[n - 1] = 0;
	close(r->output);
	return status;
}

static void says(struct compile_server *server, const char *what, const char *with, const char *expected)
{
	struct run r;
	char text[256];
	assert_true(ask(server, &r, what, with, NULL));
	assert_int_equal(finish(&r, text), 0);
	assert_string_equal(text, expected);
}

static pid_t number_of(struct compile_server *server)
{
	struct run r;
	char text[256];
	assert_true(ask(server, &r, "parent", NULL, NULL));
	assert_int_equal(finish(&r, text), 0);
	return atoi(text);
}

/* Ends: whoever inherits it may take long to ask for its status. */
static bool vanishes(pid_t pid)
{
	char name[64], text[512];
	snprintf(name, sizeof name, "/proc/%d/stat", (int)pid);
	for (unsigned ms = 0; ms < PATIENCE_MS; ms++, usleep(1000)) {
		FILE *f = fopen(name, "re");
		size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
		if (f)
			fclose(f);
		text[n] = 0;
		const char *behind = strrchr(text, ')');
		if (!behind || behind[2] == 'Z' || behind[2] == 'X')
			return true;
	}
	return false;
}

static void arguments_and_surroundings(void **state)
{
	(void)state;
	struct compile_server server = start(0);
	char before[PATH_MAX], *large = malloc(1 << 20);
	char *const own[] = { (char *)"COLOUR=green", NULL };
	struct run r;
	char text[256];
	memset(large, 'x', (1 << 20) - 1);
	large[(1 << 20) - 1] = 0;
	assert_true(ask(&server, &r, "args", "", large));
	assert_int_equal(finish(&r, text), 0);
	assert_string_equal(text, "0 \n1048575 xxxxxxxxxxxxxxxxxxxx");
	setenv("COLOUR", "red", 1);
	says(&server, "env", "COLOUR", "red");
	unsetenv("COLOUR");
	says(&server, "env", "COLOUR", "-");
	const char *const colour[] = { "env", "COLOUR", NULL };
	assert_true(ask_with(&server, &r, STDIN_FILENO, (char **)(uintptr_t)own, colour));
	assert_int_equal(finish(&r, text), 0);
	assert_string_equal(text, "green");
	says(&server, "env", SERVER_SOCKET, "-"); /* the server's own variables are not a job's */
	says(&server, "env", "LD_BIND_NOW", getenv("LD_BIND_NOW") ? getenv("LD_BIND_NOW") : "-");
	says(&server, "env", "LD_PRELOAD", getenv("LD_PRELOAD") ? getenv("LD_PRELOAD") : "-");
	assert_non_null(getcwd(before, sizeof before));
	says(&server, "cwd", NULL, before);
	assert_int_equal(chdir("/usr"), 0);
	says(&server, "cwd", NULL, "/usr");
	assert_int_equal(chdir(before), 0);
	int input = memfd_create("input", MFD_CLOEXEC);
	assert_int_equal(write(input, "one\ntwo\n", 8), 8);
	lseek(input, 0, SEEK_SET);
	const char *const copy[] = { "copy", NULL };
	assert_true(ask_with(&server, &r, input, environ, copy));
	assert_int_equal(finish(&r, text), 0);
	assert_string_equal(text, "one\ntwo");
	close(input);
	compile_server_close(&server);
	free(large);
}

static void statuses(void **state)
{
	(void)state;
	static const struct { const char *what, *with; int status; } table[] = {
		{ "exit", "0", 0 }, { "exit", "1", 1 << 8 }, { "exit", "200", 200 << 8 }, { "die", "9", 9 }, { "die", "6", 6 }, { "die", "15", 15 },
	};
	struct compile_server server = start(0);
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct run r;
		char text[256];
		assert_true(ask(&server, &r, table[i].what, table[i].with, NULL));
		assert_int_equal(finish(&r, text) & ~0x80 /* with a core */, table[i].status);
	}
	compile_server_close(&server);
}

struct asker { pthread_t thread; struct compile_server *server; uint64_t random; unsigned wrong; };

static void *ask_many(void *arg)
{
	enum { AT_ONCE = 12, ROUNDS = 6 };
	struct asker *a = arg;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct run r[AT_ONCE];
		char later[AT_ONCE][16], name[AT_ONCE][16], text[256];
		for (unsigned i = 0; i < AT_ONCE; i++) {
			snprintf(later[i], sizeof later[i], "%u", (unsigned)(splitmix64(&a->random) % 30));
			snprintf(name[i], sizeof name[i], "%u", (unsigned)(splitmix64(&a->random) % 1000000));
			a->wrong += !ask(a->server, &r[i], "later", later[i], name[i]);
		}
		for (unsigned i = AT_ONCE; i-- > 0;)
			a->wrong += finish(&r[i], text) != 0 || strcmp(text, name[i]);
	}
	return NULL;
}

static void many_at_a_time(void **state)
{
	(void)state;
	struct asker askers[4];
	struct compile_server server = start(0);
	for (unsigned i = 0; i < 4; i++) {
		askers[i] = (struct asker){ .server = &server, .random = seed * 1000003 + i + 1 };
		assert_int_equal(pthread_create(&askers[i].thread, NULL, ask_many, &askers[i]), 0);
	}
	for (unsigned i = 0; i < 4; i++) {
		pthread_join(askers[i].thread, NULL);
		assert_int_equal(askers[i].wrong, 0);
	}
	compile_server_close(&server);
}

/* What a child of the asker would inherit, a job does; and a forked asker asks as well. */
static void forked_asker_and_its_limits(void **state)
{
	(void)state;
	struct compile_server server = start(0);
	int status;
	says(&server, "args", "first", "5 first");
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		struct run r;
		char text[256];
		const struct rlimit limit = { 777, 888 };
		bool good = !setrlimit(RLIMIT_CPU, &limit) && ask(&server, &r, "limit", NULL, NULL) && finish(&r, text) == 0;
		_exit(good && !strcmp(text, "777") ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	says(&server, "args", "still", "5 still");
	compile_server_close(&server);
}

static volatile sig_atomic_t signals;
static void on_child(int number) { signals += number == SIGCHLD; }

static void nobodys_child(void **state)
{
	(void)state;
	struct sigaction before;
	sigaction(SIGCHLD, &(struct sigaction){ .sa_handler = on_child }, &before);
	struct compile_server server = start(0);
	int status;
	says(&server, "args", "a", "1 a");
	pid_t pid = number_of(&server);
	assert_int_equal(waitpid(-1, &status, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	compile_server_close(&server);
	assert_true(vanishes(pid));
	assert_int_equal(waitpid(-1, &status, WNOHANG), -1);
	assert_int_equal(signals, 0);
	sigaction(SIGCHLD, &before, NULL);
}

/* It ends when nobody can ask any more; its job is done first. */
static void ends_with_its_asker(void **state)
{
	(void)state;
	struct compile_server server = start(0);
	pid_t pid = number_of(&server);
	struct run r;
	char text[256];
	assert_true(ask(&server, &r, "later", "300", "done"));
	compile_server_close(&server);
	assert_int_equal(finish(&r, text), 0);
	assert_string_equal(text, "done");
	assert_true(vanishes(pid));
}

static void ends_when_idle(void **state)
{
	(void)state;
	struct compile_server server = start(1);
	pid_t pid = number_of(&server);
	assert_true(vanishes(pid));
	assert_int_not_equal(number_of(&server), pid);
	compile_server_close(&server);
}

static void killed(void **state)
{
	(void)state;
	struct compile_server server = start(0);
	int status;
	pid_t pid = number_of(&server);
	struct run busy, late;
	assert_true(ask(&server, &busy, "later", "200", "x"));
	assert_int_equal(kill(pid, SIGSTOP), 0);
	bool asked = ask(&server, &late, "args", "a", NULL); /* sent, never received */
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(compile_server_wait(busy.job, &status), ECONNRESET);
	close(busy.output);
	assert_true(asked);
	assert_int_equal(compile_server_wait(late.job, &status), ECONNRESET);
	close(late.output);
	assert_true(vanishes(pid));
	assert_int_not_equal(number_of(&server), pid);
	compile_server_close(&server);
}

/* What is no request harms nobody. */
static void nonsense(void **state)
{
	(void)state;
	struct compile_server server = start(0);
	uint64_t random = seed * 77 + 5;
	pid_t pid = number_of(&server);
	for (unsigned i = 0; i < 300; i++) {
		union { struct server_request q; uint64_t words[64]; } m;
		union { struct cmsghdr head; char room[CMSG_SPACE(5 * sizeof(int))]; } control = { 0 };
		int count = (int)(splitmix64(&random) % 6), file = memfd_create("text", MFD_CLOEXEC), status;
		int ends[2];
		assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
		for (size_t w = 0; w < 64; w++)
			m.words[w] = splitmix64(&random);
		size_t size = splitmix64(&random) % 3 ? sizeof(m.q) : 1 + splitmix64(&random) % sizeof(m);
		if (splitmix64(&random) % 4)
			m.q = (struct server_request){ REQUEST_MAGIC, (uint32_t)(splitmix64(&random) % 4), (uint32_t)(splitmix64(&random) % 4),
						       (uint32_t)(count > REQUEST_FDS ? count - REQUEST_FDS : 0), splitmix64(&random) % 64, { { 0 } } };
		assert_int_equal(write(file, "a\0b\0c", 5), 5);
		const int fds[5] = { file, ends[1], file, file, file };
		struct iovec part = { &m, size };
		struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
		if (count > 0 && count <= 5) {
			message.msg_control = &control;
			message.msg_controllen = CMSG_SPACE((size_t)count * sizeof(int));
			struct cmsghdr *c = CMSG_FIRSTHDR(&message);
			c->cmsg_level = SOL_SOCKET;
			c->cmsg_type = SCM_RIGHTS;
			c->cmsg_len = CMSG_LEN((size_t)count * sizeof(int));
			memcpy(CMSG_DATA(c), fds, (size_t)count * sizeof(int));
		}
		assert_int_equal(sendmsg(server.socket, &message, MSG_NOSIGNAL), (ssize_t)size);
		close(file);
		close(ends[1]);
		/* no job comes of it: nothing, or a status that is not good */
		int end = compile_server_wait(ends[0], &status);
		assert_true(end == ECONNRESET || status != 0);
	}
	says(&server, "args", "works", "5 works");
	assert_int_equal(number_of(&server), pid);
	compile_server_close(&server);
}

static void too_many_descriptors(void **state)
{
	(void)state;
	static int fds[COMPILE_SERVER_FDS + 1];
	char *argv[] = { (char *)"job", (char *)"args", NULL };
	struct compile_server server = start(0);
	int status;
	struct compile_server_job job = { .program = job_path, .argv = argv, .envp = environ, .fds = fds, .num_fds = COMPILE_SERVER_FDS + 1 };
	fds[1] = 1;
	fds[2] = 2;
	assert_int_equal(compile_server_ask(&server, &job), -1);
	assert_int_equal(errno, E2BIG);
	job.num_fds = COMPILE_SERVER_FDS;
	int running = compile_server_ask(&server, &job);
	assert_true(running >= 0);
	assert_int_equal(compile_server_wait(running, &status), 0);
	assert_int_equal(status, 0);
	compile_server_close(&server);
}

/* One server has all jobs of a program. A file that is replaced has a server of its own. */
static void kept(void **state)
{
	(void)state;
	struct compile_server server = start(0);
	char original[sizeof job_path], copy[PATH_MAX + 32], command[5 * sizeof copy];
	memcpy(original, job_path, sizeof original);
	snprintf(copy, sizeof copy, "%.*s-XXXXXX", PATH_MAX, job_path); /* a directory beside it */
	assert_non_null(mkdtemp(copy));
	snprintf(command, sizeof command, "cp '%s' '%s/job'", job_path, copy);
	assert_int_equal(system(command), 0);
	snprintf(job_path, sizeof job_path, "%s/job", copy);
	pid_t first = number_of(&server);
	assert_int_equal(number_of(&server), first);
	snprintf(command, sizeof command, "cp '%s' '%s/new' && mv '%s/new' '%s/job'", original, copy, copy, copy);
	assert_int_equal(system(command), 0);
	pid_t second = number_of(&server);
	assert_int_not_equal(second, first);
	assert_true(vanishes(first));
	snprintf(command, sizeof command, "rm -r '%s'", copy);
	assert_int_equal(system(command), 0);
	memcpy(job_path, original, sizeof original);
	assert_int_not_equal(number_of(&server), second);
	assert_true(vanishes(second));
	compile_server_close(&server);
}

#ifdef __SANITIZE_THREAD__
/* A forked child has the record of its parent's threads, which it cannot join. */
__attribute__((visibility("default"))) const char *__tsan_default_options(void);
const char *__tsan_default_options(void) { return "report_thread_leaks=0"; }
#endif

/* A process that is forked while another thread asks can ask, too. */
static void forked_while_asking(void **state)
{
	enum { FORKS = 20 };
	(void)state;
	struct compile_server server = start(0);
	struct asker asker = { .server = &server, .random = seed + 7 };
	assert_int_equal(pthread_create(&asker.thread, NULL, ask_many, &asker), 0);
	for (unsigned i = 0; i < FORKS; i++) {
		int status;
		pid_t child = fork();
		assert_true(child >= 0);
		if (child == 0) {
			struct run r;
			char text[256];
			_exit(!(ask(&server, &r, "args", "a", NULL) && finish(&r, text) == 0 && !strcmp(text, "1 a")));
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, 0);
	}
	pthread_join(asker.thread, NULL);
	assert_int_equal(asker.wrong, 0);
	compile_server_close(&server);
}

static void nothing_to_start(void **state)
{
	(void)state;
	struct compile_server server = start(0);
	struct compile_server_job job = { .program = "/nowhere/job", .argv = environ, .envp = environ };
	assert_int_equal(compile_server_ask(&server, &job), -1);
	assert_int_equal(errno, ENOENT);
	job.program = "/etc/passwd"; /* no program */
	assert_int_equal(compile_server_ask(&server, &job), -1);
	assert_int_equal(compile_server_start("/nowhere/job", NULL, 0, false), -1);
	assert_int_equal(errno, ENOENT);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arguments_and_surroundings), cmocka_unit_test(statuses), cmocka_unit_test(many_at_a_time),
		cmocka_unit_test(forked_asker_and_its_limits), cmocka_unit_test(nobodys_child), cmocka_unit_test(ends_with_its_asker),
		cmocka_unit_test(ends_when_idle), cmocka_unit_test(killed), cmocka_unit_test(nonsense),
		cmocka_unit_test(too_many_descriptors), cmocka_unit_test(kept), cmocka_unit_test(forked_while_asking),
		cmocka_unit_test(nothing_to_start),
	};
	char here[PATH_MAX];
	seed = seed_take(argc, argv);
	program_path(here, 1);
	snprintf(job_path, sizeof job_path, "%s/job", here);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
