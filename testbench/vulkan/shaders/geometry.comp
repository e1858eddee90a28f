// Functions of vectors.
#version 450
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer In { vec4 v[]; };
layout(std430, binding = 1) writeonly buffer Out { float result[]; };
uint at;
void put(float f) { result[at++] = f; }
void put(vec3 w) { put(w.x); put(w.y); put(w.z); }
void main()
{
	const uint i = gl_GlobalInvocationID.x;
	const vec3 a = v[2 * i].xyz, b = v[2 * i + 1].xyz, n = normalize(b);
	at = i * 36;
	put(length(a)); put(distance(a, b)); put(dot(a, b)); put(length(v[2 * i])); put(dot(a.xy, b.xy));
	put(cross(a, b)); put(normalize(a)); put(reflect(a, n)); put(refract(normalize(a), n, 0.5)); put(refract(normalize(a), n, 2.5));
	put(faceforward(a, b, n)); put(mix(a, b, 0.5)); put(mix(a, b, lessThan(a, b)));
	put(floor(a) + fract(a)); put(length(a.x));
	put(normalize(v[2 * i]).w);
}
