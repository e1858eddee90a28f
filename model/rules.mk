# The device model, and the library that everything above the bus opens it through.
$(call archive,model,$(wildcard model/*.c))
$(call shared,libgalena-device.so,,model abi,-lm,model/device.map)
$(BUILD)/obj/model/device_regs.o: $(BUILD)/gen/abi_hash.h
