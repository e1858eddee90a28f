$(call test,traces,format,testbench/traces/format.c,replay,-lcmocka -lzstd -lxxhash)
