/* `galena profile DIR`, and what `galena run --profile` does around the program. */
#define _GNU_SOURCE
#include "tools/galena.h"
#include "tools/profile.h"
#include <argp.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

/* ---- what is made of what was read ---- */

static int by_kernel(const void *a, const void *b)
{
	const struct profile_kernel *x = a, *y = b;
	uint64_t n = profile_cu_cycles(&x->counts), m = profile_cu_cycles(&y->counts);
	return n != m ? (n < m ? 1 : -1) : strcmp(x->name, y->name);
}

static int by_line(const void *a, const void *b)
{
	const struct profile_line *x = a, *y = b;
	uint64_t n = profile_cu_cycles(&x->counts), m = profile_cu_cycles(&y->counts);
	return n != m ? (n < m ? 1 : -1) : strcmp(x->name, y->name);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct profile_line *)a)->name, ((const struct profile_line *)b)->name);
}

/* A line for every row, then one for all of the same name. */
static void lines_make(struct profile *p)
{
	for (size_t i = 0; i < p->rows.count; i++) {
		const struct profile_row *r = &p->rows.at[i];
		const struct profile_frame *f = r->site >= 0 ? p->sites.at[r->site].frames : NULL;
		struct profile_line *l = array_add(&p->lines);
		l->frame = f;
		l->name = f && f->file ? text("%s:%u", f->file, f->line) :
					 text("%s", f ? f->function : p->kernels.at[r->kernel].name);
		l->counts = r->counts;
	}
	size_t count = 0;
	if (p->lines.count)
		qsort(p->lines.at, p->lines.count, sizeof *p->lines.at, by_name);
	for (size_t i = 0; i < p->lines.count; i++) {
		struct profile_line *l = &p->lines.at[i];
		if (count && !strcmp(p->lines.at[count - 1].name, l->name)) {
			profile_counts_add(&p->lines.at[count - 1].counts, &l->counts);
			free(l->name);
		} else {
			p->lines.at[count++] = *l;
		}
	}
	p->lines.count = count;
	if (count)
		qsort(p->lines.at, count, sizeof *p->lines.at, by_line);
}

/* Rows name kernels by their place. */
static void kernels_sort(struct profile *p)
{
	char **names = profile_alloc(p->kernels.count * sizeof *names);
	for (size_t i = 0; i < p->kernels.count; i++)
		names[i] = p->kernels.at[i].name;
	if (p->kernels.count)
		qsort(p->kernels.at, p->kernels.count, sizeof *p->kernels.at, by_kernel);
	for (size_t i = 0; i < p->rows.count; i++)
		for (unsigned k = 0; k < p->kernels.count; k++)
			if (p->kernels.at[k].name == names[p->rows.at[i].kernel]) {
				p->rows.at[i].kernel = k;
				break;
			}
	free(names);
}

/* ---- files ---- */

static FILE *file_open(const char *directory, const char *name)
{
	char *path = text("%s/%s", directory, name);
	FILE *f = fopen(path, "we");
	if (!f)
		fail(EXIT_FAILED, "cannot write %s: %s", path, strerror(errno));
	free(path);
	return f;
}

static bool text_write(const struct profile *p, const char *directory, const char *name, void (*print)(const struct profile *, FILE *))
{
	FILE *f = file_open(directory, name);
	if (f)
		print(p, f);
	return f && !(ferror(f) | fclose(f));
}

static bool flame_write(const struct profile *p, const char *directory, const char *name, void (*stacks)(const struct profile *, FILE *),
			const char *title, const char *unit)
{
	char *text = NULL, *file;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	if (!f)
		return false;
	profile_folded(p, stacks, f);
	fclose(f);
	file = text("%s.folded", name);
	f = file_open(directory, file);
	free(file);
	bool good = f && fwrite(text, 1, size, f) == size;
	if (f && fclose(f))
		good = false;
	file = text("%s.svg", name);
	f = file_open(directory, file);
	free(file);
	if (f)
		profile_flame_draw(p, f, text, title, unit);
	good &= f && !(ferror(f) | fclose(f));
	free(text);
	return good;
}

