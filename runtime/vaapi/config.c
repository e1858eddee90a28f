/* Profiles, entry points, and configurations. */
#include "abi/media.h"
#include "runtime/vaapi/objects.h"
#include <stdlib.h>

static const struct supported {
	VAProfile profile;
	VAEntrypoint entrypoint;
	uint32_t rt; /* 0: all that there is */
} supported[] = {
	{VAProfileNone, VAEntrypointVideoProc, 0},
	{VAProfileJPEGBaseline, VAEntrypointVLD, VA_RT_FORMAT_YUV420 | VA_RT_FORMAT_YUV422 | VA_RT_FORMAT_YUV444 | VA_RT_FORMAT_YUV411 | VA_RT_FORMAT_YUV400},
};
enum { SUPPORTED = sizeof supported / sizeof *supported };

static uint32_t rt_of(const struct supported *s) { return s->rt ? s->rt : formats_rt(); }

static VAStatus find(VAProfile profile, VAEntrypoint entrypoint, const struct supported **out)
{
	bool known = false;
	for (unsigned i = 0; i < SUPPORTED; i++) {
		if (supported[i].profile != profile)
			continue;
		known = true;
		if (supported[i].entrypoint == entrypoint) {
			*out = &supported[i];
			return VA_STATUS_SUCCESS;
		}
	}
	FAIL_IF(!known, VA_STATUS_ERROR_UNSUPPORTED_PROFILE, "there is no profile %d", profile);
	return FAIL(VA_STATUS_ERROR_UNSUPPORTED_ENTRYPOINT, "profile %d has no entry point %d", profile, entrypoint);
}

VAStatus galena_vaQueryConfigProfiles(VADriverContextP ctx, VAProfile *list, int *count)
{
	(void)ctx;
	FAIL_IF(!list || !count, VA_STATUS_ERROR_INVALID_PARAMETER, "no place for the profiles");
	for (unsigned i = 0; i < SUPPORTED; i++)
		list[i] = supported[i].profile;
	*count = SUPPORTED;
	return VA_STATUS_SUCCESS;
}

VAStatus galena_vaQueryConfigEntrypoints(VADriverContextP ctx, VAProfile profile, VAEntrypoint *list, int *count)
{
	(void)ctx;
	FAIL_IF(!list || !count, VA_STATUS_ERROR_INVALID_PARAMETER, "no place for the entry points");
	*count = 0;
	for (unsigned i = 0; i < SUPPORTED; i++)
		if (supported[i].profile == profile)
			list[(*count)++] = supported[i].entrypoint;
	FAIL_IF(!*count, VA_STATUS_ERROR_UNSUPPORTED_PROFILE, "there is no profile %d", profile);
	return VA_STATUS_SUCCESS;
}

/* ---- attributes ---- */
static uint32_t attribute(const struct supported *s, VAConfigAttribType type)
{
	const bool decoder = s->entrypoint == VAEntrypointVLD;
	switch (type) {
	case VAConfigAttribRTFormat: return rt_of(s);
	case VAConfigAttribMaxPictureWidth:
	case VAConfigAttribMaxPictureHeight: return MEDIA_SIZE_MAX;
	case VAConfigAttribDecSliceMode: return decoder ? VA_DEC_SLICE_MODE_NORMAL : VA_ATTRIB_NOT_SUPPORTED;
	case VAConfigAttribDecJPEG: return decoder ? 1 << VA_ROTATION_NONE : VA_ATTRIB_NOT_SUPPORTED;
	default: return VA_ATTRIB_NOT_SUPPORTED;
	}
}

VAStatus galena_vaGetConfigAttributes(VADriverContextP ctx, VAProfile profile, VAEntrypoint entrypoint, VAConfigAttrib *list, int count)
{
	const struct supported *s;
	(void)ctx;
	TRY(find(profile, entrypoint, &s));
	FAIL_IF(count < 0 || (count && !list), VA_STATUS_ERROR_INVALID_PARAMETER, "no attributes");
	for (int i = 0; i < count; i++)
		list[i].value = attribute(s, list[i].type);
	return VA_STATUS_SUCCESS;
}

