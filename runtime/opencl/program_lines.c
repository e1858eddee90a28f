/* Which line of which source an instruction of a program was made from, for messages: the line table of its object, and the names
 * that the compiler's messages use. */
#include "base/hash.h"
#include "runtime/compiler/line_table.h"
#include "runtime/opencl/program.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* galena-clc names a source by its contents, so that the object depends on nothing else. */
static uint32_t source_hash(const char *text, size_t size) { return (uint32_t)hash64(text, size); }

/* Sources that were compiled to be linked, which may be released before their programs fault. The process's. */
static struct {
	pthread_mutex_t lock;
	struct compiled { uint32_t hash; unsigned number; } *list;
	size_t count, room;
} compiled = { .lock = PTHREAD_MUTEX_INITIALIZER };

void program_lines_note(const struct _cl_program *p)
{
	const uint32_t hash = source_hash(p->source, p->source_size);
	HOLDING(&compiled.lock);
	size_t i = 0;
	while (i < compiled.count && compiled.list[i].hash != hash)
		i++;
	if (i == compiled.room) {
		struct compiled *more = realloc(compiled.list, (compiled.room * 2 + 8) * sizeof *more);
		if (more) {
			compiled.list = more;
			compiled.room = compiled.room * 2 + 8;
		}
	}
	if (i < compiled.room) { /* of equal sources the last */
		compiled.list[i] = (struct compiled){ hash, p->number };
		compiled.count += i == compiled.count;
	}
}

static unsigned compiled_number(uint32_t hash)
{
	unsigned number = 0;
	HOLDING(&compiled.lock);
	for (size_t i = 0; i < compiled.count; i++)
		if (compiled.list[i].hash == hash)
			number = compiled.list[i].number;
	return number;
}

bool program_place(const struct _cl_program *p, const struct program_code *code, uint64_t address, char *text, size_t size)
{
	struct line_place at;
	unsigned hash, number = 0;
	int end = 0;
	char name[32];
	if (!kernel_object_line(code->object, address, &at))
		return false;
	if (sscanf(at.file, "program-%8x.cl%n", &hash, &end) == 1 && end && !at.file[end]) {
		if (p->origin == PROGRAM_SOURCE && source_hash(p->source, p->source_size) == hash)
			number = p->number;
		else
			number = compiled_number(hash);
	}
	snprintf(text, size, "%s:%u", number ? program_number_name(number, name, sizeof name) : at.file, at.line);
	return true;
}
