/* Matrices of numbers, and of patterns (OpenVX 1.3, vx_matrix). */
#include "runtime/openvx/attributes.h"
#include "runtime/openvx/data_objects.h"
#include "runtime/openvx/graph.h"
#include "runtime/openvx/map.h"

enum {
	CELLS_MAX = INT32_MAX / 4,
	DRAWN_MAX = 65536, /* of a pattern: its cells are drawn at once, and kernels take masks of 9 x 9 */
};

static bool matrix_is(vx_matrix m) { return object_is(m, VX_TYPE_MATRIX); }

/* ---- patterns ---- */
static bool in_box(vx_size x, vx_size y, vx_size columns, vx_size rows)
{
	(void)x;
	(void)y;
	(void)columns;
	(void)rows;
	return true;
}

static bool in_cross(vx_size x, vx_size y, vx_size columns, vx_size rows) { return x == columns / 2 || y == rows / 2; }

/* Whether the middle of a cell lies in the ellipse that fills the matrix; in halves of cells, so that all of it is exact. */
static bool in_disk(vx_size x, vx_size y, vx_size columns, vx_size rows)
{
	const vx_int64 width = (vx_int64)columns, height = (vx_int64)rows;
	const vx_int64 a = (2 * (vx_int64)x + 1 - width) * height, b = (2 * (vx_int64)y + 1 - height) * width;
	return a * a + b * b <= width * width * height * height;
}

static const struct pattern {
	vx_enum pattern;
	bool odd; /* dimensions */
	bool (*has)(vx_size x, vx_size y, vx_size columns, vx_size rows);
} patterns[] = {
	{VX_PATTERN_BOX, false, in_box},
	{VX_PATTERN_CROSS, true, in_cross},
	{VX_PATTERN_DISK, true, in_disk},
};

static const struct pattern *pattern_find(vx_enum pattern)
{
	for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
		if (patterns[i].pattern == pattern)
			return &patterns[i];
	return NULL;
}

static void pattern_draw(struct _vx_matrix *m, const struct pattern *p)
{
	vx_uint8 *cell = m->store.host;
	for (vx_size y = 0; y < m->rows; y++)
		for (vx_size x = 0; x < m->columns; x++)
			*cell++ = p->has(x, y, m->columns, m->rows) ? 255 : 0;
}

/* ---- life ---- */
vx_matrix matrix_create(struct _vx_context *c, struct _vx_reference *scope, vx_enum type, vx_size columns, vx_size rows,
			vx_enum pattern, bool is_virtual)
{
	struct _vx_matrix *m = object_create(c, VX_TYPE_MATRIX, sizeof *m, scope, stores_destroy);
	const struct pattern *p = pattern_find(pattern);
	if (!m)
		return NULL;
	m->reference.is_virtual = is_virtual;
	m->data_type = type;
	m->columns = columns;
	m->rows = rows;
	m->pattern = pattern;
	/* VX_MATRIX_ORIGIN: the middle, if nothing else has been said */
	m->origin = (vx_coordinates2d_t){(vx_uint32)(columns / 2), (vx_uint32)(rows / 2)};
	if (!store_open(&m->store, columns * rows * type_size(c, type), true))
		return undone(m);
	if (p)
		pattern_draw(m, p);
	return m;
}

static vx_status check_shape(struct _vx_context *c, vx_enum type, vx_size columns, vx_size rows)
{
	/* vxCreateMatrix: numbers of one of three types */
	if (type != VX_TYPE_UINT8 && type != VX_TYPE_INT32 && type != VX_TYPE_FLOAT32)
		return fail(c, VX_ERROR_INVALID_TYPE, "a matrix of type 0x%x", type);
	/* vxCreateMatrix: not empty */
	if (!columns || !rows || columns > CELLS_MAX / rows)
		return fail(c, VX_ERROR_INVALID_DIMENSION, "a matrix of %zu columns and %zu rows", columns, rows);
	return VX_SUCCESS;
}

