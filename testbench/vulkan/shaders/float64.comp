// Floats of 64 bits.
#version 450
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer In { dvec2 pairs[]; };
layout(std430, binding = 1) writeonly buffer Out { double result[]; };
void main()
{
	const uint i = gl_GlobalInvocationID.x, at = i * 8;
	const double x = pairs[i].x, y = pairs[i].y;
	result[at] = x + y;
	result[at + 1] = x * y;
	result[at + 2] = x / y;
	result[at + 3] = sqrt(abs(x));
	result[at + 4] = floor(x);
	result[at + 5] = double(float(x));
	result[at + 6] = double(int(x));
	result[at + 7] = x < y ? max(x, y) : -x;
}
