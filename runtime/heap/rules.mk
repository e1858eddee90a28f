# galena/heap.h: memory by descriptor.
$(call shared,libgalena-heap.so,runtime/heap/heap.c runtime/heap/heap_buffer.c,,-lpthread)
