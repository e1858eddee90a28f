/* iterations until |z| > 2; no contraction, so that every correct device counts the same */
#pragma OPENCL FP_CONTRACT OFF

kernel void mandelbrot(global int *out, int width, float x0, float y0, float step, int limit)
{
	int px = get_global_id(0), py = get_global_id(1);
	float cx = x0 + step * (float)px, cy = y0 + step * (float)py;
	float x = 0.0f, y = 0.0f;
	int n = 0;

	while (n < limit) {
		float xx = x * x, yy = y * y, xy = x * y;

		if (xx + yy > 4.0f)
			break;
		x = xx - yy + cx;
		y = xy + xy + cy;
		n++;
	}
	out[py * width + px] = n;
}
