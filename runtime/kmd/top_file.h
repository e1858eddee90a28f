/* What a running process shows of its devices to `galena top`: a small file, shared memory, in
 * $XDG_RUNTIME_DIR/galena or /tmp/galena-UID, named PID.N. Its writer holds flock(2) on it for as long as
 * it lives: a file that can be locked is left over. */
#ifndef GALENA_RUNTIME_DRIVER_TOP_FILE_H
#define GALENA_RUNTIME_DRIVER_TOP_FILE_H
#include <semaphore.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TOP_MAGIC 0x504f5447u /* "GTOP" */
enum { TOP_VERSION = 2, TOP_DEVICES = 16, TOP_QUEUES = 16, TOP_COUNTERS = 64 };

struct top_queue {
	uint32_t state;   /* enum queue_state */
	uint32_t priority;
	uint32_t asid;
	uint32_t waiting; /* commands that the device has or is still to be given */
	uint64_t ended;   /* commands that have ended: its timeline */
};
struct top_device {
	uint32_t num_cu, warps_per_cu, clock_mhz;
	uint32_t lost;
	uint32_t queues_waiting; /* for one of the slots */
	uint32_t unused;
	uint64_t cycle;
	uint64_t faults;         /* records that the driver has read */
	uint64_t counted_cycle;  /* when the counters were read, 0: not yet */
	uint64_t counters[TOP_COUNTERS]; /* CNT_LANE_INSNS and on, by offset / 8 */
	struct top_queue queue[TOP_QUEUES];
};
struct top_file {
	uint32_t magic, version;
	int32_t pid;
	uint32_t num_devices;
	char program[64], config[128];
	uint64_t sequence; /* odd while it is written: read it before and after, and again if it changed */
	uint64_t updated;  /* CLOCK_MONOTONIC, ns */
	uint64_t watched;  /* the same, set by who looks: counters are read while that is not long ago */
	sem_t wake;        /* posted by `galena top`: an idle process shows nothing new by itself */
	struct top_device device[TOP_DEVICES];
};

/* Writes the directory's path; creates it if asked to. False if there is none that is the user's alone. */
bool top_directory(char *path, size_t size, bool create);
uint64_t top_now(void); /* CLOCK_MONOTONIC, ns */

#endif
