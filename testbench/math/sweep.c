/* make check-math: the worst error of every function of functions.def on the device, in vectors of all
 * widths, against MPFR, as a table. The environment chooses:
 *   MATH_SAMPLES=N        calls of each function (6000, which is what the test runs; check-math: 200000)
 *   MATH_EXHAUSTIVE=1     every value of the type for functions of one float
 *   MATH_FUNCTION=sin,cos these alone      MATH_TYPE=float,half  these alone
 *   MATH_WIDTHS=all       vectors of all widths of each function, as check-math and CHECK_LONG=1 do: otherwise scalars,
 *                         and the other widths by turns, as most of the time goes into compiling them
 * From 65536 calls on, functions of one half are called on all values. Usage: sweep [SEED]. */
#include "testbench/random.h"
#include "testbench/math/math.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct math_call calls[MATH_BATCH];
static struct math_answer answers[MATH_BATCH];

/* What came of one function. */
struct result {
	double worst;
	struct math_call at;
	struct math_answer answer;
	unsigned width;
	uint64_t calls, wrong;
};

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static bool one_argument(const struct math_function *f) { return f->kind == F1 || f->kind == FP || f->kind == FPI || f->kind == FR; }

static int print_call(char *text, size_t size, const struct math_function *f, const struct math_call *c)
{
	switch (f->kind) {
	case F2:
	case FQ:
	case V2:
	case VC:
		return snprintf(text, size, "%a, %a", c->a, c->b);
	case F3:
		return snprintf(text, size, "%a, %a, %a", c->a, c->b, c->c);
	case FI:
		return snprintf(text, size, "%a, %d", c->a, c->n);
	default:
		return snprintf(text, size, "%a", c->a);
	}
}

/* Compares one batch; the first wrong answers of a function are shown in full. */
static void judge(struct math_reference *reference, const struct math_type *type, const struct math_function *f, unsigned width,
		  size_t count, struct result *result)
{
	for (size_t i = 0; i < count; i++) {
		double e = math_error(reference, calls, answers, i, width, result->worst);
		if (e > result->worst || result->calls + i == 0) {
			result->worst = e;
			result->at = calls[i];
			result->answer = answers[i];
			result->width = width;
		}
		if (e <= math_limit(reference, width))
			continue;
		if (result->wrong++ < 6) {
			char text[128], args[128];
			print_call(args, sizeof args, f, &calls[i]);
			math_exact_text(reference, calls, i, width, text, sizeof text);
			printf("# %s%u %s(%s) = %a", type->name, width, f->name, args, answers[i].r);
			if (f->kind == FP)
				printf(" %a", answers[i].r2);
			if (f->kind == FPI || f->kind == FQ || f->kind == FR)
				printf(" %d", answers[i].ri);
			printf(", exact %s: %.4g ULP\n", text, e);
		}
	}
	result->calls += count;
}

static void progress(const struct math_type *type, const struct math_function *f, uint64_t done, uint64_t all, double start)
{
	static double last;
	double t = now();
	if (t - last < (isatty(2) ? 0.5 : 15))
		return;
	last = t;
	double rate = (double)done / (t - start);
	fprintf(stderr, "%s%s %s: %.1f %%, %.1f million a second, %.0f s left%s", isatty(2) ? "\r" : "", type->name, f->name,
		100 * (double)done / (double)all, rate * 1e-6, (double)(all - done) / rate, isatty(2) ? "  " : "\n");
}

static struct result sweep(struct math_program *program, size_t place, const struct math_type *type, const struct math_function *f,
			   uint64_t seed, uint64_t samples, bool exhaustive)
{
	struct result result = { 0 };
	struct math_reference *reference = math_reference_open(type, f);
	uint64_t all = exhaustive ? 1ull << 8 * type->size : samples, batch = (all + MATH_WIDTHS - 1) / MATH_WIDTHS;
	double start = now();
	/* whole vectors of every width */
	all = exhaustive ? all : (all + 47) / 48 * 48;
	batch = batch > MATH_BATCH - 48 ? MATH_BATCH - 48 : batch;
	batch = (batch + 47) / 48 * 48;
	for (uint64_t done = 0, width = 0; done < all; width = (width + 1) % MATH_WIDTHS) {
		size_t count = all - done < batch ? all - done : batch;
		if (!math_has_width(type, f, width))
			continue;
		if (exhaustive)
			for (size_t i = 0; i < count; i++)
				calls[i] = (struct math_call){ .a = math_from_bits(type, done + i) };
		else
			math_samples(type, f, &seed, done ? &result.at : NULL, calls, count);
		math_program_run(program, place, width, calls, answers, count);
		judge(reference, type, f, math_widths[width], count, &result);
		done += count;
		if (exhaustive && type->size > 2)
			progress(type, f, done, all, start);
	}
	math_reference_close(reference);
	return result;
}

