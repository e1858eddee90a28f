/* Modules (OpenVX 1.3, vxLoadKernels, vxRegisterKernelLibrary): libraries that publish kernels. */
#include "runtime/openvx/module.h"
#include "runtime/openvx/kernel.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct module {
	struct module *next;
	vx_publish_kernels_f publish;
	vx_unpublish_kernels_f unpublish;
	void *library;      /* of dlopen(), or NULL: registered */
	unsigned loads;
	char name[];
};

static _Thread_local struct module *publishing;

struct module *module_of_caller(void) { return publishing; }

static struct module **module_find(struct _vx_context *c, const vx_char *name)
{
	struct module **at = &c->modules;
	while (*at && strcmp((*at)->name, name))
		at = &(*at)->next;
	return at;
}

static struct module *module_add(struct _vx_context *c, const vx_char *name)
{
	struct module *m = calloc(1, sizeof *m + strlen(name) + 1);
	if (!m)
		return NULL;
	strcpy(m->name, name);
	m->next = c->modules;
	c->modules = m;
	return m;
}

static void module_end(struct _vx_context *c, struct module *m)
{
	*module_find(c, m->name) = m->next;
	if (m->library)
		dlclose(m->library);
	free(m);
}

/* A library that cannot go yet can be loaded again, and ends with the context. */
static void unload(struct _vx_context *c, struct module *m)
{
	if (m->library && kernels_take_away(c, m))
		module_end(c, m);
}

void modules_close(struct _vx_context *c)
{
	while (c->modules) {
		struct module *m = c->modules;
		if (m->loads && m->unpublish)
			m->unpublish(c);
		kernels_take_away(c, m);
		module_end(c, m);
	}
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxRegisterKernelLibrary(vx_context c, const vx_char *module, vx_publish_kernels_f publish,
								      vx_unpublish_kernels_f unpublish)
{
	EXPECT(c, VX_TYPE_CONTEXT);
	FAIL_IF(!module || !publish || !unpublish, c, VX_ERROR_INVALID_PARAMETERS, "vxRegisterKernelLibrary: no name, or not both functions");
	LOCKED(c);
	FAIL_IF(*module_find(c, module), c, VX_ERROR_INVALID_PARAMETERS, "vxRegisterKernelLibrary: there is a module %s already", module);
	struct module *m = module_add(c, module);
	FAIL_IF(!m, c, VX_ERROR_NO_RESOURCES, "no memory for a module");
	m->publish = publish;
	m->unpublish = unpublish;
	return VX_SUCCESS;
}

static void *function_of(void *library, const char *name)
{
	return library ? dlsym(library, name) : NULL;
}

/* NAME stands for libNAME.so, as other implementations have it, or for a path of its own. */
static struct module *open_library(struct _vx_context *c, const vx_char *name)
{
	char file[4096];
	snprintf(file, sizeof file, "lib%s.so", name);
	void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	void *publish = function_of(library, "vxPublishKernels"), *unpublish = function_of(library, "vxUnpublishKernels");
	struct module *m = publish && unpublish ? module_add(c, name) : NULL;
	if (!m) {
		if (library)
			dlclose(library);
		return NULL;
	}
	m->library = library;
	memcpy(&m->publish, &publish, sizeof publish);
	memcpy(&m->unpublish, &unpublish, sizeof unpublish);
	return m;
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxLoadKernels(vx_context c, const vx_char *module)
{
	EXPECT(c, VX_TYPE_CONTEXT);
	FAIL_IF(!module, c, VX_ERROR_INVALID_PARAMETERS, "vxLoadKernels: no name");
	LOCKED(c);
	struct module *m = *module_find(c, module);
	if (!m)
		m = open_library(c, module);
	if (!m)
		return fail(c, VX_ERROR_INVALID_MODULE, "vxLoadKernels: there is no library lib%s.so that exports vxPublishKernels and vxUnpublishKernels", module);
	if (m->loads++)
		return VX_SUCCESS;
	struct module *outer = publishing;
	publishing = m;
	const vx_status status = m->publish(c);
	publishing = outer;
	if (status) {
		m->loads = 0;
		unload(c, m);
		return fail(c, status, "vxLoadKernels: %s could not publish its kernels", module);
	}
	c->num_modules++;
	return VX_SUCCESS;
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxUnloadKernels(vx_context c, const vx_char *module)
{
	EXPECT(c, VX_TYPE_CONTEXT);
	FAIL_IF(!module, c, VX_ERROR_INVALID_PARAMETERS, "vxUnloadKernels: no name");
	LOCKED(c);
	struct module *m = *module_find(c, module);
	FAIL_IF(!m || !m->loads, c, VX_ERROR_INVALID_PARAMETERS, "vxUnloadKernels: %s is not loaded", module);
	if (m->loads > 1) {
		m->loads--;
		return VX_SUCCESS;
	}
	const vx_status status = m->unpublish(c);
	/* vxRemoveKernel: a kernel that is in use stays, and so does its function */
	FAIL_IF(status, c, status, "vxUnloadKernels: %s could not take back its kernels", module);
	m->loads = 0;
	c->num_modules--;
	unload(c, m);
	return VX_SUCCESS;
}
