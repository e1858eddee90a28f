# What is made in SystemVerilog, and Verilator's translation of it beside the model.
$(call script,rtl,lint,testbench/rtl/lint.sh)
$(call script,rtl,errors,testbench/rtl/errors.sh)
$(BUILD)/test/rtl/lint: $(RTL_GEN)
RTL_TEST = $(call test,rtl,$(1),testbench/rtl/$(1).c testbench/rtl/regs_lockstep.c,$(2) model compile_server abi,-lcmocka -lm -lstdc++ -lpthread)
$(call RTL_TEST,regs,rtl_regs)
$(call RTL_TEST,regs_planted,rtl_regs_planted)

# a register block with differences, of the full configuration
PLANTED := $(BUILD)/gen/planted
$(patsubst abi/%,$(PLANTED)/abi/%,$(wildcard abi/*.def)): $(PLANTED)/abi/%: abi/% abi/rows.awk testbench/rtl/plant.awk testbench/rtl/planted.def
	@mkdir -p $(@D)
	$(Q)$(if $(filter registers,$(basename $(@F))),awk -f abi/rows.awk -f testbench/rtl/plant.awk testbench/rtl/planted.def,cat) $< > $@
$(call sv,$(PLANTED),$(PLANTED)/abi)
$(call verilated,rtl_regs_planted,galena_regs,$(PLANTED)/galena_pkg.sv rtl/galena_reg.sv $(PLANTED)/galena_regs.sv,+define+GALENA_CONFIG_FULL,rtl/shim/regs_shim.cpp,$(PLANTED)/galena_regs_ports.inc)
