# The checkers: product code that links into the device library, and their tests.
CHECKERS := check report scene pins sem protection mmu cache dma irq queue buffer import mmio host
$(call archive,checkers,$(patsubst %,testbench/checkers/%.c,$(CHECKERS)))
# the catalogue as C
$(BUILD)/gen/device_rules.def: testbench/rules/device.tsv
	@mkdir -p $(@D)
	$(Q)awk -F '\t' 'NR > 1 { printf "RULE(%s, \"%s\", \"%s\", \"%s\", \"%s\")\n", $$1, $$2, $$3, $$4, $$5 }' $< > $@
$(patsubst %,$(BUILD)/obj/testbench/checkers/%.o,$(CHECKERS)): $(BUILD)/gen/device_rules.def
