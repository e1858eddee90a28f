$(call archive,abi,abi/abi.c abi/device_config.c abi/environment.c abi/injection.c traces/output_name.c)

# nothing is compiled of tables that are wrong
ABI_TABLES := $(sort $(wildcard abi/*.def))
$(BUILD)/gen/abi.checked: abi/rows.awk abi/check.awk $(ABI_TABLES)
	@mkdir -p $(@D)
	$(Q)awk -f abi/rows.awk -f abi/check.awk $(ABI_TABLES) && touch $@

# a hash of what the contract with software means, so that a trace or a binary of another one is refused
$(BUILD)/gen/abi_hash.h: abi/rows.awk abi/meaning.awk $(filter-out abi/environment.def abi/ports.def,$(ABI_TABLES)) $(BUILD)/gen/abi.checked
	$(Q)awk -f abi/rows.awk -f abi/meaning.awk $(filter %.def,$^) | sha256sum | \
		awk '{ printf "#define GALENA_ABI_HASH 0x%sull\n", substr($$1, 1, 16) }' > $@
