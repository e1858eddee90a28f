# The device's builtin library, run on the host: OpenCL C functions that call the builtins, linked with the
# library, generated for plain RISC-V, run by qemu-riscv64. Errors in ULP are measured in testbench/math.

BUILTINS := testbench/builtins
BUILTINS_COMMA := ,
BUILTINS_OUT := $(BUILD)/test/builtins
BUILTINS_OBJ := $(BUILD)/obj/testbench/builtins
# Debian 12's qemu does not know Zicond and has ctzw of zero wrong; the device's own instructions have no place here
BUILTINS_MATTR := +m,+a,+f,+d,+zba,+zfhmin
BUILTINS_CALC_FLAGS := $(filter-out -Werror -D__opencl_c_read_write_images=1,$(KERNEL_LIB_FLAGS)) \
	-cl-ext=+__opencl_c_read_write_images -Dcl_khr_extended_bit_ops=1 -DKEEP_CHECKS -I$(BUILTINS)

$(BUILTINS_OBJ)/images_calc.ll: $(BUILTINS)/images_calc.cl
	$(call say,CLANG,$@)
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(BUILTINS_CALC_FLAGS) -x cl $< -o $@

# $(1) program, $(2) the IR of what it calls, $(3) passes after the library build
define builtins_calc_rule
$(BUILTINS_OBJ)/$(1).o: $(MAKE_LIBRARY) $(patsubst %.cl,$(BUILD)/obj/%.ll,$(KERNEL_LIB_SOURCES)) $(2)
	$$(call say,LIB,$$@)
	$$(Q)$(MAKE_LIBRARY) $$(@:.o=.all.bc) $(LIBCLC) $$(filter %.ll,$$^)
	$$(Q)$(LLVM)/bin/opt -passes='internalize,globaldce$(3)' -internalize-public-api-list='run_*,read_*,write_*,query_*,check_*' \
		$$(@:.o=.all.bc) -o $$(@:.o=.bc)
	$$(Q)$(LLVM)/bin/llc -O2 -mattr=$(BUILTINS_MATTR) -target-abi=lp64d -code-model=medium -filetype=obj $$(@:.o=.bc) -o $$@
$(BUILTINS_OUT)/$(1): $(BUILTINS)/$(1).c $(BUILTINS_OBJ)/$(1).o $(wildcard $(BUILTINS)/*.h)
	$$(call say,LD,$$@)
	@mkdir -p $$(@D)
	$$(Q)$(CLANG) --target=riscv64-linux-gnu -march=rv64imafd -mabi=lp64d -std=gnu11 $(WARN) -O2 -fno-builtin -ffreestanding \
		-fno-stack-protector -I. -nostdlib -static -fuse-ld=lld $(BUILTINS)/$(1).c $(BUILTINS_OBJ)/$(1).o -o $$@
endef
$(eval $(call builtins_calc_rule,images_calc,$(BUILTINS_OBJ)/images_calc.ll,$(BUILTINS_COMMA)default<O2>))

$(call test,builtins,images,$(BUILTINS)/images.c,,-lm)
$(BUILTINS_OUT)/images: | $(BUILTINS_OUT)/images_calc

# the device's extensions, and those that the library has beyond what the device reports
BUILTINS_EXT := $(patsubst -cl-ext=%,%,$(filter -cl-ext=%,$(KERNEL_LIB_FLAGS))) +cl_khr_depth_images
BUILTINS_EXT := $(subst $() ,$(BUILTINS_COMMA),$(strip $(BUILTINS_EXT)))

$(BUILTINS_OUT)/links: $(BUILTINS)/links.sh $(BUILTINS)/calls.awk $(KERNEL_BC)
	@mkdir -p $(@D)
	$(Q)sed -e 's|@LLVM@|$(LLVM)|' -e 's|@LIBRARY@|$(abspath $(KERNEL_BC))|' -e 's|@AWK@|$(abspath $(BUILTINS)/calls.awk)|' \
		-e 's|@EXTENSIONS@|$(BUILTINS_EXT)|' $< > $@ && chmod +x $@
TESTS += $(BUILTINS_OUT)/links

# self-checks: a program of the device's instruction set, and a script that runs it under qemu
BUILTINS_CHECKS := $(BUILTINS_OBJ)/checks_convert.ll $(BUILTINS_OBJ)/checks_math.ll
$(BUILTINS_CHECKS): $(BUILTINS_OBJ)/%.ll: $(BUILTINS)/%.cl $(BUILTINS)/checks.h
	$(call say,CLANG,$<)
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(BUILTINS_CALC_FLAGS) -x cl $< -o $@
$(eval $(call builtins_calc_rule,checks,$(BUILTINS_CHECKS)))
$(BUILTINS_OUT)/self: $(BUILTINS_OUT)/checks
	$(Q)printf '#!/bin/sh\nexec qemu-riscv64 -cpu rv64,zba=true,Zfhmin=true %s "$${1:-$${GALENA_SEED:-1}}" $$2\n' \
		$(abspath $<) > $@ && chmod +x $@
TESTS += $(BUILTINS_OUT)/self

# the same checks on the device, through OpenCL
CFLAGS_testbench_builtins_device := -DBUILTINS_DIR='"$(abspath $(BUILTINS))"'
$(call test,builtins,device,$(BUILTINS)/device.c,,-lOpenCL -lcmocka -lpthread -ldl -lm)
