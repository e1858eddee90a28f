# Hardware buffers, as programs get them.
$(call test,android,hardware_buffer,testbench/android/hardware_buffer.c,,-lgalena-android -lcmocka)
