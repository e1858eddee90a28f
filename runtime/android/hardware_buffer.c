/* android/hardware_buffer.h on heaps. */
#include "base/cancel.h"
#include "abi/address_map.h"
#include "base/fork.h"
#include "base/hold.h"
#include "include/galena/heap.h"
#include "runtime/android/layout.h"
#include "runtime/heap/heap_buffer.h"
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ROW_ALIGN = 64, SIDE_MAX = 16384, LAYERS_MAX = 2048 };
#define ALLOCATION_MAX (1ull << 40)
static const uint64_t cpu_read = AHARDWAREBUFFER_USAGE_CPU_READ_MASK, cpu_write = AHARDWAREBUFFER_USAGE_CPU_WRITE_MASK;

struct AHardwareBuffer {
	AHardwareBuffer *next;
	AHardwareBuffer_Desc desc;
	struct hardware_layout layout;
	unsigned refs;
	int fd;
	uint64_t id;
	char *host;                /* mapping, made at the first lock */
	unsigned readers, writers; /* locks */
};

/* All that there are: what is handed in may be anything. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static AHardwareBuffer *buffers;
static void forked(void) { lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER; }
AFTER_FORK(forked)

/* Is it one? Locked; nothing is read through it otherwise. */
static AHardwareBuffer *find(const AHardwareBuffer *b)
{
	AHardwareBuffer *at = buffers;
	while (at && at != b)
		at = at->next;
	return at;
}

/* ---- layout ---- */

static const struct format {
	uint32_t format;
	unsigned pixel;  /* bytes, of the first plane */
	bool chroma;     /* a second plane of half the size in both directions, pixels of twice the bytes */
} formats[] = {
	{ AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, 4, false },    { AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM, 4, false },
	{ AHARDWAREBUFFER_FORMAT_R8G8B8_UNORM, 3, false },      { AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM, 2, false },
	{ AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT, 8, false }, { AHARDWAREBUFFER_FORMAT_BLOB, 1, false },
	{ AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420, 1, true },       { AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM, 4, false },
	{ AHARDWAREBUFFER_FORMAT_YCbCr_P010, 2, true },         { AHARDWAREBUFFER_FORMAT_R8_UNORM, 1, false },
};

static const struct format *format_of(uint32_t format)
{
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		if (formats[i].format == format)
			return &formats[i];
	return NULL;
}

static uint64_t round_up(uint64_t v, uint64_t to) { return (v + to - 1) / to * to; }

/* Rows of whole pixels at multiples of ROW_ALIGN. */
static uint32_t row_bytes(uint32_t width, unsigned pixel)
{
	uint64_t row = round_up((uint64_t)width * pixel, ROW_ALIGN);
	while (row % pixel)
		row += ROW_ALIGN;
	return (uint32_t)row;
}

static bool layout_of(const AHardwareBuffer_Desc *d, struct hardware_layout *out)
{
	const struct format *f = d ? format_of(d->format) : NULL;
	const bool blob = f && f->format == AHARDWAREBUFFER_FORMAT_BLOB;
	if (!f || !d->width || !d->height || !d->layers || d->rfu0 || d->rfu1 || d->layers > LAYERS_MAX ||
	    d->width > (blob ? INT_MAX : SIDE_MAX) || d->height > SIDE_MAX || (blob && (d->height != 1 || d->layers != 1)) ||
	    (f->chroma && (d->width % 2 || d->height % 2)))
		return false;
	struct hardware_layout l = { .planes = 1 + f->chroma, .layers = d->layers };
	for (unsigned p = 0; p < l.planes; p++) {
		l.plane[p].pixel = f->pixel << p;
		l.plane[p].row = blob ? d->width : row_bytes(d->width >> p, l.plane[p].pixel);
		l.plane[p].size = (uint64_t)l.plane[p].row * (d->height >> p);
		l.plane[p].offset = p ? round_up(l.plane[0].size, ROW_ALIGN) : 0;
	}
	const unsigned last = l.planes - 1;
	l.layer = round_up(l.plane[last].offset + l.plane[last].size, GALENA_PAGE_SIZE);
	l.size = l.layer * l.layers;
	*out = l;
	return l.size <= ALLOCATION_MAX;
}