/* All that is made of it, into the directory. */
static int files_write(const struct profile *p, const char *directory, FILE *table)
{
	const char *program = p->program;
	char *device = text("%s%sdevice: kernels, functions, lines, and what the cycles were spent on", program ? program : "", program ? ", " : "");
	char *host = text("%s%shost: threads and what they did", program ? program : "", program ? ", " : "");
	bool good = text_write(p, directory, "profile.txt", profile_table_print) && text_write(p, directory, "listing.txt", profile_listing_print) &&
		    text_write(p, directory, "profile.json", profile_json_print) &&
		    flame_write(p, directory, "flame-device", profile_device_stacks, device, p->timed ? "cycles of compute units" : "warp instructions") &&
		    flame_write(p, directory, "flame-host", profile_host_stacks, host, "microseconds");
	free(device);
	free(host);
	if (good)
		fprintf(table, "\nin %s: profile.txt listing.txt profile.json flame-device.svg flame-host.svg, and both as .folded\n", directory);
	return good ? EXIT_OK : EXIT_FAILED;
}

/* Reads the directory and prints the tables; with files, writes them and the rest into it, too. */
static int report(const char *directory, const char *program, bool files, FILE *table)
{
	struct profile p = { .program = (char *)program };
	int status = EXIT_FAILED;
	if (profile_read(&p, directory)) {
		profile_lines_find(&p);
		kernels_sort(&p);
		lines_make(&p);
		profile_table_print(&p, table);
		status = files ? files_write(&p, directory, table) : EXIT_OK;
	}
	profile_free(&p);
	return status;
}

/* ---- around a program ---- */

static bool is_part(const char *name)
{
	static const char *const suffixes[] = { PROFILE_FILE_ENDING, PROFILE_MEMORY_ENDING, ".host", ".gko", ".part" };
	const char *dot = strrchr(name, '.');
	for (size_t i = 0; dot && i < sizeof suffixes / sizeof *suffixes; i++)
		if (!strcmp(dot, suffixes[i]))
			return true;
	return strstr(name, ".gko."); /* an object that was not written to its end */
}

/* Removes what an earlier profile was made of. */
static void directory_clear(const char *directory)
{
	DIR *d = opendir(directory);
	for (struct dirent *e; d && (e = readdir(d));)
		if (is_part(e->d_name))
			unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
}

int profile_program(const char *directory, char **argv)
{
	char temporary[] = "/tmp/galena-profile-XXXXXX";
	char *path = directory ? NULL : mkdtemp(temporary);
	if (directory && mkdir(directory, 0777) && errno != EEXIST)
		return fail(EXIT_USAGE, "--profile=%s: cannot make the directory: %s", directory, strerror(errno));
	if (directory && !(path = realpath(directory, NULL)))
		return fail(EXIT_USAGE, "--profile=%s: cannot use the directory: %s", directory, strerror(errno));
	if (!path || access(path, W_OK))
		return fail(directory ? EXIT_USAGE : EXIT_FAILED, "cannot write to the directory of the profile, %s: %s",
			    path ? path : "one in /tmp", strerror(errno));
	directory_clear(path);
	setenv("GALENA_PROFILE", path, 1);
	int by, status = program_run(argv, true, &by);
	int reported = status == EXIT_NO_PROGRAM ? EXIT_OK : report(path, argv[0], directory != NULL, stderr);
	if (directory) {
		free(path);
	} else {
		directory_clear(path);
		rmdir(path);
	}
	return status ? status : reported;
}

/* ---- the command ---- */

static error_t option_parse(int key, char *arg, struct argp_state *state)
{
	const char **directory = state->input;
	if (key == ARGP_KEY_ARG && !*directory) {
		*directory = arg;
		return 0;
	}
	if (key == ARGP_KEY_NO_ARGS)
		argp_error(state, "no directory");
	return ARGP_ERR_UNKNOWN;
}

int command_profile(int argc, char **argv)
{
	static const struct argp argp = {
		NULL, option_parse, "DIR",
		"Makes tables and flame graphs of what profiled programs have left in a directory.\v"
		"`galena run --profile=DIR` does this by itself; by hand it is for programs that are started otherwise:\n"
		"  GALENA_PROFILE=$PWD/p ./program && galena profile p\n\n"
		"Writes profile.txt, listing.txt, profile.json, flame-device.svg, flame-host.svg, and the flame graphs' "
		"stacks as .folded, into DIR.", NULL, NULL, NULL,
	};
	const char *directory = NULL;
	argp_parse(&argp, argc, argv, 0, NULL, &directory);
	return report(directory, NULL, true, stdout);
}
