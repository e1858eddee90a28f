/* Contexts, buffers and pictures: what is refused, in what order calls come, and threads. */
#include "testbench/vaapi/va_test.h"
#include <pthread.h>

static VAConfigID config;
static VAContextID context;

static VABufferID buffer_make(const VAProcPipelineParameterBuffer *p)
{
	VABufferID id;
	VA_OK(vaCreateBuffer(va, context, VAProcPipelineParameterBufferType, sizeof *p, 1, (void *)(uintptr_t)p, &id));
	return id;
}

static void contexts(void **state)
{
	(void)state;
	VAContextID id;
	VA_FAILS(VA_STATUS_ERROR_INVALID_CONFIG, vaCreateContext(va, 77, 64, 64, VA_PROGRESSIVE, NULL, 0, &id));
	VA_FAILS(VA_STATUS_ERROR_INVALID_SURFACE, vaCreateContext(va, config, 64, 64, VA_PROGRESSIVE, (VASurfaceID[]){3}, 1, &id));
	VA_FAILS(VA_STATUS_ERROR_RESOLUTION_NOT_SUPPORTED, vaCreateContext(va, config, 64, 16385, VA_PROGRESSIVE, NULL, 0, &id));
	VA_FAILS(VA_STATUS_ERROR_FLAG_NOT_SUPPORTED, vaCreateContext(va, config, 64, 64, 0x100, NULL, 0, &id));
	VA_OK(vaCreateContext(va, config, 0, 0, 0, NULL, 0, &id));
	VA_OK(vaDestroyContext(va, id));
	VA_FAILS(VA_STATUS_ERROR_INVALID_CONTEXT, vaDestroyContext(va, id));
}

static void buffers(void **state)
{
	(void)state;
	VAProcPipelineParameterBuffer p = {.surface = 5};
	VABufferID id;
	void *at, *again;
	VA_FAILS(VA_STATUS_ERROR_INVALID_CONTEXT, vaCreateBuffer(va, 9, VAProcPipelineParameterBufferType, sizeof p, 1, &p, &id));
	VA_FAILS(VA_STATUS_ERROR_UNSUPPORTED_BUFFERTYPE, vaCreateBuffer(va, context, VASliceDataBufferType, 16, 1, NULL, &id));
	VA_FAILS(VA_STATUS_ERROR_INVALID_PARAMETER, vaCreateBuffer(va, context, VAProcPipelineParameterBufferType, 0, 1, NULL, &id));
	VA_FAILS(VA_STATUS_ERROR_INVALID_PARAMETER, vaCreateBuffer(va, context, VAProcPipelineParameterBufferType, sizeof p, 0, NULL, &id));
	VA_FAILS(VA_STATUS_ERROR_ALLOCATION_FAILED, vaCreateBuffer(va, context, VAProcPipelineParameterBufferType, 1u << 31, 1u << 31, NULL, &id));
	VA_OK(vaCreateBuffer(va, context, VAProcPipelineParameterBufferType, sizeof p, 3, NULL, &id));
	VA_OK(vaBufferSetNumElements(va, id, 2));
	VA_FAILS(VA_STATUS_ERROR_INVALID_PARAMETER, vaBufferSetNumElements(va, id, 4));
	VA_FAILS(VA_STATUS_ERROR_INVALID_PARAMETER, vaBufferSetNumElements(va, id, 0));
	VA_FAILS(VA_STATUS_ERROR_INVALID_BUFFER, vaUnmapBuffer(va, id));
	VA_OK(vaMapBuffer(va, id, &at));
	memset(at, 0xff, 3 * sizeof p);
	VA_OK(vaUnmapBuffer(va, id));
	VA_OK(vaMapBuffer(va, id, &again));
	assert_ptr_equal(at, again);
	VA_OK(vaUnmapBuffer(va, id));
	VA_OK(vaSyncBuffer(va, id, 0));
	VA_FAILS(VA_STATUS_ERROR_UNSUPPORTED_BUFFERTYPE, vaAcquireBufferHandle(va, id, &(VABufferInfo){.mem_type = VA_SURFACE_ATTRIB_MEM_TYPE_DRM_PRIME}));
	VA_OK(vaDestroyBuffer(va, id));
	VA_FAILS(VA_STATUS_ERROR_INVALID_BUFFER, vaMapBuffer(va, id, &at));
}

