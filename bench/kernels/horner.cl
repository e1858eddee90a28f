/* a polynomial of degree 31 in double precision */
kernel void horner(global const double *x, global const double *c, global double *y)
{
	size_t i = get_global_id(0);
	double v = x[i], sum = c[31];

	for (int k = 30; k >= 0; k--)
		sum = fma(sum, v, c[k]);
	y[i] = sum;
}
