# Tests of the rules: each broken on purpose, in a stream of events and, where a driver can, on the bus.
$(call test,rules,streams,testbench/rules/streams.c,checkers abi,-lcmocka -lpthread)
$(BUILD)/obj/testbench/rules/streams.o: $(BUILD)/gen/device_rules.def
$(call test,rules,programs,testbench/rules/programs.c,driver abi,-lgalena-device -lelf -lcmocka -lpthread)
$(BUILD)/test/rules/programs: $(SHAREDIR)/firmware.elf
$(call script,rules,ordinary,testbench/rules/ordinary.sh)
$(BUILD)/test/rules/ordinary: | $(filter $(BUILD)/test/driver/% $(BUILD)/test/opencl/%,$(TESTS))
