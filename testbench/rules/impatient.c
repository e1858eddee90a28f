/* What makes a firmware of the kit's that breaks SEM_SKIPPED: linked into it around queue_pick, it lets
 * a queue that waits for a semaphore go on as if it had been woken. */
#include "firmware/firmware.h"

int __real_queue_pick(void);
int __wrap_queue_pick(void);

int __wrap_queue_pick(void)
{
	for (size_t n = 0; n < REG_QUEUES; n++)
		if (queues[n].state == RUN_PARKED)
			command_sem_woken(n);
	return __real_queue_pick();
}
