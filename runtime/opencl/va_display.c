/* Displays of VA-API. They are objects of libva, which this library is not linked with: a program that has a display has libva. All that is
 * asked goes through libva's public functions, to whatever driver the display has. */
#include "abi/pci.h"
#include "base/probe.h"
#include "runtime/opencl/va.h"
#include <dlfcn.h>
#include <pthread.h>
#include <va/va_backend.h>

/* ---- libva ---- */

#define LIBVA_FUNCTIONS(F) F(vaDisplayIsValid) F(vaQueryVendorString) F(vaGetDisplayAttributes) F(vaExportSurfaceHandle)

static struct {
#define MEMBER(name) __typeof__(name) *name;
	LIBVA_FUNCTIONS(MEMBER)
#undef MEMBER
} libva;

/* Once the process has it, it stays: the functions are used from then on. */
static bool libva_there(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static bool there;
	HOLDING(&lock);
	if (there)
		return true;
	void *library = dlopen("libva.so.2", RTLD_NOW | RTLD_NOLOAD);
	if (!library)
		return false;
	there = true;
#define FIND(name) there = there && (*(void **)&libva.name = dlsym(library, #name));
	LIBVA_FUNCTIONS(FIND)
#undef FIND
	if (!there)
		dlclose(library);
	return there;
}

/* ---- displays ---- */

static VADisplay opened(const void *display)
{
	struct VADisplayContext head;
	if (!display || !probe_copy(&head, display, offsetof(struct VADisplayContext, vaIsValid)) || head.vadpy_magic != VA_DISPLAY_MAGIC)
		return NULL;
	VADisplay d = (VADisplay)(uintptr_t)display;
	return libva_there() && libva.vaDisplayIsValid(d) && libva.vaQueryVendorString(d) ? d : NULL;
}

VADisplay va_display_find(const void *named)
{
	const void *pointed;
	VADisplay d = opened(named);
	if (!d && named && probe_copy(&pointed, named, sizeof pointed))
		d = opened(pointed);
	return d;
}

cl_device_id va_display_device(VADisplay d)
{
	VADisplayAttribute a = {.type = VADisplayPCIID};
	if (libva.vaGetDisplayAttributes(d, &a, 1) != VA_STATUS_SUCCESS || a.flags == VA_DISPLAY_ATTRIB_NOT_SUPPORTED)
		return NULL;
	const int number = pci_id_number((uint32_t)a.value);
	return number >= 0 && (unsigned)number < platform_devices() ? galena_platform.devices[number] : NULL;
}

VAStatus va_display_export(VADisplay d, VASurfaceID surface, uint32_t flags, VADRMPRIMESurfaceDescriptor *out)
{
	*out = (VADRMPRIMESurfaceDescriptor){0};
	return libva.vaExportSurfaceHandle(d, surface, VA_SURFACE_ATTRIB_MEM_TYPE_DRM_PRIME_2, flags, out);
}

CL_API_ENTRY cl_int CL_API_CALL galena_clGetDeviceIDsFromVA_APIMediaAdapterINTEL(cl_platform_id platform, cl_va_api_device_source_intel type, void *adapter,
										 cl_va_api_device_set_intel set, cl_uint num_entries,
										 cl_device_id *devices, cl_uint *num_devices)
{
	/* CL_GETDEVICEIDSFROMVA_APIMEDIAADAPTERINTEL_PLATFORM: the platform */
	FAIL_IF(!PLATFORM_VALID(platform), CL_INVALID_PLATFORM, "not a platform");
	/* CL_GETDEVICEIDSFROMVA_APIMEDIAADAPTERINTEL_TYPE, CL_GETDEVICEIDSFROMVA_APIMEDIAADAPTERINTEL_SET: types and sets that there are, */
	FAIL_IF(type != CL_VA_API_DISPLAY_INTEL, CL_INVALID_VALUE, "0x%x is not a type of media adapter", type);
	if (set != CL_PREFERRED_DEVICES_FOR_VA_API_INTEL && set != CL_ALL_DEVICES_FOR_VA_API_INTEL)
		return FAIL(CL_INVALID_VALUE, "0x%x is not a set of devices", set);
	/* CL_GETDEVICEIDSFROMVA_APIMEDIAADAPTERINTEL_ENTRIES_ZERO, CL_GETDEVICEIDSFROMVA_APIMEDIAADAPTERINTEL_NOTHING_ASKED: room in a list that
	 * is given, something asked for */
	FAIL_IF((!num_entries && devices) || (!devices && !num_devices), CL_INVALID_VALUE, "no entries for the list, or neither a list nor a count");
	VADisplay display = va_display_find(adapter);
	cl_device_id own = display ? va_display_device(display) : NULL;
	/* CL_GETDEVICEIDSFROMVA_APIMEDIAADAPTERINTEL_NOT_FOUND: a display of a device of the platform */
	FAIL_IF(!own, CL_DEVICE_NOT_FOUND, "%p is not a display of a device of the platform", adapter);
	/* surfaces are memory of the system, which all devices reach */
	const bool all = set == CL_ALL_DEVICES_FOR_VA_API_INTEL;
	const cl_device_id *list = all ? galena_platform.devices : &own;
	const cl_uint n = all ? galena_platform.num_devices : 1;
	for (cl_uint i = 0; devices && i < n && i < num_entries; i++)
		devices[i] = list[i];
	if (num_devices)
		*num_devices = n;
	return CL_SUCCESS;
}

