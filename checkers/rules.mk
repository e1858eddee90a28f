# The rules of the device and the state machines that check them; the recorder links them.
CHECKERS := check report shadow pins sem protection mmu cache dma irq queue buffer import mmio host
$(call archive,checkers,$(patsubst %,checkers/%.c,$(CHECKERS)))
# the catalogue as C
$(BUILD)/gen/device_rules.def: checkers/device.tsv
	@mkdir -p $(@D)
	$(Q)awk -F '\t' 'NR > 1 { printf "RULE(%s, \"%s\", \"%s\", \"%s\", \"%s\")\n", $$1, $$2, $$3, $$4, $$5 }' $< > $@
$(patsubst %,$(BUILD)/obj/checkers/%.o,$(CHECKERS)): $(BUILD)/gen/device_rules.def