/* ---- life ---- */

static AHardwareBuffer *buffer_make(const AHardwareBuffer_Desc *desc, const struct hardware_layout *layout, int fd)
{
	struct heap_buffer heap;
	AHardwareBuffer *b = calloc(1, sizeof *b);
	if (!b || heap_buffer_of(fd, &heap)) {
		free(b);
		return NULL;
	}
	*b = (AHardwareBuffer){ .desc = *desc, .layout = *layout, .refs = 1, .fd = fd, .id = (uint64_t)heap.device << 40 ^ heap.inode };
	b->desc.stride = layout->plane[0].row / layout->plane[0].pixel;
	HOLDING(&lock);
	b->next = buffers;
	buffers = b;
	return b;
}

int AHardwareBuffer_isSupported(const AHardwareBuffer_Desc *desc)
{
	struct hardware_layout layout;
	return layout_of(desc, &layout);
}

static bool is_protected(const AHardwareBuffer_Desc *d) { return d->usage & AHARDWAREBUFFER_USAGE_PROTECTED_CONTENT; }

int AHardwareBuffer_allocate(const AHardwareBuffer_Desc *desc, AHardwareBuffer **outBuffer)
{
	struct hardware_layout layout;
	if (!outBuffer || !layout_of(desc, &layout))
		return -EINVAL;
	int fd = galena_heap_alloc(is_protected(desc) ? "protected" : "system", layout.size, 0);
	if (fd < 0)
		return -errno;
	*outBuffer = buffer_make(desc, &layout, fd);
	if (*outBuffer)
		return 0;
	close(fd);
	return -ENOMEM;
}

void AHardwareBuffer_acquire(AHardwareBuffer *buffer)
{
	HOLDING(&lock);
	AHardwareBuffer *b = find(buffer);
	if (b)
		b->refs++;
}

void AHardwareBuffer_release(AHardwareBuffer *buffer)
{
	NOT_CANCELLED;
	HOLDING(&lock);
	AHardwareBuffer **at = &buffers;
	while (*at && *at != buffer)
		at = &(*at)->next;
	AHardwareBuffer *b = *at;
	if (b && --b->refs == 0) {
		*at = b->next;
		if (b->host)
			munmap(b->host, b->layout.size);
		close(b->fd);
		free(b);
	}
}

void AHardwareBuffer_describe(const AHardwareBuffer *buffer, AHardwareBuffer_Desc *outDesc)
{
	HOLDING(&lock);
	const AHardwareBuffer *b = find(buffer);
	if (b && outDesc)
		*outDesc = b->desc;
}

int AHardwareBuffer_getId(const AHardwareBuffer *buffer, uint64_t *outId)
{
	HOLDING(&lock);
	const AHardwareBuffer *b = find(buffer);
	if (b && outId)
		*outId = b->id;
	return b && outId ? 0 : -EINVAL;
}

int galena_hardware_buffer_use(AHardwareBuffer *buffer, int *fd, struct hardware_layout *layout)
{
	HOLDING(&lock);
	AHardwareBuffer *b = find(buffer);
	if (b) {
		b->refs++;
		*fd = b->fd;
		*layout = b->layout;
	}
	return b ? 0 : -EINVAL;
}

/* ---- the host's access ---- */

static bool rect_inside(const AHardwareBuffer_Desc *d, const ARect *r)
{
	return !r || (r->left >= 0 && r->top >= 0 && r->left <= r->right && r->top <= r->bottom && (uint32_t)r->right <= d->width &&
		      (uint32_t)r->bottom <= d->height);
}

/* Waits for the fence, which is closed. */
static int wait_for(int32_t fence)
{
	struct pollfd p = { .fd = fence, .events = POLLIN };
	int n;
	if (fence < 0)
		return 0;
	while ((n = poll(&p, 1, -1)) < 0 && errno == EINTR)
		;
	int error = n < 0 ? -errno : p.revents & (POLLNVAL | POLLERR) ? -EINVAL : 0;
	if (!(p.revents & POLLNVAL))
		close(fence);
	return error;
}

