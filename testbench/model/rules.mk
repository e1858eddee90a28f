# Unit tests of the device model: blocks alone, and what runs on compute units that a rig feeds.
MODEL := model compile_server abi
CFLAGS_testbench_model_assemble := -I$(LLVM)/include
$(foreach t,physmem mmu walker protection memory_random regs register_effects dma dma_box dma_memory dma_rates dma_random sem cp l2 tags dram cache charges,\
	$(call test,model,$(t),testbench/model/$(t).c,$(MODEL),-lcmocka -lm))
$(foreach t,cp_decode cp_csr cp_traps cp_memory cp_cycles,$(call test,model,$(t),testbench/model/$(t).c,$(MODEL),-lcmocka))
$(foreach t,dispatcher coherency subgroup replay profile observe cu scheduler exact soft_tlb threads affine,\
	$(call test,model,$(t),testbench/model/$(t).c testbench/model/rig.c testbench/model/assemble.c,$(MODEL),-lcmocka -lm -lpthread))
$(foreach t,dispatcher cu subgroup replay,\
	$(call test,model,$(t)_profiled,testbench/model/$(t).c testbench/model/profiled.c testbench/model/rig.c testbench/model/assemble.c,$(MODEL),-lcmocka -lm))
$(foreach t,isa exec simd encodings,\
	$(call test,model,$(t),testbench/model/$(t).c testbench/model/reference.c testbench/model/rig.c testbench/model/assemble.c,$(MODEL),-lcmocka -lm))
$(BUILD)/obj/testbench/model/regs.o: $(BUILD)/gen/abi_hash.h
# compute units beside a debug build's caches and memory
CHARGING := cu/atomics cu/fault cu/icache cu/l1_data cu/lsu engine/exec_portable mem/cache mem/l2 mem/physmem mmu/walker
$(BUILD)/obj/debug/%.o: %.c | $(BUILD)/gen/abi.checked
	$(call say,CC,"$< with -DGALENA_DEBUG")
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(CFLAGS_$(subst /,_,$(basename $<))) -DGALENA_DEBUG -MMD -MP -c -o $@ $<
$(call test,model,charges_cu,testbench/model/charges_cu.c testbench/model/rig.c testbench/model/assemble.c $(CHARGING:%=debug/model/%.c),$(MODEL),-lcmocka -lm)
$(call test,model,config,testbench/model/config.c,abi,-lcmocka)
$(call test,model,media,testbench/model/media.c,$(MODEL),-lcmocka -lm)
$(call test,model,media_process,testbench/model/media_process.c,$(MODEL),-lcmocka -lm)
$(foreach t,media_steps media_ends media_blocks,$(call test,model,$(t),testbench/model/$(t).c,$(MODEL),-lcmocka -lm))
$(call test,model,media_jpeg,testbench/model/media_jpeg.c,$(MODEL),-lcmocka -lm -ljpeg)
DEVICE_TESTS := device device_jobs device_control device_registers device_slots device_irq device_protection device_memory device_semaphores device_times device_work
$(foreach t,$(DEVICE_TESTS),\
	$(call test,model,$(t),testbench/model/$(t).c,abi,-lgalena-device -lcmocka))

# $(call cp_image,NAME,HEADERS): testbench/model/NAME.c as a flat image for the command processor
define cp_image_rule
$(BUILD)/test/model/$(1).bin: testbench/model/$(1).c testbench/model/cp_program.ld $(2)
	$$(call say,CC,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(CLANG) --target=riscv64 -march=rv64imac -mabi=lp64 -mcmodel=medany -mno-relax -O2 -Wall -Werror \
		-ffreestanding -fno-strict-aliasing -nostdlib -I. -fuse-ld=lld --ld-path=$$(LLVM)/bin/ld.lld \
		-Wl,--oformat=binary -Wl,-T,testbench/model/cp_program.ld -o $$@ $$<
endef
cp_image = $(eval $(call cp_image_rule,$(1),$(2)))

$(call cp_image,cp_program,testbench/model/cp_program.h)
$(call cp_image,monitor,testbench/model/monitor.h abi/registers.def)
$(BUILD)/test/model/cp: $(BUILD)/test/model/cp_program.bin
$(DEVICE_TESTS:%=$(BUILD)/test/model/%): $(BUILD)/test/model/monitor.bin

# every fault that can be injected, with the firmware on a board
$(call test,model,inject,testbench/model/inject.c testbench/driver/board.c,abi,-lgalena-device -lcmocka)
$(BUILD)/test/model/inject: $(SHAREDIR)/firmware.elf

# translated superblocks, with a translator of the test's own
$(call test,model,superblock,testbench/model/superblock.c testbench/model/rig.c testbench/model/assemble.c,$(MODEL),-lcmocka -lm -lxxhash)
$(BUILD)/obj/testbench/model/superblock.o: $(BUILD)/gen/superblock_hash.h
CFLAGS_testbench_model_superblock := -D_GNU_SOURCE

# requirements of the manual that have a program of their own: blocks alone, and on a rig
$(foreach t,tlb tlb_random dma_beats dma_slots dma_maintain sem_events,\
	$(call test,model,$(t),testbench/model/$(t).c,$(MODEL),-lcmocka -lm))
$(foreach t,lsu_random l1 litmus litmus_random icache groups clock windows atomic_rights reservations lanes_end csrs kernel_code whole_accesses,\
	$(call test,model,$(t),testbench/model/$(t).c testbench/model/rig.c testbench/model/assemble.c,$(MODEL),-lcmocka -lm))
$(call test,model,splits_random,testbench/model/splits_random.c testbench/reference/lanes.c testbench/model/rig.c testbench/model/assemble.c,$(MODEL),-lcmocka -lm)
