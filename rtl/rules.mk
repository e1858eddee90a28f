# SystemVerilog from the abi tables (build/gen/*.sv), and what Verilator makes of it for C programs. docs/rtl.md
CXX := $(if $(filter default,$(origin CXX)),g++,$(CXX))
VERILATOR ?= verilator
# $(call sv,FOLDER,TABLES): galena_pkg.sv, galena_regs.sv and its list of ports for C in FOLDER, from the tables in the folder TABLES
RTL_AWK = awk -v abi=$(1) -v abi_hash=$$$$(sed -n 's/.*GALENA_ABI_HASH \(0x[0-9a-f]*\).*/\1/p' $(BUILD)/gen/abi_hash.h) \
	-f abi/rows.awk -f rtl/sv.awk -f rtl/registers.awk
define sv_rule
$(1)/galena_pkg.sv: rtl/pkg.awk $(BUILD)/gen/abi_hash.h
$(1)/galena_regs.sv $(1)/galena_regs_ports.inc: rtl/regs.awk
$(1)/galena_pkg.sv $(1)/galena_regs.sv $(1)/galena_regs_ports.inc: abi/rows.awk rtl/sv.awk rtl/registers.awk $(patsubst abi/%,$(2)/%,$(wildcard abi/*.def))
	$$(call say,GEN,$$@)
	@mkdir -p $$(@D)
	$$(Q)$(call RTL_AWK,$(2)) $$(if $$(filter %.inc,$$@),-v ports=1) -f $$(filter rtl/pkg.awk rtl/regs.awk,$$^) > $$@
endef
sv = $(eval $(call sv_rule,$(1),$(2)))
$(call sv,$(BUILD)/gen,abi)
RTL_GEN := $(BUILD)/gen/galena_pkg.sv $(BUILD)/gen/galena_regs.sv
ALL += $(RTL_GEN)
rtl-gen: $(RTL_GEN) ## the SystemVerilog package and register block from the abi tables (build/gen)
.PHONY: rtl-gen

# $(call verilated,NAME,TOP,SOURCES,FLAGS,SHIM,HEADERS): an archive of a module that Verilator translates, and its shim, which includes what else is
# in HEADERS. Without optimisation: translating takes a few seconds so, and a minute otherwise. Verilator 5.006
# miscompiles some trees of constant bits, so it is to leave them alone. Nor do sanitizers look at it.
VERILATED_CXX = $(CXX) -std=gnu++17 $(or $(VERILATED_OPT_$(1)),-O0) -g0 -w -fPIC -DVL_TIME_CONTEXT -I$(BUILD)/rtl/$(1) -Irtl/shim $(addprefix -I,$(sort $(dir $(2)))) \
	$$$$(for d in '' /vltstd; do echo "-isystem $$$$($(VERILATOR) --getenv VERILATOR_ROOT)/include$$$$d"; done)
define verilated_rule
$(BUILD)/ar/lib$(1).a: $(3) $(5) $(5:.cpp=.h) rtl/shim/shim.h $(6) rtl/rules.mk
	$$(call say,RTL,$$@)
	@rm -rf $(BUILD)/rtl/$(1) $$@ && mkdir -p $$(@D) $(BUILD)/rtl/$(1)
	$$(Q)$(VERILATOR) --cc --no-timing -O3 -fno-const-bit-op-tree --output-split 0 --Mdir $(BUILD)/rtl/$(1) --top $(2) --prefix V$(2) $(4) $(3)
	$$(Q)for f in $(BUILD)/rtl/$(1)/*.cpp; do echo "#include \"$$$${f##*/}\""; done > $(BUILD)/rtl/$(1)/all.cc
	$$(Q)printf '#include "verilated.cpp"\n#include "verilated_threads.cpp"\n' > $(BUILD)/rtl/$(1)/verilated.cc
	$$(Q)for f in $(BUILD)/rtl/$(1)/all.cc $(BUILD)/rtl/$(1)/verilated.cc $(5); do \
		$(call VERILATED_CXX,$(1),$(6)) -c -o $(BUILD)/rtl/$(1)/$$$$(basename $$$$f).o $$$$f || exit; done
	$$(Q)ar rcs $$@ $(BUILD)/rtl/$(1)/*.o
endef
verilated = $(eval $(call verilated_rule,$(1),$(2),$(3),$(4),$(5),$(6)))
$(call verilated,rtl_regs,galena_regs,$(BUILD)/gen/galena_pkg.sv rtl/galena_reg.sv $(BUILD)/gen/galena_regs.sv,,rtl/shim/regs_shim.cpp,$(BUILD)/gen/galena_regs_ports.inc)
# a package comes before what uses it
RTL_FPU := $(patsubst %,rtl/cu/%.sv,fpu_pkg fpu_pipe fpu_unpack fpu_shift fpu_normalise fpu_round fpu_compare fpu_operands fpu fdiv_steps fdiv fpu_lane)
$(call verilated,rtl_fpu,fpu_lane,$(BUILD)/gen/galena_pkg.sv $(RTL_FPU),--assert,rtl/shim/fpu_shim.cpp)
VERILATED_OPT_rtl_tlb := -O1
RTL_TLB := $(patsubst %,rtl/mmu/%.sv,mmu_pkg tlb)
$(call verilated,rtl_tlb,tlb_arrays,$(RTL_TLB) testbench/rtl/tlb_arrays.sv,--assert,rtl/shim/tlb_shim.cpp)
$(call verilated,rtl_sem,sem,$(BUILD)/gen/galena_pkg.sv rtl/sem/sem.sv,--assert,rtl/shim/sem_shim.cpp,rtl/shim/shim_fields.h)
$(call verilated,rtl_prot,protection,$(BUILD)/gen/galena_pkg.sv rtl/prot/protection.sv,--assert,rtl/shim/prot_shim.cpp,rtl/shim/shim_fields.h)
$(call verilated,rtl_irq,irq,$(BUILD)/gen/galena_pkg.sv rtl/irq/irq.sv,--assert,rtl/shim/irq_shim.cpp)
RTL_CP := $(patsubst %,rtl/cp/%.sv,cp_pkg cp_expand cp_decode cp_alu cp_amo cp_divide cp_csr cp_store_buffer cp)
VERILATED_OPT_rtl_cp := -O1
$(call verilated,rtl_cp,cp,$(BUILD)/gen/galena_pkg.sv $(RTL_CP),--assert,rtl/shim/cp_shim.cpp,rtl/shim/shim_fields.h)
RTL_WALKER := $(patsubst %,rtl/mmu/%.sv,mmu_pkg walker)
VERILATED_OPT_rtl_walker := -O1
$(call verilated,rtl_walker,walkers,$(RTL_WALKER) testbench/rtl/walkers.sv,--assert,rtl/shim/walker_shim.cpp)
VERILATED_OPT_rtl_coalescer := -O1
$(call verilated,rtl_coalescer,coalescers,rtl/cu/coalescer.sv testbench/rtl/coalescers.sv,--assert,rtl/shim/coalescer_shim.cpp,rtl/shim/shim_fields.h)
VERILATED_OPT_rtl_lds := -O1
$(call verilated,rtl_lds,lds_units,rtl/cu/lds.sv testbench/rtl/lds_units.sv,--assert,rtl/shim/lds_shim.cpp,rtl/shim/shim_fields.h)
VERILATED_OPT_rtl_scheduler := -O1
RTL_SCHEDULER := $(patsubst %,rtl/cu/%.sv,scoreboard scheduler)
$(call verilated,rtl_scheduler,schedulers,$(BUILD)/gen/galena_pkg.sv $(RTL_SCHEDULER) testbench/rtl/schedulers.sv,--assert,rtl/shim/scheduler_shim.cpp)
VERILATED_OPT_rtl_divergence := -O1
$(call verilated,rtl_divergence,divergences,$(BUILD)/gen/galena_pkg.sv rtl/cu/divergence.sv testbench/rtl/divergences.sv,--assert,rtl/shim/divergence_shim.cpp)
VERILATED_OPT_rtl_icache := -O1
$(call verilated,rtl_icache,icaches,$(BUILD)/gen/galena_pkg.sv rtl/cu/icache.sv testbench/rtl/icaches.sv,--assert,rtl/shim/icache_shim.cpp)
VERILATED_OPT_rtl_l1 := -O1
$(call verilated,rtl_l1,l1_caches,$(BUILD)/gen/galena_pkg.sv rtl/cu/l1.sv testbench/rtl/l1_caches.sv,--assert,rtl/shim/l1_shim.cpp)
VERILATED_OPT_rtl_lsu := -O1
$(call verilated,rtl_lsu,lsus,rtl/cu/lsu.sv testbench/rtl/lsus.sv,--assert,rtl/shim/lsu_shim.cpp)
