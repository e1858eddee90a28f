/* C = A * B, n x n, row major; one work-item an element of C */
kernel void sgemm(global const float *a, global const float *b, global float *c, int n)
{
	int col = get_global_id(0), row = get_global_id(1);
	float sum = 0.0f;

	for (int k = 0; k < n; k++)
		sum = mad(a[row * n + k], b[k * n + col], sum);
	c[row * n + col] = sum;
}