static vx_status check_pattern(struct _vx_context *c, vx_enum pattern, vx_size columns, vx_size rows)
{
	const struct pattern *p = pattern_find(pattern);
	/* vxCreateMatrixFromPattern: enum vx_pattern_e, but for what is no pattern */
	if (!p)
		return fail(c, VX_ERROR_INVALID_PARAMETERS, "a matrix of pattern 0x%x", pattern);
	/* vxCreateMatrixFromPatternAndOrigin: crosses and disks have a cell in the middle */
	if (p->odd && !(columns & rows & 1))
		return fail(c, VX_ERROR_INVALID_DIMENSION, "pattern 0x%x with %zu columns and %zu rows: both are odd", pattern,
			    columns, rows);
	const vx_status status = check_shape(c, VX_TYPE_UINT8, columns, rows);
	if (!status && columns * rows > DRAWN_MAX)
		return fail(c, VX_ERROR_INVALID_DIMENSION, "a pattern of %zu columns and %zu rows: the most are %d cells", columns, rows, DRAWN_MAX);
	return status;
}

VX_API_ENTRY VX_EXPORT vx_matrix VX_API_CALL vxCreateMatrix(vx_context c, vx_enum data_type, vx_size columns, vx_size rows)
{
	if (!context_is(c))
		return NULL;
	LOCKED(c);
	const vx_status status = check_shape(c, data_type, columns, rows);
	return status ? refused(c, status) : created(c, matrix_create(c, &c->reference, data_type, columns, rows,
								      VX_PATTERN_OTHER, false));
}

VX_API_ENTRY VX_EXPORT vx_matrix VX_API_CALL vxCreateVirtualMatrix(vx_graph graph, vx_enum data_type, vx_size columns,
								   vx_size rows)
{
	if (!graph_is(graph))
		return NULL;
	struct _vx_context *c = graph->reference.context;
	LOCKED(c);
	const vx_status status = check_shape(c, data_type, columns, rows);
	return status ? refused(c, status) : created(c, matrix_create(c, &graph->reference, data_type, columns, rows,
								      VX_PATTERN_OTHER, true));
}

VX_API_ENTRY VX_EXPORT vx_matrix VX_API_CALL vxCreateMatrixFromPattern(vx_context c, vx_enum pattern, vx_size columns,
								       vx_size rows)
{
	if (!context_is(c))
		return NULL;
	LOCKED(c);
	const vx_status status = check_pattern(c, pattern, columns, rows);
	return status ? refused(c, status) : created(c, matrix_create(c, &c->reference, VX_TYPE_UINT8, columns, rows, pattern,
								      false));
}

VX_API_ENTRY VX_EXPORT vx_matrix VX_API_CALL vxCreateMatrixFromPatternAndOrigin(vx_context c, vx_enum pattern, vx_size columns,
										vx_size rows, vx_size origin_col,
										vx_size origin_row)
{
	if (!context_is(c))
		return NULL;
	LOCKED(c);
	const vx_status status = check_pattern(c, pattern, columns, rows);
	if (status)
		return refused(c, status);
	/* vxCreateMatrixFromPatternAndOrigin: the origin is a cell */
	if (origin_col >= columns || origin_row >= rows)
		return refused(c, fail(c, VX_ERROR_INVALID_PARAMETERS, "origin (%zu, %zu) of %zu columns and %zu rows",
				       origin_col, origin_row, columns, rows));
	vx_matrix m = matrix_create(c, &c->reference, VX_TYPE_UINT8, columns, rows, pattern, false);
	if (m)
		m->origin = (vx_coordinates2d_t){(vx_uint32)origin_col, (vx_uint32)origin_row};
	return created(c, m);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxReleaseMatrix(vx_matrix *mat)
{
	return object_release((vx_reference *)mat, VX_TYPE_MATRIX);
}

/* ---- the API's access ---- */
VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxQueryMatrix(vx_matrix m, vx_enum attribute, void *ptr, vx_size size)
{
	return attribute_query(m, VX_TYPE_MATRIX, __func__, attribute, ptr, size);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxCopyMatrix(vx_matrix m, void *user_ptr, vx_enum usage, vx_enum user_mem_type)
{
	if (!matrix_is(m))
		return fail(NULL, VX_ERROR_INVALID_REFERENCE, "vxCopyMatrix: not a matrix");
	LOCKED(m->reference.context);
	const vx_status status = copy_check(&m->reference, "vxCopyMatrix", user_ptr, usage, user_mem_type);
	if (status)
		return status;
	/* vxCreateMatrixFromPatternAndOrigin: the cells of a pattern are read only */
	if (usage == VX_WRITE_ONLY && m->pattern != VX_PATTERN_OTHER)
		return fail(m, VX_ERROR_NOT_SUPPORTED, "vxCopyMatrix: a matrix that has been made of a pattern is read only");
	return store_copy(&m->reference, &m->store, user_ptr, usage, user_mem_type);
}
