# OpenVX: the framework and its kernels, libopenvx.so.
OPENVX_TABLE := runtime/openvx/kernels.tsv
$(BUILD)/gen/openvx_sources.inc: runtime/openvx/sources.awk $(sort $(wildcard runtime/openvx/kernels/*.cl))
$(BUILD)/gen/openvx_kernel_rows.inc: runtime/openvx/kernels.awk $(OPENVX_TABLE)
$(BUILD)/gen/openvx_nodes.inc: runtime/openvx/nodes.awk $(OPENVX_TABLE)
$(BUILD)/gen/openvx_sources.inc $(BUILD)/gen/openvx_kernel_rows.inc $(BUILD)/gen/openvx_nodes.inc:
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)awk -f $^ > $@
$(BUILD)/obj/runtime/openvx/sources.o: $(BUILD)/gen/openvx_sources.inc
$(BUILD)/obj/runtime/openvx/kernel_rows.o: $(BUILD)/gen/openvx_kernel_rows.inc
$(BUILD)/obj/runtime/openvx/nodes.o: $(BUILD)/gen/openvx_nodes.inc
$(BUILD)/obj/runtime/openvx/%.o: ALL_CFLAGS += -Iinclude
$(call archive,openvx,$(sort $(wildcard runtime/openvx/*.c)))
$(call shared,libopenvx.so,,openvx,-lgalena-opencl -lpthread -ldl -lm)
