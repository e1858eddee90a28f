# What user-mode drivers have in common, in each of their libraries.
$(call archive,umd,runtime/umd/umd.c runtime/umd/memory.c runtime/umd/box.c runtime/umd/queue.c runtime/umd/semaphore.c runtime/umd/code.c)
$(call archive,heap,runtime/heap/heap_buffer.c)