/* A picture of one surface with something wrong in it; what it has been asked for before is forgotten. */
static void refused(const VAProcPipelineParameterBuffer *p, VASurfaceID target, VAStatus status)
{
	VABufferID id = buffer_make(p);
	VA_OK(vaBeginPicture(va, context, target));
	VA_FAILS(status, vaRenderPicture(va, context, &id, 1));
	VA_FAILS(VA_STATUS_ERROR_INVALID_PARAMETER, vaEndPicture(va, context)); /* a picture of nothing */
	VA_OK(vaDestroyBuffer(va, id));
}

static void parameters(void **state)
{
	(void)state;
	const VASurfaceID s = surface_make(shape_of(VA_FOURCC_NV12), 64, 48), t = surface_make(shape_of(VA_FOURCC_BGRA), 32, 32);
	VAProcPipelineParameterBuffer p = {.surface = s};
	VABufferID filter = 1;
	VABlendState blend = {.flags = VA_BLEND_LUMA_KEY};
	p.surface = 12345;
	refused(&p, t, VA_STATUS_ERROR_INVALID_SURFACE);
	p.surface = t;
	refused(&p, t, VA_STATUS_ERROR_INVALID_SURFACE); /* the target itself */
	p.surface = s;
	static const VARectangle outside[] = {{64, 0, 8, 8}, {-8, 0, 8, 8}, {0, 0, 0, 8}, {0, 48, 8, 8}};
	for (unsigned i = 0; i < sizeof outside / sizeof *outside; i++) {
		p.surface_region = &outside[i];
		refused(&p, t, VA_STATUS_ERROR_INVALID_PARAMETER);
	}
	p.surface_region = NULL;
	p.output_region = &(VARectangle){0, 0, 0, 4};
	refused(&p, t, VA_STATUS_ERROR_INVALID_PARAMETER);
	p.output_region = NULL;
	p.num_filters = 1;
	p.filters = &filter;
	refused(&p, t, VA_STATUS_ERROR_UNSUPPORTED_FILTER);
	p.num_filters = 0;
	p.rotation_state = VA_ROTATION_90;
	refused(&p, t, VA_STATUS_ERROR_INVALID_PARAMETER);
	p.rotation_state = VA_ROTATION_NONE;
	p.blend_state = &blend;
	refused(&p, t, VA_STATUS_ERROR_FLAG_NOT_SUPPORTED);
	blend = (VABlendState){.flags = VA_BLEND_GLOBAL_ALPHA, .global_alpha = 1.5f};
	refused(&p, t, VA_STATUS_ERROR_INVALID_VALUE);
	p.blend_state = NULL;
	p.input_surface_flag = VA_TOP_FIELD;
	refused(&p, t, VA_STATUS_ERROR_FLAG_NOT_SUPPORTED);
	VA_OK(vaDestroySurfaces(va, (VASurfaceID[]){s, t}, 2));
}

