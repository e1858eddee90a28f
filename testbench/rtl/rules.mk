# What is made in SystemVerilog, and Verilator's translation of it beside the model.
$(call script,rtl,lint,testbench/rtl/lint.sh)
$(call script,rtl,errors,testbench/rtl/errors.sh)
$(BUILD)/test/rtl/lint: $(RTL_GEN)
RTL_TEST = $(call test,rtl,$(1),testbench/rtl/$(1).c testbench/rtl/regs_lockstep.c,$(2) model compile_server abi,-lcmocka -lm -lstdc++ -lpthread)
$(call RTL_TEST,regs,rtl_regs)
$(call RTL_TEST,regs_planted,rtl_regs_planted)

FPU_TEST = $(call test,rtl,$(1),testbench/rtl/$(1).c $(addprefix testbench/rtl/,fpu_lockstep.c fpu_cases.c fpu_oracle.c) $(if $(findstring _planted,$(1)),testbench/rtl/planted_faults.c) testbench/oracle/exact.c,$(2) model compile_server abi,-lcmocka -lmpfr -lgmp -lm -lstdc++ -lpthread)
$(call FPU_TEST,fpu,rtl_fpu)
$(call FPU_TEST,fpu_planted,rtl_fpu_planted)

# $(call UNIT_TEST,UNIT,NAME): the test of this name, of the unit that UNIT_lockstep.c compares; NAME_planted: of its faults
UNIT_TEST = $(call test,rtl,$(2),testbench/rtl/$(2).c testbench/rtl/$(1)_lockstep.c $(if $(findstring _planted,$(2)),testbench/rtl/planted_faults.c),rtl_$(2) model compile_server abi,-lcmocka -lm -lstdc++ -lpthread)
$(call UNIT_TEST,sem,sem)
$(call UNIT_TEST,sem,sem_planted)
$(call UNIT_TEST,prot,prot)
$(call UNIT_TEST,prot,prot_planted)
$(call UNIT_TEST,tlb,tlb)
$(call UNIT_TEST,tlb,tlb_planted)
$(call UNIT_TEST,walker,walker)
$(call UNIT_TEST,walker,walker_planted)
$(call UNIT_TEST,coalescer,coalescer)
$(call UNIT_TEST,coalescer,coalescer_planted)
$(call UNIT_TEST,lds,lds)
$(call UNIT_TEST,lds,lds_planted)
$(call UNIT_TEST,scheduler,scheduler)
$(call UNIT_TEST,scheduler,scheduler_planted)
$(call UNIT_TEST,icache,icache)
$(call UNIT_TEST,icache,icache_planted)
$(call UNIT_TEST,l1,l1)
$(call UNIT_TEST,l1,l1_planted)
$(call UNIT_TEST,lsu,lsu)
$(call UNIT_TEST,lsu,lsu_planted)

# beside the reference of the lanes as well
DIVERGENCE_TEST = $(call test,rtl,$(1),testbench/rtl/$(1).c $(addprefix testbench/,rtl/divergence_lockstep.c reference/lanes.c model/rig.c model/assemble.c model/reference.c) $(if $(findstring _planted,$(1)),testbench/rtl/planted_faults.c),rtl_$(1) model compile_server abi,-lcmocka -lm -lstdc++ -lpthread -lxxhash)
$(call DIVERGENCE_TEST,divergence)
$(call DIVERGENCE_TEST,divergence_planted)

