/* 8-bit 4:2:0 to RGBA, whole numbers of 16 and 32 bits */
kernel void yuv(global const uchar *luma, global const uchar2 *chroma, global uchar4 *out, int width)
{
	int x = get_global_id(0), y = get_global_id(1);
	short l = (short)(luma[y * width + x] - 16);
	uchar2 c = chroma[y / 2 * (width / 2) + x / 2];
	short u = (short)(c.x - 128), v = (short)(c.y - 128);
	int base = 298 * l + 128;

	out[y * width + x] = (uchar4)(convert_uchar_sat((base + 409 * v) >> 8), convert_uchar_sat((base - 100 * u - 208 * v) >> 8),
				      convert_uchar_sat((base + 516 * u) >> 8), (uchar)255);
}
