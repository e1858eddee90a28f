COMPILER_TEST_LIBS := -lcmocka -lelf -ldl -lpthread
CFLAGS_testbench_compiler_object := -D_GNU_SOURCE
CFLAGS_testbench_compiler_cache := -D_GNU_SOURCE
CFLAGS_testbench_compiler_link := -D_GNU_SOURCE
CFLAGS_testbench_compiler_debug := -D_GNU_SOURCE
CFLAGS_testbench_compiler_support := -D_GNU_SOURCE
CFLAGS_testbench_compiler_limits := -D_GNU_SOURCE
CFLAGS_testbench_compiler_server := -D_GNU_SOURCE
CFLAGS_testbench_compiler_dependencies := -D_GNU_SOURCE
COMPILER_TESTS := build link cache object debug lines limits server dependencies
$(foreach t,$(COMPILER_TESTS),$(call test,compiler,$(t),testbench/compiler/$(t).c testbench/compiler/support.c,compiler compile_server,$(COMPILER_TEST_LIBS)))
$(patsubst %,$(BUILD)/test/compiler/%,$(COMPILER_TESTS)): | $(BUILD)/bin/galena-clc $(BUILD)/libexec/galena-compiler.so $(KERNEL_LIB)
$(call test,compiler,execute,testbench/compiler/execute.c,,-lOpenCL -lcmocka -lm)
$(BUILD)/test/compiler/execute: | $(BUILD)/bin/galena-clc $(KERNEL_LIB)
CFLAGS_testbench_compiler_code := -D_GNU_SOURCE
$(call test,compiler,code,testbench/compiler/code.c,,-lcmocka)
$(BUILD)/test/compiler/code: | $(BUILD)/bin/galena-clc $(KERNEL_LIB)
$(call script,compiler,direct,testbench/compiler/direct.sh)
$(BUILD)/test/compiler/direct: | $(patsubst %,$(BUILD)/test/compiler/%,build link limits)
