# The VA-API driver as libva loads it: LIBVA_DRIVERS_PATH is the folder, LIBVA_DRIVER_NAME=galena. libva never unloads it.
$(call archive,vaapi,$(sort $(wildcard runtime/vaapi/*.c)))
$(call shared,galena_drv_video.so,$(HEAP),vaapi umd compiler compile_server heap abi,$(HEAP_WRAP) -lgalena-kmd -lgalena-device -lzstd -lxxhash -lpthread -lelf -lm,runtime/vaapi/galena_drv_video.map)

# A file that stands for a render node, and the library that says so to those who ask libdrm.
$(call shared,libgalena-drm.so,runtime/vaapi/node/node.c,,-ldl,runtime/vaapi/node/libgalena-drm.map)
$(BUILD)/share/galena/renderD128: runtime/vaapi/rules.mk
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)echo "galena render node" > $@
ALL += $(BUILD)/share/galena/renderD128
