/* The client's side of a file: opening, waiting, completions and their thread. */
#define _GNU_SOURCE
#include "base/cancel.h"
#include "runtime/kmd/profile.h"
#include "runtime/umd/internal.h"
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Functions of ended commands run on this thread. */
static _Thread_local bool delivering;

bool umd_delivers(void) { return delivering; }

/* ---- completions ---- */
struct mark {
	void (*fn)(void *);
	void *arg;
};

static void command_over(struct umd_command *c, const struct kmd_event *e)
{
	c->completion = e->completion;
	c->has_fault = e->has_fault;
	c->fault = e->fault;
	c->import = e->import;
	atomic_store_explicit(&c->ended, true, memory_order_release);
	if (c->done)
		c->done(c->arg, &c->completion);
	umd_command_unref(c);
}

static void deliver(const struct kmd_event *events, unsigned count)
{
	delivering = true;
	for (unsigned i = 0; i < count; i++) {
		void *cookie = (void *)(uintptr_t)events[i].cookie;
		if (events[i].queue) {
			command_over(cookie, &events[i]);
			continue;
		}
		struct mark mark = *(struct mark *)cookie;
		free(cookie);
		mark.fn(mark.arg);
	}
	delivering = false;
}

/* Until what is waited for has come about; handles completions meanwhile. */
static int wait_and_deliver(struct umd *u, struct kmd_wait *w)
{
	NOT_CANCELLED;
	struct kmd_event events[KMD_EVENTS_MAX];
	int result;
	w->events = (uintptr_t)events;
	while ((result = kmd_ioctl(u->file, KMD_WAIT, w)) == KMD_EVENTS)
		deliver(events, w->num_events);
	return result;
}

int umd_wait_for(struct umd *u, struct kmd_wait *w)
{
	PHASE_HERE(WAIT);
	return wait_and_deliver(u, w);
}

int umd_post(struct umd *u, void (*fn)(void *), void *arg)
{
	struct mark *m = malloc(sizeof *m);
	if (!m)
		return KMD_NO_MEMORY;
	*m = (struct mark){ fn, arg };
	int error = kmd_ioctl(u->file, KMD_MARK, &(struct kmd_mark){ .cookie = (uintptr_t)m });
	if (error)
		free(m);
	return error;
}

void umd_sync(struct umd *u)
{
	COMPLETIONS_MAY_RUN();
	u->crowded = false;
	umd_wait_for(u, &(struct kmd_wait){ .flags = KMD_WAIT_IDLE });
}

void umd_throttle(struct umd_space *s)
{
	if (s->umd->crowded && !delivering)
		umd_sync(s->umd);
}

bool umd_hurry(struct umd *u)
{
	struct kmd_kick kick = { 0 };
	/* a thread that has been started serves soon */
	return !kmd_ioctl(u->file, KMD_KICK, &kick) && (kick.there || __atomic_load_n(&u->thread_started, __ATOMIC_ACQUIRE));
}

int umd_retry(struct umd *u, int error, uint32_t *retry)
{
	if (delivering)
		return error;
	if (error == KMD_BEHIND)
		return umd_wait_for(u, &(struct kmd_wait){ .flags = KMD_WAIT_BEHIND }) ? error : KMD_AGAIN;
	if (error == KMD_AGAIN || (!*retry && (error == KMD_NO_MEMORY || error == KMD_NO_DEVICE_MEMORY))) {
		*retry = 1; /* released objects may only wait for their commands to be seen ended */
		umd_sync(u);
		return KMD_AGAIN;
	}
	return error;
}

/* ---- the completion thread ---- */
static void *serve(void *arg)
{
	wait_and_deliver(arg, &(struct kmd_wait){ .flags = KMD_WAIT_SERVE });
	return NULL;
}

void umd_start_thread(struct umd *u)
{
	sigset_t all, old;
	pthread_mutex_lock(&u->lock);
	if (!u->thread_started) {
		sigfillset(&all);
		sigdelset(&all, SIGSEGV); /* of its own accesses (runtime/kmd/unmapped.c) */
		sigdelset(&all, SIGBUS);
		pthread_sigmask(SIG_SETMASK, &all, &old); /* signals are the application's */
		/* without a thread, work that no thread waits for is done at the next wait */
		__atomic_store_n(&u->thread_started, !pthread_create(&u->thread, NULL, serve, u), __ATOMIC_RELEASE);
		pthread_sigmask(SIG_SETMASK, &old, NULL);
		if (u->thread_started)
			pthread_setname_np(u->thread, "galena-complete");
	}
	pthread_mutex_unlock(&u->lock);
}

/* ---- opening and closing ---- */
/* So that a recording holds all of the work, and in the same order, whatever part of it the completion thread has taken already. */
static void finish_recorded(struct umd *u)
{
	if (u->platform.recording)
		umd_wait_for(u, &(struct kmd_wait){ .flags = KMD_WAIT_IDLE | KMD_WAIT_EXIT });
}

