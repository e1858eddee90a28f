/* Names of commands: what the line on a terminal and the report of counters call them. */
#include "runtime/kmd/driver.h"
#include <stdlib.h>
#include <string.h>

static uint32_t label_find(struct labels *l, const char *name, uint32_t length)
{
	for (uint32_t i = 0; i < l->count; i++)
		if (strlen(l->names[i]) == length && !memcmp(l->names[i], name, length))
			return i + 1;
	char **grown = realloc(l->names, (l->count + 1) * sizeof *grown);
	if (!grown)
		return 0;
	l->names = grown;
	grown[l->count] = strndup(name, length);
	return grown[l->count] ? ++l->count : 0;
}

int labels_init(struct driver *d)
{
	static const char transfers[] = "(copies and fills)", media[] = "(media jobs)";
	return label_find(&d->labels, transfers, sizeof transfers - 1) == LABEL_TRANSFERS &&
	       label_find(&d->labels, media, sizeof media - 1) == LABEL_MEDIA ? 0 : KMD_NO_MEMORY;
}

void labels_fini(struct driver *d)
{
	for (uint32_t i = 0; i < d->labels.count; i++)
		free(d->labels.names[i]);
	free(d->labels.names);
}

const char *label_name(const struct driver *d, uint32_t label)
{
	return label && label <= d->labels.count ? d->labels.names[label - 1] : NULL;
}

int ioctl_label(struct file *f, struct kmd_label *a)
{
	const char *name = (const char *)(uintptr_t)a->name;
	if (!name)
		return KMD_BAD_ADDRESS;
	if (a->length > LABEL_MAX || strnlen(name, a->length) < a->length)
		return KMD_INVALID;
	HOLDING_FILE(f);
	a->label = label_find(&f->driver->labels, name, a->length);
	return a->label ? 0 : KMD_NO_MEMORY;
}
