$(call test,traces,format,testbench/traces/format.c testbench/traces/damage.c,replay,-lcmocka -lzstd -lxxhash)
$(call test,traces,wave,testbench/traces/wave.c,traces fst abi,-lcmocka -lzstd -lxxhash -lz -lpthread)
CFLAGS_testbench_traces_wave := -isystem /usr/share/verilator/include/gtkwave
$(call test,traces,events,testbench/traces/events.c testbench/traces/damage.c traces/event_file.c traces/event_bus.c,replay abi,-lcmocka -lzstd -lxxhash -lpthread)
