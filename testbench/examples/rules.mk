$(call script,examples,bringup,testbench/examples/bringup.sh)
$(call script,examples,import,testbench/examples/import.sh)
$(call script,examples,share,testbench/examples/share.sh)
$(call script,examples,cl_vk_interop,testbench/examples/cl_vk_interop.sh)
$(call script,examples,vx_cl_interop,testbench/examples/vx_cl_interop.sh)
# what the manual says, over the public headers alone
$(call test,examples,sequences,testbench/examples/sequences.c testbench/examples/board.c,,-lgalena-device -lelf -lcmocka)
$(BUILD)/test/examples/sequences: $(SHAREDIR)/firmware.elf
$(BUILD)/obj/testbench/examples/sequences.o $(BUILD)/obj/testbench/examples/board.o: $(BUILD)/include/galena/device.h $(BUILD)/include/galena/contract.h
CFLAGS_testbench_examples_sequences := -I$(BUILD)/include
CFLAGS_testbench_examples_board := -I$(BUILD)/include
