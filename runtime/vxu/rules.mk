# Immediate mode of OpenVX, libvxu.so: by the public functions of libopenvx.so.
$(BUILD)/gen/vxu_functions.inc: runtime/openvx/nodes.awk $(OPENVX_TABLE)
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)awk -v immediate=1 -f $^ > $@
$(BUILD)/obj/runtime/vxu/functions.o: $(BUILD)/gen/vxu_functions.inc
$(BUILD)/obj/runtime/vxu/%.o: ALL_CFLAGS += -Iinclude -fvisibility=default
$(call archive,vxu,$(sort $(wildcard runtime/vxu/*.c)) runtime/openvx/values.c)
$(call shared,libvxu.so,,vxu,-lopenvx,runtime/vxu/libvxu.map)
$(LIBDIR)/libvxu.so: $(LIBDIR)/libopenvx.so
