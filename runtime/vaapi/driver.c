/* The process's devices, for all displays. */
#include "base/exiting.h"
#include "base/fork.h"
#include "base/hold.h"
#include "runtime/vaapi/objects.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct umd *devices;
static unsigned displays;
static sem_t *exits;

struct umd *driver_open(void)
{
	const char *error = NULL;
	HOLDING(&lock);
	if (!exits)
		exits = exiting_watch();
	if (!devices)
		devices = umd_open(&error);
	if (devices)
		displays++;
	else
		log_write(LOG_ERROR, "%s", error ? error : "no device can be opened");
	return devices;
}

void driver_close(void)
{
	HOLDING(&lock);
	if (!devices || --displays)
		return;
	umd_close(devices);
	devices = NULL;
}

VAStatus driver_status(int error)
{
	switch (error) {
	case KMD_OK: return VA_STATUS_SUCCESS;
	case KMD_NO_MEMORY:
	case KMD_NO_DEVICE_MEMORY: return FAIL(VA_STATUS_ERROR_ALLOCATION_FAILED, "no memory");
	case KMD_DEVICE_LOST: return FAIL(VA_STATUS_ERROR_OPERATION_FAILED, "the device is lost");
	}
	return FAIL(VA_STATUS_ERROR_OPERATION_FAILED, "the driver refuses what is asked of it (%d)", error);
}

/* A forked child opens devices of its own; its parent's displays stay the parent's. */
static void driver_forked(void)
{
	lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	devices = NULL;
	displays = 0;
}
AFTER_FORK(driver_forked)

/* An application that ends need not terminate its displays. */
__attribute__((destructor)) static void driver_end(void)
{
	if (exiting_now(exits))
		umd_exit(devices);
	else
		umd_close(devices);
	devices = NULL;
}
