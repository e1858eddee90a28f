/* galena-recorder SOCKET MEMORY PROCESS PID: makes the files of a program that is recorded, checked or drawn, of what the program puts
 * into a ring (traces/sender.h), and completes them when the program ends, in whatever way. The descriptors are inherited. */
#define _GNU_SOURCE
#include "recording_hash.h"
#include "base/log.h"
#include "base/setting.h"
#include "base/process.h"
#include "model/profile/profile_file.h"
#include "checkers/checkers.h"
#include "traces/counter_file.h"
#include "traces/event_file.h"
#include "traces/inject_report.h"
#include "traces/messages.h"
#include "traces/output_name.h"
#include "traces/program_end.h"
#include "traces/program_watch.h"
#include "traces/ring.h"
#include "traces/trace_file.h"
#include "traces/trace_format.h"
#include "traces/wave.h"
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the observers of events, by the variable that asks for them ---- */
static const struct observer {
	const char *variable;
	struct event_sink *(*open)(const char *setting, const struct bus_params *, const char **error);
	void (*close)(struct event_sink *);
} observers[] = {
	{ "GALENA_EVENTS", event_file_open, event_file_close },
	{ "GALENA_CHECK", checkers_open, checkers_close },
	{ "GALENA_WAVE", wave_open, wave_close },
};
enum { NUM_OBSERVERS = sizeof observers / sizeof *observers };
static struct event_sink *sinks[TRACE_MAX_DEVICES][NUM_OBSERVERS];

static void sinks_close(unsigned device)
{
	for (int i = NUM_OBSERVERS - 1; i >= 0; i--)
		if (sinks[device][i]) {
			observers[i].close(sinks[device][i]);
			sinks[device][i] = NULL;
		}
}

static const char *sinks_open(const struct message_device *m)
{
	struct bus_params p = { .device = m->name, .config = m->config, .speed = (enum bus_speed)m->speed, .index = m->index };
	const char *error = "no device has a number above 15";
	if (m->index >= TRACE_MAX_DEVICES)
		return error;
	for (int i = 0; i < NUM_OBSERVERS; i++) {
		const char *s = setting(observers[i].variable);
		if (!s)
			continue;
		sinks[m->index][i] = observers[i].open(s, &p, &error);
		if (!sinks[m->index][i]) {
			sinks_close(m->index);
			return error;
		}
	}
	return NULL;
}

static void event_take(const struct message_event *m)
{
	for (int i = 0; m->device < TRACE_MAX_DEVICES && i < NUM_OBSERVERS; i++)
		if (sinks[m->device][i])
			sinks[m->device][i]->event(sinks[m->device][i], &m->event);
}

static void complete_take(const struct message_complete *m)
{
	for (int i = 0; m->device < TRACE_MAX_DEVICES && i < NUM_OBSERVERS; i++)
		if (sinks[m->device][i] && sinks[m->device][i]->complete)
			sinks[m->device][i]->complete(sinks[m->device][i], m->cycle);
}

/* Completes every file. Whether all rules held. */
static bool all_end(uint64_t how)
{
	trace_file_end(how);
	event_file_end(how);
	counter_file_end(how);
	profile_file_end();
	bool held = checkers_end(how);
	inject_report_end();
	for (unsigned i = 0; i < TRACE_MAX_DEVICES; i++)
		sinks_close(i);
	return held;
}

/* ---- messages ---- */
static struct ring ring;
static bool ended; /* as it should: by MESSAGE_END */

static void answer(const char *error, bool broken)
{
	struct ring_answer a = { .broken = broken };
	snprintf(a.error, sizeof a.error, "%s", error ? error : "");
	ring_reply(&ring, &a);
}