static struct umd *at_exit_umd;

static void at_exit(void)
{
	struct umd *u = at_exit_umd;
	if (u && u->owner == getpid())
		finish_recorded(u);
}

static void finish_at_exit(struct umd *u)
{
	static bool registered;
	at_exit_umd = u;
	if (!registered)
		registered = !atexit(at_exit);
}

struct umd *umd_open(const char **error)
{
	static const char *ignored;
	struct umd *u = calloc(1, sizeof *u);
	if (!error)
		error = &ignored;
	*error = "out of host memory";
	if (!u)
		return NULL;
	pthread_mutex_init(&u->lock, NULL);
	u->owner = getpid();
	u->file = kmd_open(error);
	if (u->file < 0) {
		free(u);
		return NULL;
	}
	kmd_ioctl(u->file, KMD_PLATFORM, &u->platform);
	for (unsigned i = 0; i < u->platform.num_devices; i++) {
		u->devices[i].device = i;
		kmd_ioctl(u->file, KMD_DEVICE, &u->devices[i]);
	}
	if (u->platform.recording)
		finish_at_exit(u);
	return u;
}

void umd_close(struct umd *u)
{
	if (!u || u->owner != getpid()) /* a forked child has neither the thread nor the right to end what is its parent's */
		return;
	if (at_exit_umd == u)
		at_exit_umd = NULL;
	finish_recorded(u);
	if (u->thread_started) {
		kmd_ioctl(u->file, KMD_STOP, &(struct kmd_none){ { 0 } });
		pthread_join(u->thread, NULL);
	}
	kmd_close(u->file);
	pthread_mutex_destroy(&u->lock);
	free(u);
}

void umd_exit(struct umd *u)
{
	NOT_CANCELLED;
	if (!u || u->owner != getpid())
		return;
	finish_recorded(u);
	kmd_exit(u->file);
}

/* ---- queries ---- */
unsigned umd_num_devices(const struct umd *u) { return u->platform.num_devices; }
uint64_t umd_watchdog(const struct umd *u) { return u->platform.watchdog; }
bool umd_watchdog_given(const struct umd *u) { return u->platform.watchdog_given; }
void umd_uuid(const struct umd *u, uint8_t out[KMD_UUID_BYTES]) { memcpy(out, u->platform.uuid, KMD_UUID_BYTES); }

const struct kmd_device_info *umd_device_info(const struct umd *u, unsigned device)
{
	return device < u->platform.num_devices ? &u->devices[device].info : NULL;
}

void umd_device_uuid(const struct umd *u, unsigned device, uint8_t out[KMD_UUID_BYTES])
{
	memcpy(out, u->devices[device].uuid, KMD_UUID_BYTES);
}

uint64_t umd_time(struct umd *u, unsigned device)
{
	struct kmd_time t = { .device = device };
	return kmd_ioctl(u->file, KMD_TIME, &t) ? 0 : t.cycles;
}

/* A request that is answered in its place among the work. */
static int answered(struct umd *u, enum kmd_request request, void *arguments, const uint64_t *ticket)
{
	int error;
	COMPLETIONS_MAY_RUN();
	while ((error = kmd_ioctl(u->file, request, arguments)) == KMD_AGAIN) {
		error = umd_wait_for(u, &(struct kmd_wait){ .flags = KMD_WAIT_TICKET, .value = *ticket });
		if (error)
			return error;
	}
	return error;
}

uint64_t umd_clock(struct umd *u, unsigned device)
{
	struct kmd_register r = { .device = device };
	return answered(u, KMD_CLOCK, &r, &r.ticket) ? 0 : r.value;
}

uint64_t umd_read_register(struct umd *u, unsigned device, uint32_t offset, unsigned bits)
{
	struct kmd_register r = { .device = device, .offset = offset, .bits = bits };
	return answered(u, KMD_REGISTER, &r, &r.ticket) ? 0 : r.value;
}

void umd_counters(struct umd *u, unsigned device, struct kmd_counter_values *out)
{
	struct kmd_counters c = { .device = device };
	answered(u, KMD_COUNTERS, &c, &c.ticket);
	*out = c.values;
}

char *umd_firmware_log(struct umd *u, unsigned device)
{
	struct kmd_firmware_log a = { .device = device };
	umd_sync(u);
	kmd_ioctl(u->file, KMD_FIRMWARE_LOG, &a);
	char *text = calloc(1, a.size + 1);
	a.text = (uintptr_t)text;
	if (text)
		kmd_ioctl(u->file, KMD_FIRMWARE_LOG, &a);
	return text;
}

uint32_t umd_label(struct umd *u, const char *name)
{
	struct kmd_label l = { .name = (uintptr_t)name, .length = (uint32_t)strlen(name) };
	return kmd_ioctl(u->file, KMD_LABEL, &l) ? 0 : l.label;
}
