/* Fences that clients make: those that the host signals, and binary semaphores, which commands do and which others may have by descriptor. */
#include "runtime/umd/internal.h"
#include <stdlib.h>
#include <unistd.h>

static int make(struct umd *u, enum kmd_request request, void *arguments, const uint32_t *fence, struct umd_sem **out)
{
	struct umd_sem *s = malloc(sizeof *s);
	const int error = s ? kmd_ioctl(u->file, request, arguments) : KMD_NO_MEMORY;
	if (error) {
		free(s);
		return error;
	}
	*s = (struct umd_sem){ u, *fence };
	*out = s;
	return 0;
}

int umd_sem_create(struct umd *u, unsigned flags, struct umd_sem **out)
{
	struct kmd_fence a = { .flags = flags };
	return make(u, KMD_FENCE_CREATE, &a, &a.fence, out);
}

int umd_sem_import(struct umd *u, enum kmd_fence_kind kind, int fd, struct umd_sem **out)
{
	struct kmd_fence_fd a = { .kind = kind, .fd = fd };
	return make(u, KMD_FENCE_IMPORT, &a, &a.fence, out);
}

int umd_bo_users(const struct umd_bo *bo, struct umd_sem **out)
{
	struct kmd_bo_users a = { .bo = bo->bo };
	return make(bo->umd, KMD_BO_USERS, &a, &a.fence, out);
}

void umd_turn_packets(const struct umd_sem *s, union packet out[2])
{
	umd_sem_wait_packet(s, &out[0]);
	umd_sem_give_packet(s, &out[1]);
}

int umd_sem_export(struct umd_sem *s, enum kmd_fence_kind kind, int *fd)
{
	struct kmd_fence_fd a = { .fence = s->fence, .kind = kind };
	const int error = kmd_ioctl(s->umd->file, KMD_FENCE_EXPORT, &a);
	if (!error)
		*fd = a.fd;
	return error;
}

void umd_sem_wait_packet(const struct umd_sem *s, union packet *out)
{
	*out = (union packet){ .sem_wait = { .head.type = PACKET_CODE_sem_wait, .semaphore = s->fence, .value = 1 } };
}

void umd_sem_take_packet(const struct umd_sem *s, union packet *out)
{
	umd_sem_wait_packet(s, out);
	out->sem_wait.mode = 1;
}

void umd_sem_give_packet(const struct umd_sem *s, union packet *out)
{
	*out = (union packet){ .sem_signal = { .head.type = PACKET_CODE_sem_signal, .semaphore = s->fence } };
}

void umd_sem_signal(struct umd_sem *s, int32_t status)
{
	kmd_ioctl(s->umd->file, KMD_FENCE_SIGNAL, &(struct kmd_signal){ s->fence, status, 1 });
}

void umd_sem_give(struct umd_sem *s) { kmd_ioctl(s->umd->file, KMD_FENCE_SIGNAL, &(struct kmd_signal){ .fence = s->fence }); }

bool umd_sem_given(struct umd_sem *s)
{
	struct kmd_fence_value v = { .fence = s->fence };
	umd_sync(s->umd);
	return !kmd_ioctl(s->umd->file, KMD_FENCE_QUERY, &v) && !v.status && v.value > v.waits;
}

/* A sync file takes the signal, and is not needed. */
int umd_sem_take(struct umd_sem *s)
{
	int fd;
	const int error = umd_sem_export(s, KMD_FENCE_SYNC_FILE, &fd);
	if (!error)
		close(fd);
	return error;
}

void umd_sem_reach_packet(const struct umd_sem *s, uint64_t value, union packet *out)
{
	umd_sem_wait_packet(s, out);
	out->sem_wait.value = value;
}

void umd_sem_advance_packet(const struct umd_sem *s, uint64_t value, union packet *out)
{
	umd_sem_give_packet(s, out);
	out->sem_signal.value = value;
}

int umd_sem_advance(struct umd_sem *s, uint64_t value)
{
	return kmd_ioctl(s->umd->file, KMD_FENCE_SIGNAL, &(struct kmd_signal){ .fence = s->fence, .value = value });
}

int umd_sem_wait(struct umd_sem *s, uint64_t value)
{
	COMPLETIONS_MAY_RUN();
	if (umd_delivers())
		return KMD_INVALID;
	return umd_wait_for(s->umd, &(struct kmd_wait){ .flags = KMD_WAIT_POINT, .fence = s->fence, .value = value });
}

int umd_sem_query(const struct umd_sem *s, struct kmd_fence_value *out)
{
	*out = (struct kmd_fence_value){ .fence = s->fence };
	return kmd_ioctl(s->umd->file, KMD_FENCE_QUERY, out);
}

void umd_sem_release(struct umd_sem *s)
{
	if (!s)
		return;
	kmd_ioctl(s->umd->file, KMD_FENCE_CLOSE, &(struct kmd_fence){ .fence = s->fence });
	free(s);
}
