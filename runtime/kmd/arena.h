/* Host memory of a file whose client is another process: a memory file that both have mapped. */
#ifndef GALENA_RUNTIME_KMD_ARENA_H
#define GALENA_RUNTIME_KMD_ARENA_H
#include "runtime/kmd/extents.h"
#include <stdbool.h>
#include <stdint.h>

struct arena {
	int fd;
	uint8_t *base; /* where this process has it */
	uint64_t size; /* bytes; the file has pages where something was written */
	struct extents room;
};
/* NULL: the system has no memory files, or no address space. */
struct arena *arena_open(void);
/* Nothing of it is used any more. */
void arena_close(struct arena *);
/* Zeroed pages; NULL: there are none left. The caller's lock. */
uint8_t *arena_take(struct arena *, uint64_t pages);
/* Neither a device nor the client uses them. */
void arena_give_back(struct arena *, uint8_t *host, uint64_t pages);
/* Shows pages of the arena at another address of this process, too, in place of what is mapped there. */
bool arena_show(const struct arena *, const uint8_t *host, uint64_t pages, uint8_t *at);
/* What is shown there is empty memory of this process again. */
void arena_hide(uint8_t *at, uint64_t pages);

#endif