# with an image that was compiled for it
CP_TEST = $(call test,rtl,$(1),testbench/rtl/$(1).c $(addprefix testbench/rtl/,cp_lockstep.c cp_random.c) $(if $(findstring _planted,$(1)),testbench/rtl/planted_faults.c),rtl_$(1) model compile_server abi,-lcmocka -lm -lstdc++ -lpthread)
$(call CP_TEST,cp)
$(call CP_TEST,cp_planted)
$(BUILD)/test/rtl/cp: $(BUILD)/test/model/cp_program.bin
# in a device of the model, between which and its hart it stands
CP_WRAP := cp_create cp_destroy cp_control cp_irq cp_yield cp_tcm_write cp_tick physmem_load physmem_store l2_access reservations_reserve reservations_hold
$(call test,rtl,cp_firmware,testbench/rtl/cp_firmware.c testbench/rtl/cp_bringup.c,rtl_cp model compile_server device traces abi,$(CP_WRAP:%=-Wl$(comma)--wrap=%) -lcmocka -lelf -lzstd -lxxhash -lm -lstdc++ -lpthread)
$(BUILD)/test/rtl/cp_firmware: $(BUILD)/share/galena/firmware.elf
$(BUILD)/obj/testbench/rtl/cp_bringup.o: $(BUILD)/include/galena/device.h $(BUILD)/include/galena/contract.h
CFLAGS_testbench_rtl_cp_bringup := -I$(BUILD)/include

# beside the register block, behind which the controller stands
IRQ_TEST = $(call test,rtl,$(1),testbench/rtl/$(1).c testbench/rtl/irq_lockstep.c $(if $(findstring _planted,$(1)),testbench/rtl/planted_faults.c),rtl_$(1) rtl_regs model compile_server abi,-lcmocka -lxxhash -lm -lstdc++ -lpthread)
$(call IRQ_TEST,irq)
$(call IRQ_TEST,irq_planted)

