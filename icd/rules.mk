# The OpenCL library as ICD loaders load it, and the manifest that points at it.

# its heap is its own (icd/heap.c), except where a sanitizer watches the heap
OPENCL_WATCHED := $(findstring address,$(SAN))$(findstring thread,$(SAN))
OPENCL_HEAP := $(if $(OPENCL_WATCHED),,icd/heap.c)
OPENCL_WRAP := $(if $(OPENCL_WATCHED),,$(foreach f,malloc calloc realloc free strdup,-Wl$(comma)--wrap=$(f)))
$(call shared,libgalena-opencl.so,icd/dispatch.c icd/entry_points.c icd/unsupported.c $(OPENCL_HEAP),opencl driver compiler abi,$(OPENCL_WRAP) -lgalena-device -lelf -lzstd -lxxhash -lpthread -lm,icd/libgalena-opencl.map)

$(BUILD)/etc/OpenCL/vendors/galena.icd: icd/rules.mk
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)echo $(abspath $(LIBDIR))/libgalena-opencl.so > $@
ALL += $(BUILD)/etc/OpenCL/vendors/galena.icd
