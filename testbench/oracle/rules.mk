# The lanes' instructions against MPFR, the host and qemu-riscv64.
$(call test,oracle,lanes,$(addprefix testbench/oracle/,lanes.c lane.c exact.c program.c values.c qemu.c) \
	testbench/model/reference.c testbench/model/rig.c testbench/model/assemble.c,model compile_server abi,-lcmocka -lmpfr -lgmp -lm)

$(BUILD)/test/oracle/qemu_runner: testbench/oracle/qemu_runner.c testbench/oracle/qemu.h
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CLANG) --target=riscv64 -march=rv64imafd_zba_zbb -mabi=lp64d -mno-relax -O1 -Wall -Werror -ffreestanding \
		-fomit-frame-pointer -nostdlib -static -I. --ld-path=$(LLVM)/bin/ld.lld -o $@ $<
$(BUILD)/test/oracle/lanes: $(BUILD)/test/oracle/qemu_runner

ORACLE_CASES ?= 10000000
oracle: $(BUILD)/test/oracle/lanes ## instructions against the oracles, ORACLE_CASES=10000000 cases a class
	$(Q)GALENA_BUILD=$(BUILD) ORACLE_CASES=$(ORACLE_CASES) $<
.PHONY: oracle
