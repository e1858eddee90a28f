/* The sink that writes events to a file. */
#include "traces/event_file.h"
#include "traces/output_name.h"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct file_sink {
	struct event_sink sink;
	unsigned device;
};

/* The process's one file. The lock orders the end of the process against a pump still at work. */
static struct {
	pthread_mutex_t lock;
	struct event_writer *writer; /* NULL once the process exits */
	const char *path;
	unsigned devices;
	pid_t owner; /* the end of a forked child is not the end of it */
	bool exit_registered;
} file = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void file_finish(void)
{
	if (file.writer && event_writer_close(file.writer))
		fprintf(stderr, "galena: the event file %s is not complete: %s\n", file.path, strerror(errno));
	file.writer = NULL;
	file.path = NULL;
}

static void file_exit(void)
{
	if (file.owner != getpid())
		return;
	pthread_mutex_lock(&file.lock);
	file_finish();
	pthread_mutex_unlock(&file.lock);
}

static void file_event(struct event_sink *sink, const struct event *e)
{
	pthread_mutex_lock(&file.lock);
	if (file.writer)
		event_writer_event(file.writer, ((struct file_sink *)sink)->device, e);
	pthread_mutex_unlock(&file.lock);
}

struct event_sink *event_file_open(const char *path, const struct bus_params *params, const char **error)
{
	struct file_sink *s = calloc(1, sizeof *s);
	*error = "the event file: out of memory";
	if (!s)
		return NULL;
	*s = (struct file_sink){ { .event = file_event }, params->index };
	pthread_mutex_lock(&file.lock);
	if (!file.devices)
		file.path = output_name(path, error);
	if (!file.devices && file.path)
		file.writer = event_writer_open(file.path, error);
	if (params->index >= EVENT_FILE_DEVICES)
		*error = "the event file: no device has a number above 15";
	else if (file.writer) {
		file.owner = getpid();
		if (!file.exit_registered)
			file.exit_registered = !atexit(file_exit);
		file.devices++;
		event_writer_device(file.writer, s->device, params->device, params->config, params->speed);
		*error = NULL;
	}
	if (*error && !file.devices)
		file_finish();
	pthread_mutex_unlock(&file.lock);
	if (!*error)
		return &s->sink;
	free(s);
	return NULL;
}

void event_file_close(struct event_sink *sink)
{
	pthread_mutex_lock(&file.lock);
	if (--file.devices == 0)
		file_finish();
	pthread_mutex_unlock(&file.lock);
	free(sink);
}
