#include "runtime/vaapi/surface_share.h"
#include <libdrm/drm_fourcc.h>

static bool is_linear(uint64_t modifier) { return modifier == DRM_FORMAT_MOD_LINEAR || modifier == DRM_FORMAT_MOD_INVALID; }

bool modifiers_have_linear(const VADRMFormatModifierList *l)
{
	for (uint32_t i = 0; l->modifiers && i < l->num_modifiers; i++)
		if (l->modifiers[i] == DRM_FORMAT_MOD_LINEAR)
			return true;
	return false;
}

/* ---- imports ---- */
static VAStatus import_memory(struct display *d, int fd, struct surface *s)
{
	TRY(memory_import(d, fd, &s->memory));
	s->layout.size = s->memory->size;
	FAIL_IF(!layout_fits(&s->layout), VA_STATUS_ERROR_INVALID_PARAMETER, "planes lie outside of the %llu bytes of descriptor %d, or rows overlap",
		(unsigned long long)s->memory->size, fd);
	return VA_STATUS_SUCCESS;
}

/* VASurfaceAttribExternalBuffers: one descriptor a surface. */
static VAStatus import_prime(struct display *d, const struct surface_info *info, unsigned index, unsigned count, struct surface *s)
{
	const VASurfaceAttribExternalBuffers *e = info->external;
	const struct format *f = format_find(e->pixel_format);
	FAIL_IF(e->num_buffers < count || !e->buffers, VA_STATUS_ERROR_INVALID_PARAMETER, "%u buffers for %u surfaces", e->num_buffers, count);
	FAIL_IF(!f || f->rt != info->format->rt, VA_STATUS_ERROR_INVALID_PARAMETER, "external buffers of pixel format 0x%x", e->pixel_format);
	FAIL_IF(e->flags & (VA_SURFACE_EXTBUF_DESC_ENABLE_TILING | VA_SURFACE_EXTBUF_DESC_PROTECTED), VA_STATUS_ERROR_FLAG_NOT_SUPPORTED,
		"external buffers with flags 0x%x", e->flags);
	FAIL_IF(e->num_planes != f->num_planes, VA_STATUS_ERROR_INVALID_PARAMETER, "%u planes of %u", e->num_planes, f->num_planes);
	FAIL_IF(e->width < info->width || e->height < info->height, VA_STATUS_ERROR_INVALID_PARAMETER, "external buffers of %u by %u", e->width, e->height);
	s->layout = (struct layout){.format = f, .width = info->width, .height = info->height};
	for (unsigned p = 0; p < f->num_planes; p++) {
		s->layout.pitch[p] = e->pitches[p];
		s->layout.offset[p] = e->offsets[p];
	}
	return import_memory(d, (int)e->buffers[index], s);
}

/* Planes one after the other, of one layer or of several; in one object. */
static VAStatus prime_2_planes(const VADRMPRIMESurfaceDescriptor *e, const struct format *f, struct layout *l, uint32_t *object)
{
	unsigned n = 0;
	FAIL_IF(!e->num_layers || e->num_layers > 4 || !e->num_objects || e->num_objects > 4, VA_STATUS_ERROR_INVALID_PARAMETER, "%u layers in %u objects",
		e->num_layers, e->num_objects);
	for (unsigned i = 0; i < e->num_layers; i++) {
		const unsigned first = n, planes = e->layers[i].num_planes;
		FAIL_IF(!planes || planes > 4 || n + planes > f->num_planes, VA_STATUS_ERROR_INVALID_PARAMETER, "layer %u has %u planes", i, planes);
		for (unsigned k = 0; k < planes; k++, n++) {
			l->pitch[n] = e->layers[i].pitch[k];
			l->offset[n] = e->layers[i].offset[k];
			*object = n ? *object : e->layers[i].object_index[k];
			FAIL_IF(e->layers[i].object_index[k] != *object, VA_STATUS_ERROR_INVALID_PARAMETER, "planes lie in more than one object");
		}
		const uint32_t drm = e->layers[i].drm_format;
		const bool composed = e->num_layers == 1 && drm == f->composed, swapped = drm == DRM_FORMAT_RG88 && f->planes[first].separate == DRM_FORMAT_GR88;
		FAIL_IF(!composed && !(planes == 1 && (drm == f->planes[first].separate || swapped)), VA_STATUS_ERROR_INVALID_PARAMETER,
			"layer %u has DRM format %.4s", i, (const char *)&drm);
	}
	FAIL_IF(n != f->num_planes, VA_STATUS_ERROR_INVALID_PARAMETER, "%u planes of %u", n, f->num_planes);
	FAIL_IF(*object >= e->num_objects, VA_STATUS_ERROR_INVALID_PARAMETER, "there is no object %u", *object);
	return VA_STATUS_SUCCESS;
}

