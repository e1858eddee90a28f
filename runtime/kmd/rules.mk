# The kernel-mode driver: a library of its own, so that all clients of a process see the same devices; and an archive for tests of its
# blocks.
KMD_SOURCES := $(sort $(wildcard runtime/kmd/*.c runtime/remote/*.c))
$(call archive,kmd,$(KMD_SOURCES))
$(call shared,libgalena-kmd.so,$(HEAP),kmd heap abi,$(HEAP_WRAP) -lgalena-device -lelf -lpthread -Wl$(comma)-z$(comma)nodelete,runtime/kmd/kmd.map)
$(BUILD)/obj/runtime/kmd/firmware.o $(BUILD)/obj/runtime/kmd/identity.o $(BUILD)/obj/runtime/remote/client.o $(BUILD)/obj/runtime/remote/server.o: $(BUILD)/gen/abi_hash.h
