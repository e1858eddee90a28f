/* Planes of one value. */

/* A work-item a byte of a row; the bytes of the pattern come again and again. */
kernel void fill_bytes(global uchar *p, plane_t d, uchar4 pattern, int count)
{
	const int x = get_global_id(0), at = x % count;
	p[d.offset + get_global_id(1) * d.stride_y + x] = at == 0 ? pattern.x : at == 1 ? pattern.y : at == 2 ? pattern.z : pattern.w;
}

/* A work-item a byte; bits that are not the plane's stay. */
kernel void fill_bits(global uchar *p, plane_t d, int value)
{
	store_bits(p, d, (int)get_global_id(0) * 8, (int)get_global_id(1), value ? 0xff : 0);
}