static VAStatus import_prime_2(struct display *d, const struct surface_info *info, unsigned index, struct surface *s)
{
	const VADRMPRIMESurfaceDescriptor *e = (const VADRMPRIMESurfaceDescriptor *)info->external + index;
	const struct format *f = format_find(e->fourcc);
	uint32_t object = 0;
	FAIL_IF(!f || f->rt != info->format->rt, VA_STATUS_ERROR_INVALID_PARAMETER, "a descriptor of pixel format 0x%x", e->fourcc);
	FAIL_IF(e->width < info->width || e->height < info->height, VA_STATUS_ERROR_INVALID_PARAMETER, "a descriptor of %u by %u", e->width, e->height);
	s->layout = (struct layout){.format = f, .width = info->width, .height = info->height};
	TRY(prime_2_planes(e, f, &s->layout, &object));
	FAIL_IF(!is_linear(e->objects[object].drm_format_modifier), VA_STATUS_ERROR_INVALID_PARAMETER, "modifier 0x%llx is not linear",
		(unsigned long long)e->objects[object].drm_format_modifier);
	return import_memory(d, e->objects[object].fd, s);
}

VAStatus surface_import(struct display *d, const struct surface_info *info, unsigned index, unsigned count, struct surface *s)
{
	return info->memory_type == VA_SURFACE_ATTRIB_MEM_TYPE_DRM_PRIME ? import_prime(d, info, index, count, s) : import_prime_2(d, info, index, s);
}

/* ---- exports ---- */
static void put_plane(VADRMPRIMESurfaceDescriptor *out, unsigned layer, unsigned at, const struct layout *l, unsigned plane)
{
	out->layers[layer].num_planes = at + 1;
	out->layers[layer].object_index[at] = 0;
	out->layers[layer].offset[at] = l->offset[plane];
	out->layers[layer].pitch[at] = l->pitch[plane];
}

static void describe(const struct layout *l, bool separate, VADRMPRIMESurfaceDescriptor *out)
{
	const struct format *f = l->format;
	*out = (VADRMPRIMESurfaceDescriptor){.fourcc = f->fourcc, .width = l->width, .height = l->height, .num_objects = 1,
					     .num_layers = separate ? f->num_planes : 1};
	out->objects[0].size = (uint32_t)l->size;
	out->objects[0].drm_format_modifier = DRM_FORMAT_MOD_LINEAR;
	out->layers[0].drm_format = f->composed;
	for (unsigned p = 0; p < f->num_planes; p++) {
		if (separate)
			out->layers[p].drm_format = f->planes[p].separate;
		put_plane(out, separate ? p : 0, separate ? 0 : p, l, p);
	}
}

VAStatus galena_vaExportSurfaceHandle(VADriverContextP ctx, VASurfaceID id, uint32_t type, uint32_t flags, void *descriptor)
{
	enum { LAYERS = VA_EXPORT_SURFACE_SEPARATE_LAYERS | VA_EXPORT_SURFACE_COMPOSED_LAYERS };
	VADRMPRIMESurfaceDescriptor *out = descriptor;
	USING(surface) s = object_get(display_of(ctx), SURFACE, id);
	FAIL_IF(!s, VA_STATUS_ERROR_INVALID_SURFACE, "0x%x is no surface", id);
	FAIL_IF(type != VA_SURFACE_ATTRIB_MEM_TYPE_DRM_PRIME_2, VA_STATUS_ERROR_UNSUPPORTED_MEMORY_TYPE, "surfaces are not exported to memory type 0x%x", type);
	FAIL_IF(!out, VA_STATUS_ERROR_INVALID_PARAMETER, "no place for the descriptor");
	FAIL_IF(flags & ~(uint32_t)(VA_EXPORT_SURFACE_READ_WRITE | LAYERS) || (flags & LAYERS) == LAYERS, VA_STATUS_ERROR_FLAG_NOT_SUPPORTED,
		"surfaces are not exported with flags 0x%x", flags);
	const bool separate = flags & VA_EXPORT_SURFACE_SEPARATE_LAYERS;
	FAIL_IF(!separate && !s->layout.format->composed, VA_STATUS_ERROR_INVALID_SURFACE, "DRM has no format for all planes of %.4s",
		(const char *)&s->layout.format->fourcc);
	int fd;
	TRY(memory_export(s->memory, &fd));
	describe(&s->layout, separate, out);
	out->objects[0].fd = fd;
	return VA_STATUS_SUCCESS;
}
