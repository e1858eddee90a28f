/* Hardware buffers by the names of Android's NDK, on machines that are not Android: what a camera or a decoder there hands to
 * an application, which imports it (clImportMemoryARM, CL_IMPORT_TYPE_ANDROID_HARDWARE_BUFFER_ARM).
 *
 *   cc program.c $(pkg-config --cflags --libs galena-android)
 *
 * Memory is that of galena/heap.h. Rows begin at multiples of 64 bytes, layers at multiples of a page. Y8Cb8Cr8_420 and
 * YCbCr_P010 have two planes: luma, then chroma with Cb before Cr.
 *
 * Counting. A buffer is made with one reference. It goes with the last one, and with it its memory, unless another owner has
 * that. Threads: every function may be called from any thread. Errors: 0 or minus an errno; a buffer that is none (NULL, or
 * whose last reference has gone) is -EINVAL, and where there is nothing to return it is ignored. */
#ifndef ANDROID_HARDWARE_BUFFER_H
#define ANDROID_HARDWARE_BUFFER_H
#include "../galena/api.h"
#include "rect.h"
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum AHardwareBuffer_Format {
	AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM = 1,
	AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM = 2,
	AHARDWAREBUFFER_FORMAT_R8G8B8_UNORM = 3,
	AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM = 4,
	AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT = 0x16,
	AHARDWAREBUFFER_FORMAT_BLOB = 0x21, /* width bytes; height 1 */
	AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420 = 0x23,
	AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM = 0x2b,
	AHARDWAREBUFFER_FORMAT_YCbCr_P010 = 0x36,
	AHARDWAREBUFFER_FORMAT_R8_UNORM = 0x38,
	/* not supported: allocate refuses them */
	AHARDWAREBUFFER_FORMAT_D16_UNORM = 0x30,
	AHARDWAREBUFFER_FORMAT_D24_UNORM = 0x31,
	AHARDWAREBUFFER_FORMAT_D24_UNORM_S8_UINT = 0x32,
	AHARDWAREBUFFER_FORMAT_D32_FLOAT = 0x33,
	AHARDWAREBUFFER_FORMAT_D32_FLOAT_S8_UINT = 0x34,
	AHARDWAREBUFFER_FORMAT_S8_UINT = 0x35,
	AHARDWAREBUFFER_FORMAT_R16_UINT = 0x39,
	AHARDWAREBUFFER_FORMAT_R16G16_UINT = 0x3a,
	AHARDWAREBUFFER_FORMAT_R10G10B10A10_UNORM = 0x3b,
};

/* Memory is the same for all; the host locks a buffer for what it was made for. */
enum AHardwareBuffer_UsageFlags {
	AHARDWAREBUFFER_USAGE_CPU_READ_NEVER = 0,
	AHARDWAREBUFFER_USAGE_CPU_READ_RARELY = 2,
	AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN = 3,
	AHARDWAREBUFFER_USAGE_CPU_READ_MASK = 0xf,
	AHARDWAREBUFFER_USAGE_CPU_WRITE_NEVER = 0,
	AHARDWAREBUFFER_USAGE_CPU_WRITE_RARELY = 2 << 4,
	AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN = 3 << 4,
	AHARDWAREBUFFER_USAGE_CPU_WRITE_MASK = 0xf << 4,
	AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE = 1 << 8,
	AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER = 1 << 9,
	AHARDWAREBUFFER_USAGE_GPU_COLOR_OUTPUT = 1 << 9,
	AHARDWAREBUFFER_USAGE_COMPOSER_OVERLAY = 1 << 11,
	AHARDWAREBUFFER_USAGE_PROTECTED_CONTENT = 1 << 14, /* no mapping, no lock */
	AHARDWAREBUFFER_USAGE_VIDEO_ENCODE = 1 << 16,
	AHARDWAREBUFFER_USAGE_SENSOR_DIRECT_DATA = 1 << 23,
	AHARDWAREBUFFER_USAGE_GPU_DATA_BUFFER = 1 << 24,
	AHARDWAREBUFFER_USAGE_GPU_CUBE_MAP = 1 << 25,
	AHARDWAREBUFFER_USAGE_GPU_MIPMAP_COMPLETE = 1 << 26,
};

