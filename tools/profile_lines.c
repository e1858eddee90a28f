/* From instructions to lines: the kernel objects that ran, the sources in them, and llvm-symbolizer, which
 * reads their line tables. */
#define _GNU_SOURCE
#include "base/file.h"
#include "base/memory_file.h"
#include "tools/profile.h"
#include "tools/galena.h"
#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
enum { PAGE = 4096 };

/* ---- objects ---- */

static void source_lines(struct profile_source *s)
{
	for (char *p = s->text; p;) {
		char *line = strsep(&p, "\n");
		size_t n = strlen(line);
		if (n && line[n - 1] == '\r')
			line[n - 1] = 0;
		*array_add(&s->lines) = line;
	}
}

/* Section NOTE_SOURCES: names and texts, each with a 0 behind it. */
static void sources_add(struct profile *p, const char *data, size_t size)
{
	const char *end = data + size;
	while (data < end) {
		const char *name = data, *text = memchr(name, 0, (size_t)(end - name));
		const char *after = text ? memchr(text + 1, 0, (size_t)(end - text - 1)) : NULL;
		if (!after)
			return;
		bool known = false;
		for (size_t i = 0; i < p->sources.count && !known; i++)
			known = !strcmp(p->sources.at[i].name, name);
		if (!known) {
			struct profile_source *s = array_add(&p->sources);
			s->name = text("%s", name);
			s->text = text("%s", text + 1);
			source_lines(s);
		}
		data = after + 1;
	}
}

static void sources_load(struct profile *p, char *bytes, size_t size)
{
	size_t names = 0;
	Elf_Scn *scn = NULL;
	elf_version(EV_CURRENT);
	Elf *elf = elf_memory(bytes, size);
	while (elf && !elf_getshdrstrndx(elf, &names) && (scn = elf_nextscn(elf, scn))) {
		GElf_Shdr h;
		const char *name = gelf_getshdr(scn, &h) ? elf_strptr(elf, names, h.sh_name) : NULL;
		if (name && !strcmp(name, NOTE_SOURCES) && h.sh_offset <= size && h.sh_size <= size - h.sh_offset)
			sources_add(p, bytes + h.sh_offset, h.sh_size);
	}
	if (elf)
		elf_end(elf);
}

bool profile_object_load(struct profile *p, const char *path)
{
	const char *error = NULL;
	size_t size;
	char *bytes = file_load_path(path, &size);
	struct kernel_object *object = kernel_object_read(bytes, size, &error);
	if (object) {
		struct profile_object *o = array_add(&p->objects);
		*o = (struct profile_object){ text("%s", path), object, NULL, kernel_object_image_size(object) };
		o->image = profile_alloc(o->size);
		kernel_object_place(object, 0, o->image);
		sources_load(p, bytes, size);
	} else {
		fail(EXIT_FAILED, "%s: %s", path, error);
	}
	free(bytes);
	return object != NULL;
}

/* Whether these are the words of the page: where one is 0, the device has not seen what stands there. */
static bool words_are(const uint8_t *image, const uint32_t *words, size_t count)
{
	bool seen = false;
	for (size_t i = 0; i < count; i++) {
		if (words[i] && memcmp(image + i * sizeof *words, &words[i], sizeof *words))
			return false;
		seen |= words[i] != 0;
	}
	return seen;
}

/* Whether the page is in the text of the object; *at: where. */
static bool object_has(const struct profile_object *o, const uint32_t *words, size_t count, uint64_t *at)
{
	for (size_t i = 0; i < kernel_object_num_segments(o->object); i++) {
		const struct kernel_segment *s = kernel_object_segment(o->object, i);
		for (uint64_t a = s->address; s->execute && a + PAGE <= o->size && a < s->address + s->mem_size; a += PAGE)
			if (words_are((const uint8_t *)o->image + a, words, count)) {
				*at = a;
				return true;
			}
	}
	return false;
}

int profile_object_find(const struct profile *p, const uint32_t *words, size_t count, uint64_t va, int prefer, uint64_t *base)
{
	uint64_t at = 0;
	int found = prefer >= 0 && object_has(&p->objects.at[prefer], words, count, &at) ? prefer : -1;
	for (size_t i = 0; found < 0 && i < p->objects.count; i++)
		if (object_has(&p->objects.at[i], words, count, &at))
			found = (int)i;
	*base = va - at;
	return found;
}

/* ---- the symbolizer ---- */

static int text_file(const char *name)
{
	int fd = memory_file_open(name, 0);
	if (fd < 0)
		exit(fail(EXIT_FAILED, "cannot make a memory file: %s", strerror(errno)));
	return fd;
}

