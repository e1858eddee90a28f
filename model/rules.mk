# The device model, and the library that everything above the bus opens it through: bus_open for the kit itself,
# galena/device.h for everybody else.
$(call archive,model,$(wildcard model/*.c))
$(call shared,libgalena-device.so,,model device traces checkers fst abi,-lm -lzstd -lxxhash -lz -lpthread -Wl$(comma)-z$(comma)nodelete,model/device.map)
$(BUILD)/obj/model/device_regs.o: $(BUILD)/gen/abi_hash.h

# One engine, three times: for any host, for AVX2, for AVX-512.
ifneq ($(filter x86_64%,$(shell $(CC) -dumpmachine)),)
CFLAGS_model_exec_avx2 := -mavx2 -mfma -mbmi2
CFLAGS_model_exec_avx512 := -mavx512f -mavx512vl -mavx512dq -mavx512bw -mavx2 -mfma -mbmi2
endif
# Sanitizers and coverage make the engine slow to compile: then less is asked of the optimiser.
EXEC_OPT := $(if $(SAN)$(COV),-O1,-O3)
CFLAGS_model_exec_portable += $(EXEC_OPT)
CFLAGS_model_exec_avx2 += $(EXEC_OPT)
CFLAGS_model_exec_avx512 += $(EXEC_OPT)

# the execution engines: one source, compiled for each kind of host vectors, chosen at run time
ENGINE_CFLAGS := -O3 -fno-trapping-math -fno-math-errno
CFLAGS_model_exec_portable := $(ENGINE_CFLAGS)
ifeq ($(shell uname -m),x86_64)
CFLAGS_model_exec_avx2 := $(ENGINE_CFLAGS) -mavx2 -mfma -mbmi2
CFLAGS_model_exec_avx512 := $(ENGINE_CFLAGS) -mavx512f -mavx512vl -mavx512dq -mavx512bw -mavx2 -mfma -mbmi2 \
	-mprefer-vector-width=512
endif
