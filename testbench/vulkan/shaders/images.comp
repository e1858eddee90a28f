// Loads and stores of storage images of several formats and shapes, and their sizes.
#version 450
layout(local_size_x = 4, local_size_y = 4) in;
layout(rgba8, binding = 0) uniform image2D colours;
layout(r32ui, binding = 1) uniform uimage2D counts;
layout(r32f, binding = 2) uniform image2D numbers;
layout(r32i, binding = 3) uniform iimage2DArray layers;
layout(rgba32f, binding = 4) uniform image3D volume;
layout(std430, binding = 5) buffer Out { int sizes[16]; vec4 seen[]; };
void main()
{
	const ivec2 at = ivec2(gl_GlobalInvocationID.xy), size = imageSize(counts);
	if (at == ivec2(0)) {
		sizes[0] = imageSize(colours).x; sizes[1] = imageSize(colours).y;
		sizes[2] = size.x; sizes[3] = size.y;
		sizes[4] = imageSize(numbers).x; sizes[5] = imageSize(numbers).y;
		sizes[6] = imageSize(layers).x; sizes[7] = imageSize(layers).y; sizes[8] = imageSize(layers).z;
		sizes[9] = imageSize(volume).x; sizes[10] = imageSize(volume).y; sizes[11] = imageSize(volume).z;
	}
	if (at.x >= size.x || at.y >= size.y)
		return;
	const vec4 c = imageLoad(colours, at);
	seen[at.y * size.x + at.x] = c;
	imageStore(colours, at, c.abgr);
	imageStore(counts, at, imageLoad(counts, at) + uvec4(at.x + at.y * 1000));
	imageStore(numbers, at, imageLoad(numbers, at) * 2.0 + vec4(at.x));
	for (int k = 0; k < imageSize(layers).z; k++)
		imageStore(layers, ivec3(at, k), imageLoad(layers, ivec3(at, k)) * ivec4(k + 1) - ivec4(at.y));
	for (int k = 0; k < imageSize(volume).z; k++)
		imageStore(volume, ivec3(at, k), imageLoad(volume, ivec3(at, k)).wzyx + vec4(k, 0, at));
}
