# The device model, and the library that everything above the bus opens it through: bus_open for the kit itself,
# galena/device.h for everybody else.
# (profile_file.c is the recorder's)
$(call archive,model,$(filter-out model/profile/profile_file.c,$(wildcard model/*.c model/*/*.c)))
$(call shared,libgalena-device.so,$(HEAP),model compile_server device traces abi,$(HEAP_WRAP) -lm -lzstd -lxxhash -lpthread -Wl$(comma)-z$(comma)nodelete,model/device.map)
$(BUILD)/obj/model/regs.o: $(BUILD)/gen/abi_hash.h

# the execution engines: one source, compiled for each kind of host vectors, chosen at run time
# (sanitizers and coverage make them slow to compile: then less is asked of the optimiser)
ENGINE_CFLAGS := $(if $(SAN)$(COV),-O1,-O3) -fno-trapping-math -fno-math-errno
CFLAGS_model_engine_exec_portable := $(ENGINE_CFLAGS)
ifeq ($(shell uname -m),x86_64)
CFLAGS_model_engine_exec_avx2 := $(ENGINE_CFLAGS) -mavx2 -mfma -mbmi2
CFLAGS_model_engine_exec_avx512 := $(ENGINE_CFLAGS) -mavx512f -mavx512vl -mavx512dq -mavx512bw -mavx2 -mfma -mbmi2 \
	-mprefer-vector-width=512
endif

# loops over rows of samples
CFLAGS_model_media_filter := $(if $(SAN)$(COV),,-O3)
CFLAGS_model_media_pixel := $(CFLAGS_model_media_filter)

# what the model and the translator have to agree on, beside the guest's code: a code-cache entry of another layout is refused
SUPERBLOCK_HEADERS := $(addprefix model/,engine/superblock.h engine/soft_tlb.h engine/uop.h engine/engine.h \
	$(addprefix cu/,$(addsuffix .h,coalescer compute csr cu decode divergence icache l1 lds register_file scheduler scoreboard warp)) \
	mmu/mmu.h mem/physmem.h mem/reservations.h mem/l2.h) abi/codes.h abi/device_config.h \
	$(filter-out abi/environment.def,$(wildcard abi/*.def))
$(BUILD)/gen/superblock_hash.h: $(SUPERBLOCK_HEADERS)
	@mkdir -p $(@D)
	$(Q)cat $^ | sha256sum | awk '{ printf "#define GALENA_SUPERBLOCK_VERSION 0x%su\n", substr($$1, 1, 8) }' > $@
$(BUILD)/obj/model/engine/code_cache.o: $(BUILD)/gen/superblock_hash.h
CFLAGS_model_engine_code_cache := -D_GNU_SOURCE
