/* Colours: which numbers mean which, and the matrix from one meaning to another. */
#ifndef GALENA_RUNTIME_VAAPI_COLOUR_H
#define GALENA_RUNTIME_VAAPI_COLOUR_H
#include "runtime/vaapi/format.h"
#include <va/va_vpp.h>

enum range { RANGE_UNKNOWN, RANGE_LIMITED, RANGE_FULL };
enum standard { STANDARD_UNKNOWN, STANDARD_BT601, STANDARD_BT709, STANDARD_SMPTE240M, STANDARD_BT2020 };
struct colour {
	enum standard standard;
	enum range range;
	uint8_t siting; /* VA_CHROMA_SITING_* */
};
/* Those that there are, for the capabilities of a pipeline. */
enum { COLOUR_STANDARDS = 9 };
extern const VAProcColorStandardType colour_standards[COLOUR_STANDARDS];
struct colour colour_of(VAProcColorStandardType, const VAProcColorProperties *);
/* What is unknown of one is as it is of the other; else it is BT.601, and limited for YUV, full for RGB. */
void colours_complete(struct colour *src, const struct format *src_format, struct colour *dst, const struct format *dst_format);
/* The matrix of the media unit; false: the samples stay as they are. */
bool colour_matrix(const struct colour *src, const struct format *src_format, const struct colour *dst, const struct format *dst_format, int32_t out[3][4]);
/* A colour of RGB, 8 bits each, as samples of 16 bits. */
void colour_samples(const struct colour *, const struct format *, const uint8_t rgb[3], uint16_t out[3]);

#endif
