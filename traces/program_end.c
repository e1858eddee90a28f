#define _GNU_SOURCE
#include "traces/program_end.h"
#include <stdio.h>
#include <string.h>

const char *program_end_text(uint64_t end)
{
	static _Thread_local char text[128];
	unsigned value = (unsigned)(end >> 8);
	*text = 0;
	switch (end & 0xff) {
	case PROGRAM_DONE:
		break;
	case PROGRAM_STATUS:
		snprintf(text, sizeof text, "program ended with status %u, its devices open (_exit)", value);
		break;
	case PROGRAM_SIGNAL:
		snprintf(text, sizeof text, "program ended by signal %u (%s)", value, sigdescr_np((int)value) ? sigdescr_np((int)value) : "unknown");
		break;
	case PROGRAM_EXEC:
		return "program became another one (exec)";
	case PROGRAM_LOST:
		return "program ended, and the system does not say how";
	default:
		return NULL;
	}
	return text;
}
