#include "zygote/zygote.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { IDLE_SECONDS = 60 };

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	       a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static void drop(struct zygote_keeper *k)
{
	if (k->open)
		close(k->socket);
	free(k->program);
	k->open = false;
	k->program = NULL;
}

int zygote_keep(struct zygote_keeper *k, const char *program, bool gone)
{
	struct stat file;
	int socket = -1;
	/* who cannot have the lock does without: another thread starts one, or did when this process was forked */
	if (stat(program, &file) || pthread_mutex_trylock(&k->lock))
		return -1;
	if (gone || (k->program && (strcmp(k->program, program) || !same_file(&file, &k->file))))
		drop(k);
	if (!k->program && k->runs > 0 && !gone && (k->program = strdup(program))) {
		k->file = file;
		k->socket = k->background ? zygote_start_background(program, IDLE_SECONDS) : zygote_start(program, NULL, IDLE_SECONDS);
		k->open = k->socket >= 0; /* else it is not tried again */
	}
	if (k->open && !gone)
		socket = fcntl(k->socket, F_DUPFD_CLOEXEC, k->socket);
	k->runs++;
	pthread_mutex_unlock(&k->lock);
	return socket;
}
