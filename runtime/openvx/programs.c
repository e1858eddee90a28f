/* The OpenCL C programs of kernels/, built when a node first needs one. */
#include "runtime/openvx/context.h"
#include "runtime/openvx/sources.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

struct program_kernel {
	struct program_kernel *next;
	cl_kernel kernel;
	char name[];
};

struct device_program {
	struct device_program *next;
	const struct source *source;
	cl_program program; /* NULL: it could not be built */
	bool asked;         /* since programs_watch() */
	struct program_kernel *kernels;
	const char *text;   /* of the caller's, behind that of the source; in what follows */
	char options[];
};

static void program_end(struct device *d, struct device_program *p)
{
	for (struct program_kernel *k = p->kernels, *after; k; k = after) {
		after = k->next;
		d->cl.clReleaseKernel(k->kernel);
		free(k);
	}
	if (p->program)
		d->cl.clReleaseProgram(p->program);
	free(p);
}

void programs_close(struct device *d)
{
	for (struct device_program *p = d->programs, *next; p; p = next) {
		next = p->next;
		program_end(d, p);
	}
	d->programs = NULL;
}

void programs_forget(struct device *d, const struct device_program *before)
{
	struct device_program **at = &d->programs;
	while (*at != before) {
		struct device_program *p = *at;
		if (p->kernels) {
			at = &p->next;
		} else {
			*at = p->next;
			program_end(d, p);
		}
	}
}

static const struct source *source_find(const char *name)
{
	for (unsigned i = 0; i < source_count; i++)
		if (!strcmp(sources[i].name, name))
			return &sources[i];
	return NULL;
}

static void say_why(struct _vx_context *c, const struct device_program *p, cl_int code)
{
	struct device *d = &c->device;
	char text[512] = "";
	size_t size = 0;
	if (!d->cl.clGetProgramBuildInfo(p->program, d->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) && size) {
		char *all = malloc(size);
		if (all && !d->cl.clGetProgramBuildInfo(p->program, d->id, CL_PROGRAM_BUILD_LOG, size, all, NULL))
			snprintf(text, sizeof text, "%s", all);
		free(all);
	}
	fail(c, VX_FAILURE, "%s.cl with \"%s\" cannot be built (%d): %s", p->source->name, p->options, code, text);
}

/* A new one in the list, that nothing has been built of yet; NULL: no memory. */
static struct device_program *program_add(struct device *d, const struct source *source, const char *options, const char *text)
{
	const size_t length = strlen(options) + 1;
	struct device_program *p = calloc(1, sizeof *p + length + strlen(text) + 1);
	if (!p)
		return NULL;
	p->source = source;
	strcpy(p->options, options);
	p->text = strcpy(p->options + length, text);
	p->next = d->programs;
	d->programs = p;
	return p;
}

static const struct source *common(void) { return source_find("common"); }

static struct device_program *program_build(struct _vx_context *c, const struct source *source, const char *options, const char *text)
{
	struct device *d = &c->device;
	struct device_program *p = program_add(d, source, options, text);
	cl_int code;
	if (!p)
		return NULL;
	p->program = d->cl.clCreateProgramWithSource(d->context, 3, (const char *[]){common()->text, source->text, text}, NULL, &code);
	if (p->program)
		code = d->cl.clBuildProgram(p->program, 0, NULL, options, NULL, NULL);
	if (p->program && code) {
		say_why(c, p, code);
		d->cl.clReleaseProgram(p->program);
		p->program = NULL;
	}
	return p;
}

static struct device_program *program_find(const struct device *d, const struct source *source, const char *options, const char *text)
{
	struct device_program *p = d->programs;
	while (p && (p->source != source || strcmp(p->options, options) || strcmp(p->text, text)))
		p = p->next;
	return p;
}

cl_kernel device_kernel(struct _vx_context *c, const char *source_name, const char *options, const char *text, const char *name)
{
	struct device *d = &c->device;
	const struct source *source = source_find(source_name);
	struct device_program *p = source ? program_find(d, source, options, text) : NULL;
	if (!p && source)
		p = program_build(c, source, options, text);
	if (!p)
		return NULL;
	p->asked = true;
	if (!p->program)
		return NULL;
	struct program_kernel *k = p->kernels;
	while (k && strcmp(k->name, name))
		k = k->next;
	if (k)
		return k->kernel;
	k = malloc(sizeof *k + strlen(name) + 1);
	if (!k)
		return NULL;
	strcpy(k->name, name);
	k->kernel = d->cl.clCreateKernel(p->program, name, NULL);
	if (!k->kernel) {
		fail(c, VX_FAILURE, "%s.cl has no kernel %s", source_name, name);
		free(k);
		return NULL;
	}
	k->next = p->kernels;
	p->kernels = k;
	return k->kernel;
}

