# The same memory in every way of running the device.
$(call script,modes,few,testbench/modes/few.sh)
$(BUILD)/test/modes/few: | $(patsubst %,$(BUILD)/test/opencl/%,kernel image) $(BUILD)/bench/clbench

modes: build-tests ## every test that uses a device, in every speed, with all vectors, threads, engines: the same memory
	$(Q)testbench/modes/modes.sh $(BUILD)
.PHONY: modes
