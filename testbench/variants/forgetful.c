/* What makes an OpenCL library that forgets to maintain caches: linked into it around drv_submit. FORGET=before leaves out what
 * comes before a command that uses an import, FORGET=after what follows it. */
#include "runtime/driver/driver.h"
#include <stdlib.h>
#include <string.h>

int __real_drv_submit(struct drv_queue *, const union packet *, unsigned, uint32_t, drv_done_fn, void *, struct drv_command **);
int __wrap_drv_submit(struct drv_queue *, const union packet *, unsigned, uint32_t, drv_done_fn, void *, struct drv_command **);

int __wrap_drv_submit(struct drv_queue *q, const union packet *packets, unsigned count, uint32_t private_bytes, drv_done_fn done, void *arg,
		      struct drv_command **command)
{
	const char *what = getenv("FORGET");
	const unsigned forgotten = what && !strcmp(what, "before") ? CACHE_CLEAN | CACHE_INVALIDATE : what && !strcmp(what, "after") ? CACHE_CLEAN : 0;
	union packet *kept = malloc((count + 1) * sizeof *kept);
	if (!kept)
		return DRV_NO_MEMORY;
	for (unsigned i = 0; i < count; i++) {
		kept[i] = packets[i];
		if (packets[i].head.type == PACKET_CODE_cache && packets[i].cache.size && packets[i].cache.op == forgotten)
			kept[i] = (union packet){.head = {.type = PACKET_CODE_nop, .flags = packets[i].head.flags}};
	}
	int error = __real_drv_submit(q, kept, count, private_bytes, done, arg, command);
	free(kept);
	return error;
}
