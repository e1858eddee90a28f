/* A device whose firmware crashes: every command ends, nothing hangs, the other device goes on. The
 * firmware is the real one but for its fault reporting, whose first instruction is made illegal. */
#define _GNU_SOURCE
#include "testbench/driver/common.h"
#include "abi/registers.h"
#include <fcntl.h>
#include <gelf.h>
#include <sys/stat.h>
#include <unistd.h>

static char scratch[64];

static bool break_symbol(const char *path, const char *name)
{
	int in = open(path, O_RDONLY), out = open(scratch, O_RDWR | O_CREAT | O_TRUNC, 0600);
	struct stat st;
	if (in < 0 || out < 0 || fstat(in, &st))
		return false;
	uint8_t *image = malloc(st.st_size);
	bool found = false;
	if (read(in, image, st.st_size) != st.st_size)
		return false;
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(in, ELF_C_READ, NULL);
	GElf_Phdr text;
	gelf_getphdr(elf, 0, &text);
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		GElf_Shdr sh;
		gelf_getshdr(scn, &sh);
		for (int i = 0; sh.sh_type == SHT_SYMTAB && i < (int)(sh.sh_size / sh.sh_entsize); i++) {
			GElf_Sym sym;
			gelf_getsym(elf_getdata(scn, NULL), i, &sym);
			if (strcmp(elf_strptr(elf, sh.sh_link, sym.st_name), name))
				continue;
			memset(image + text.p_offset + sym.st_value - text.p_vaddr, 0, 4);
			found = true;
		}
	}
	elf_end(elf);
	found = found && write(out, image, st.st_size) == st.st_size;
	free(image);
	close(in);
	close(out);
	return found;
}

static int status_of(struct umd_command *c)
{
	struct completion done = { 0 };
	assert_true(umd_command_ended(c, &done));
	assert_int_equal(done.done, 1);
	return done.status;
}

struct calls { unsigned count, lost; };

static void count_call(void *arg, const struct completion *c)
{
	struct calls *n = arg;
	n->count++;
	n->lost += c->status == -FAULT_FIRMWARE;
}

static void crash(void **state)
{
	(void)state;
	enum { QUEUES = 20, EACH = 30 };
	struct umd *d = open_driver();
	struct umd_space *s;
	struct umd_queue *q[QUEUES], *other;
	struct umd_command *c[QUEUES], *before, *fatal, *across;
	struct umd_sem *sem;
	struct calls calls = { 0 };
	union packet nop = packet_nop(), bad = { .head.type = 77 }, p[2];
	assert_int_equal(umd_space_create(d, &s), 0);
	assert_int_equal(umd_sem_create(d, 0, &sem), 0);
	for (unsigned i = 0; i < QUEUES; i++)
		assert_int_equal(umd_queue_create(s, 0, 1, &q[i]), 0);
	assert_int_equal(umd_queue_create(s, 1, 1, &other), 0);

	/* blocked queues, more than slots, some with a long backlog */
	umd_sem_wait_packet(sem, &p[0]);
	p[1] = nop;
	for (unsigned i = 1; i < QUEUES; i++) {
		assert_int_equal(umd_submit(q[i], p, 2, 0, count_call, &calls, &c[i]), 0);
		for (unsigned k = 1; k < EACH; k++)
			assert_int_equal(umd_submit(q[i], &nop, 1, 0, count_call, &calls, NULL), 0);
		umd_flush(q[i]);
	}
	umd_sync(d);
	assert_int_equal(calls.count, 0);
	/* one that ends well, the one that kills, and one of the other device that waits for it */
	assert_int_equal(umd_submit(q[0], &nop, 1, 0, count_call, &calls, &before), 0);
	assert_int_equal(umd_submit(q[0], &bad, 1, 0, count_call, &calls, &fatal), 0);
	umd_command_wait_packet(fatal, &p[0]);
	assert_int_equal(umd_submit(other, p, 2, 0, NULL, NULL, &across), 0);
	assert_int_equal(umd_wait(across), 0);
	assert_int_equal(status_of(before), 0);
	assert_int_equal(status_of(fatal), -FAULT_FIRMWARE);
	assert_int_equal(status_of(across), -FAULT_DEPENDENCY);
	for (unsigned i = 1; i < QUEUES; i++) {
		assert_int_equal(umd_wait(c[i]), KMD_DEVICE_LOST);
		assert_int_equal(status_of(c[i]), -FAULT_FIRMWARE);
		umd_command_release(c[i]);
	}
	assert_int_equal(calls.count, (QUEUES - 1) * EACH + 2);
	assert_int_equal(calls.lost, calls.count - 1);
	/* sticky, there only */
	struct umd_queue *more;
	assert_int_equal(umd_submit(q[0], &nop, 1, 0, NULL, NULL, NULL), KMD_DEVICE_LOST);
	assert_int_equal(umd_queue_create(s, 0, 1, &more), KMD_DEVICE_LOST);
	assert_int_equal(run(other, &nop, 1), 0);
	assert_true(umd_read_register(d, 0, REG_HOST_STATUS, 32) & REG_HOST_STATUS_CP_CRASHED);
	umd_sem_signal(sem, 0);
	umd_sem_wait_packet(sem, &p[0]);
	assert_int_equal(run(other, p, 2), 0);
	umd_sem_release(sem);
	umd_command_release(before);
	umd_command_release(fatal);
	umd_command_release(across);
	for (unsigned i = 0; i < QUEUES; i++)
		umd_queue_release(q[i]);
	umd_queue_release(other);
	umd_space_release(s);
	umd_close(d);
}

/* A device that is lost between the submission and the flush. */
static void lost_before_flush(void **state)
{
	(void)state;
	struct umd *d = open_driver();
	struct umd_space *s;
	struct umd_queue *q, *q2;
	struct umd_command *c, *fatal;
	union packet nop = packet_nop(), bad = { .head.type = 77 };
	assert_int_equal(umd_space_create(d, &s), 0);
	assert_int_equal(umd_queue_create(s, 1, 1, &q), 0);
	assert_int_equal(umd_queue_create(s, 1, 1, &q2), 0);
	assert_int_equal(umd_submit(q, &nop, 1, 0, NULL, NULL, &c), 0);
	assert_int_equal(umd_submit(q2, &bad, 1, 0, NULL, NULL, &fatal), 0);
	assert_int_equal(umd_wait(fatal), KMD_DEVICE_LOST);
	assert_false(umd_command_ended(c, NULL));
	assert_int_equal(umd_wait(c), KMD_DEVICE_LOST);
	assert_int_equal(status_of(c), -FAULT_FIRMWARE);
	umd_command_release(c);
	umd_command_release(fatal);
	umd_queue_release(q);
	umd_queue_release(q2);
	umd_space_release(s);
	umd_close(d);
}

int main(int argc, char **argv)
{
	(void)argc;
	char path[4096], *self = realpath(argv[0], NULL);
	*strrchr(self, '/') = 0;
	snprintf(path, sizeof path, "%s/../../share/galena/firmware.elf", self);
	free(self);
	snprintf(scratch, sizeof scratch, "/tmp/galena-lost-%d.elf", (int)getpid());
	if (!break_symbol(path, "fault_own")) {
		fprintf(stderr, "%s has no function fault_own\n", path);
		return 1;
	}
	setenv("GALENA_FIRMWARE", scratch, 1);
	const struct CMUnitTest tests[] = { cmocka_unit_test(crash), cmocka_unit_test(lost_before_flush) };
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(scratch);
	return failed;
}
