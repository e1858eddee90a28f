/* Pictures of video processing: each pipeline buffer is a step, a surface put into a rectangle of the target. */
#include "runtime/vaapi/picture.h"
#include "runtime/vaapi/process.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS_MAX = 32 };
struct step {
	struct surface *surface;
	VARectangle from, to;
	struct colour src, dst;
	enum kernel kernel;
	struct blending blending;
	uint32_t background;
};
struct steps { struct step of[STEPS_MAX]; unsigned count; };

struct steps *steps_create(void) { return calloc(1, sizeof(struct steps)); }

void steps_reset(struct steps *s)
{
	while (s->count)
		object_put(&s->of[--s->count].surface->object);
}

void steps_destroy(struct steps *s)
{
	if (s)
		steps_reset(s);
	free(s);
}

/* ---- what a buffer says ---- */
static enum kernel kernel_of(uint32_t flags)
{
	switch (flags & VA_FILTER_INTERPOLATION_MASK) {
	case VA_FILTER_INTERPOLATION_NEAREST_NEIGHBOR: return KERNEL_NEAREST;
	case VA_FILTER_INTERPOLATION_BILINEAR: return KERNEL_BILINEAR;
	case VA_FILTER_INTERPOLATION_ADVANCED: return KERNEL_BICUBIC;
	}
	return (flags & VA_FILTER_SCALING_MASK) == VA_FILTER_SCALING_HQ ? KERNEL_BICUBIC : KERNEL_BILINEAR;
}

/* Where no state is given, a surface with alpha is blended by it. */
static VAStatus blending_of(const VABlendState *b, const struct format *f, struct blending *out)
{
	*out = (struct blending){.source_alpha = !b && format_has_alpha(f), .alpha = 255};
	if (!b)
		return VA_STATUS_SUCCESS;
	FAIL_IF(b->flags & ~(unsigned)VA_BLEND_GLOBAL_ALPHA, VA_STATUS_ERROR_FLAG_NOT_SUPPORTED, "no blending with flags 0x%x", b->flags);
	out->global = b->flags & VA_BLEND_GLOBAL_ALPHA;
	FAIL_IF(out->global && !(b->global_alpha >= 0 && b->global_alpha <= 1), VA_STATUS_ERROR_INVALID_VALUE, "an alpha of %g", (double)b->global_alpha);
	if (out->global)
		out->alpha = (uint8_t)lrintf(b->global_alpha * 255);
	return VA_STATUS_SUCCESS;
}

/* What the media unit does not do. */
static VAStatus check(const VAProcPipelineParameterBuffer *p)
{
	FAIL_IF(p->num_filters, VA_STATUS_ERROR_UNSUPPORTED_FILTER, "there are no filters");
	FAIL_IF(p->rotation_state != VA_ROTATION_NONE || p->mirror_state != VA_MIRROR_NONE, VA_STATUS_ERROR_INVALID_PARAMETER, "pictures are not rotated or mirrored");
	FAIL_IF(p->pipeline_flags & VA_PROC_PIPELINE_SUBPICTURES, VA_STATUS_ERROR_FLAG_NOT_SUPPORTED, "there are no subpictures");
	FAIL_IF(p->num_additional_outputs, VA_STATUS_ERROR_INVALID_PARAMETER, "there are no additional outputs");
	FAIL_IF(p->input_surface_flag || p->output_surface_flag, VA_STATUS_ERROR_FLAG_NOT_SUPPORTED, "surfaces are progressive, and not protected");
	return VA_STATUS_SUCCESS;
}

static VARectangle all_of(const struct layout *l) { return (VARectangle){0, 0, (uint16_t)l->width, (uint16_t)l->height}; }

/* What of the region is the surface's: ffmpeg's overlay_vaapi gives a small surface the region of a larger one. False: nothing. */
static bool clip(VARectangle *r, const struct layout *l)
{
	const int x = r->x < 0 ? 0 : r->x, y = r->y < 0 ? 0 : r->y;
	const int right = r->x + r->width < (int)l->width ? r->x + r->width : (int)l->width;
	const int bottom = r->y + r->height < (int)l->height ? r->y + r->height : (int)l->height;
	if (x >= right || y >= bottom)
		return false;
	*r = (VARectangle){(int16_t)x, (int16_t)y, (uint16_t)(right - x), (uint16_t)(bottom - y)};
	return true;
}

static VAStatus step_fill(struct step *s, const struct layout *target, const VAProcPipelineParameterBuffer *p)
{
	const struct layout *l = &s->surface->layout;
	s->from = p->surface_region ? *p->surface_region : all_of(l);
	s->to = p->output_region ? *p->output_region : all_of(target);
	FAIL_IF(!clip(&s->from, l), VA_STATUS_ERROR_INVALID_PARAMETER, "nothing of a surface of %u by %u is inside its region", l->width, l->height);
	FAIL_IF(!s->to.width || !s->to.height || s->to.width > MEDIA_SIZE_MAX || s->to.height > MEDIA_SIZE_MAX, VA_STATUS_ERROR_INVALID_PARAMETER,
		"into %u by %u pixels", s->to.width, s->to.height);
	s->src = colour_of(p->surface_color_standard, &p->input_color_properties);
	s->dst = colour_of(p->output_color_standard, &p->output_color_properties);
	s->kernel = kernel_of(p->filter_flags);
	s->background = p->output_background_color;
	return blending_of(p->blend_state, l->format, &s->blending);
}

