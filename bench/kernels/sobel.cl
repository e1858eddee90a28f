/* gradient magnitude of an 8-bit picture, edges clamped */
kernel void sobel(global const uchar *in, global uchar *out, int width, int height)
{
	int x = get_global_id(0), y = get_global_id(1);
	int l = max(x - 1, 0), r = min(x + 1, width - 1);
	global const uchar *up = in + max(y - 1, 0) * width, *mid = in + y * width;
	global const uchar *down = in + min(y + 1, height - 1) * width;
	int gx = up[r] - up[l] + 2 * (mid[r] - mid[l]) + down[r] - down[l];
	int gy = down[l] - up[l] + 2 * (down[x] - up[x]) + down[r] - up[r];

	out[y * width + x] = convert_uchar_sat_rte(sqrt((float)(gx * gx + gy * gy)));
}
