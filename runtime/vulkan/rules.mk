# The Vulkan driver as the loader loads it, and the manifest that points at it. It stays loaded, or its heap (icd/heap.c) would reserve addresses
# with each first instance.
$(call archive,vulkan,$(sort $(wildcard runtime/vulkan/*.c)))
$(call shared,libgalena-vulkan.so,$(HEAP),vulkan umd compiler compile_server heap abi,$(HEAP_WRAP) -lgalena-kmd -lgalena-device -lzstd -lxxhash -lpthread -lelf -lm -Wl$(comma)-z$(comma)nodelete,runtime/vulkan/libgalena-vulkan.map)

$(BUILD)/share/vulkan/icd.d/galena.json: runtime/vulkan/manifest.sh
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)sh $< $(abspath $(LIBDIR))/libgalena-vulkan.so > $@
ALL += $(BUILD)/share/vulkan/icd.d/galena.json
# the kernels of blits, as a string
$(BUILD)/gen/vulkan_blit.inc: runtime/vulkan/blit.cl
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)sed 's/[\\"]/\\&/g; s/.*/"&\\n"/' $< > $@
$(call obj,runtime/vulkan/blit.c): $(BUILD)/gen/vulkan_blit.inc
