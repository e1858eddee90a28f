/* The oracle's programs under qemu-riscv64: one process runs them all. Table and code lie in a file
 * that both sides map. */
#ifndef GALENA_TESTBENCH_ORACLE_QEMU_H
#define GALENA_TESTBENCH_ORACLE_QEMU_H

enum { QEMU_FD = 3 }; /* of the shared file, in the runner */

/* On the runner's input; it answers with a byte when the items have run. Addresses are the device's. */
struct qemu_request {
	unsigned long table, table_bytes;        /* at offset 0 of the file */
	unsigned long windows[2], window_bytes;  /* zeroed memory of the runner's own */
	unsigned long code, code_bytes, code_offset, entry, items;
};

struct qemu;
/* runner: path of the executable. NULL when qemu-riscv64 is not there; *why says so. table_bytes
 * and code_bytes: room in the shared file, whole pages. */
struct qemu *qemu_start(const char *runner, unsigned long table_bytes, unsigned long code_bytes, const char **why);
unsigned char *qemu_table(struct qemu *);
/* Runs count words, which stand at address code on the device, from word `entry` on, for items
 * 0 to items - 1. The last word is replaced by the return. 0, or -1 when qemu died. */
int qemu_run(struct qemu *, unsigned long table, unsigned long local, unsigned long private_memory, unsigned long code,
	     const unsigned *words, unsigned count, unsigned entry, unsigned items);
void qemu_stop(struct qemu *);

#endif
