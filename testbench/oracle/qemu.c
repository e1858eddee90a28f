#define _GNU_SOURCE
#include "testbench/oracle/qemu.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <signal.h>
#include <unistd.h>

enum { WINDOW_BYTES = 65536, RETURN_X23 = 0x000b8067 };

struct qemu {
	pid_t pid;
	int to, from;
	unsigned char *shared;
	unsigned long table_bytes, code_bytes;
};

static void become_runner(const char *runner, int fd, int input, int output)
{
	dup2(input, 0);
	dup2(output, 1);
	if (fd != QEMU_FD)
		dup2(fd, QEMU_FD); /* without close-on-exec */
	for (int i = QEMU_FD + 1; i < 64; i++)
		close(i);
	execlp("qemu-riscv64", "qemu-riscv64", "-cpu", "rv64,zba=true,zbb=true,Zfhmin=true", runner, (char *)NULL);
	_exit(127);
}

struct qemu *qemu_start(const char *runner, unsigned long table_bytes, unsigned long code_bytes, const char **why)
{
	struct qemu *q = calloc(1, sizeof(*q));
	int to[2], from[2], fd = memfd_create("oracle", 0);
	*why = "no memory or descriptors to run qemu-riscv64 with";
	if (!q || fd < 0 || ftruncate(fd, (off_t)(table_bytes + code_bytes)) || pipe(to) || pipe(from))
		return NULL;
	q->table_bytes = table_bytes;
	q->code_bytes = code_bytes;
	q->shared = mmap(NULL, table_bytes + code_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (q->shared == MAP_FAILED)
		return NULL;
	signal(SIGPIPE, SIG_IGN);
	*why = "qemu-riscv64 is not installed (make deps)";
	if (system("qemu-riscv64 --version >/dev/null 2>&1"))
		return NULL;
	q->pid = fork();
	if (q->pid == 0)
		become_runner(runner, fd, to[0], from[1]);
	close(to[0]);
	close(from[1]);
	close(fd);
	q->to = to[1];
	q->from = from[0];
	return q;
}

unsigned char *qemu_table(struct qemu *q) { return q->shared; }

int qemu_run(struct qemu *q, unsigned long table, unsigned long local, unsigned long private_memory, unsigned long code,
	     const unsigned *words, unsigned count, unsigned entry, unsigned items)
{
	unsigned *at = (unsigned *)(q->shared + q->table_bytes);
	char answer;
	if (count * 4ul > q->code_bytes)
		return -1;
	memcpy(at, words, count * 4ul);
	at[count - 1] = RETURN_X23;
	struct qemu_request r = { .table = table, .table_bytes = q->table_bytes, .windows = { local, private_memory },
				  .window_bytes = WINDOW_BYTES, .code = code, .code_bytes = q->code_bytes,
				  .code_offset = q->table_bytes, .entry = code + entry * 4ul, .items = items };
	return write(q->to, &r, sizeof(r)) == sizeof(r) && read(q->from, &answer, 1) == 1 ? 0 : -1;
}

void qemu_stop(struct qemu *q)
{
	if (!q)
		return;
	close(q->to);
	close(q->from);
	waitpid(q->pid, NULL, 0);
	munmap(q->shared, q->table_bytes + q->code_bytes);
	free(q);
}
