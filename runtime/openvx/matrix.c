/* Matrices of numbers, and of patterns (OpenVX 1.3, vx_matrix). */
#include "runtime/openvx/data_objects.h"
#include "runtime/openvx/map.h"

enum {
	CELLS_MAX = INT32_MAX / 4,
	DRAWN_MAX = 65536, /* of a pattern: its cells are drawn at once, and kernels take masks of 9 x 9 */
};

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

/* ---- the class ---- */
static vx_coordinates2d_t middle(vx_size columns, vx_size rows) { return (vx_coordinates2d_t){(vx_uint32)(columns / 2), (vx_uint32)(rows / 2)}; }

static vx_status check_shape(struct _vx_context *c, const struct _vx_matrix *p)
{
	/* vxCreateMatrix: numbers of one of three types */
	if (p->data_type != VX_TYPE_UINT8 && p->data_type != VX_TYPE_INT32 && p->data_type != VX_TYPE_FLOAT32)
		return fail(c, VX_ERROR_INVALID_TYPE, "a matrix of type 0x%x", p->data_type);
	/* vxCreateMatrix: not empty */
	if (!p->columns || !p->rows || p->columns > CELLS_MAX / p->rows)
		return fail(c, VX_ERROR_INVALID_DIMENSION, "a matrix of %zu columns and %zu rows", p->columns, p->rows);
	return VX_SUCCESS;
}

static vx_status check_pattern(struct _vx_context *c, const struct _vx_matrix *m)
{
	const struct pattern *p = pattern_find(m->pattern);
	/* vxCreateMatrixFromPattern: enum vx_pattern_e, but for what is no pattern */
	FAIL_IF(!p, c, VX_ERROR_INVALID_PARAMETERS, "a matrix of pattern 0x%x", m->pattern);
	/* vxCreateMatrixFromPatternAndOrigin: crosses and disks have a cell in the middle */
	if (p->odd && !(m->columns & m->rows & 1))
		return fail(c, VX_ERROR_INVALID_DIMENSION, "pattern 0x%x with %zu columns and %zu rows: both are odd", m->pattern, m->columns, m->rows);
	const vx_status status = check_shape(c, m);
	if (!status && m->columns * m->rows > DRAWN_MAX)
		return fail(c, VX_ERROR_INVALID_DIMENSION, "a pattern of %zu columns and %zu rows: the most are %d cells", m->columns, m->rows, DRAWN_MAX);
	return status;
}

static vx_status matrix_check(const struct _vx_reference *scope, const void *prototype)
{
	const struct _vx_matrix *p = prototype;
	const bool drawn = p->pattern != VX_PATTERN_OTHER;
	const vx_coordinates2d_t at = middle(p->columns, p->rows);
	TRY(drawn ? check_pattern(scope->context, p) : check_shape(scope->context, p));
	/* vxCreateMatrixFromPattern: patterns are bytes, and not virtual */
	if (drawn && (p->data_type != VX_TYPE_UINT8 || scope->type == VX_TYPE_GRAPH))
		return fail(scope->context, VX_ERROR_INVALID_PARAMETERS, "a matrix of pattern 0x%x that is virtual, or of type %s", p->pattern,
			    type_name(p->data_type));
	/* vxCreateMatrixFromPatternAndOrigin: the origin is a cell; of other matrices it is the one in the middle */
	if (p->origin.x >= p->columns || p->origin.y >= p->rows || (!drawn && (p->origin.x != at.x || p->origin.y != at.y)))
		return fail(scope->context, VX_ERROR_INVALID_PARAMETERS, "origin (%u, %u) of %zu columns and %zu rows", p->origin.x, p->origin.y, p->columns,
			    p->rows);
	return VX_SUCCESS;
}

static bool matrix_init(void *object)
{
	struct _vx_matrix *m = object;
	const struct pattern *p = pattern_find(m->pattern);
	if (!store_open(&m->store, m->columns * m->rows * type_size(m->reference.context, m->data_type), true))
		return false;
	if (p)
		pattern_draw(m, p);
	return true;
}

static const struct object_attribute attributes[] = {
	{META(VX_MATRIX_TYPE, _vx_matrix, data_type, TYPE)},
	{META(VX_MATRIX_ROWS, _vx_matrix, rows, DIMENSION)},
	{META(VX_MATRIX_COLUMNS, _vx_matrix, columns, DIMENSION)},
	{META(VX_MATRIX_ORIGIN, _vx_matrix, origin, VALUE), .count = 2, .copies_differ = true},
	{META(VX_MATRIX_PATTERN, _vx_matrix, pattern, VALUE), .copies_differ = true},
	{ATTRIBUTE(VX_MATRIX_SIZE, _vx_matrix, store.size)},
};

const struct object_class matrix_class = {
	.type = VX_TYPE_MATRIX, .name = "a matrix", .size = OBJECT_SIZE(_vx_matrix), ATTRIBUTES(attributes),
	.num_stores = 1, .stores = {offsetof(struct _vx_matrix, store)},
	.check = matrix_check, .init = matrix_init,
};

/* ---- the API ---- */
CLASS_CREATE(vxCreateMatrix, vxCreateVirtualMatrix, matrix, (vx_enum data_type, vx_size columns, vx_size rows),
	     .data_type = data_type, .columns = columns, .rows = rows, .pattern = VX_PATTERN_OTHER, .origin = middle(columns, rows))

VX_API_ENTRY VX_EXPORT vx_matrix VX_API_CALL vxCreateMatrixFromPattern(vx_context c, vx_enum pattern, vx_size columns, vx_size rows)
{
	return vxCreateMatrixFromPatternAndOrigin(c, pattern, columns, rows, columns / 2, rows / 2);
}

VX_API_ENTRY VX_EXPORT vx_matrix VX_API_CALL vxCreateMatrixFromPatternAndOrigin(vx_context c, vx_enum pattern, vx_size columns, vx_size rows,
										vx_size origin_col, vx_size origin_row)
{
	const vx_coordinates2d_t origin = {origin_col > UINT32_MAX ? UINT32_MAX : (vx_uint32)origin_col, origin_row > UINT32_MAX ? UINT32_MAX : (vx_uint32)origin_row};
	/* vxCreateMatrixFromPattern: what is no pattern makes no matrix */
	if (pattern == VX_PATTERN_OTHER)
		return object_is(c, VX_TYPE_CONTEXT) ? refused(c, fail(c, VX_ERROR_INVALID_PARAMETERS, "a matrix of pattern 0x%x", pattern)) : NULL;
	return data_new(c, &matrix_class,
			&(struct _vx_matrix){.data_type = VX_TYPE_UINT8, .columns = columns, .rows = rows, .pattern = pattern, .origin = origin});
}

CLASS_RELEASE(vxReleaseMatrix, matrix)
CLASS_QUERY(vxQueryMatrix, matrix)

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxCopyMatrix(vx_matrix m, void *user_ptr, vx_enum usage, vx_enum user_mem_type)
{
	ENTER(m, VX_TYPE_MATRIX);
	TRY(copy_check(&m->reference, "vxCopyMatrix", user_ptr, usage, user_mem_type));
	/* vxCreateMatrixFromPatternAndOrigin: the cells of a pattern are read only */
	if (usage == VX_WRITE_ONLY && m->pattern != VX_PATTERN_OTHER)
		return fail(m, VX_ERROR_NOT_SUPPORTED, "vxCopyMatrix: a matrix that has been made of a pattern is read only");
	return store_copy(&m->reference, &m->store, user_ptr, usage, user_mem_type);
}
