/* The OpenCL C programs of kernels/, built when a node first needs one. */
#include "runtime/openvx/context.h"
#include "runtime/openvx/sources.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct program_kernel {
	struct program_kernel *next;
	cl_kernel kernel;
	char name[];
};

struct device_program {
	struct device_program *next;
	const struct source *source;
	cl_program program; /* NULL: it could not be built */
	struct program_kernel *kernels;
	char options[];
};

void programs_close(struct device *d)
{
	for (struct device_program *p = d->programs, *next; p; p = next) {
		next = p->next;
		for (struct program_kernel *k = p->kernels, *after; k; k = after) {
			after = k->next;
			d->cl.clReleaseKernel(k->kernel);
			free(k);
		}
		if (p->program)
			d->cl.clReleaseProgram(p->program);
		free(p);
	}
	d->programs = NULL;
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

static struct device_program *program_build(struct _vx_context *c, const struct source *source, const char *options)
{
	struct device *d = &c->device;
	struct device_program *p = calloc(1, sizeof *p + strlen(options) + 1);
	if (!p)
		return NULL;
	const char *common = source_find("common")->text;
	cl_int code;
	p->source = source;
	strcpy(p->options, options);
	p->program = d->cl.clCreateProgramWithSource(d->context, 2, (const char *[]){common, source->text}, NULL, &code);
	if (p->program)
		code = d->cl.clBuildProgram(p->program, 0, NULL, options, NULL, NULL);
	if (p->program && code) {
		say_why(c, p, code);
		d->cl.clReleaseProgram(p->program);
		p->program = NULL;
	}
	p->next = d->programs;
	d->programs = p;
	return p;
}

cl_kernel device_kernel(struct _vx_context *c, const char *source_name, const char *options, const char *name)
{
	struct device *d = &c->device;
	const struct source *source = source_find(source_name);
	struct device_program *p = d->programs;
	while (p && (p->source != source || strcmp(p->options, options)))
		p = p->next;
	if (!p && source)
		p = program_build(c, source, options);
	if (!p || !p->program)
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