/* The length is at least that of the message's struct. */
static void message_take(uint32_t kind, const void *data, uint32_t length)
{
	static const uint32_t least[] = {
		[MESSAGE_TRACE_OPEN] = sizeof(struct message_device), [MESSAGE_EVENTS_OPEN] = sizeof(struct message_device),
		[MESSAGE_TRACE_CLOSE] = sizeof(struct message_close), [MESSAGE_EVENTS_CLOSE] = sizeof(struct message_close),
		[MESSAGE_RECORD] = sizeof(struct message_record),     [MESSAGE_MEMORY] = sizeof(struct message_memory),
		[MESSAGE_EVENT] = sizeof(struct message_event),       [MESSAGE_COMPLETE] = sizeof(struct message_complete),
		[MESSAGE_INJECT_OPEN] = sizeof(struct message_injections) + 1, [MESSAGE_INJECTION] = sizeof(struct message_event),
		[MESSAGE_COUNTERS_OPEN] = sizeof(struct message_device), [MESSAGE_COUNTERS] = sizeof(struct message_counters),
		[MESSAGE_COUNTED] = sizeof(struct message_counted) + 1, [MESSAGE_PROFILE_OPEN] = 1, [MESSAGE_END] = 0,
	};
	const char *error = NULL;
	bool broken = false;
	if (!kind || kind >= sizeof least / sizeof *least || length < least[kind])
		return;
	switch (kind) {
	case MESSAGE_TRACE_OPEN:
		trace_file_open(data, &error);
		break;
	case MESSAGE_EVENTS_OPEN:
		error = sinks_open(data);
		break;
	case MESSAGE_COUNTERS_OPEN:
		counter_file_open(data, &error);
		break;
	case MESSAGE_PROFILE_OPEN:
		profile_file_open(data, &error);
		break;
	case MESSAGE_TRACE_CLOSE:
		trace_file_close(((const struct message_close *)data)->device);
		break;
	case MESSAGE_EVENTS_CLOSE:
		sinks_close(((const struct message_close *)data)->device % TRACE_MAX_DEVICES);
		break;
	case MESSAGE_INJECT_OPEN:
		inject_report_open(((const struct message_injections *)data)->device, ((const struct message_injections *)data)->text);
		break;
	case MESSAGE_INJECTION:
		inject_report_event((unsigned)((const struct message_event *)data)->device, &((const struct message_event *)data)->event);
		break;
	case MESSAGE_END:
		ended = true;
		broken = !all_end(program_end(PROGRAM_DONE, 0));
		break;
	case MESSAGE_RECORD:
		trace_file_record(data);
		break;
	case MESSAGE_MEMORY:
		trace_file_memory(data, (const struct message_memory *)data + 1);
		break;
	case MESSAGE_EVENT:
		event_take(data);
		break;
	case MESSAGE_COMPLETE:
		complete_take(data);
		break;
	case MESSAGE_COUNTERS:
		counter_file_totals(data);
		break;
	case MESSAGE_COUNTED:
		counter_file_counted(data, (const char *)((const struct message_counted *)data + 1));
		break;
	}
	if (kind < MESSAGE_TOLD)
		answer(error, broken);
}

/* A record that is larger than half of the ring, put together piece by piece. */
static struct { uint8_t *bytes; size_t size, have; } large;

static bool large_take(size_t bytes)
{
	size_t n = ring_available(&ring);
	if (!large.size) {
		large.bytes = malloc(bytes);
		large.size = bytes;
		large.have = 0;
	}
	n = n < large.size - large.have ? n : large.size - large.have;
	if (!n)
		return false;
	if (large.bytes)
		memcpy(large.bytes + large.have, ring_at(&ring), n);
	large.have += n;
	ring_skip(&ring, n, true);
	if (large.have < large.size)
		return true;
	const struct ring_head *h = (const struct ring_head *)large.bytes;
	if (h)
		message_take(h->kind, h + 1, h->length);
	else
		log_write(LOG_ALWAYS, "the recorder has no memory: the recordings are not complete");
	free(large.bytes);
	large.bytes = NULL;
	large.have = large.size = 0;
	return true;
}