static unsigned sync_flags(uint64_t usage)
{
	return (usage & cpu_read ? GALENA_HEAP_SYNC_READ : 0) | (usage & cpu_write ? GALENA_HEAP_SYNC_WRITE : 0);
}

/* Locked: takes the lock that the host asks for, and a reference. */
static int claim(AHardwareBuffer *b, uint64_t usage, const ARect *rect)
{
	NOT_CANCELLED;
	const uint64_t own = b->desc.usage;
	if (!(usage & (cpu_read | cpu_write)) || usage & ~(cpu_read | cpu_write) || (usage & cpu_read && !(own & cpu_read)) ||
	    (usage & cpu_write && !(own & cpu_write)) || is_protected(&b->desc) || !rect_inside(&b->desc, rect))
		return -EINVAL;
	if (b->writers || (usage & cpu_write && b->readers))
		return -EBUSY;
	if (!b->host) {
		void *p = mmap(NULL, b->layout.size, PROT_READ | PROT_WRITE, MAP_SHARED, b->fd, 0);
		if (p == MAP_FAILED)
			return -ENOMEM;
		b->host = p;
	}
	if (usage & cpu_write)
		b->writers++;
	else
		b->readers++;
	b->refs++;
	return 0;
}

/* Locked. There is no reader beside a writer. */
static void give_up(AHardwareBuffer *b)
{
	if (b->writers)
		b->writers--;
	else if (b->readers)
		b->readers--;
}

/* Maintains caches without the mutex: completions run meanwhile, and may release a buffer. The caller has a reference. */
static int maintain(const AHardwareBuffer *b, unsigned flags) { return galena_heap_sync(b->fd, flags) ? -errno : 0; }

/* all: planes and layers, too */
static int lock_buffer(AHardwareBuffer *buffer, uint64_t usage, int32_t fence, const ARect *rect, bool all, AHardwareBuffer **out)
{
	int error = wait_for(fence);
	if (error)
		return error;
	pthread_mutex_lock(&lock);
	AHardwareBuffer *b = find(buffer);
	error = !b || b->layout.layers > 1 || (!all && b->layout.planes > 1) ? -EINVAL : claim(b, usage, rect);
	pthread_mutex_unlock(&lock);
	if (error)
		return error;
	error = maintain(b, sync_flags(usage));
	if (error) {
		pthread_mutex_lock(&lock);
		give_up(b);
		pthread_mutex_unlock(&lock);
	}
	AHardwareBuffer_release(b);
	*out = b;
	return error;
}

int AHardwareBuffer_lockAndGetInfo(AHardwareBuffer *buffer, uint64_t usage, int32_t fence, const ARect *rect, void **outVirtualAddress,
				   int32_t *outBytesPerPixel, int32_t *outBytesPerStride)
{
	AHardwareBuffer *b;
	if (!outVirtualAddress)
		return -EINVAL;
	int error = lock_buffer(buffer, usage, fence, rect, false, &b);
	if (error)
		return error;
	*outVirtualAddress = b->host;
	if (outBytesPerPixel)
		*outBytesPerPixel = (int32_t)b->layout.plane[0].pixel;
	if (outBytesPerStride)
		*outBytesPerStride = (int32_t)b->layout.plane[0].row;
	return 0;
}

int AHardwareBuffer_lock(AHardwareBuffer *buffer, uint64_t usage, int32_t fence, const ARect *rect, void **outVirtualAddress)
{
	return AHardwareBuffer_lockAndGetInfo(buffer, usage, fence, rect, outVirtualAddress, NULL, NULL);
}

