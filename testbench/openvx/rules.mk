# OpenVX, as applications see it.
$(BUILD)/obj/testbench/openvx/%.o: ALL_CFLAGS += -Iinclude
openvx_test = $(call test,openvx,$(1),testbench/openvx/$(1).c,$(2),-lvxu -lopenvx -lOpenCL -lcmocka -lpthread -lm $(3))$(eval $(BUILD)/test/openvx/$(1): $(LIBDIR)/libvxu.so $(LIBDIR)/libopenvx.so)
OPENVX_TESTS := context compatibility image bits graph user_kernel
OPENVX_TESTS += interop_context interop_image interop_data interop_kernel
OPENVX_TESTS += kernels_pixelwise kernels_color kernels_control kernels_filters kernels_pyramids kernels_features kernels_flow kernels_geometry kernels_statistics
OPENVX_TESTS += kernels_tensor kernels_hog kernels_hough kernels_bilateral kernels_template
OPENVX_TESTS += data_objects data_tables data_containers data_tensors
OPENVX_TESTS += ix ix_data ix_containers ix_graphs ix_imported ix_damage
OPENVX_TESTS += fusion forked
OPENVX_TESTS += pipelining pipelining_places pipelining_plan pipelining_life streaming events
# bad input to every function that the headers declare
OPENVX_BAD := bad_framework bad_ix bad_pipelining bad_images bad_data bad_tensors bad_kernels graph_faults
$(OPENVX_BAD:%=$(BUILD)/obj/testbench/openvx/%.o): $(BUILD)/gen/openvx_calls.inc
$(BUILD)/gen/openvx_calls.inc: testbench/openvx/calls.awk $(sort $(wildcard include/VX/*.h))
	@mkdir -p $(@D)
	$(Q)awk -f $^ > $@
$(foreach t,$(OPENVX_TESTS) $(OPENVX_BAD),$(call openvx_test,$(t)))
# what a trace of them proves
$(foreach t,asynchrony kernels_on_device plan,$(call openvx_test,$(t),replay abi,-lzstd -lxxhash))
$(call script,openvx,camera_edges,testbench/openvx/camera_edges.sh)
$(call script,openvx,facts,testbench/openvx/facts.sh)
$(call script,openvx,classes,testbench/openvx/classes.sh)
