/* nothing: what a launch costs by itself */
kernel void null_kernel(void)
{
}
