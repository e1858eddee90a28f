# The command processor's firmware: freestanding RV64IMAC, linked for its local memory.
FW_CFLAGS := --target=riscv64-unknown-elf -march=rv64imac -mabi=lp64 -mcmodel=medany -ffreestanding -fno-builtin \
	-O2 -g -flto -fno-strict-aliasing -std=gnu11 -Wall -Wextra -Werror -Wstrict-prototypes -Wmissing-prototypes -Wshadow -Wvla -Wundef \
	-Wno-main -I. -msmall-data-limit=0 -mno-relax
FW_OBJS := $(patsubst %,$(BUILD)/obj/firmware/%.o,start boot log faults queues commands control watchdog string main)

$(BUILD)/obj/firmware/%.o: firmware/%.c firmware/rules.mk | $(BUILD)/gen/abi.checked
	$(call say,FWCC,$<)
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(FW_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/obj/firmware/%.o: firmware/%.S firmware/rules.mk | $(BUILD)/gen/abi.checked
	$(call say,FWAS,$<)
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(FW_CFLAGS) -MMD -MP -c -o $@ $<

$(SHAREDIR)/firmware.elf: $(FW_OBJS) firmware/link.ld
	$(call say,FWLD,$@)
	@mkdir -p $(@D)
	$(Q)ld.lld-19 -T firmware/link.ld --no-relax -o $@ $(FW_OBJS)
ALL += $(SHAREDIR)/firmware.elf
