# The OpenCL library as ICD loaders load it, and the manifest that points at it.

$(call shared,libgalena-opencl.so,icd/dispatch.c icd/entry_points.c icd/unsupported.c $(HEAP),opencl driver compiler zygote abi,$(HEAP_WRAP) -lgalena-device -lgalena-heap -lgalena-android -lelf -lzstd -lxxhash -lpthread -lm,icd/libgalena-opencl.map)

$(BUILD)/etc/OpenCL/vendors/galena.icd: icd/rules.mk
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)echo $(abspath $(LIBDIR))/libgalena-opencl.so > $@
ALL += $(BUILD)/etc/OpenCL/vendors/galena.icd