/* ---- in exports ---- */
void programs_watch(struct device *d)
{
	for (struct device_program *p = d->programs; p; p = p->next)
		p->asked = false;
}

const struct device_program *program_asked(const struct device *d, const struct device_program *after)
{
	const struct device_program *p = after ? after->next : d->programs;
	while (p && !(p->asked && p->program))
		p = p->next;
	return p;
}

const char *program_source(const struct device_program *p) { return p->source->name; }
const char *program_options(const struct device_program *p) { return p->options; }
const char *program_text(const struct device_program *p) { return p->text; }

vx_uint64 program_hash(const char *name)
{
	const struct source *source = source_find(name);
	if (!source)
		return 0;
	const XXH64_hash_t before = XXH3_64bits(common()->text, strlen(common()->text));
	return XXH3_64bits_withSeed(source->text, strlen(source->text), before);
}

/* The devices that programs are built for: those of the context. */
enum { DEVICES_MAX = 64 };
static cl_uint devices_of(const struct device *d, cl_device_id *devices)
{
	size_t bytes = 0;
	const cl_int code = d->cl.clGetContextInfo(d->context, CL_CONTEXT_DEVICES, DEVICES_MAX * sizeof *devices, devices, &bytes);
	return code ? 0 : (cl_uint)(bytes / sizeof *devices);
}

bool program_binary(const struct device *d, const struct device_program *p, void *to, size_t *bytes)
{
	cl_device_id devices[DEVICES_MAX];
	size_t sizes[DEVICES_MAX] = {0};
	unsigned char *binaries[DEVICES_MAX] = {NULL};
	cl_uint own = 0;
	const cl_uint count = devices_of(d, devices);
	while (own < count && devices[own] != d->id)
		own++;
	const size_t room = *bytes;
	if (own == count || d->cl.clGetProgramInfo(p->program, CL_PROGRAM_BINARY_SIZES, count * sizeof *sizes, sizes, NULL))
		return false;
	*bytes = sizes[own];
	if (!to)
		return *bytes > 0;
	/* those of other devices are not asked for */
	binaries[own] = to;
	return room >= *bytes && !d->cl.clGetProgramInfo(p->program, CL_PROGRAM_BINARIES, count * sizeof *binaries, binaries, NULL);
}

/* The same for all devices of the context, as a build from text makes it. */
static cl_program from_binary(const struct device *d, const void *binary, size_t bytes, const char *options, cl_int *code)
{
	cl_device_id devices[DEVICES_MAX];
	size_t sizes[DEVICES_MAX];
	const unsigned char *binaries[DEVICES_MAX];
	const cl_uint count = devices_of(d, devices);
	for (cl_uint i = 0; i < count; i++) {
		sizes[i] = bytes;
		binaries[i] = binary;
	}
	cl_program program = d->cl.clCreateProgramWithBinary(d->context, count, devices, sizes, binaries, NULL, code);
	if (program)
		*code = d->cl.clBuildProgram(program, 0, NULL, options, NULL, NULL);
	if (program && *code) {
		d->cl.clReleaseProgram(program);
		program = NULL;
	}
	return program;
}

vx_status program_load(struct _vx_context *c, const char *name, const char *options, const char *text, vx_uint64 hash, const void *binary, size_t bytes)
{
	struct device *d = &c->device;
	const struct source *source = source_find(name);
	cl_int code = CL_SUCCESS;
	if (!source || program_hash(name) != hash)
		return fail(c, VX_ERROR_NOT_COMPATIBLE,
			    "the binary of %s.cl with \"%s\" is of another version of this library: the program is built anew when it is needed", name,
			    options);
	if (program_find(d, source, options, text))
		return VX_SUCCESS;
	cl_program program = from_binary(d, binary, bytes, options, &code);
	if (!program)
		return fail(c, VX_ERROR_NOT_COMPATIBLE,
			    "the binary of %s.cl with \"%s\" does not fit the device (%d): the program is built anew when it is needed", name, options, code);
	struct device_program *p = program_add(d, source, options, text);
	if (p)
		p->program = program;
	else
		d->cl.clReleaseProgram(program);
	return p ? VX_SUCCESS : fail(c, VX_ERROR_NO_MEMORY, "no memory for a program");
}