int AHardwareBuffer_lockPlanes(AHardwareBuffer *buffer, uint64_t usage, int32_t fence, const ARect *rect, AHardwareBuffer_Planes *outPlanes)
{
	AHardwareBuffer *b;
	if (!outPlanes)
		return -EINVAL;
	int error = lock_buffer(buffer, usage, fence, rect, true, &b);
	if (error)
		return error;
	const struct hardware_layout *l = &b->layout;
	*outPlanes = (AHardwareBuffer_Planes){ .planeCount = 1, .planes[0] = { b->host, l->plane[0].pixel, l->plane[0].row } };
	for (unsigned c = 0; l->planes > 1 && c < 2; c++) /* Cb, Cr lie pixel by pixel in one plane */
		outPlanes->planes[outPlanes->planeCount++] = (AHardwareBuffer_Plane){
			b->host + l->plane[1].offset + c * l->plane[1].pixel / 2, l->plane[1].pixel, l->plane[1].row };
	return 0;
}

int AHardwareBuffer_unlock(AHardwareBuffer *buffer, int32_t *fence)
{
	unsigned flags = GALENA_HEAP_SYNC_END | GALENA_HEAP_SYNC_READ;
	int error = -EINVAL;
	pthread_mutex_lock(&lock);
	AHardwareBuffer *b = find(buffer);
	const bool locked = b && (b->readers || b->writers);
	if (locked) {
		flags |= b->writers ? GALENA_HEAP_SYNC_WRITE : 0;
		b->refs++;
	}
	pthread_mutex_unlock(&lock);
	if (locked) {
		error = maintain(b, flags);
		pthread_mutex_lock(&lock);
		give_up(b); /* now: the next lock finds the maintenance done */
		pthread_mutex_unlock(&lock);
		AHardwareBuffer_release(b);
	}
	if (fence)
		*fence = -1;
	return error;
}

/* ---- from process to process ---- */

union descriptor {
	struct cmsghdr head;
	char room[CMSG_SPACE(sizeof(int))];
};

int AHardwareBuffer_sendHandleToUnixSocket(const AHardwareBuffer *buffer, int socketFd)
{
	union descriptor control = { .head = { .cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS } };
	AHardwareBuffer_Desc desc;
	pthread_mutex_lock(&lock);
	const AHardwareBuffer *b = find(buffer);
	if (b) {
		desc = b->desc;
		memcpy(CMSG_DATA(&control.head), &b->fd, sizeof b->fd);
	}
	pthread_mutex_unlock(&lock);
	if (!b)
		return -EINVAL;
	struct iovec part = { &desc, sizeof desc };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control };
	ssize_t n;
	while ((n = sendmsg(socketFd, &message, MSG_NOSIGNAL)) < 0 && errno == EINTR)
		;
	return n < 0 ? -errno : n == sizeof desc ? 0 : -EIO;
}

int AHardwareBuffer_recvHandleFromUnixSocket(int socketFd, AHardwareBuffer **outBuffer)
{
	union descriptor control;
	AHardwareBuffer_Desc desc;
	struct iovec part = { &desc, sizeof desc };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control };
	struct hardware_layout layout;
	struct heap_buffer heap;
	ssize_t n;
	int fd;
	if (!outBuffer)
		return -EINVAL;
	while ((n = recvmsg(socketFd, &message, MSG_CMSG_CLOEXEC | MSG_WAITALL)) < 0 && errno == EINTR)
		;
	if (n < 0)
		return -errno;
	if (message.msg_controllen < CMSG_LEN(sizeof fd) || control.head.cmsg_level != SOL_SOCKET || control.head.cmsg_type != SCM_RIGHTS)
		return n ? -EBADMSG : -EPIPE;
	memcpy(&fd, CMSG_DATA(&control.head), sizeof fd);
	/* who sent it is not believed: the description has to fit the memory */
	*outBuffer = NULL;
	if (n == sizeof desc && layout_of(&desc, &layout) && !heap_buffer_of(fd, &heap) && heap.size == layout.size && heap.writable &&
	    (heap.kind == HEAP_PROTECTED) == is_protected(&desc))
		*outBuffer = buffer_make(&desc, &layout, fd);
	if (*outBuffer)
		return 0;
	close(fd);
	return -EBADMSG;
}
