#define _GNU_SOURCE
/* Render nodes of the kit, for libraries that ask libdrm what a descriptor is: a file that says so of itself stands for the node that a kernel
 * driver would have. Preloaded, or linked before libdrm. Other descriptors are libdrm's. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
/* What of libdrm's interface is taken over. */
typedef struct _drmVersion {
	int version_major, version_minor, version_patchlevel;
	int name_len;
	char *name;
	int date_len;
	char *date;
	int desc_len;
	char *desc;
} *drmVersionPtr;
enum { NODE_RENDER = 2 };
EXPORT int drmGetNodeTypeFromFd(int fd);
EXPORT drmVersionPtr drmGetVersion(int fd);

static int is_node(int fd)
{
	static const char says[] = "galena render node";
	char text[sizeof says - 1];
	return pread(fd, text, sizeof text, 0) == (ssize_t)sizeof text && !memcmp(text, says, sizeof text);
}

int drmGetNodeTypeFromFd(int fd)
{
	int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, "drmGetNodeTypeFromFd");
	if (is_node(fd))
		return NODE_RENDER;
	return next ? next(fd) : -1;
}

/* libdrm frees it. */
drmVersionPtr drmGetVersion(int fd)
{
	drmVersionPtr (*next)(int) = (drmVersionPtr(*)(int))dlsym(RTLD_NEXT, "drmGetVersion");
	if (!is_node(fd))
		return next ? next(fd) : NULL;
	drmVersionPtr v = calloc(1, sizeof *v);
	if (!v)
		return NULL;
	v->version_major = 1;
	v->name = strdup("galena");
	v->date = strdup("");
	v->desc = strdup("Galena");
	if (!v->name || !v->date || !v->desc) {
		free(v->name);
		free(v->date);
		free(v->desc);
		free(v);
		return NULL;
	}
	v->name_len = (int)strlen(v->name);
	v->desc_len = (int)strlen(v->desc);
	return v;
}
