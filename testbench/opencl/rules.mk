# The OpenCL API, as applications see it: through the system's ICD loader.
$(foreach t,platform icd context handles queue event buffer image image_formats map import half determinism forked import_unmapped,$(call test,opencl,$(t),testbench/opencl/$(t).c,,-lOpenCL -lcmocka -lpthread -ldl -lm))
$(foreach t,program kernel ndrange printf threads svm svm_commands ending cancel quiet,$(call test,opencl,$(t),testbench/opencl/$(t).c,,-lOpenCL -lcmocka -lm -lpthread))
# the rules of the API: run by testbench/rules/spec.sh
SPEC_TESTS :=
spec = $(eval $(call program_rule,test/spec/$(1),testbench/opencl/spec_$(1).c $(2),,$(3) -lOpenCL -lcmocka -lm -lpthread,$(abspath $(LIBDIR))))$(eval SPEC_TESTS += $(BUILD)/test/spec/$(1))
$(call spec,handles,testbench/opencl/spec_calls.c)
$(foreach t,platform context queue buffer mem sampler event kernel ndrange program image svm,$(call spec,$(t)))
$(call spec,import,,-lgalena-heap -lgalena-android)
$(call spec,external,,-lgalena-heap)
VA_LIBRARIES := -Wl$(comma)--no-as-needed -lgalena-drm -Wl$(comma)--as-needed -lva -lva-drm
$(call spec,va,,$(VA_LIBRARIES))
$(foreach t,collectives subgroups subgroup_votes,$(call test,opencl,$(t),testbench/opencl/$(t).c,,-lOpenCL -lcmocka -lm -lpthread))
$(foreach t,subdevice graph semaphore semaphore_commands external_semaphore,$(call test,opencl,$(t),testbench/opencl/$(t).c,,-lOpenCL -lcmocka -lm -lpthread))
$(foreach t,import_dmabuf import_protected protected_random external_memory,$(call test,opencl,$(t),testbench/opencl/$(t).c,,-lgalena-heap -lOpenCL -lcmocka -lpthread -ldl -lm))
$(foreach t,import_hardware_buffer import_memory,$(call test,opencl,$(t),testbench/opencl/$(t).c,,-lgalena-heap -lgalena-android -lOpenCL -lcmocka -lpthread -ldl -lm))
# where the application has its memory
$(call test,opencl,layouts,testbench/opencl/layouts.c testbench/opencl/layouts_memory.c testbench/opencl/layouts_program.c,,-lgalena-heap -lOpenCL -lcmocka -lpthread)
# its library is build/variants/import_point
$(call test,opencl,import_threads,testbench/opencl/import_threads.c,,-rdynamic -lgalena-heap -lOpenCL -lcmocka -lpthread)
# random programs
$(call test,opencl,stress,$(patsubst %,testbench/opencl/%.c,stress stress_program stress_calls stress_memory),,-rdynamic -lgalena-heap -lgalena-android -lOpenCL -lpthread)
# without a loader: the choice of a work-group size
$(call test,opencl,worksize,testbench/opencl/worksize.c runtime/opencl/worksize.c,,-lcmocka)
# it runs others
$(BUILD)/test/opencl/determinism: | $(patsubst %,$(BUILD)/test/opencl/%,buffer map image queue) $(patsubst %,$(BUILD)/test/openvx/%,graph data_tensors)
# the same with devices that are not coherent: it runs others
$(call script,opencl,coherency,testbench/opencl/coherency.sh)
$(BUILD)/test/opencl/coherency: | $(addprefix $(BUILD)/test/,$(shell sed -n 's/^tests="\(.*\)"/\1/p' testbench/opencl/coherency.sh))
# whether random sequences around protected memory would find a leak; and very many of them
$(call script,opencl,protected_leaks,testbench/opencl/protected_leaks.sh)
$(BUILD)/test/opencl/protected_leaks: | $(BUILD)/test/opencl/protected_random
SEED ?= 1
fuzz-protected: all $(BUILD)/test/opencl/protected_random ## 100,000 random sequences of calls around protected memory: nothing of it is found outside (SEED=1)
	$(Q)GALENA_SPEED=functional $(BUILD)/test/opencl/protected_random $(SEED) 100000
.PHONY: fuzz-protected
# kernels by translated code, compared with the interpreter
$(call script,opencl,engines,testbench/opencl/engines.sh)
$(BUILD)/test/opencl/engines: | $(patsubst %,$(BUILD)/test/opencl/%,kernel buffer event image subgroup_votes) $(BUILD)/bench/clbench \
	$(BUILD)/libexec/galena-translate
# a small program within limits of the system: it runs another
$(call test,opencl,limits,testbench/opencl/limits.c,,-lOpenCL -lcmocka)
$(call program,test/opencl/limits_client,testbench/opencl/limits_client.c,,-lOpenCL)
$(BUILD)/test/opencl/limits: | $(BUILD)/test/opencl/limits_client
# the text of every fault
$(call test,opencl,faults,testbench/opencl/faults.c runtime/opencl/fault_text.c,abi,-lgalena-heap -lOpenCL -lcmocka)
# endless kernels, and what a terminal shows of long ones
$(call test,opencl,status,testbench/opencl/status.c,,-lOpenCL -lcmocka -lpthread)
$(call test,opencl,watchdog,testbench/opencl/watchdog.c,umd heap abi,-lgalena-kmd -lgalena-device -lelf -lOpenCL -lcmocka -lpthread)
# surfaces of VA-API, and another client of the driver as their user
$(call test,opencl,va,testbench/opencl/va.c,umd heap abi,-lgalena-kmd -lgalena-device -lelf -lOpenCL -lcmocka -lpthread $(VA_LIBRARIES))
$(BUILD)/test/spec/va $(BUILD)/test/opencl/va: | $(LIBDIR)/galena_drv_video.so $(BUILD)/share/galena/renderD128
