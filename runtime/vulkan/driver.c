/* The process's devices, for all instances. */
#include "base/exiting.h"
#include "base/fork.h"
#include "base/hold.h"
#include "runtime/vulkan/objects.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct umd *devices;
static unsigned instances;
static sem_t *exits;

struct umd *driver(void) { return devices; }

struct umd *driver_open(void)
{
	const char *error = NULL;
	HOLDING(&lock);
	if (!exits)
		exits = exiting_watch();
	if (!devices)
		devices = umd_open(&error);
	if (devices)
		instances++;
	else
		log_write(LOG_ERROR, "%s", error ? error : "no device can be opened");
	return devices;
}

void driver_close(void)
{
	HOLDING(&lock);
	if (!devices || --instances)
		return;
	umd_close(devices);
	devices = NULL;
}

/* A forked child opens devices of its own; its parent's instances stay the parent's. */
static void driver_forked(void)
{
	lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	devices = NULL;
	instances = 0;
}
AFTER_FORK(driver_forked)

/* An application that ends need not destroy its instances. */
__attribute__((destructor)) static void driver_end(void)
{
	if (exiting_now(exits))
		umd_exit(devices);
	else
		umd_close(devices);
	devices = NULL;
}
