$(call program,examples/vector_add,examples/vector_add.c,,-lOpenCL)
# bringup sees what a user sees: the public headers and the device library
$(call program,examples/bringup,examples/bringup.c,,-lgalena-device -lelf)
$(BUILD)/obj/examples/bringup.o: $(BUILD)/include/galena/device.h $(BUILD)/include/galena/contract.h
CFLAGS_examples_bringup := -I$(BUILD)/include
$(call program,examples/import,examples/import.c,,-lOpenCL -lgalena-heap -lgalena-android)
$(BUILD)/obj/examples/import.o: $(addprefix $(BUILD)/include/,galena/heap.h android/hardware_buffer.h)
CFLAGS_examples_import := -I$(BUILD)/include
$(call program,examples/share,examples/share.c,,-lOpenCL -lgalena-kmd)
$(BUILD)/obj/examples/share.o: $(addprefix $(BUILD)/include/galena/,api.h contract.h kmd.h)
CFLAGS_examples_share := -I$(BUILD)/include
$(call program,examples/cl_vk_interop,examples/cl_vk_interop.c,,-lOpenCL -lvulkan)
# vx_cl_interop is built as a user would: with the public headers of OpenVX
$(call program,examples/vx_cl_interop,examples/vx_cl_interop.c,,-lopenvx -lOpenCL)
$(BUILD)/examples/vx_cl_interop: $(LIBDIR)/libopenvx.so
$(BUILD)/obj/examples/vx_cl_interop.o: $(patsubst include/%,$(BUILD)/include/%,$(wildcard include/VX/*.h))
CFLAGS_examples_vx_cl_interop := -I$(BUILD)/include
$(call program,examples/vx_camera_edges,examples/vx_camera_edges.c,,-lopenvx)
$(BUILD)/examples/vx_camera_edges: $(LIBDIR)/libopenvx.so
$(BUILD)/obj/examples/vx_camera_edges.o: $(patsubst include/%,$(BUILD)/include/%,$(wildcard include/VX/*.h))
CFLAGS_examples_vx_camera_edges := -I$(BUILD)/include

# what an installed kit has of them
EXAMPLES := $(patsubst %,$(SHAREDIR)/%,$(wildcard examples/*.c))
$(SHAREDIR)/examples/%.c: examples/%.c
	@mkdir -p $(@D)
	$(Q)cp $< $@
ALL += $(EXAMPLES)