/* ---- configurations ---- */
/* What is asked for has to be a part of what there is. */
static VAStatus check(const struct supported *s, const VAConfigAttrib *list, int count, uint32_t *rt)
{
	*rt = rt_of(s);
	FAIL_IF(count < 0 || (count && !list), VA_STATUS_ERROR_INVALID_PARAMETER, "no attributes");
	for (int i = 0; i < count; i++) {
		const uint32_t there = attribute(s, list[i].type), value = list[i].value;
		FAIL_IF(there == VA_ATTRIB_NOT_SUPPORTED, VA_STATUS_ERROR_ATTR_NOT_SUPPORTED, "there is no attribute %d", list[i].type);
		if (list[i].type == VAConfigAttribRTFormat) {
			FAIL_IF(!(value & there), VA_STATUS_ERROR_UNSUPPORTED_RT_FORMAT, "no surfaces of class 0x%x", value);
			*rt = value & there;
		} else if (list[i].type == VAConfigAttribDecSliceMode) {
			FAIL_IF(value != there, VA_STATUS_ERROR_INVALID_VALUE, "no slices of mode 0x%x", value);
		}
	}
	return VA_STATUS_SUCCESS;
}

VAStatus galena_vaCreateConfig(VADriverContextP ctx, VAProfile profile, VAEntrypoint entrypoint, VAConfigAttrib *list, int count, VAConfigID *out)
{
	const struct supported *s;
	uint32_t rt;
	TRY(find(profile, entrypoint, &s));
	TRY(check(s, list, count, &rt));
	struct config *c = calloc(1, sizeof *c);
	if (!c)
		return VA_STATUS_ERROR_ALLOCATION_FAILED;
	*c = (struct config){.object = {.kind = CONFIG, .refs = 1}, .profile = profile, .entrypoint = entrypoint, .rt = rt};
	return object_add(display_of(ctx), &c->object, out);
}

VAStatus galena_vaDestroyConfig(VADriverContextP ctx, VAConfigID id)
{
	struct config *c = object_take(display_of(ctx), CONFIG, id);
	FAIL_IF(!c, VA_STATUS_ERROR_INVALID_CONFIG, "0x%x is no configuration", id);
	object_put(&c->object);
	return VA_STATUS_SUCCESS;
}

VAStatus galena_vaQueryConfigAttributes(VADriverContextP ctx, VAConfigID id, VAProfile *profile, VAEntrypoint *entrypoint, VAConfigAttrib *list, int *count)
{
	static const VAConfigAttribType all[] = {VAConfigAttribRTFormat, VAConfigAttribMaxPictureWidth, VAConfigAttribMaxPictureHeight,
						 VAConfigAttribDecSliceMode, VAConfigAttribDecJPEG};
	USING(config) c = object_get(display_of(ctx), CONFIG, id);
	const struct supported *s;
	FAIL_IF(!c, VA_STATUS_ERROR_INVALID_CONFIG, "0x%x is no configuration", id);
	FAIL_IF(!profile || !entrypoint || !list || !count, VA_STATUS_ERROR_INVALID_PARAMETER, "no place for the attributes");
	TRY(find(c->profile, c->entrypoint, &s));
	*profile = c->profile;
	*entrypoint = c->entrypoint;
	*count = 0;
	for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
		const uint32_t value = all[i] == VAConfigAttribRTFormat ? c->rt : attribute(s, all[i]);
		if (value != VA_ATTRIB_NOT_SUPPORTED)
			list[(*count)++] = (VAConfigAttrib){all[i], value};
	}
	return VA_STATUS_SUCCESS;
}

bool config_is_decoder(const struct config *c) { return c->entrypoint == VAEntrypointVLD; }

/* Pictures are not decoded into packed pixels. */
bool config_has_format(const struct config *c, const struct format *f) { return c->rt & f->rt && (!config_is_decoder(c) || f->num_planes > 1 || f->colours == GREY); }
