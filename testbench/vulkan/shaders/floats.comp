// Functions of floats. float_reference of compute_float.c is the same in C.
#version 450
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer In { vec2 pairs[]; };
layout(std430, binding = 1) writeonly buffer Out { float result[]; };
uint at;
void put(float f) { result[at++] = f; }
void main()
{
	const uint i = gl_GlobalInvocationID.x;
	const float x = pairs[i].x, y = pairs[i].y, one = clamp(x, -1.0, 1.0), angle = clamp(x, -3.1415926, 3.1415926);
	float whole;
	int exponent;
	at = i * 48;
	put(sin(angle)); put(cos(angle)); put(tan(clamp(x, -1.5, 1.5)));
	put(asin(one)); put(acos(one)); put(atan(x)); put(atan(y, x));
	put(exp(clamp(x, -80.0, 80.0))); put(exp2(clamp(x, -120.0, 120.0))); put(log(abs(x) + 1e-30)); put(log2(abs(x) + 1e-30));
	put(pow(abs(x) + 0.01, clamp(y, -4.0, 4.0))); put(sqrt(abs(x))); put(inversesqrt(abs(x) + 1e-20));
	put(floor(x)); put(ceil(x)); put(fract(x)); put(trunc(x)); put(round(x)); put(roundEven(x));
	put(mod(x, abs(y) + 0.5)); put(modf(x, whole)); put(whole);
	put(frexp(x, exponent)); put(float(exponent)); put(ldexp(x, clamp(int(clamp(y, -30.0, 30.0)), -30, 30)));
	put(mix(x, y, 0.25)); put(step(x, y)); put(smoothstep(-1.0, 3.0, x));
	put(fma(x, y, 0.5)); put(x / (abs(y) + 1.0)); put(x * y); put(x + y); put(x - y);
	put(min(x, y)); put(max(x, y)); put(clamp(x, -2.0, 2.5)); put(abs(x)); put(sign(x)); put(-x);
	put(radians(x)); put(degrees(x)); put(float(x < y)); put(float(int(clamp(x, -1e6, 1e6)))); put(float(uint(clamp(abs(x), 0.0, 1e6))));
	put(sinh(clamp(x, -5.0, 5.0))); put(cosh(clamp(x, -5.0, 5.0))); put(tanh(clamp(x, -5.0, 5.0)));
}
