/* The files that a program depends on, for the build cache: those that clang has read, and those that it would have read first
 * if they had been there. */
#include "runtime/compiler/clc/clc.h"
#include "base/file.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char base_header[] = "opencl-c-base.h"; /* clang includes its own header in front of every program */

/* The prerequisites of a rule as make reads it. */
static void rule_parse(struct strings *files, const char *rule)
{
	struct bytes name = { 0 };
	const char *p = strchr(rule, ':');
	for (p = p ? p + 1 : ""; *p;) {
		if (*p == ' ' || *p == '\n' || (*p == '\\' && p[1] == '\n')) {
			p++;
			continue;
		}
		for (name.size = 0; *p && *p != ' ' && *p != '\n'; p++) {
			if ((*p == '\\' && (p[1] == ' ' || p[1] == '#')) || (*p == '$' && p[1] == '$'))
				p++;
			bytes_add(&name, p, 1);
		}
		bytes_add(&name, "", 1);
		strings_add(files, name.data);
	}
	free(name.data);
}

/* ---- directories: as clang has them in the names of files ---- */

static void directory_add(struct strings *list, const char *text, size_t length)
{
	while (length >= 2 && text[0] == '.' && text[1] == '/') {
		for (text++, length--; length && *text == '/'; length--)
			text++;
	}
	while (length > 1 && text[length - 1] == '/')
		length--;
	char *directory = length == 1 && *text == '.' ? clc_format("%s", "") : clc_format("%.*s", (int)length, text);
	bool known = false;
	for (size_t i = 0; i < list->count; i++)
		known |= !strcmp(list->items[i], directory);
	if (known)
		free(directory);
	else
		strings_take(list, directory);
}

static void directory_of(struct strings *list, const char *file)
{
	const char *slash = strrchr(file, '/');
	directory_add(list, file, slash ? (size_t)(slash - file) + (slash == file) : 0);
}

/* The file's name in the directory; NULL: it is not below it. The working directory is "". */
static const char *below(const char *file, const char *directory)
{
	size_t n = strlen(directory);
	if (!n)
		return *file == '/' ? NULL : file;
	if (strncmp(file, directory, n))
		return NULL;
	return directory[n - 1] == '/' ? file + n : file[n] == '/' ? file + n + 1 : NULL;
}

static bool below_any(const char *file, const struct strings *directories)
{
	for (size_t i = 0; i < directories->count; i++)
		if (below(file, directories->items[i]))
			return true;
	return false;
}

/* ---- texts ---- */

/* Whether a text may ask if a file is there (__has_include, __has_embed): clang does not list the files that it has not found. */
static bool asks_for_files(const char *text, size_t size)
{
	struct bytes joined = { 0 };
	for (size_t i = 0; i < size; i++) {
		size_t splice = text[i] == '\\' ? 1 : size - i > 3 && !memcmp(text + i, "\?\?/", 3) ? 3 : 0, end = i + splice;
		end += splice && end < size && text[end] == '\r';
		if (splice && end < size && text[end] == '\n')
			i = end;
		else
			bytes_add(&joined, text + i, 1);
	}
	bool asks = joined.size && memmem(joined.data, joined.size, "__has_", 6);
	free(joined.data);
	return asks;
}

static bool file_asks_for_files(const char *path)
{
	size_t size;
	char *text = file_load_path(path, &size);
	bool asks = !text || asks_for_files(text, size);
	free(text);
	return asks;
}

/* ---- the list ---- */

static int compare_names(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void record_add(struct bytes *out, char kind, const char *file)
{
	bytes_add(out, &kind, 1);
	bytes_add(out, file, strlen(file) + 1);
}

/* The names under which clang searches for the file before it comes to where the file is. */
static void earlier_add(struct strings *earlier, const char *file, const struct strings *search, const struct strings *includers)
{
	for (size_t i = 0; i < search->count; i++) {
		const char *name = below(file, search->items[i]);
		for (size_t k = 0; name && k < i + includers->count; k++) {
			const char *directory = k < i ? search->items[k] : includers->items[k - i];
			strings_take(earlier, clc_format("%s%s%s", directory, *directory ? "/" : "", name));
		}
	}
}

/* Where clang searches, in order. A file there is a map of headers, which the list does not have: false. */
static bool search_path(struct strings *search, const struct clc_options *o, const char *headers)
{
	struct stat st;
	bool directories = true;
	directory_add(search, "", 0);
	if (headers)
		directory_add(search, headers, strlen(headers));
	for (size_t i = 0; i < o->clang.count; i++) {
		const char *option = o->clang.items[i];
		if (strncmp(option, "-I", 2))
			continue;
		directory_add(search, option + 2, strlen(option + 2));
		directories &= stat(option + 2, &st) || !S_ISREG(st.st_mode);
	}
	return directories;
}

void depend_list(struct bytes *out, const struct clc_options *o, const char *headers, const struct clc_source *source, const char *rule)
{
	struct strings files = { 0 }, search = { 0 }, includers = { 0 }, request = { 0 }, own = { 0 }, earlier = { 0 };
	bool known = search_path(&search, o, headers) && !asks_for_files(source->data, source->size);
	rule_parse(&files, rule);
	if (headers)
		directory_add(&request, headers, strlen(headers));
	/* clang's own headers are as its program is, unless the program's path leads to others */
	const char *base = files.count ? strrchr(files.items[0], '/') : NULL;
	if (base && !strcmp(base + 1, base_header) && *files.items[0] == '/' && !below_any(files.items[0], &(struct strings){ search.items + 1, search.count - 1 }))
		directory_of(&own, files.items[0]);
	for (size_t i = 0; i < files.count; i++)
		if (!below_any(files.items[i], &own))
			directory_of(&includers, files.items[i]);
	for (size_t i = 0; known && i < files.count; i++) {
		const char *file = files.items[i];
		if (below_any(file, &own))
			continue;
		known = !file_asks_for_files(file);
		if (!below_any(file, &request)) /* the request's headers are in the key */
			record_add(out, DEPEND_USED, file);
		earlier_add(&earlier, file, &search, &includers);
	}
	if (earlier.count)
		qsort(earlier.items, earlier.count, sizeof *earlier.items, compare_names);
	for (size_t i = 0; i < earlier.count; i++)
		if ((!i || strcmp(earlier.items[i], earlier.items[i - 1])) && !below_any(earlier.items[i], &request) && access(earlier.items[i], R_OK))
			record_add(out, DEPEND_MISSING, earlier.items[i]);
	if (known)
		bytes_add(out, "", 1);
	else
		out->size = 0;
	struct strings *lists[] = { &files, &search, &includers, &request, &own, &earlier };
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		strings_free(lists[i]);
}
