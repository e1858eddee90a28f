COMPILER_TEST := testbench/compiler/support.c
COMPILER_TEST_LIBS := -lcmocka -lelf -lxxhash -ldl -lpthread
$(call test,compiler,build,testbench/compiler/build.c $(COMPILER_TEST),compiler,$(COMPILER_TEST_LIBS))
$(BUILD)/test/compiler/build: | $(BUILD)/bin/galena-clc $(KERNEL_LIB)
