/* What makes an OpenCL library that forgets to maintain caches: linked into it around umd_submit. FORGET=before leaves out what
 * comes before a command that uses an import, FORGET=after what follows it. */
#include "runtime/umd/umd.h"
#include <stdlib.h>
#include <string.h>

int __real_umd_submit(struct umd_queue *, const union packet *, unsigned, uint32_t, umd_done_fn, void *, struct umd_command **);
int __wrap_umd_submit(struct umd_queue *, const union packet *, unsigned, uint32_t, umd_done_fn, void *, struct umd_command **);

int __wrap_umd_submit(struct umd_queue *q, const union packet *packets, unsigned count, uint32_t private_bytes, umd_done_fn done, void *arg,
		      struct umd_command **command)
{
	const char *what = getenv("FORGET");
	const unsigned forgotten = what && !strcmp(what, "before") ? CACHE_CLEAN | CACHE_INVALIDATE : what && !strcmp(what, "after") ? CACHE_CLEAN : 0;
	union packet *kept = malloc((count + 1) * sizeof *kept);
	if (!kept)
		return KMD_NO_MEMORY;
	for (unsigned i = 0; i < count; i++) {
		kept[i] = packets[i];
		if (packets[i].head.type == PACKET_CODE_cache && packets[i].cache.size && packets[i].cache.op == forgotten)
			kept[i] = (union packet){.head = {.type = PACKET_CODE_nop, .flags = packets[i].head.flags}};
	}
	int error = __real_umd_submit(q, kept, count, private_bytes, done, arg, command);
	free(kept);
	return error;
}