# a register block with differences, of the full configuration
PLANTED := $(BUILD)/gen/planted
$(patsubst abi/%,$(PLANTED)/abi/%,$(wildcard abi/*.def)): $(PLANTED)/abi/%: abi/% abi/rows.awk testbench/rtl/plant.awk testbench/rtl/planted.def
	@mkdir -p $(@D)
	$(Q)$(if $(filter registers,$(basename $(@F))),awk -f abi/rows.awk -f testbench/rtl/plant.awk testbench/rtl/planted.def,cat) $< > $@
$(call sv,$(PLANTED),$(PLANTED)/abi)
$(call verilated,rtl_regs_planted,galena_regs,$(PLANTED)/galena_pkg.sv rtl/galena_reg.sv $(PLANTED)/galena_regs.sv,+define+GALENA_CONFIG_FULL,rtl/shim/regs_shim.cpp,$(PLANTED)/galena_regs_ports.inc)

# blocks with faults, each of which a number chooses (without assertions, which would find one of them first)
# $(call plant,NAME,FOLDER,PACKAGE): modules of rtl/FOLDER, with the faults of NAME_planted.def
define plant_rule
$(PLANTED)/$(1)/$(2)/%.sv: rtl/$(2)/%.sv abi/rows.awk testbench/rtl/plant_fault.awk testbench/rtl/$(1)_planted.def
	@mkdir -p $$(@D)
	$$(Q)awk -f abi/rows.awk -f testbench/rtl/plant_fault.awk -v module=$$* -v package=$(3) testbench/rtl/$(1)_planted.def $$< > $$@
endef
plant = $(eval $(call plant_rule,$(1),$(2),$(3)))
$(call plant,fpu,cu,fpu_pkg)
$(call verilated,rtl_fpu_planted,fpu_lane,$(BUILD)/gen/galena_pkg.sv $(patsubst rtl/%,$(PLANTED)/fpu/%,$(RTL_FPU)),,rtl/shim/fpu_shim.cpp)

$(call plant,tlb,mmu,mmu_pkg)
VERILATED_OPT_rtl_tlb_planted := -O1
$(call verilated,rtl_tlb_planted,tlb_arrays,$(patsubst rtl/%,$(PLANTED)/tlb/%,$(RTL_TLB)) testbench/rtl/tlb_arrays.sv,,rtl/shim/tlb_shim.cpp)

$(call plant,walker,mmu,mmu_pkg)
VERILATED_OPT_rtl_walker_planted := -O1
$(call verilated,rtl_walker_planted,walkers,$(patsubst rtl/%,$(PLANTED)/walker/%,$(RTL_WALKER)) testbench/rtl/walkers.sv,,rtl/shim/walker_shim.cpp)

$(call plant,coalescer,cu,)
VERILATED_OPT_rtl_coalescer_planted := -O1
$(call verilated,rtl_coalescer_planted,coalescers,$(PLANTED)/coalescer/cu/coalescer.sv testbench/rtl/coalescers.sv,,rtl/shim/coalescer_shim.cpp,rtl/shim/shim_fields.h)

$(call plant,lds,cu,)
VERILATED_OPT_rtl_lds_planted := -O1
$(call verilated,rtl_lds_planted,lds_units,$(PLANTED)/lds/cu/lds.sv testbench/rtl/lds_units.sv,,rtl/shim/lds_shim.cpp,rtl/shim/shim_fields.h)

$(call plant,scheduler,cu,)
VERILATED_OPT_rtl_scheduler_planted := -O1
$(call verilated,rtl_scheduler_planted,schedulers,$(BUILD)/gen/galena_pkg.sv $(patsubst rtl/%,$(PLANTED)/scheduler/%,$(RTL_SCHEDULER)) testbench/rtl/schedulers.sv,,rtl/shim/scheduler_shim.cpp)

$(call plant,divergence,cu,)
VERILATED_OPT_rtl_divergence_planted := -O1
$(call verilated,rtl_divergence_planted,divergences,$(BUILD)/gen/galena_pkg.sv $(PLANTED)/divergence/cu/divergence.sv testbench/rtl/divergences.sv,,rtl/shim/divergence_shim.cpp)

$(call plant,icache,cu,)
VERILATED_OPT_rtl_icache_planted := -O1
$(call verilated,rtl_icache_planted,icaches,$(BUILD)/gen/galena_pkg.sv $(PLANTED)/icache/cu/icache.sv testbench/rtl/icaches.sv,,rtl/shim/icache_shim.cpp)

$(call plant,l1,cu,)
VERILATED_OPT_rtl_l1_planted := -O1
$(call verilated,rtl_l1_planted,l1_caches,$(BUILD)/gen/galena_pkg.sv $(PLANTED)/l1/cu/l1.sv testbench/rtl/l1_caches.sv,,rtl/shim/l1_shim.cpp)

$(call plant,lsu,cu,)
VERILATED_OPT_rtl_lsu_planted := -O1
$(call verilated,rtl_lsu_planted,lsus,$(PLANTED)/lsu/cu/lsu.sv testbench/rtl/lsus.sv,,rtl/shim/lsu_shim.cpp)

$(call plant,cp,cp,cp_pkg)
VERILATED_OPT_rtl_cp_planted := -O1
$(call verilated,rtl_cp_planted,cp,$(BUILD)/gen/galena_pkg.sv $(patsubst rtl/%,$(PLANTED)/cp/%,$(RTL_CP)),,rtl/shim/cp_shim.cpp,rtl/shim/shim_fields.h)

$(call plant,sem,sem,)
$(call verilated,rtl_sem_planted,sem,$(BUILD)/gen/galena_pkg.sv $(PLANTED)/sem/sem/sem.sv,,rtl/shim/sem_shim.cpp,rtl/shim/shim_fields.h)
$(call plant,prot,prot,)
$(call verilated,rtl_prot_planted,protection,$(BUILD)/gen/galena_pkg.sv $(PLANTED)/prot/prot/protection.sv,,rtl/shim/prot_shim.cpp,rtl/shim/shim_fields.h)
$(call plant,irq,irq,)
$(call verilated,rtl_irq_planted,irq,$(BUILD)/gen/galena_pkg.sv $(PLANTED)/irq/irq/irq.sv,,rtl/shim/irq_shim.cpp)