static void order(void **state)
{
	(void)state;
	const struct shape *shape = shape_of(VA_FOURCC_NV12);
	const VASurfaceID s = surface_make(shape, 32, 32), t = surface_make(shape, 32, 32);
	VABufferID id = buffer_make(&(VAProcPipelineParameterBuffer){.surface = s}), small;
	uint8_t *put = picture_random(shape, 32, 32);
	VA_FAILS(VA_STATUS_ERROR_OPERATION_FAILED, vaRenderPicture(va, context, &id, 1));
	VA_FAILS(VA_STATUS_ERROR_OPERATION_FAILED, vaEndPicture(va, context));
	VA_FAILS(VA_STATUS_ERROR_INVALID_SURFACE, vaBeginPicture(va, context, 4711));
	VA_FAILS(VA_STATUS_ERROR_INVALID_CONTEXT, vaBeginPicture(va, 4711, t));
	VA_OK(vaBeginPicture(va, context, t));
	VA_FAILS(VA_STATUS_ERROR_OPERATION_FAILED, vaBeginPicture(va, context, t));
	VA_FAILS(VA_STATUS_ERROR_INVALID_BUFFER, vaRenderPicture(va, context, &(VABufferID){99}, 1));
	VA_OK(vaCreateBuffer(va, context, VAProcPipelineParameterBufferType, 8, 1, NULL, &small));
	VA_FAILS(VA_STATUS_ERROR_INVALID_BUFFER, vaRenderPicture(va, context, &small, 1));
	surface_write(s, shape, 32, 32, put);
	VA_OK(vaRenderPicture(va, context, &id, 1));
	/* what the picture needs it keeps */
	VA_OK(vaDestroySurfaces(va, (VASurfaceID[]){s}, 1));
	VA_OK(vaDestroyBuffer(va, id));
	VA_OK(vaEndPicture(va, context));
	uint8_t *got = surface_read(t, shape, 32, 32);
	assert_memory_equal(put, got, picture_bytes(shape, 32, 32));
	VA_OK(vaDestroyBuffer(va, small));
	VA_OK(vaDestroySurfaces(va, (VASurfaceID[]){t}, 1));
	free(put), free(got);
}

static void capabilities(void **state)
{
	(void)state;
	VAProcPipelineCaps caps;
	VAProcFilterType filters[4];
	unsigned count = 4;
	VA_OK(vaQueryVideoProcFilters(va, context, filters, &count));
	assert_int_equal(count, 0);
	VA_OK(vaQueryVideoProcPipelineCaps(va, context, NULL, 0, &caps));
	assert_int_equal(caps.blend_flags, VA_BLEND_GLOBAL_ALPHA);
	assert_int_equal(caps.rotation_flags, 1 << VA_ROTATION_NONE);
	assert_int_equal(caps.max_output_width, 16384);
	VA_FAILS(VA_STATUS_ERROR_UNSUPPORTED_FILTER, vaQueryVideoProcFilterCaps(va, context, VAProcFilterSharpening, NULL, &count));
	VA_FAILS(VA_STATUS_ERROR_UNSUPPORTED_FILTER, vaQueryVideoProcPipelineCaps(va, context, (VABufferID[]){1}, 1, &caps));
	VA_FAILS(VA_STATUS_ERROR_INVALID_CONTEXT, vaQueryVideoProcPipelineCaps(va, 0, NULL, 0, &caps));
}

/* ---- threads ---- */
enum { THREADS = 4, ROUNDS = 12 };

/* Surfaces of its own, or two that all have; only statuses are looked at where threads disturb each other. */
static void *worker(void *shared)
{
	const VASurfaceID *both = shared;
	const struct shape *shape = shape_of(VA_FOURCC_NV12);
	uintptr_t wrong = 0;
	VAContextID own;
	wrong += vaCreateContext(va, config, 32, 32, 0, NULL, 0, &own) != VA_STATUS_SUCCESS;
	for (unsigned i = 0; i < ROUNDS; i++) {
		VASurfaceID s;
		VABufferID id;
		VAProcPipelineParameterBuffer p = {.surface = both[0]};
		wrong += vaCreateSurfaces(va, shape->rt, 32, 32, &s, 1, NULL, 0) != VA_STATUS_SUCCESS;
		wrong += vaCreateBuffer(va, own, VAProcPipelineParameterBufferType, sizeof p, 1, &p, &id) != VA_STATUS_SUCCESS;
		wrong += vaBeginPicture(va, own, i % 2 ? s : both[1]) != VA_STATUS_SUCCESS;
		wrong += vaRenderPicture(va, own, &id, 1) != VA_STATUS_SUCCESS;
		wrong += vaEndPicture(va, own) != VA_STATUS_SUCCESS;
		wrong += vaSyncSurface(va, both[1]) != VA_STATUS_SUCCESS;
		/* a context that all have: any status, and nothing breaks */
		if (!vaBeginPicture(va, context, s)) {
			vaRenderPicture(va, context, &id, 1);
			vaEndPicture(va, context);
		}
		wrong += vaDestroyBuffer(va, id) != VA_STATUS_SUCCESS;
		wrong += vaDestroySurfaces(va, &s, 1) != VA_STATUS_SUCCESS;
	}
	wrong += vaDestroyContext(va, own) != VA_STATUS_SUCCESS;
	return (void *)wrong;
}

