/* The line on a terminal about a command that takes long: there after five seconds, gone when the command has ended; never on
 * anything but a terminal, nor with GALENA_LOG=none. Three programs at once run a kernel that waits for the host. */
#define _GNU_SOURCE
#include "testbench/opencl/cl_test.h"
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <pty.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>

static const char source[] =
	"kernel void waits(global atomic_int *flag) {\n"
	"  if (get_group_id(0) == 0) return;\n"
	"  while (!atomic_load_explicit(flag, memory_order_acquire, memory_scope_all_svm_devices)); }\n";

/* ---- the child: until a byte comes from standard input ---- */
static void *listen_in(void *flag)
{
	char byte;
	if (read(STDIN_FILENO, &byte, 1) == 1)
		atomic_store((atomic_int *)flag, 1);
	return NULL;
}

static void child(void **state)
{
	(void)state;
	const char *text = source;
	pthread_t listener;
	cl_int code;
	cl_program p = clCreateProgramWithSource(cl.context, 1, &text, NULL, &code);
	CL_OK(code);
	CL_OK(clBuildProgram(p, 0, NULL, "-cl-std=CL3.0", NULL, NULL));
	cl_kernel k = clCreateKernel(p, "waits", &code);
	CL_OK(code);
	atomic_int *flag = clSVMAlloc(cl.context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS, 4096, 0);
	assert_non_null(flag);
	atomic_store(flag, 0);
	CL_OK(clSetKernelArgSVMPointer(k, 0, flag));
	assert_int_equal(pthread_create(&listener, NULL, listen_in, flag), 0);
	CL_OK(clEnqueueNDRangeKernel(cl.queue, k, 1, NULL, &(size_t){ 3 }, &(size_t){ 1 }, 0, NULL, NULL));
	CL_OK(clFinish(cl.queue));
	pthread_join(listener, NULL);
	assert_true(write(STDERR_FILENO, "over\n", 5) == 5);
}

/* ---- the parent ---- */
static const char *self;

struct program {
	pid_t pid;
	int in, out; /* its standard input, and error */
	char text[16384];
	size_t have;
};

static void become_child(const char *log)
{
	int null = open("/dev/null", O_WRONLY);
	dup2(null, STDOUT_FILENO); /* what cmocka says */
	setenv("GALENA_LOG", log, 1);
	setenv("GALENA_DEVICES", "1", 1);
	setenv("GALENA_WATCHDOG", "0", 1); /* it waits for the host */
	execl(self, self, "--child", NULL);
	_exit(127);
}

static void start_on_terminal(struct program *p, const char *log)
{
	struct winsize size = { .ws_row = 24, .ws_col = 200 };
	p->pid = forkpty(&p->in, NULL, NULL, &size);
	assert_true(p->pid >= 0);
	if (!p->pid)
		become_child(log);
	p->out = p->in;
}

static void start_on_pipes(struct program *p)
{
	int in[2], out[2];
	assert_int_equal(pipe2(in, O_CLOEXEC), 0);
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	p->pid = fork();
	assert_true(p->pid >= 0);
	if (!p->pid) {
		dup2(in[0], STDIN_FILENO);
		dup2(out[1], STDERR_FILENO);
		become_child("error");
	}
	close(in[0]);
	close(out[1]);
	p->in = in[1];
	p->out = out[0];
}

/* Reads until the text is there, or seconds have passed, or the program has ended. */
static bool said(struct program *p, const char *text, int seconds)
{
	time_t until = time(NULL) + seconds;
	while (!strstr(p->text, text) && time(NULL) < until && p->have + 1 < sizeof p->text) {
		struct pollfd poll_for = { .fd = p->out, .events = POLLIN };
		if (poll(&poll_for, 1, 100) <= 0)
			continue;
		ssize_t n = read(p->out, p->text + p->have, sizeof p->text - 1 - p->have);
		if (n <= 0)
			break;
		p->have += (size_t)n;
		p->text[p->have] = 0;
	}
	return strstr(p->text, text);
}

static void end(struct program *p)
{
	int status = -1;
	if (write(p->in, "\n", 1) != 1 || !said(p, "over", 60)) {
		kill(p->pid, SIGKILL);
		fail_msg("the program does not end; it said\n%s", p->text);
	}
	assert_int_equal(waitpid(p->pid, &status, 0), p->pid);
	assert_int_equal(status, 0);
}

static void a_terminal_has_the_line(void **state)
{
	(void)state;
	static struct program shown, silent, piped;
	start_on_terminal(&shown, "error");
	start_on_terminal(&silent, "none");
	start_on_pipes(&piped);
	bool there = said(&shown, "of 3 work-groups done", 120);
	said(&silent, "work-groups", 1); /* the others have had as long by then */
	said(&piped, "work-groups", 1);
	end(&shown);
	end(&silent);
	end(&piped);
	if (!there)
		fail_msg("no line, but\n%s", shown.text);
	assert_non_null(strstr(shown.text, "\rgalena: device 0: kernel waits: "));
	assert_non_null(strstr(shown.text, " cycles, "));
	/* the last of it is erased, and nothing follows but what the program says */
	char *last = strrchr(shown.text, '\r');
	while (last > shown.text && strncmp(last, "\r\033[K", 4))
		last = memrchr(shown.text, '\r', (size_t)(last - shown.text));
	assert_non_null(last);
	assert_null(strstr(last, "galena"));
	assert_null(strstr(silent.text, "galena"));
	assert_null(strstr(piped.text, "galena"));
}

int main(int argc, char **argv)
{
	cl_test_init(1, argv);
	self = argv[0];
	const struct CMUnitTest one[] = { cmocka_unit_test(child) }, tests[] = { cmocka_unit_test(a_terminal_has_the_line) };
	if (argc == 2 && !strcmp(argv[1], "--child"))
		return cmocka_run_group_tests(one, cl_test_setup, NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
