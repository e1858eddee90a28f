$(call test,traces,format,testbench/traces/format.c testbench/traces/damage.c,replay,-lcmocka -lzstd -lxxhash)
$(call test,traces,ring,testbench/traces/ring.c traces/ring.c,,-lcmocka)
$(call test,traces,wave,testbench/traces/wave.c,files fst abi,-lcmocka -lzstd -lxxhash -lz -lpthread)
CFLAGS_testbench_traces_wave := -isystem /usr/share/verilator/include/gtkwave
$(call test,traces,events,testbench/traces/events.c testbench/traces/damage.c traces/event_file.c traces/event_bus.c,replay abi,-lcmocka -lzstd -lxxhash -lpthread)
# the test has a bus_open() of its own in front of the library's, so the linker sees no use of the library
$(call test,traces,deaths,testbench/traces/deaths.c testbench/traces/dying.c,umd kmd heap replay fst abi,-Wl$(comma)--no-as-needed -lgalena-device -lelf -lzstd -lxxhash -lz -lpthread)
CFLAGS_testbench_traces_deaths := -isystem /usr/share/verilator/include/gtkwave
$(BUILD)/test/traces/deaths: | $(SHAREDIR)/firmware.elf $(BUILD)/libexec/galena-recorder
$(call test,traces,elastic,testbench/traces/elastic.c,replay abi,-lgalena-device -lcmocka -lzstd -lxxhash -lpthread)
$(BUILD)/test/traces/elastic: | $(BUILD)/bin/galena $(BUILD)/libexec/galena-recorder $(BUILD)/examples/vector_add $(BUILD)/examples/bringup
$(call test,traces,shadow,testbench/traces/shadow.c traces/shadow.c,,-lcmocka)