static void threads(void **state)
{
	(void)state;
	const struct shape *shape = shape_of(VA_FOURCC_NV12);
	VASurfaceID both[2] = {surface_make(shape, 32, 32), surface_make(shape, 32, 32)};
	uint8_t *put = picture_random(shape, 32, 32);
	pthread_t t[THREADS];
	surface_write(both[0], shape, 32, 32, put);
	for (unsigned i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&t[i], NULL, worker, both), 0);
	for (unsigned i = 0; i < THREADS; i++) {
		void *wrong;
		pthread_join(t[i], &wrong);
		assert_null(wrong);
	}
	uint8_t *got = surface_read(both[1], shape, 32, 32);
	assert_memory_equal(put, got, picture_bytes(shape, 32, 32));
	VA_OK(vaDestroySurfaces(va, both, 2));
	free(put), free(got);
}

/* Two displays of one device: what one writes the other reads, in order without a wait of the host. */
static void two_displays(void **state)
{
	(void)state;
	const struct shape *shape = shape_of(VA_FOURCC_NV12);
	VADisplay first = va, second = display_open();
	VADRMPRIMESurfaceDescriptor d;
	const VASurfaceID s = surface_make(shape, 64, 64), t = surface_make(shape, 64, 64);
	VA_OK(vaExportSurfaceHandle(va, t, VA_SURFACE_ATTRIB_MEM_TYPE_DRM_PRIME_2, VA_EXPORT_SURFACE_COMPOSED_LAYERS, &d));
	VASurfaceAttrib a[2] = {{.type = VASurfaceAttribMemoryType, .value = {.type = VAGenericValueTypeInteger, .value.i = VA_SURFACE_ATTRIB_MEM_TYPE_DRM_PRIME_2}},
				{.type = VASurfaceAttribExternalBufferDescriptor, .value = {.type = VAGenericValueTypePointer, .value.p = &d}}};
	VASurfaceID imported;
	VA_OK(vaCreateSurfaces(second, shape->rt, 64, 64, &imported, 1, a, 2));
	for (unsigned i = 0; i < 4; i++) {
		uint8_t *put = picture_random(shape, 64, 64);
		surface_write(s, shape, 64, 64, put);
		VABufferID id = buffer_make(&(VAProcPipelineParameterBuffer){.surface = s});
		VA_OK(vaBeginPicture(va, context, t));
		VA_OK(vaRenderPicture(va, context, &id, 1));
		VA_OK(vaEndPicture(va, context));
		VA_OK(vaDestroyBuffer(va, id));
		va = second;
		uint8_t *got = surface_read(imported, shape, 64, 64);
		va = first;
		assert_memory_equal(put, got, picture_bytes(shape, 64, 64));
		free(put), free(got);
	}
	close(d.objects[0].fd);
	display_close(second);
	VA_OK(vaDestroySurfaces(va, (VASurfaceID[]){s, t}, 2));
}

static int setup(void **state)
{
	va_test_setup(state);
	VA_OK(vaCreateConfig(va, VAProfileNone, VAEntrypointVideoProc, NULL, 0, &config));
	VA_OK(vaCreateContext(va, config, 64, 64, VA_PROGRESSIVE, NULL, 0, &context));
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(contexts), cmocka_unit_test(buffers), cmocka_unit_test(parameters), cmocka_unit_test(order),
					   cmocka_unit_test(capabilities), cmocka_unit_test(threads), cmocka_unit_test(two_displays)};
	va_test_init(argc, argv);
	return cmocka_run_group_tests(tests, setup, va_test_teardown);
}
