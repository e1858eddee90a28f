# OpenVX, as applications see it.
$(BUILD)/obj/testbench/openvx/%.o: ALL_CFLAGS += -Iinclude
openvx_test = $(call test,openvx,$(1),testbench/openvx/$(1).c,,-lvxu -lopenvx -lOpenCL -lcmocka -lpthread -lm)$(eval $(BUILD)/test/openvx/$(1): $(LIBDIR)/libvxu.so $(LIBDIR)/libopenvx.so)
$(foreach t,context image graph user_kernel interop kernels_pixelwise kernels_color kernels_control kernels_filters kernels_pyramids kernels_features kernels_flow kernels_geometry kernels_statistics data_objects data_tables data_containers data_tensors,$(call openvx_test,$(t)))
