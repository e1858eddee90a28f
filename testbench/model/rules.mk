# Unit tests of the device model.
$(call test,model,physmem,testbench/model/physmem.c,model zygote abi,-lcmocka -lm)
$(call test,model,mmu,testbench/model/mmu.c,model zygote abi,-lcmocka -lm)
$(call test,model,walker,testbench/model/walker.c,model zygote abi,-lcmocka -lm)
$(call test,model,protection,testbench/model/protection.c,model zygote abi,-lcmocka -lm)
$(call test,model,memory_random,testbench/model/memory_random.c,model zygote abi,-lcmocka -lm)
$(call test,model,regs,testbench/model/regs.c,model zygote abi,-lcmocka -lm)
$(call test,model,dma,testbench/model/dma.c,model zygote abi,-lcmocka -lm)
$(call test,model,dma_box,testbench/model/dma_box.c,model zygote abi,-lcmocka -lm)
$(call test,model,dma_memory,testbench/model/dma_memory.c,model zygote abi,-lcmocka -lm)
$(call test,model,dma_rates,testbench/model/dma_rates.c,model zygote abi,-lcmocka -lm)
$(call test,model,dma_random,testbench/model/dma_random.c,model zygote abi,-lcmocka -lm)
$(call test,model,sem,testbench/model/sem.c,model zygote abi,-lcmocka -lm)
$(call test,model,cp,testbench/model/cp.c,model zygote abi,-lcmocka -lm)
$(call test,model,device,testbench/model/device.c,abi,-lgalena-device -lcmocka)

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
$(BUILD)/test/model/device: $(BUILD)/test/model/monitor.bin

# the compute units
$(call test,model,l2,testbench/model/l2.c,model zygote abi,-lcmocka)
$(call test,model,tags,testbench/model/tags.c,model zygote abi,-lcmocka)
$(call test,model,dram,testbench/model/dram.c,model zygote abi,-lcmocka -lm)
$(call test,model,cache,testbench/model/cache.c,model zygote abi,-lcmocka -lm)
$(call test,model,isa,testbench/model/isa.c testbench/model/reference.c testbench/model/rig.c,model zygote abi,-lcmocka -lm)
$(call test,model,exec,testbench/model/exec.c testbench/model/reference.c,model zygote abi,-lcmocka -lm)
$(call test,model,simd,testbench/model/simd.c testbench/model/reference.c testbench/model/rig.c,model zygote abi,-lcmocka -lm)
$(call test,model,compute,testbench/model/compute.c testbench/model/rig.c,model zygote abi,-lcmocka -lm)
$(call test,model,coherency,testbench/model/coherency.c testbench/model/rig.c,model zygote abi,-lcmocka -lm)
$(call test,model,subgroup,testbench/model/subgroup.c testbench/model/rig.c,model zygote abi,-lcmocka -lm)
$(call test,model,replay,testbench/model/replay.c testbench/model/rig.c,model zygote abi,-lcmocka -lm)
$(call test,model,profile,testbench/model/profile.c testbench/model/rig.c,model zygote abi,-lcmocka -lm)
$(foreach t,compute cu subgroup replay,$(call test,model,$(t)_profiled,testbench/model/$(t).c testbench/model/profiled.c testbench/model/rig.c,model zygote abi,-lcmocka -lm))
$(call test,model,observe,testbench/model/observe.c testbench/model/rig.c,model zygote abi,-lcmocka -lm)
$(call test,model,cu,testbench/model/cu.c testbench/model/rig.c,model zygote abi,-lcmocka -lm)
$(call test,model,issue,testbench/model/issue.c testbench/model/rig.c,model zygote abi,-lcmocka -lm)
$(call test,model,look,testbench/model/look.c testbench/model/rig.c,model zygote abi,-lcmocka -lm)
$(call test,model,threads,testbench/model/threads.c testbench/model/rig.c,model zygote abi,-lcmocka -lm -lpthread)
$(call test,model,affine,testbench/model/affine.c testbench/model/rig.c,model zygote abi,-lcmocka -lm)

# every fault that can be injected, with the firmware on a board
$(call test,model,inject,testbench/model/inject.c testbench/driver/board.c,abi,-lgalena-device -lcmocka)
$(BUILD)/test/model/inject: $(SHAREDIR)/firmware.elf

# translated regions, with a translator of the test's own
$(call test,model,region,testbench/model/region.c testbench/model/rig.c,model zygote abi,-lcmocka -lm -lxxhash)
$(BUILD)/obj/testbench/model/region.o: $(BUILD)/gen/region_hash.h
CFLAGS_testbench_model_region := -D_GNU_SOURCE
