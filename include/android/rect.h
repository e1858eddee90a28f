/* The NDK's rectangle. */
#ifndef ANDROID_RECT_H
#define ANDROID_RECT_H
#include <stdint.h>

/* Pixels; right and bottom are the first that are not in it. */
typedef struct ARect {
	int32_t left, top, right, bottom;
} ARect;

#endif
