/* Waits of the host with a timeout. What devices can do they do at once, whatever the timeout; only what others have to bring about is slept for. */
#include "base/clock.h"
#include "runtime/vulkan/objects.h"

enum { SLEEP_LEAST = 20000, SLEEP_MOST = 1000000 }; /* ns */

VkResult wait_until(VkDevice d, uint64_t timeout, VkResult (*ready)(const void *), const void *arg)
{
	const uint64_t begin = clock_ns();
	uint64_t sleep = SLEEP_LEAST;
	for (;;) {
		umd_sync(driver());
		const VkResult result = ready(arg);
		if (result != VK_NOT_READY)
			return result == VK_ERROR_DEVICE_LOST ? device_lost(d) : result;
		const uint64_t passed = clock_ns() - begin;
		if (passed >= timeout)
			return VK_TIMEOUT;
		sleep = timeout - passed < sleep ? timeout - passed : sleep;
		clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){.tv_nsec = (long)sleep}, NULL);
		sleep = 2 * sleep < SLEEP_MOST ? 2 * sleep : SLEEP_MOST;
	}
}
