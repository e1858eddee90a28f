// Control flow. control_reference of compute.c is the same in C.
#version 450
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer In { int values[]; };
layout(std430, binding = 1) writeonly buffer Out { int result[]; };
const int TABLE[8] = int[](3, 1, 4, 1, 5, 9, 2, 6);
const ivec2 PAIRS[3] = ivec2[](ivec2(1, 2), ivec2(3, 4), ivec2(5, 6));
struct state { int a; int list[4]; };

int loops(int x)
{
	int sum = 0;
	for (int i = 0; i < 20; i++) {
		if (i % 3 == x % 3)
			continue;
		if (sum > x)
			break;
		for (int j = 0; ; j++) {
			if (j == i)
				break;
			if ((j & 1) != 0)
				continue;
			sum += j * i;
		}
	}
	int n = x;
	while (n > 1 && sum < 5000)
		n = (n & 1) != 0 && n < 1000 ? 3 * n + 1 - n : n / 2, sum++;
	do
		sum += 7;
	while (sum < x);
	return sum;
}

int choose(int x)
{
	int r = 0;
	switch (x & 7) {
	case 0:
		r += 1;
	case 1:
		r += 10;
		break;
	case 5:
		return -5;
	case 2:
	case 3:
		if (x > 20)
			break;
		r += 100;
	default:
		r += 1000;
	}
	for (int i = 0; i < 6; i++) {
		switch (i + (x & 1)) {
		case 2:
			continue;
		case 4:
			r += 3;
			break;
		default:
			r += 5;
		}
		r *= 2;
	}
	return r;
}

int early(int x)
{
	if (x < 4)
		return 1;
	for (int i = 0; i < x; i++)
		if (i * i > x)
			return i;
	return x;
}

void change(inout int a, out int b, const in int c, inout state s)
{
	b = a + c;
	a *= 2;
	s.list[c & 3] += a;
	s.a -= b;
}

int arrays(int x)
{
	int list[8];
	for (int i = 0; i < 8; i++)
		list[(i * 3 + x) & 7] = TABLE[i] * x;
	int copy[8] = list;
	list[x & 7] = -1;
	int r = 0;
	for (int i = 0; i < 8; i++)
		r = r * 3 + list[i] - copy[(i + x) & 7];
	ivec4 v = ivec4(r, x, 3, 4);
	v[x & 3] += 50;
	return v.x + v[(x + 1) & 3] + PAIRS[x % 3].y + PAIRS[x % 3][x & 1];
}

void main()
{
	const uint i = gl_GlobalInvocationID.x;
	const int x = values[i];
	state s = state(x, int[](1, 2, 3, 4));
	int a = x, b = 0;
	change(a, b, x & 5, s);
	change(b, a, 2, s);
	result[i * 8] = loops(x);
	result[i * 8 + 1] = choose(x);
	result[i * 8 + 2] = early(x);
	result[i * 8 + 3] = arrays(x);
	result[i * 8 + 4] = a;
	result[i * 8 + 5] = b;
	result[i * 8 + 6] = s.a + s.list[0] * 3 + s.list[1] * 5 + s.list[2] * 7 + s.list[3] * 11;
	if ((x & 2) != 0)
		return;
	result[i * 8 + 7] = x > 10 && TABLE[x & 7] > 2 || x == 3 ? 1 : 2;
}
