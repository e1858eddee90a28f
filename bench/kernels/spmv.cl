/* sparse matrix (compressed rows, of very different lengths) times vector */
kernel void spmv(global const int *row, global const int *column, global const float *value, global const float *x,
		 global float *y, int rows)
{
	int r = get_global_id(0);
	float sum = 0.0f;

	if (r >= rows)
		return;
	for (int i = row[r]; i < row[r + 1]; i++)
		sum = fma(value[i], x[column[i]], sum);
	y[r] = sum;
}
