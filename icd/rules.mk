# The OpenCL library as ICD loaders load it, and the manifest that points at it.

OPENCL_SOURCES := icd/dispatch.c icd/entry_points.c icd/unsupported.c
OPENCL_ARCHIVES := opencl umd heap compiler compile_server abi
OPENCL_LIBRARIES := -lgalena-kmd -lgalena-device -lgalena-heap -lgalena-android -lelf -lzstd -lxxhash -lpthread -lm
$(call shared,libgalena-opencl.so,$(OPENCL_SOURCES) $(HEAP),$(OPENCL_ARCHIVES),$(HEAP_WRAP) $(OPENCL_LIBRARIES),icd/libgalena-opencl.map)

$(BUILD)/etc/OpenCL/vendors/galena.icd: icd/rules.mk
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)echo $(abspath $(LIBDIR))/libgalena-opencl.so > $@
ALL += $(BUILD)/etc/OpenCL/vendors/galena.icd
