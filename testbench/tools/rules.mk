$(call script,tools,galena,testbench/tools/galena.sh)
$(call script,tools,arguments,testbench/tools/arguments.sh)
$(call test,tools,contract,testbench/tools/contract.c,,-lcmocka)
$(call test,tools,names,testbench/tools/names.c tools/trace_names.c,abi,-lcmocka)
$(call test,tools,device,testbench/tools/device.c,abi,-lgalena-device -lcmocka)
$(BUILD)/obj/testbench/tools/contract.o $(BUILD)/obj/testbench/tools/device.o: $(BUILD)/include/galena/contract.h $(BUILD)/include/galena/device.h
CFLAGS_testbench_tools_contract := -I$(BUILD)/include
CFLAGS_testbench_tools_device := -I$(BUILD)/include
# what counters, profiles and top look at
$(BUILD)/test/tools/steps $(BUILD)/test/tools/hot $(BUILD)/test/tools/dies: $(BUILD)/test/tools/%: $(BUILD)/obj/testbench/tools/%.o
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -o $@ $< $(ALL_LDFLAGS) -lOpenCL
$(call script,tools,counters,testbench/tools/counters.sh)
$(call script,tools,profile,testbench/tools/profile.sh)
$(call script,tools,top,testbench/tools/top.sh)
$(BUILD)/test/tools/counters $(BUILD)/test/tools/profile $(BUILD)/test/tools/top: $(BUILD)/test/tools/steps
$(BUILD)/test/tools/profile: $(BUILD)/test/tools/hot
$(call script,tools,manual,testbench/tools/manual.sh)
$(call script,tools,requirements,testbench/tools/requirements.sh)
$(call script,tools,pictures,testbench/tools/pictures.sh)
$(call script,tools,completion,testbench/tools/completion.sh)
# a driver of somebody else's, under every instrument
$(eval $(call program_rule,test/tools/own_driver_program,testbench/rules/own_driver.c testbench/examples/board.c,,-lgalena-device -lelf -lcmocka,$(abspath $(LIBDIR))))
$(BUILD)/obj/testbench/rules/own_driver.o: $(BUILD)/include/galena/device.h $(BUILD)/include/galena/contract.h
CFLAGS_testbench_rules_own_driver := -I$(BUILD)/include
$(call script,tools,own_driver,testbench/tools/own_driver.sh)
$(BUILD)/test/tools/own_driver: $(BUILD)/test/tools/own_driver_program
$(call script,tools,run,testbench/tools/run.sh)
$(BUILD)/test/tools/run: $(RUN)
$(call script,tools,conformance,testbench/tools/conformance.sh)
$(BUILD)/test/tools/conformance: $(BUILD)/test/tools/steps
$(call script,tools,fail_on,testbench/tools/fail_on.sh)
$(BUILD)/test/tools/fail_on: | $(addprefix $(BUILD)/,test/opencl/faults test/tools/device examples/vector_add examples/bringup)
# programs that die
$(call script,tools,recordings,testbench/tools/recordings.sh)
$(BUILD)/test/tools/recordings: $(BUILD)/test/tools/dies
$(call script,tools,tables,testbench/tools/tables.sh)
$(BUILD)/test/tools/tables: $(BUILD)/gen/abi_hash.h $(BUILD)/gen/superblock_hash.h
