$(call script,tools,galena,testbench/tools/galena.sh)
$(call test,tools,contract,testbench/tools/contract.c,,-lcmocka)
$(call test,tools,device,testbench/tools/device.c,abi,-lgalena-device -lcmocka)
$(BUILD)/obj/testbench/tools/contract.o $(BUILD)/obj/testbench/tools/device.o: $(BUILD)/include/galena/contract.h $(BUILD)/include/galena/device.h
CFLAGS_testbench_tools_contract := -I$(BUILD)/include
CFLAGS_testbench_tools_device := -I$(BUILD)/include