static void print_result(const struct math_type *type, const struct math_function *f, const struct result *r)
{
	char limit[16], args[128], name[24];
	double l = f->limits[type - math_types];
	l += f->kind >= V1 ? f->from * r->width : 0;
	snprintf(limit, sizeof limit, l == MATH_CR ? "exact" : l == MATH_LOOSE ? "none" : "%g", l);
	snprintf(name, sizeof name, r->width > 1 ? "%s%u" : "%s", type->name, r->width);
	print_call(args, sizeof args, f, &r->at);
	printf("%-4s  %-8s %-14s %7s  %10.4g  %12" PRIu64 "  (%s)", r->wrong ? "FAIL" : "ok", name, f->name, limit, r->worst, r->calls, args);
	if (r->wrong)
		printf("  %" PRIu64 " beyond the limit", r->wrong);
	printf("\n");
	fflush(stdout);
}

/* Is the name in the list that the variable holds? Without a variable everything is. */
static bool chosen(const char *variable, const char *name)
{
	const char *list = getenv(variable), *p = list;
	size_t length = strlen(name);
	while (p && *p) {
		size_t n = strcspn(p, ",");
		if (n == length && strncmp(p, name, n) == 0)
			return true;
		p += n + (p[n] == ',');
	}
	return !list || !*list;
}

int main(int argc, char **argv)
{
	const char *text = getenv("MATH_SAMPLES"), *all = getenv("MATH_EXHAUSTIVE"), *widths = getenv("MATH_WIDTHS");
	uint64_t seed = seed_take(argc, argv);
	uint64_t samples = text && *text ? strtoull(text, NULL, 0) : 6000;
	bool exhaustive = all && *all && strcmp(all, "0");
	unsigned ok = 0, failed = 0;
	double start = now();
	math_every_width = check_long() || (widths && !strcmp(widths, "all"));
	printf("# %" PRIu64 " calls a function%s\n", samples, exhaustive ? ", all values of one float" : "");
	if (!math_every_width)
		printf("# of each function scalars and half of the widths of vectors; make check-long and check-math have all\n");
	printf("%-4s  %-8s %-14s %7s  %10s  %12s  at\n", "", "type", "function", "limit", "worst, ULP", "calls");
	math_device_open();
	for (size_t t = 0; t < MATH_TYPES; t++) {
		const struct math_type *type = &math_types[t];
		const struct math_function *group[MATH_GROUP];
		size_t n = 0;
		if (!chosen("MATH_TYPE", type->name))
			continue;
		if (!math_device_has(type)) {
			printf("# skip %s: the device does not have it\n", type->name);
			continue;
		}
		for (size_t i = 0; i < math_num_functions; i++) {
			const struct math_function *f = &math_functions[i];
			if (f->limits[t] != MATH_NONE && chosen("MATH_FUNCTION", f->name))
				group[n++] = f;
			if (n == 0 || (n < MATH_GROUP && i + 1 < math_num_functions))
				continue;
			struct math_program *program = math_program_build(type, group, n);
			for (size_t k = 0; k < n; k++) {
				bool every = one_argument(group[k]) && (type->size == 2 ? exhaustive || samples >= 1 << 16 : type->size == 4 && exhaustive);
				struct result r = sweep(program, k, type, group[k], seed ^ (uint64_t)(group[k] - math_functions) << 32, samples, every);
				print_result(type, group[k], &r);
				*(r.wrong ? &failed : &ok) += 1;
			}
			math_program_free(program);
			n = 0;
		}
	}
	math_device_close();
	printf("%u functions within their limits, %u beyond; %.0f s\n", ok, failed, now() - start);
	return failed || !ok;
}
