/* The devices, and everything that the driver knows. */
#ifndef GALENA_RUNTIME_KMD_DRIVER_H
#define GALENA_RUNTIME_KMD_DRIVER_H
#include "abi/bus.h"
#include "abi/device_config.h"
#include "runtime/kmd/worker.h"
#include <sys/types.h>

struct device {
	struct bus *bus;
	unsigned index;
	struct kmd_device_info info;
	struct extents dram;       /* software state */
	struct region regions[REG_REGIONS]; /* software state: protected parts of it */
	_Atomic uint64_t seen;     /* software state; read without the lock */
	uint64_t settled;
	atomic_bool lost;
	int lost_status;           /* of commands that it did not finish: minus a fault code */
	/* hardware state */
	bool active;               /* something may happen in it */
	bool in_run;               /* it has begun to run, and is not idle yet */
	uint64_t rest_cycle;       /* at its last rest; settled: what API calls see of it */
	struct queue *slots[REG_QUEUES];
	struct queue *waiting; /* for a slot: by priority, then in turn */
	uint64_t binds;
	struct queue_block *leaving; /* of queues that the firmware is about to unmap; software state */
	struct boot_params *boot;
	uint8_t *log;
	struct fault_record *faults;
	uint64_t faults_seen;
};

struct driver {
	pthread_mutex_t lock;
	pthread_cond_t changed;     /* something was applied or retired */
	struct file *files;
	struct file *caller;        /* whose request has the lock */
	atomic_bool shared;         /* several files are open */
	bool running;               /* a thread is at the devices, without the lock */
	pthread_t runner;           /* that thread */
	bool server_runs;           /* it is a completion thread */
	bool at_rest;               /* nothing can happen in the devices by itself */
	unsigned cursor;            /* the device that runs */
	unsigned busy_files;        /* with an item that is being carried out */
	uint64_t queued;            /* work items of all files, so far */
	unsigned waiters;
	atomic_bool closing;
	bool exiting;               /* the process ends: only this thread comes in: */
	pthread_t exit_thread;
	bool recording;             /* something is recorded, checked or counted: its end is awaited at exit */
	bool booted;

	struct pins pins;
	struct memory memory;
	struct bo_cache bo_cache;
	struct svm_range svm;
	struct bo *imports;         /* hardware state: of the process' memory, that devices reach */
	bool unmapped;              /* hardware state: one of them has news (unmapped.c) */
	int registered;             /* the descriptor of registrations of imports, + 1; 0: not asked; -1: the system has none */
	struct dmabuf *dmabufs;     /* that are imported, or kept */
	uint64_t dmabufs_left;      /* last imports that have gone, so far */
	struct fence *fences;       /* that have descriptors, or may have */
	struct sync_file *sync_files;
	struct vm *spaces;
	struct queue *queues, *queues_last; /* in order of creation */
	uint64_t asids[65536 / 64]; /* bitmap */
	uint64_t *context_table;
	uint64_t context_table_pa;
	uint64_t fenced_bytes, fenced_limit; /* host memory of released objects that wait to be covered */

	pid_t owner;                /* the process that opened it */
	struct labels labels;
	struct slot failed;         /* a record of a command that failed */
	struct kernels *kernels;    /* NULL: nothing counts */
	struct {                    /* hardware state: the line on a terminal (status.c) */
		bool wanted, shown;
		const struct command *command; /* seen on the device first at since (ns); may be gone */
		uint64_t ordinal, since, refreshed;
	} status;
	struct publisher *publisher; /* NULL: nothing is shown */
	sem_t *publish_wanted;      /* that `galena top` posts; NULL without a publisher */
	uint64_t published;         /* ns */

	unsigned wait_limit;        /* seconds that a command waits for a semaphore without a signal; 0: for ever */
	unsigned num_devices;
	struct device devices[DRIVER_MAX_DEVICES];
};

/* ---- the platform (open.c, identity.c, firmware.c) ---- */
/* Opens devices as the environment says, loads and boots firmware on each. NULL with *error a line. */
struct driver *driver_open(const char **error);
/* No other thread is inside, and nothing of the driver is used afterwards. */
void driver_close(struct driver *);
void driver_exit(struct driver *); /* kmd_exit() */
void driver_device_uuid(const struct driver *, unsigned device, uint8_t out[KMD_UUID_BYTES]);
void driver_uuid(uint8_t out[KMD_UUID_BYTES]);
uint64_t driver_watchdog(void);
bool driver_watchdog_given(void);

/* What the driver is interrupted for. */
enum {
	INTERRUPTS = REG_HOST_IRQ_STATUS_COMPLETE | REG_HOST_IRQ_STATUS_FAULT | REG_HOST_IRQ_STATUS_BOOT |
		     REG_HOST_IRQ_STATUS_CRASH | REG_HOST_IRQ_STATUS_ECC
};
/* ---- interrupts (irq.c) ---- */
/* Lets it run until it has something to tell, at most a slice. False: it is idle. */
bool device_run(struct driver *, struct device *);
void device_retire(struct driver *, struct device *);
void retire_commands(struct driver *, struct command **, unsigned count);

/* ---- firmware (firmware.c): loads it and boots the device. NULL or the error message. ---- */
const char *firmware_boot(struct driver *, struct device *);

/* One line into a buffer that stays valid (error.c is one function). */
const char *driver_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