typedef struct AHardwareBuffer_Desc {
	uint32_t width, height; /* pixels; of a BLOB bytes and 1 */
	uint32_t layers;
	uint32_t format;        /* enum AHardwareBuffer_Format */
	uint64_t usage;         /* enum AHardwareBuffer_UsageFlags */
	uint32_t stride;        /* pixels from row to row, of the first plane; filled in by describe */
	uint32_t rfu0;          /* 0 */
	uint64_t rfu1;          /* 0 */
} AHardwareBuffer_Desc;

typedef struct AHardwareBuffer_Plane {
	void *data;
	uint32_t pixelStride, rowStride; /* bytes */
} AHardwareBuffer_Plane;

typedef struct AHardwareBuffer_Planes {
	uint32_t planeCount;
	AHardwareBuffer_Plane planes[4];
} AHardwareBuffer_Planes;

typedef struct AHardwareBuffer AHardwareBuffer;

/* A buffer of 0s. -EINVAL: a description that is none or not supported; -ENOMEM: no memory. */
GALENA_API int AHardwareBuffer_allocate(const AHardwareBuffer_Desc *desc, AHardwareBuffer **outBuffer);
/* 1 if allocate would take the description, 0 if not. */
GALENA_API int AHardwareBuffer_isSupported(const AHardwareBuffer_Desc *desc);
GALENA_API void AHardwareBuffer_acquire(AHardwareBuffer *buffer);
GALENA_API void AHardwareBuffer_release(AHardwareBuffer *buffer);
/* *outDesc is as it was given, with the stride. */
GALENA_API void AHardwareBuffer_describe(const AHardwareBuffer *buffer, AHardwareBuffer_Desc *outDesc);
/* A number that no other buffer of this process has had, and that is the buffer's in every process. */
GALENA_API int AHardwareBuffer_getId(const AHardwareBuffer *buffer, uint64_t *outId);

/* The host's access: usage says reading, writing (CPU_READ_..., CPU_WRITE_...) or both, as the buffer's own does. fence: a descriptor to wait
 * for, which is closed, or -1. rect (may be NULL) lies within the buffer; the address is the buffer's first byte all the same.
 * Locked for reading by any number at a time, for writing by one: -EBUSY. -EINVAL: a usage that the buffer was not made for, several planes
 * (lockPlanes) or layers, protected content, a rectangle outside. */
GALENA_API int AHardwareBuffer_lock(AHardwareBuffer *buffer, uint64_t usage, int32_t fence, const ARect *rect, void **outVirtualAddress);
/* The same, of each plane: those of Y'CbCr are three, Y, Cb and Cr. */
GALENA_API int AHardwareBuffer_lockPlanes(AHardwareBuffer *buffer, uint64_t usage, int32_t fence, const ARect *rect,
					  AHardwareBuffer_Planes *outPlanes);
/* The same, with the bytes of a pixel, and from row to row. */
GALENA_API int AHardwareBuffer_lockAndGetInfo(AHardwareBuffer *buffer, uint64_t usage, int32_t fence, const ARect *rect,
					      void **outVirtualAddress, int32_t *outBytesPerPixel, int32_t *outBytesPerStride);
/* Ends the access; *fence (fence may be NULL) becomes -1: there is nothing to wait for. -EINVAL: not locked. */
GALENA_API int AHardwareBuffer_unlock(AHardwareBuffer *buffer, int32_t *fence);

/* Hands the buffer to another process by a Unix socket, which has a buffer of its own then, of the same memory. */
GALENA_API int AHardwareBuffer_sendHandleToUnixSocket(const AHardwareBuffer *buffer, int socketFd);
GALENA_API int AHardwareBuffer_recvHandleFromUnixSocket(int socketFd, AHardwareBuffer **outBuffer);

#ifdef __cplusplus
}
#endif
#endif