VAStatus steps_add(struct display *d, struct steps *s, const struct surface *target, const struct buffer *b)
{
	FAIL_IF(b->type != VAProcPipelineParameterBufferType, VA_STATUS_ERROR_UNSUPPORTED_BUFFERTYPE, "a buffer of type %d in video processing", b->type);
	for (unsigned i = 0; i < b->num_elements; i++) {
		VAProcPipelineParameterBuffer p;
		FAIL_IF(b->size < sizeof p, VA_STATUS_ERROR_INVALID_BUFFER, "pipeline parameters of %u bytes", b->size);
		FAIL_IF(s->count == STEPS_MAX, VA_STATUS_ERROR_MAX_NUM_EXCEEDED, "a picture of more than %d surfaces", STEPS_MAX);
		memcpy(&p, b->data + (size_t)i * b->size, sizeof p);
		TRY(check(&p));
		struct step step = {.surface = object_get(d, SURFACE, p.surface)};
		FAIL_IF(!step.surface, VA_STATUS_ERROR_INVALID_SURFACE, "0x%x is no surface", p.surface);
		const VAStatus status = step.surface == target ? FAIL(VA_STATUS_ERROR_INVALID_SURFACE, "a picture is not made of its own target") :
								 step_fill(&step, &target->layout, &p);
		if (status) {
			object_put(&step.surface->object);
			return status;
		}
		s->of[s->count++] = step;
	}
	return VA_STATUS_SUCCESS;
}

/* ---- the job ---- */
static struct side side_of(const struct surface *s, const VARectangle *r, const struct colour *c)
{
	return (struct side){.layout = &s->layout, .memory = s->memory, .x = r->x, .y = r->y, .width = r->width, .height = r->height, .colour = *c};
}

/* The background is behind the first one: the others lie over that. */
void steps_job(const struct steps *s, const struct surface *target, struct job *j)
{
	if (!s->count)
		j->status = FAIL(VA_STATUS_ERROR_INVALID_PARAMETER, "a picture of nothing");
	for (unsigned i = 0; i < s->count && !j->status; i++) {
		const struct step *step = &s->of[i];
		const struct side src = side_of(step->surface, &step->from, &step->src), dst = side_of(target, &step->to, &step->dst);
		if (!i)
			process_background(j, &dst, step->background);
		process_scale(j, &src, &dst, step->kernel, &step->blending);
	}
}

/* ---- capabilities ---- */
VAStatus galena_vaQueryVideoProcFilters(VADriverContextP ctx, VAContextID context, VAProcFilterType *list, unsigned int *count)
{
	USING(context) c = object_get(display_of(ctx), CONTEXT, context);
	(void)list;
	FAIL_IF(!c, VA_STATUS_ERROR_INVALID_CONTEXT, "0x%x is no context", context);
	FAIL_IF(!count, VA_STATUS_ERROR_INVALID_PARAMETER, "no place for the number of filters");
	*count = 0;
	return VA_STATUS_SUCCESS;
}

VAStatus galena_vaQueryVideoProcFilterCaps(VADriverContextP ctx, VAContextID context, VAProcFilterType type, void *caps, unsigned int *count)
{
	USING(context) c = object_get(display_of(ctx), CONTEXT, context);
	(void)caps, (void)count;
	FAIL_IF(!c, VA_STATUS_ERROR_INVALID_CONTEXT, "0x%x is no context", context);
	return FAIL(VA_STATUS_ERROR_UNSUPPORTED_FILTER, "there is no filter %d", type);
}

VAStatus galena_vaQueryVideoProcPipelineCaps(VADriverContextP ctx, VAContextID context, VABufferID *filters, unsigned int num_filters, VAProcPipelineCaps *out)
{
	static VAProcColorStandardType standards[COLOUR_STANDARDS];
	static uint32_t fourccs[FORMATS];
	USING(context) c = object_get(display_of(ctx), CONTEXT, context);
	(void)filters;
	FAIL_IF(!c, VA_STATUS_ERROR_INVALID_CONTEXT, "0x%x is no context", context);
	FAIL_IF(!out, VA_STATUS_ERROR_INVALID_PARAMETER, "no place for the capabilities");
	FAIL_IF(num_filters, VA_STATUS_ERROR_UNSUPPORTED_FILTER, "there are no filters");
	memcpy(standards, colour_standards, sizeof standards);
	for (unsigned i = 0; i < FORMATS; i++)
		fourccs[i] = formats[i].fourcc;
	*out = (VAProcPipelineCaps){.pipeline_flags = VA_PROC_PIPELINE_FAST,
				    .filter_flags = VA_FILTER_SCALING_MASK | VA_FILTER_INTERPOLATION_MASK,
				    .num_input_color_standards = COLOUR_STANDARDS, .input_color_standards = standards,
				    .num_output_color_standards = COLOUR_STANDARDS, .output_color_standards = standards,
				    .rotation_flags = 1 << VA_ROTATION_NONE, .blend_flags = VA_BLEND_GLOBAL_ALPHA, .mirror_flags = VA_MIRROR_NONE,
				    .num_input_pixel_formats = FORMATS, .input_pixel_format = fourccs,
				    .num_output_pixel_formats = FORMATS, .output_pixel_format = fourccs,
				    .max_input_width = MEDIA_SIZE_MAX, .max_input_height = MEDIA_SIZE_MAX, .min_input_width = 1, .min_input_height = 1,
				    .max_output_width = MEDIA_SIZE_MAX, .max_output_height = MEDIA_SIZE_MAX, .min_output_width = 1, .min_output_height = 1};
	return VA_STATUS_SUCCESS;
}
