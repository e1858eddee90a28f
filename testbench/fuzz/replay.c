/* Runs a fuzz target on files instead of under a fuzzer: replay [FILE|DIRECTORY]..., by default the
 * target's corpus in the tree. */
#define _GNU_SOURCE
#include "testbench/fuzz/fuzz.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned replayed;

static int replay_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = malloc(1 << 20);
	if (!f || !data) {
		fprintf(stderr, "cannot read %s\n", path);
		return 1;
	}
	size_t size = fread(data, 1, 1 << 20, f);
	fclose(f);
	printf("# %s, %zu bytes\n", path, size);
	fflush(stdout); /* so that a crash is that of the last name */
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	replayed++;
	return 0;
}

static int replay(const char *path)
{
	struct dirent **entries;
	int n = scandir(path, &entries, NULL, alphasort), status = 0;
	if (n < 0)
		return replay_file(path);
	for (int i = 0; i < n; i++) {
		char name[4096];
		snprintf(name, sizeof(name), "%s/%s", path, entries[i]->d_name);
		if (entries[i]->d_name[0] != '.')
			status |= replay_file(name);
		free(entries[i]);
	}
	free(entries);
	return status;
}

int main(int argc, char **argv)
{
	char corpus[256];
	int status = 0;
	snprintf(corpus, sizeof(corpus), "testbench/fuzz/corpus/%s", strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0]);
	if (argc < 2)
		status = replay(corpus);
	for (int i = 1; i < argc; i++)
		status |= replay(argv[i]);
	printf("%s %u inputs replayed\n", status || !replayed ? "not ok" : "ok", replayed);
	return status || !replayed;
}
