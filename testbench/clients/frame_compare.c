/* frame_compare: how far apart two files of raw frames are.
 *   frame_compare [-b BYTES] [-t LIMIT] REFERENCE OUTPUT
 *   frame_compare [-b BYTES] [-t LIMIT] -c WIDTHxHEIGHT REFERENCE OUTPUT
 * BYTES is 1 or 2 (little endian) a sample. With -c the reference is planar 4:4:4 and the output planar 4:2:0 of the same
 * size: chroma is compared at the top left pixel of each two by two. Prints one line; exit status 0 when no
 * sample is more than LIMIT codes off, 1 when one is or the sizes do not fit, 2 for a wrong command line. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct frames {
	const char *name;
	unsigned char *data;
	size_t samples;
};

struct difference {
	size_t samples, differ, first_over;
	unsigned max, distinct;
};

static int frames_read(struct frames *f, const char *name, unsigned bytes)
{
	FILE *file = fopen(name, "rb");
	long size;

	f->name = name;
	if (!file || fseek(file, 0, SEEK_END) || (size = ftell(file)) < 0 || fseek(file, 0, SEEK_SET)) {
		fprintf(stderr, "frame_compare: %s: %s\n", name, strerror(errno));
		return -1;
	}
	f->data = malloc((size_t)size + 1);
	if (!f->data || fread(f->data, 1, (size_t)size, file) != (size_t)size) {
		fprintf(stderr, "frame_compare: %s: cannot read %ld bytes\n", name, size);
		return -1;
	}
	fclose(file);
	f->samples = (size_t)size / bytes;
	return 0;
}

static unsigned sample(const struct frames *f, size_t i, unsigned bytes)
{
	return bytes == 1 ? f->data[i] : f->data[2 * i] | (unsigned)f->data[2 * i + 1] << 8;
}

/* Takes one pair into account; `at` is the index in the output. */
static void difference_add(struct difference *d, unsigned want, unsigned got, size_t at, unsigned limit)
{
	static uint8_t seen[65536];
	unsigned off = want > got ? want - got : got - want;

	d->samples++;
	d->differ += off != 0;
	if (off > d->max)
		d->max = off;
	if (off > limit && d->first_over == SIZE_MAX)
		d->first_over = at;
	d->distinct += !seen[want];
	seen[want] = 1;
}

static void compare_420(struct difference *d, const struct frames *ref, const struct frames *out, size_t width,
			size_t height, unsigned bytes, unsigned limit)
{
	size_t luma = width * height, chroma = (width / 2) * (height / 2);

	for (size_t frame = 0; frame < ref->samples / (3 * luma); frame++) {
		size_t r = frame * 3 * luma, o = frame * (luma + 2 * chroma);

		for (size_t i = 0; i < luma; i++)
			difference_add(d, sample(ref, r + i, bytes), sample(out, o + i, bytes), o + i, limit);
		for (size_t i = 0; i < 2 * chroma; i++) {
			size_t plane = i / chroma, y = i % chroma / (width / 2), x = i % (width / 2);
			size_t from = r + (1 + plane) * luma + 2 * y * width + 2 * x, at = o + luma + i;

			difference_add(d, sample(ref, from, bytes), sample(out, at, bytes), at, limit);
		}
	}
}

static int report(const struct difference *d, const struct frames *ref, const struct frames *out, unsigned bytes,
		  unsigned limit)
{
	printf("max difference %u, %zu of %zu samples differ\n", d->max, d->differ, d->samples);
	if (!d->samples || d->distinct < 4) {
		fprintf(stderr, "frame_compare: %s: %zu samples with %u values are nothing to compare with\n", ref->name,
			d->samples, d->distinct);
		return 1;
	}
	if (d->max <= limit)
		return 0;
	fprintf(stderr, "frame_compare: %s: sample %zu is %u, more than %u off\n", out->name, d->first_over,
		sample(out, d->first_over, bytes), limit);
	return 1;
}

int main(int argc, char **argv)
{
	struct difference d = { .first_over = SIZE_MAX };
	struct frames ref, out;
	unsigned bytes = 1, limit = 0;
	size_t width = 0, height = 0, expected;
	int c;

	while ((c = getopt(argc, argv, "b:t:c:")) != -1)
		if (c == 'b')
			bytes = (unsigned)atoi(optarg);
		else if (c == 't')
			limit = (unsigned)atoi(optarg);
		else if (c != 'c' || sscanf(optarg, "%zux%zu", &width, &height) != 2 || width % 2 || height % 2)
			bytes = 0;
	if (argc - optind != 2 || bytes < 1 || bytes > 2) {
		fputs("usage: frame_compare [-b 1|2] [-t LIMIT] [-c WIDTHxHEIGHT] REFERENCE OUTPUT\n", stderr);
		return 2;
	}
	if (frames_read(&ref, argv[optind], bytes) || frames_read(&out, argv[optind + 1], bytes))
		return 1;
	expected = width ? ref.samples / 2 : ref.samples;
	if (out.samples != expected || (width && ref.samples % (3 * width * height))) {
		fprintf(stderr, "frame_compare: %s has %zu samples, %zu go with %s\n", out.name, out.samples, expected,
			ref.name);
		return 1;
	}
	if (width)
		compare_420(&d, &ref, &out, width, height, bytes, limit);
	else
		for (size_t i = 0; i < ref.samples; i++)
			difference_add(&d, sample(&ref, i, bytes), sample(&out, i, bytes), i, limit);
	c = report(&d, &ref, &out, bytes, limit);
	free(ref.data);
	free(out.data);
	return c;
}
