# Tests of the driver and the firmware, on the device library that programs use.
driver_test = $(call test,driver,$(1),testbench/driver/$(1).c,driver abi,-lgalena-device -lelf -lcmocka -lpthread)
$(call driver_test,boot)
$(call driver_test,transfer)
$(call driver_test,memory)
$(call driver_test,maintenance)
$(call driver_test,queues)
$(call driver_test,faults)
$(call driver_test,determinism)
$(call driver_test,lost)
$(call driver_test,pins)
$(call driver_test,dispatch)
$(call driver_test,inject)
# the firmware alone, on a board
board_test = $(call test,driver,$(1),testbench/driver/$(1).c testbench/driver/board.c,abi,-lgalena-device -lcmocka)
$(call board_test,firmware)
$(call board_test,control)
$(call board_test,protection)
$(filter $(BUILD)/test/driver/%,$(TESTS)): $(SHAREDIR)/firmware.elf
