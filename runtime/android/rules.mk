# android/hardware_buffer.h on heaps.
$(call shared,libgalena-android.so,runtime/android/hardware_buffer.c runtime/heap/heap_buffer.c,,-lgalena-heap -lpthread)