/* Takes what is there; whether it was anything. */
static bool ring_take(void)
{
	enum { PUBLISH = 64 << 10 };
	size_t unpublished = 0, n;
	bool any = false;
	while (!ended && (n = ring_available(&ring)) > 0) {
		const struct ring_head *h = (const struct ring_head *)ring_at(&ring);
		size_t bytes = large.size ? large.size : ring_record_bytes(h->length);
		if (large.size || bytes > RING_BYTES / 2) {
			if (!large_take(bytes))
				break;
			any = true;
			continue;
		}
		if (n < bytes)
			break; /* never: a record counts as a whole */
		message_take(h->kind, h + 1, h->length);
		unpublished += bytes;
		ring_skip(&ring, bytes, unpublished >= PUBLISH);
		unpublished = unpublished >= PUBLISH ? 0 : unpublished;
		any = true;
	}
	ring_skip(&ring, 0, true);
	return any;
}

/* ---- the program ---- */
static struct program_watch program;
static uint64_t program_how; /* valid once gone is set */
static _Atomic bool gone;

static void *watch(void *unused)
{
	(void)unused;
	program_how = program_wait(&program);
	atomic_store(&gone, true);
	ring_wake(&ring);
	return NULL;
}

static void program_name(char *name, size_t size)
{
	if (!process_text(program.pid, "comm", name, size))
		snprintf(name, size, "?");
	name[strcspn(name, "\n")] = 0;
}

static int number_order(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

/* What else the program had open is not for us: a pipe's reader would wait for our end, too. */
static void others_close(int a, int b, int c)
{
	int keep[3] = { a, b, c }, from = 3;
	qsort(keep, 3, sizeof *keep, number_order);
	for (int i = 0; i < 3; i++)
		if (keep[i] >= from) {
			if (keep[i] > from)
				close_range((unsigned)from, (unsigned)keep[i] - 1, 0);
			fcntl(keep[i], F_SETFD, FD_CLOEXEC);
			from = keep[i] + 1;
		}
	close_range((unsigned)from, ~0u, 0);
}

int main(int argc, char **argv)
{
	static const int ignored[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ };
	static char name[64];
	struct stat st;
	pthread_t watcher;
	if (argc < 5) {
		fprintf(stderr, "galena-recorder: it is started by the kit's libraries, for programs that are recorded\n");
		return EXIT_FAILURE;
	}
	if (argc != 6 || strcmp(argv[5], GALENA_RECORDING_HASH)) {
		fprintf(stderr, "galena-recorder: the program's libraries are of another build: install the kit again, or start the program again when the build is done\n");
		return EXIT_FAILURE;
	}
	/* what ends the program from a terminal must not end its recorder */
	for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
		signal(ignored[i], SIG_IGN);
	setsid();
	int memory = atoi(argv[2]);
	program = (struct program_watch){ .socket = atoi(argv[1]), .process = atoi(argv[3]), .pid = atoi(argv[4]) };
	others_close(program.socket, memory, program.process);
	if (fstat(memory, &st) || ring_map(&ring, memory))
		return EXIT_FAILURE;
	program.memory = st.st_ino;
	close(memory);
	program_name(name, sizeof name);
	output_process(program.pid, name);
	atomic_store(&ring.control->recorder, getpid());
	if (pthread_create(&watcher, NULL, watch, NULL))
		return EXIT_FAILURE;
	pthread_detach(watcher);
	for (bool slept_in_vain = false; !ended;) {
		bool over = atomic_load(&gone);
		if (ring_take()) {
			slept_in_vain = false;
			continue;
		}
		if (over || ended)
			break;
		ring_sleep(&ring, slept_in_vain ? RING_DEEP : RING_NAP, &gone);
		slept_in_vain = true;
	}
	if (ended)
		return EXIT_SUCCESS;
	all_end(program_how);
	if ((program_how & 0xff) == PROGRAM_EXEC) { /* its files' names stay taken as long as the process lives (output_name.h) */
		output_complete();
		fflush(stderr);
		int null = open("/dev/null", O_RDWR | O_CLOEXEC);
		for (int fd = 0; null >= 0 && fd < 3; fd++)
			dup2(null, fd);
		process_wait(&program);
	}
	return EXIT_SUCCESS;
}
