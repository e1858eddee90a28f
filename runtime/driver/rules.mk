# The driver: everything between an API and the bus. Programs link it with -lelf and the archives
# of a device.
DRIVER_SOURCES := $(patsubst %,runtime/driver/%.c,open identity firmware log counters notes kernels profile publish status top_file pump irq slots queue command sem caches bo ahead dmabuf heap_buffer protected \
	space pagetable slab spare svm pins pin_list pins_pieces pins_numbers pins_memory probe extents)
$(call archive,driver,$(DRIVER_SOURCES))
$(BUILD)/obj/runtime/driver/firmware.o $(BUILD)/obj/runtime/driver/identity.o: $(BUILD)/gen/abi_hash.h
