#include "base/process.h"
#include "base/file.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t process_text(pid_t pid, const char *name, char *text, size_t size)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
	return file_text(path, text, size);
}

bool process_stat(pid_t pid, struct process_stat *s)
{
	enum { STATE = 3, STATUS = 52 }; /* fields, of which the first are the number and the name */
	char text[1024];
	char *p = process_text(pid, "stat", text, sizeof text) ? strrchr(text, ')') : NULL;
	if (!p || sscanf(p + 1, " %c %*d %*d %*d %*d %*d %lu", &s->state, &s->flags) != 2)
		return false;
	for (int field = STATE - 1; p && field < STATUS; field++)
		p = strchr(p + 1, ' ');
	s->status = p ? atoi(p + 1) : 0;
	return true;
}
