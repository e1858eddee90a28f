# Devices that processes share. client.c is what the processes do; SEED=N COUNT=200 for many.
$(call test,remote,shared,testbench/remote/shared.c,,-lgalena-heap -lcmocka)
$(call test,remote,fences,testbench/remote/fences.c,,-lgalena-kmd -lcmocka)
$(call program,test/remote/client,testbench/remote/client.c,,-lOpenCL -lpthread)
$(call script,remote,interop,testbench/remote/interop.sh)
$(BUILD)/test/remote/interop: | $(BUILD)/examples/cl_vk_interop
$(BUILD)/test/remote/shared: | $(addprefix $(BUILD)/test/,remote/client driver/bind driver/export driver/fences driver/turns opencl/va)
