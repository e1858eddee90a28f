# The device model, and the library that everything above the bus opens it through.
$(call archive,model,$(wildcard model/*.c))
$(call shared,libgalena-device.so,,model traces abi,-lm -lzstd -lxxhash -lpthread,model/device.map)
$(BUILD)/obj/model/device_regs.o: $(BUILD)/gen/abi_hash.h
