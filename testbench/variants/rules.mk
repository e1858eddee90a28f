# Variants of the OpenCL library, which tests load in its place: with another heap, or with an error in it.
# The kernel-mode driver is inside, so that these reach it, too.
VARIANTS := $(BUILD)/variants

# $(call variant,NAME,SOURCES,WRAPPED): SOURCES are linked into it around the functions WRAPPED. BUILD/variants/NAME has it, and
# the file for a loader below etc/OpenCL/vendors, as a build tree has: GALENA_BUILD=BUILD/variants/NAME runs a test with it
define variant_rule
$(VARIANTS)/$(1)/libgalena-opencl.so: $(call obj,$(OPENCL_SOURCES) $(2)) $(call ar,$(OPENCL_ARCHIVES) kmd base) \
		$(patsubst -l%,$(LIBDIR)/lib%.so,$(filter-out -lgalena-kmd,$(filter -lgalena%,$(OPENCL_LIBRARIES))))
	$$(call say,LD,$$@)
	@mkdir -p $$(@D)/etc/OpenCL/vendors
	$$(Q)$$(CC) -shared -o $$@ $(call obj,$(OPENCL_SOURCES) $(2)) -Wl,--whole-archive $(call ar,$(OPENCL_ARCHIVES) kmd) -Wl,--no-whole-archive $(call ar,base) \
		$(patsubst %,-Wl$(comma)--wrap=%,$(3)) -L$(LIBDIR) -Wl,-rpath,$(abspath $(LIBDIR)) $$(ALL_LDFLAGS) $(filter-out -lgalena-kmd,$(OPENCL_LIBRARIES))
	$$(Q)echo $(abspath $(VARIANTS))/$(1)/libgalena-opencl.so > $$(@D)/etc/OpenCL/vendors/galena.icd
endef
variant = $(eval $(call variant_rule,$(1),$(2),$(3)))

$(call variant,short_heap,testbench/variants/short_heap.c,$(HEAP_FUNCTIONS) mmap)
$(call variant,forgetful,testbench/variants/forgetful.c,umd_submit)
$(call variant,import_point,testbench/variants/import_point.c,umd_bo_import_protected)

$(BUILD)/test/opencl/import_threads: | $(VARIANTS)/import_point/libgalena-opencl.so
$(BUILD)/test/opencl/import_memory: | $(VARIANTS)/short_heap/libgalena-opencl.so
$(call script,rules,forgetful,testbench/variants/forgetful.sh)
$(BUILD)/test/rules/forgetful: | $(VARIANTS)/forgetful/libgalena-opencl.so $(BUILD)/test/opencl/import_dmabuf