/* ---- contexts ---- */

/* Properties that name an object of another API. */
static bool is_other(cl_context_properties name)
{
	static const cl_context_properties others[] = {
		0x2008 /* CL_GL_CONTEXT_KHR */, 0x2009 /* CL_EGL_DISPLAY_KHR */, 0x200a /* CL_GLX_DISPLAY_KHR */, 0x200b /* CL_WGL_HDC_KHR */,
		0x200c /* CL_CGL_SHAREGROUP_KHR */, 0x4014 /* CL_CONTEXT_D3D10_DEVICE_KHR */, 0x401d /* CL_CONTEXT_D3D11_DEVICE_KHR */,
		0x2025 /* CL_CONTEXT_ADAPTER_D3D9_KHR */, 0x2026 /* CL_CONTEXT_ADAPTER_D3D9EX_KHR */, 0x2027 /* CL_CONTEXT_ADAPTER_DXVA_KHR */,
		0x4026 /* CL_CONTEXT_D3D9_DEVICE_INTEL */, 0x4072 /* CL_CONTEXT_D3D9EX_DEVICE_INTEL */, 0x4073 /* CL_CONTEXT_DXVA_DEVICE_INTEL */,
	};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (others[i] == name)
			return true;
	return false;
}

bool interop_property(struct interop *i, cl_context_properties name, cl_context_properties value, bool *seen)
{
	switch (name) {
	case CL_CONTEXT_VA_API_DISPLAY_INTEL:
		*seen = i->display_given;
		i->display_given = true;
		i->display = (const void *)value;
		return true;
	case CL_CONTEXT_INTEROP_USER_SYNC:
		*seen = i->user_sync_given;
		i->user_sync_given = true;
		i->user_sync = value == CL_TRUE;
		return true;
	}
	*seen = false;
	if (!is_other(name))
		return false;
	i->other = name;
	i->other_used |= value != 0;
	return true;
}

cl_int interop_check(const struct interop *i, VADisplay *out)
{
	*out = i->display ? va_display_find(i->display) : NULL;
	/* CL_CREATECONTEXT*_VA_DISPLAY: a display of a device of the platform, with which all of its devices interoperate */
	if (i->display && (!*out || !va_display_device(*out)))
		return FAIL(CL_INVALID_VA_API_MEDIA_ADAPTER_INTEL, "CL_CONTEXT_VA_API_DISPLAY_INTEL: %p is not a display of a device of the platform", i->display);
	/* CL_CREATECONTEXT*_VA_OTHER: and no other API */
	FAIL_IF(i->display && i->other_used, CL_INVALID_OPERATION, "interoperability with VA-API and, by property 0x%llx, with another API", (unsigned long long)i->other);
	/* CL_CREATECONTEXT*_PROPERTY_NAME: with other APIs there is none */
	FAIL_IF(i->other, CL_INVALID_PROPERTY, "context property 0x%llx: no interoperability with that API", (unsigned long long)i->other);
	return CL_SUCCESS;
}
