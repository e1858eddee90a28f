/* Convolutions with a matrix of the application's. COLUMNS: of the matrix; TYPE: of the pixels that come out, uchar or short.
 *
 * Pixels whose windows reach beyond the left or right end of a row are done one by one. Of the others a work-item does PIXELS side
 * by side, in some rows, one after the other; a byte and a coefficient are loaded once for all of them. */

/* ITEMS: of a work-group, which does ROWS of the image; PIXELS is 4. */

#define ARGS global const uchar *in, plane_t from, global uchar *out, plane_t to, int border, uint constant_value, \
	global const short *matrix, int rows, int shift, int first, int end

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define FOUR JOIN(TYPE, 4)
#define SATURATED JOIN(JOIN(convert_, TYPE), _sat)
#define FOUR_SATURATED JOIN(JOIN(convert_, FOUR), _sat)

/* A sum over 2 to the shift, towards zero. */
static inline int scaled(int sum, int shift) { return (sum + (int)((uint)(sum >> 31) & ((1u << shift) - 1))) >> shift; }

/* The matrix is turned by half a turn: its last coefficient belongs to the first pixel of the window. */
kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void convolve(ARGS)
{
	const int last = end - ITEMS * PIXELS; /* groups may have pixels in common: they are all full */
	const int x = min(first + (int)get_group_id(0) * ITEMS * PIXELS, last) + (int)get_local_id(0) * PIXELS;
	const int y_first = (int)get_group_id(1) * ROWS, y_end = min(y_first + ROWS, to.height);
	global const uchar *left = PIXEL(const uchar, in, from, x - COLUMNS / 2, 0);
	global uchar *to_column = PIXEL(uchar, out, to, x, 0);
	const bool aligned = !(((size_t)PIXEL(TYPE, out, to, last, 0) | (size_t)to.stride_y) & (sizeof(FOUR) - 1));
	for (int y = y_first; y < y_end; y++) {
		int sum[PIXELS] = {0};
		global const short *m = matrix + COLUMNS * rows;
		for (int r = 0; r < rows; r++) {
			const int at = y - rows / 2 + r;
			m -= COLUMNS;
			if (border == BORDER_CONSTANT && (uint)at >= (uint)from.height) {
				int coefficients = 0;
				for (int c = 0; c < COLUMNS; c++)
					coefficients += m[c];
				for (int i = 0; i < PIXELS; i++)
					sum[i] += coefficients * (int)constant_value;
				continue;
			}
			global const uchar *p = left + clamp(at, 0, from.height - 1) * from.stride_y;
			int byte[COLUMNS + PIXELS - 1];
#pragma unroll
			for (int c = 0; c < COLUMNS + PIXELS - 1; c++)
				byte[c] = p[c];
#pragma unroll
			for (int c = 0; c < COLUMNS; c++) {
				const int coefficient = m[COLUMNS - 1 - c];
#pragma unroll
				for (int i = 0; i < PIXELS; i++)
					sum[i] += byte[c + i] * coefficient;
			}
		}
		const FOUR result = FOUR_SATURATED((int4)(scaled(sum[0], shift), scaled(sum[1], shift), scaled(sum[2], shift),
							  scaled(sum[3], shift)));
		global TYPE *to_pixel = (global TYPE *)(to_column + y * to.stride_y);
		if (aligned)
			*(global FOUR *)to_pixel = result;
		else
			vstore4(result, 0, to_pixel);
	}
}

/* Pixels before the first and behind the end, row by row. */
kernel void convolve_ends(ARGS)
{
	const int i = (int)get_global_id(0), y = (int)get_global_id(1), x = i < first ? i : i - first + end;
	global const short *m = matrix + COLUMNS * rows;
	int sum = 0;
	for (int r = 0; r < rows; r++)
		for (int c = 0; c < COLUMNS; c++)
			sum += at_u8(in, from, x + c - COLUMNS / 2, y + r - rows / 2, border, constant_value) * (int)*--m;
	*PIXEL(TYPE, out, to, x, y) = SATURATED(scaled(sum, shift));
}
