/* Memory that is brought in before it is used; driver.lock. */
#ifndef GALENA_RUNTIME_KMD_PREFAULT_H
#define GALENA_RUNTIME_KMD_PREFAULT_H
#include "runtime/kmd/types.h"

#define HUGE_SIZE (1ull << 21) /* bytes of a large page, of devices and of the host */
struct table { /* used from its beginning on */
	char *at;     /* whole pages, never touched yet */
	size_t size;  /* bytes */
	size_t ready; /* of them, in memory */
	size_t bits;  /* of a pinned page */
	bool huge;    /* may have large pages */
};
struct part {
	char *at;
	size_t size;
};
/* With so much in use, is less than half of what should be ready ahead of it? */
bool table_low(const struct table *, size_t used);
/* What is to be brought next, and counts as ready from now on; false: there is enough. */
bool table_next(struct table *, size_t used, struct part *);
/* All that should be ready. Lock held, dropped meanwhile; the completion thread. */
void prefault_tables(struct driver *, const struct file *);

#endif
