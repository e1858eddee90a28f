# Fuzz targets. In tests they run on their corpus (replay.c); make fuzz builds them, and all that
# they use, with clang's fuzzer in build/fuzz.
FUZZ_device := testbench/fuzz/device.c testbench/fuzz/machine.c
FUZZ_config := testbench/fuzz/config.c
FUZZ_object := testbench/fuzz/object.c
FUZZ_trace := testbench/fuzz/trace.c
FUZZ_events := testbench/fuzz/events.c
FUZZ_translate := testbench/fuzz/translate.c $(filter-out translate/main.c translate/emit.c,$(TRANSLATE_SOURCES))
FUZZ_LIBS_translate := -L$(LLVM)/lib -lLLVM-19
CFLAGS_testbench_fuzz_translate := -I$(LLVM)/include
# as applications have it: on the libraries
FUZZ_import := testbench/fuzz/import.c
FUZZ_ARCHIVES_import := abi
FUZZ_LIBS_import := -lopenvx -lgalena-opencl
FUZZ_kmd := testbench/fuzz/kmd.c
FUZZ_ARCHIVES_kmd := kmd heap abi
FUZZ_LIBS_kmd := -lgalena-device
FUZZ_media := testbench/fuzz/media.c
FUZZ_ARCHIVES_media := model compile_server device traces abi
FUZZ_serve := testbench/fuzz/serve.c
FUZZ_ARCHIVES_serve := kmd heap abi
FUZZ_LIBS_serve := -lgalena-device
FUZZ_spirv := testbench/fuzz/spirv.c runtime/compiler/clc/text.c $(wildcard runtime/compiler/clc/spirv*.c)
FUZZ_ARCHIVES_spirv := abi
CFLAGS_testbench_fuzz_spirv := -D_GNU_SOURCE -I$(LLVM)/include
FUZZERS := device config object trace events translate import kmd serve media spirv
FUZZ_ARCHIVES_all := model compile_server device traces checkers fst replay abi compiler
FUZZ_ARCHIVES = $(or $(FUZZ_ARCHIVES_$(1)),$(FUZZ_ARCHIVES_all))
FUZZ_LIBS := -lelf -lm -lzstd -lxxhash -lz -lpthread

ifeq ($(FUZZ),1)
fuzz_target = $(eval $(call program_rule,fuzz/$(1),$(FUZZ_$(1)),$(FUZZ_ARCHIVES),-fsanitize=fuzzer $(FUZZ_LIBS) $(FUZZ_LIBS_$(1))))
else
fuzz_target = $(call test,fuzz,$(1),$(FUZZ_$(1)) testbench/fuzz/replay.c,$(FUZZ_ARCHIVES),$(FUZZ_LIBS) $(FUZZ_LIBS_$(1)))
endif
$(foreach f,$(FUZZERS),$(call fuzz_target,$(f)))
$(BUILD)/obj/testbench/fuzz/trace.o $(BUILD)/obj/testbench/fuzz/events.o: $(BUILD)/gen/abi_hash.h
$(BUILD)/obj/testbench/fuzz/object.o: $(BUILD)/gen/toolchain_hash.h
$(BUILD)/obj/testbench/fuzz/translate.o: $(BUILD)/gen/superblock_hash.h
$(BUILD)/obj/testbench/fuzz/serve.o: $(BUILD)/gen/abi_hash.h
$(BUILD)/test/fuzz/kmd $(BUILD)/fuzz/kmd $(BUILD)/test/fuzz/serve $(BUILD)/fuzz/serve: | $(SHAREDIR)/firmware.elf
$(BUILD)/test/fuzz/device $(BUILD)/fuzz/device: | $(SHAREDIR)/firmware.elf
$(BUILD)/obj/testbench/fuzz/import.o: ALL_CFLAGS += -Iinclude
$(BUILD)/test/fuzz/import $(BUILD)/fuzz/import: $(LIBDIR)/libopenvx.so | $(SHAREDIR)/firmware.elf $(KERNEL_LIB) $(BUILD)/bin/galena-clc

FUZZ_SECONDS ?= 600
fuzz: ## fuzz device, configurations, kernel objects, traces, superblocks, imports of OpenVX, requests to the kernel-mode driver, the socket of galena serve, media jobs, SPIR-V for FUZZ_SECONDS=600 each (build/fuzz)
	$(Q)$(MAKE) --no-print-directory BUILD=build/fuzz CC=$(CLANG) FUZZ=1 OPT=-O1 COV= \
		SAN='-fsanitize=fuzzer-no-link,address -fno-omit-frame-pointer' $(FUZZERS:%=build/fuzz/fuzz/%)
	$(Q)testbench/fuzz/run build/fuzz $(FUZZ_SECONDS) $(FUZZERS)
.PHONY: fuzz
