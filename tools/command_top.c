/* `galena top`: the devices of running processes, from what these show of them (runtime/kmd/top_file.h). */
#define _GNU_SOURCE
#include "tools/galena.h"
#include "abi/registers.h"
#include "runtime/kmd/top_file.h"
#include <argp.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MAX_PROCESSES = 256 };
#define ANSWER_NS 2000000000ull /* a process that can answers before, unless its machine is very busy */

struct process {
	char name[64];               /* of its file */
	struct top_file now, before; /* before: at the screen before, magic 0 for none */
	bool present;
};
static struct process *processes;
static unsigned num_processes;

struct arguments { bool once; double interval; };

static const struct argp_option options[] = {
	{ "once", '1', NULL, 0, "print once and end: totals and means since each device was opened", 0 },
	{ "interval", 'i', "SECONDS", 0, "time between two screens, 1 by default", 0 },
	{ 0 },
};

static error_t option_parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;
	switch (key) {
	case '1': a->once = true; return 0;
	case 'i': a->interval = number_parse(state, "interval", arg, 0.1, 3600); return 0;
	case ARGP_KEY_ARG: argp_error(state, "unexpected argument '%s'", arg); return EINVAL;
	default: return ARGP_ERR_UNKNOWN;
	}
}

/* ---- what processes show ---- */
/* Maps a file; NULL if it is none of ours. What a process that is gone has left is taken away. */
static struct top_file *file_map(int directory, const char *name)
{
	struct stat st;
	struct top_file *f = NULL;
	int fd = openat(directory, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != getuid())
		goto out;
	if (!flock(fd, LOCK_EX | LOCK_NB)) {
		unlinkat(directory, name, 0);
		goto out;
	}
	if (st.st_size < (off_t)sizeof *f)
		goto out;
	f = mmap(NULL, sizeof *f, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (f == MAP_FAILED)
		f = NULL;
out:
	close(fd);
	return f;
}

static void pause_ns(uint64_t ns)
{
	struct timespec t = { (time_t)(ns / 1000000000), (long)(ns % 1000000000) };
	nanosleep(&t, NULL);
}

/* A copy that no write went through. */
static bool file_copy(const struct top_file *f, struct top_file *out)
{
	for (int tries = 0; tries < 1000; tries++) {
		uint64_t begin = __atomic_load_n(&f->sequence, __ATOMIC_ACQUIRE);
		memcpy(out, f, sizeof *out);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (!(begin & 1) && begin == __atomic_load_n(&f->sequence, __ATOMIC_RELAXED))
			return out->magic == TOP_MAGIC && out->version == TOP_VERSION && out->num_devices <= TOP_DEVICES;
		pause_ns(10000);
	}
	return false;
}

static struct process *process_of(const char *name)
{
	for (unsigned i = 0; i < num_processes; i++)
		if (!strcmp(processes[i].name, name))
			return &processes[i];
	if (num_processes == MAX_PROCESSES || strlen(name) >= sizeof processes[0].name)
		return NULL;
	struct process *p = &processes[num_processes++];
	*p = (struct process){ 0 };
	strcpy(p->name, name);
	return p;
}

/* Reads the file of every process; processes that are gone are dropped. answer_ns: how long to wait for fresh values. */
static void read_all(uint64_t answer_ns)
{
	char path[4096];
	struct top_file *files[MAX_PROCESSES];
	struct process *owners[MAX_PROCESSES];
	unsigned count = 0;
	uint64_t asked = top_now();
	for (unsigned i = 0; i < num_processes; i++)
		processes[i].present = false;
	DIR *dir = top_directory(path, sizeof path, false) ? opendir(path) : NULL;
	for (struct dirent *e; dir && count < MAX_PROCESSES && (e = readdir(dir));) {
		struct process *p;
		struct top_file *f = e->d_name[0] == '.' ? NULL : file_map(dirfd(dir), e->d_name);
		if (!f)
			continue;
		__atomic_store_n(&f->watched, asked, __ATOMIC_RELAXED);
		sem_post(&f->wake); /* it may be asleep */
		p = process_of(e->d_name);
		if (!p) {
			munmap(f, sizeof *f);
			continue;
		}
		files[count] = f;
		owners[count++] = p;
	}
	for (unsigned i = 0; i < count; i++) {
		while (__atomic_load_n(&files[i]->updated, __ATOMIC_RELAXED) < asked && top_now() - asked < answer_ns)
			pause_ns(10000000);
		owners[i]->before = owners[i]->now;
		owners[i]->present = file_copy(files[i], &owners[i]->now);
		munmap(files[i], sizeof *files[i]);
	}
	if (dir)
		closedir(dir);
	unsigned kept = 0;
	for (unsigned i = 0; i < num_processes; i++)
		if (processes[i].present)
			processes[kept++] = processes[i];
	num_processes = kept;
}

/* ---- the screen ---- */
static const char *const state_names[] = {
	[QUEUE_UNMAPPED] = "unmapped", [QUEUE_IDLE] = "idle", [QUEUE_RUNNING] = "running", [QUEUE_PARKED] = "parked",
	[QUEUE_ERROR] = "error", [QUEUE_SUSPENDED] = "suspended", [QUEUE_FAULTED] = "faulted",
};
static const char *const priority_names[] = { "low", "normal", "high" };

/* "1.23G": three digits and a factor of a thousand. */
static const char *amount(double v, char text[16])
{
	const char *unit = " kMGTPE";
	while (v >= 999.5 && unit[1]) {
		v /= 1000;
		unit++;
	}
	snprintf(text, 16, "%.*f%c", v >= 99.95 || *unit == ' ' ? 0 : v >= 9.995 ? 1 : 2, v, *unit);
	return text;
}

static uint64_t counted(const struct top_device *now, const struct top_device *before, uint32_t offset)
{
	unsigned i = (offset - REG_HOST_CNT_LANE_INSNS) / 8;
	return now->counters[i] - (before ? before->counters[i] : 0);
}
#define COUNT(name) counted(now, before, REG_HOST_CNT_##name)

static void device_print(unsigned index, const struct top_device *now, const struct top_device *before)
{
	char a[16], b[16], c[16], d[16], e[16], f[16];
	printf("  device %-2u %s, cycle %" PRIu64 ", %" PRIu64 " faults\n", index, now->lost ? "LOST" : "runs", now->cycle,
	       now->faults);
	if (before && before->counted_cycle >= now->counted_cycle)
		before = NULL; /* nothing has happened since: the means of its life */
	double cycles = (double)(now->counted_cycle - (before ? before->counted_cycle : 0));
	if (!now->counted_cycle || !(cycles > 0)) {
		printf("            counters: not read yet, or its bus is being recorded\n");
		return;
	}
	double seconds = cycles / (now->clock_mhz * 1e6);
	double l1 = (double)COUNT(L1_HIT), l2 = (double)COUNT(L2_HIT);
	double l1_all = l1 + (double)COUNT(L1_MISS), l2_all = l2 + (double)COUNT(L2_MISS);
	printf("            occupancy %.1f%%, %.2f warp-instructions a cycle, L1 %.1f%%, L2 %.1f%% hits, %" PRIu64 " kernels\n",
	       100 * (double)COUNT(WARP_CYCLES) / (cycles * now->num_cu * now->warps_per_cu), (double)COUNT(WARP_INSNS) / cycles,
	       l1_all > 0 ? 100 * l1 / l1_all : 0, l2_all > 0 ? 100 * l2 / l2_all : 0, COUNT(DISPATCHES));
	printf("            a second: DRAM %sB read %sB written, bus %sB read %sB written, DMA %sB, TLB misses %s\n",
	       amount((double)COUNT(DRAM_READ) / seconds, a), amount((double)COUNT(DRAM_WRITE) / seconds, b),
	       amount((double)COUNT(SYS_READ) / seconds, c), amount((double)COUNT(SYS_WRITE) / seconds, d),
	       amount((double)COUNT(DMA_BYTES) / seconds, e), amount((double)COUNT(TLB_L1_MISS) / seconds, f));
}

static void queues_print(const struct top_device *now)
{
	for (unsigned i = 0; i < TOP_QUEUES; i++) {
		const struct top_queue *q = &now->queue[i];
		if (q->state == QUEUE_UNMAPPED)
			continue;
		printf("            queue %-2u %-9s priority %-6s address space %-5u %u waiting, %" PRIu64 " ended\n", i,
		       q->state < sizeof state_names / sizeof state_names[0] ? state_names[q->state] : "?",
		       q->priority < 3 ? priority_names[q->priority] : "?", q->asid, q->waiting, q->ended);
	}
	if (now->queues_waiting)
		printf("            %u more queues wait for one of the %d slots\n", now->queues_waiting, TOP_QUEUES);
}

static void screen_print(void)
{
	if (!num_processes)
		puts("no process has a device open");
	for (unsigned i = 0; i < num_processes; i++) {
		const struct process *p = &processes[i];
		printf("%d %.63s (%.127s)\n", p->now.pid, p->now.program, p->now.config);
		for (unsigned n = 0; n < p->now.num_devices; n++) {
			device_print(n, &p->now.device[n], p->before.magic ? &p->before.device[n] : NULL);
			queues_print(&p->now.device[n]);
		}
	}
	fflush(stdout);
}

int command_top(int argc, char **argv)
{
	static const struct argp argp = {
		options, option_parse, NULL,
		"Shows the devices of running processes: queues and what they do, occupancy, bandwidths, TLB misses, faults. "
		"Rates are per second of the device's own time.\v"
		"While you watch, a process reads its counters over the bus a few times a second, which takes its devices some "
		"cycles; a process whose bus is recorded does not. GALENA_TOP=0 keeps a process from being shown.\n\n"
		"Examples:\n"
		"  galena top\n"
		"  galena top --once | grep faults", NULL, NULL, NULL,
	};
	struct arguments a = { .interval = 1 };
	argp_parse(&argp, argc, argv, 0, NULL, &a);
	processes = calloc(MAX_PROCESSES, sizeof *processes);
	if (!processes)
		return fail(EXIT_FAILED, "no memory");
	if (a.once || !isatty(1)) {
		read_all(ANSWER_NS);
		screen_print();
		free(processes);
		return EXIT_OK;
	}
	for (;;) { /* until Ctrl-C */
		char clock[16];
		time_t t = time(NULL);
		read_all(ANSWER_NS);
		strftime(clock, sizeof clock, "%H:%M:%S", localtime(&t));
		printf("\033[H\033[Jgalena top  %s  (Ctrl-C ends)\n\n", clock);
		screen_print();
		pause_ns((uint64_t)(a.interval * 1e9));
	}
}
