/* n x n floats through a padded 16 x 16 tile, so that reads and writes both run along rows */
#define TILE 16

kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void transpose(global const float *in, global float *out, int n)
{
	local float tile[TILE][TILE + 1];
	int lx = get_local_id(0), ly = get_local_id(1);
	int gx = get_group_id(0) * TILE, gy = get_group_id(1) * TILE;

	tile[ly][lx] = in[(gy + ly) * n + gx + lx];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[(gx + ly) * n + gy + lx] = tile[lx][ly];
}
