# Memory by descriptor, as programs get it.
$(call test,heap,heap,testbench/heap/heap.c,,-lgalena-heap -lcmocka)
