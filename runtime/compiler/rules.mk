# From OpenCL C to kernel objects: galena-clc and its kernel library; what the runtime links.

CLC_DIR := runtime/compiler/clc
CLC_COMMON := $(addprefix $(CLC_DIR)/,text.c util.c retarget.c uniform.c backend.c)
CLC_SOURCES := $(CLC_COMMON) $(addprefix $(CLC_DIR)/,main.c limits.c options.c frontend.c depend.c library.c kernels.c lower.c atomics.c division.c half.c vectors.c constants.c order.c layout.c printf.c debug.c \
	link.c stack.c object.c spirv.c spirv_module.c spirv_code.c spirv_memory.c spirv_arith.c spirv_composite.c spirv_math.c spirv_image.c spirv_group.c spirv_pointer.c spirv_dot.c) runtime/compiler/find_clang.c
LIBCLC := /usr/lib/clc/nvptx64--.bc
KERNEL_LIB := $(SHAREDIR)/kernel.lib
KERNEL_BC := $(BUILD)/obj/runtime/compiler/kernel.bc
KERNEL_LIB_SOURCES := $(wildcard runtime/compiler/lib/*.cl)
KERNEL_LIB_HEADERS := $(wildcard runtime/compiler/lib/*.h) abi/csr.def abi/records.def abi/address_map.def abi/spirv_sampler.h

# what a kernel object depends on besides its source: an object of another toolchain is refused
$(BUILD)/gen/toolchain_hash.h: $(wildcard $(CLC_DIR)/*.[ch] $(CLC_DIR)/*.def) $(KERNEL_LIB_SOURCES) $(KERNEL_LIB_HEADERS) abi/kernel_note.h abi/spirv_block.h \
		$(wildcard $(LIBCLC)) abi/address_map.def runtime/compiler/extensions.def
	@mkdir -p $(@D)
	$(Q)cat $^ | sha256sum | awk '{ printf "#define GALENA_TOOLCHAIN_HASH 0x%sull\n", substr($$1, 1, 16) }' > $@

CLC_DEFINES := -D_GNU_SOURCE -I$(LLVM)/include -DCLC_CLANG='"$(CLANG)"'
$(foreach s,$(CLC_SOURCES) $(addprefix $(CLC_DIR)/,program.c server.c make_library.c package.c),$(eval CFLAGS_$(subst /,_,$(basename $(s))) := $$(CLC_DEFINES)))
CLC_HASHED := $(addprefix $(CLC_DIR)/,kernels.c object.c library.c package.c)
$(foreach s,$(CLC_HASHED),$(eval CFLAGS_$(subst /,_,$(basename $(s))) += -include $(BUILD)/gen/toolchain_hash.h))
$(call obj,$(CLC_HASHED)): $(BUILD)/gen/toolchain_hash.h
CLC_LIBS := -L$(LLVM)/lib -lLLVM-19 -lelf

$(call program,bin/galena-clc,$(CLC_SOURCES) $(CLC_DIR)/program.c,compile_server,$(CLC_LIBS))
$(call program,gen/make_library,$(CLC_COMMON) $(addprefix $(CLC_DIR)/,make_library.c package.c),,$(CLC_LIBS))

# the same for the compile server: a library that is loaded into clang
CLC_SERVER := $(CLC_SOURCES) $(CLC_DIR)/server.c $(COMPILE_SERVER_SERVE)
ALL += $(BUILD)/libexec/galena-compiler.so

# A tool of the build: sanitizers would make it take minutes. Clang is not ours: no sanitizer and no coverage of ours in it.
MAKE_LIBRARY := $(BUILD)/$(if $(SAN)$(COV),host/)gen/make_library
ifeq ($(SAN)$(COV),)
$(BUILD)/libexec/galena-compiler.so: $(call obj,$(CLC_SERVER)) $(call ar,base)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -shared -o $@ $^ $(ALL_LDFLAGS) $(CLC_LIBS)
else
$(MAKE_LIBRARY) $(BUILD)/host/libexec/galena-compiler.so &: $(CLC_SERVER) $(wildcard base/*.c) $(addprefix $(CLC_DIR)/,make_library.c package.c clc.h) $(BUILD)/gen/toolchain_hash.h
	$(Q)$(MAKE) BUILD=$(BUILD)/host SAN= COV= OPT=-O2 $(MAKE_LIBRARY) $(BUILD)/host/libexec/galena-compiler.so
$(BUILD)/libexec/galena-compiler.so: $(BUILD)/host/libexec/galena-compiler.so
	@mkdir -p $(@D)
	$(Q)install $< $@
endif

# the project's own builtins: OpenCL C 3.0 with everything the device has, and half for the code inside
KERNEL_LIB_FLAGS := -cc1 -triple spir64 -emit-llvm -O1 -disable-llvm-passes -mframe-pointer=none -fno-builtin \
	-funroll-loops -ffp-contract=on -fgnuc-version=4.2.1 -finclude-default-header -fdeclare-opencl-builtins -cl-std=CL3.0 \
	-cl-ext=-all,+cl_khr_fp16,+cl_khr_fp64,+cl_khr_byte_addressable_store,+cl_khr_3d_image_writes \
	-cl-ext=+cl_khr_global_int32_base_atomics,+cl_khr_global_int32_extended_atomics \
	-cl-ext=+cl_khr_local_int32_base_atomics,+cl_khr_local_int32_extended_atomics \
	-cl-ext=+cl_khr_int64_base_atomics,+cl_khr_int64_extended_atomics \
	-cl-ext=+__opencl_c_fp64,+__opencl_c_images,+__opencl_c_3d_image_writes \
	-cl-ext=+__opencl_c_atomic_order_acq_rel,+__opencl_c_atomic_order_seq_cst \
	-cl-ext=+__opencl_c_generic_address_space \
	-cl-ext=+__opencl_c_program_scope_global_variables,+__opencl_c_int64 \
	-D__opencl_c_atomic_scope_device=1 -D__opencl_c_atomic_scope_all_devices=1 -D__opencl_c_read_write_images=1 \
	-U__SPIR__ -U__SPIR64__ -D__OPENCL_VERSION__=300 -Wall -Werror -Wno-atomic-alignment -Wno-unused-function -I.

$(BUILD)/obj/runtime/compiler/lib/%.ll: runtime/compiler/lib/%.cl $(KERNEL_LIB_HEADERS)
	$(call say,CLANG,$<)
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(KERNEL_LIB_FLAGS) -x cl $< -o $@

$(KERNEL_BC): $(MAKE_LIBRARY) $(patsubst %.cl,$(BUILD)/obj/%.ll,$(KERNEL_LIB_SOURCES)) $(LIBCLC)
	$(call say,LIB,$@)
	@mkdir -p $(@D)
	$(Q)$< $@ $(LIBCLC) $(filter %.ll,$^)

$(KERNEL_LIB): $(MAKE_LIBRARY) $(KERNEL_BC)
	$(call say,LIB,$@)
	@mkdir -p $(@D)
	$(Q)$< --package $@ $(KERNEL_BC)

$(LIBCLC):
	@echo "$@ is missing: install the package libclc-19 (make deps)"; false

ALL += $(KERNEL_LIB)

# the runtime's side: no LLVM here
CFLAGS_runtime_compiler_kernel_object := -include $(BUILD)/gen/toolchain_hash.h
CFLAGS_runtime_compiler_cache := -D_GNU_SOURCE -include $(BUILD)/gen/toolchain_hash.h
CFLAGS_runtime_compiler_run := -D_GNU_SOURCE
CFLAGS_runtime_compiler_process := -D_GNU_SOURCE
CFLAGS_runtime_compiler_find_clang := -D_GNU_SOURCE -DCLC_CLANG='"$(CLANG)"'
$(call obj,$(addprefix runtime/compiler/,kernel_object.c cache.c)): $(BUILD)/gen/toolchain_hash.h
$(call archive,compiler,$(addprefix runtime/compiler/,kernel_object.c cache.c run.c process.c find_clang.c line_table.c))