/* Runs it over the addresses in the file in; its answers, to be closed, or NULL. */
static FILE *symbolizer_run(const char *object, int in)
{
	static const char *const programs[] = { SYMBOLIZER, "llvm-symbolizer-19", "llvm-symbolizer" };
	char *option = text("--obj=%s", object);
	int out = text_file("lines"), status = -1;
	for (size_t i = 0; i < sizeof programs / sizeof *programs && status; i++) {
		char *argv[] = { (char *)programs[i], option, "--inlines", "--no-demangle", "--output-style=LLVM", NULL };
		posix_spawn_file_actions_t actions;
		pid_t pid;
		lseek(in, 0, SEEK_SET);
		posix_spawn_file_actions_init(&actions);
		posix_spawn_file_actions_adddup2(&actions, in, 0);
		posix_spawn_file_actions_adddup2(&actions, out, 1);
		if (!posix_spawnp(&pid, programs[i], &actions, NULL, argv, environ))
			while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
				;
		posix_spawn_file_actions_destroy(&actions);
	}
	free(option);
	lseek(out, 0, SEEK_SET);
	FILE *f = status ? NULL : fdopen(out, "r");
	if (!f)
		close(out);
	return f;
}

/* The name as its source has it: the compiler's own additions go, and what is left of a builtin's mangling. */
static char *function_name(const char *name)
{
	static const char entry[] = "__galena_entry.", own[] = ".program";
	if (!strncmp(name, entry, sizeof entry - 1))
		name += sizeof entry - 1;
	size_t n = strlen(name);
	if (n > sizeof own - 1 && !strcmp(name + n - (sizeof own - 1), own))
		n -= sizeof own - 1;
	if (!strncmp(name, "_Z", 2)) {
		char *rest;
		unsigned long length = strtoul(name + 2, &rest, 10);
		if (length && length <= strlen(rest))
			return text("%.*s()", (int)length, rest);
	}
	return text("%.*s", (int)n, name);
}

/* "FILE:LINE:COLUMN" */
static void frame_place(struct profile_frame *f, char *place)
{
	for (int i = 0; i < 2; i++) {
		char *colon = strrchr(place, ':');
		if (!colon)
			return;
		*colon = 0;
		f->line = (unsigned)strtoul(colon + 1, NULL, 10);
	}
	if (!strncmp(place, "./", 2))
		place += 2;
	if (strcmp(place, "??") && f->line)
		f->file = text("%s", place);
}

static void frames_read(struct profile_site *s, FILE *f, char **line, size_t *room)
{
	ARRAY(struct profile_frame) frames = { 0 };
	for (ssize_t n; (n = getline(line, room, f)) > 1;) { /* an empty line ends them */
		(*line)[n - 1] = 0;
		struct profile_frame *frame = array_add(&frames);
		frame->function = function_name(*line);
		if ((n = getline(line, room, f)) <= 1)
			break;
		(*line)[n - 1] = 0;
		frame_place(frame, *line);
	}
	s->frames = frames.at;
	s->num_frames = (unsigned)frames.count;
}

void profile_lines_find(struct profile *p)
{
	char *line = NULL;
	size_t room = 0;
	for (size_t o = 0; o < p->objects.count; o++) {
		int in = text_file("addresses");
		bool any = false;
		for (size_t i = 0; i < p->sites.count; i++)
			if (p->sites.at[i].object == (int)o)
				any |= dprintf(in, "0x%llx\n", (unsigned long long)p->sites.at[i].pc) > 0;
		FILE *f = any ? symbolizer_run(p->objects.at[o].path, in) : NULL;
		close(in);
		p->no_lines |= any && !f;
		for (size_t i = 0; f && i < p->sites.count; i++)
			if (p->sites.at[i].object == (int)o)
				frames_read(&p->sites.at[i], f, &line, &room);
		if (f)
			fclose(f);
	}
	free(line);
	for (size_t i = 0; i < p->sites.count; i++) {
		struct profile_site *s = &p->sites.at[i];
		if (s->num_frames)
			continue;
		s->frames = profile_alloc(sizeof *s->frames);
		s->frames->function = text("0x%llx", (unsigned long long)s->pc);
		s->num_frames = 1;
	}
}

const char *profile_line_text(const struct profile *p, const struct profile_frame *f)
{
	for (size_t i = 0; f && f->file && i < p->sources.count; i++) {
		const struct profile_source *s = &p->sources.at[i];
		if (!strcmp(s->name, f->file) && f->line && f->line <= s->lines.count)
			return s->lines.at[f->line - 1] + strspn(s->lines.at[f->line - 1], " \t");
	}
	return "";
}
