# The Vulkan driver as applications see it: through the system's loader, below the validation layer.
vulkan = $(call test,vulkan,$(1),testbench/vulkan/$(1).c testbench/vulkan/vk_test.c,,-lvulkan $(2) -lcmocka -lpthread -lm)
$(call vulkan,device,-lOpenCL)
$(call vulkan,icd,-ldl)
$(call vulkan,transfer)
$(call vulkan,resource)
$(call vulkan,sync)
$(call vulkan,schedule)
$(call vulkan,host_memory)
$(call vulkan,external,-lgalena-heap -lOpenCL)
$(call vulkan,wait_limit,-lgalena-heap -lOpenCL)
# what vulkaninfo says
$(call script,vulkan,vulkaninfo,testbench/vulkan/vulkaninfo.sh)
# from the events of a case of it
$(call script,vulkan,handover,testbench/vulkan/handover.sh)
$(BUILD)/test/vulkan/handover: | $(BUILD)/test/vulkan/external
# the same on other devices: it runs others
$(call script,vulkan,configurations,testbench/vulkan/configurations.sh)
$(BUILD)/test/vulkan/configurations: | $(addprefix $(BUILD)/test/,$(shell sed -n 's/^tests="\(.*\)"/\1/p' testbench/vulkan/configurations.sh))
# Shaders: one array of words each.
$(BUILD)/gen/vulkan/%.h: testbench/vulkan/shaders/%.comp
	$(call say,GLSL,$<)
	@mkdir -p $(@D)
	$(Q)said=$$(glslangValidator -V --target-env vulkan1.2 --vn $* -o $@.words $<) || { echo "$$said"; exit 1; }
	$(Q)sed "s/^const/static const/" $@.words > $@
# what GLSL has no words for
$(BUILD)/gen/vulkan/%.h: testbench/vulkan/shaders/%.spvasm
	$(call say,SPIRV,$<)
	@mkdir -p $(@D)
	$(Q)spirv-as --target-env vulkan1.2 -o $@.spv $<
	$(Q){ echo "static const unsigned $*[] = {"; od -An -v -tx4 $@.spv | sed 's/ *\([0-9a-f]\{8\}\)/ 0x\1,/g'; echo "};"; } > $@
vulkan_compute := $(sort $(wildcard testbench/vulkan/compute*.c))
$(call test,vulkan,compute,$(vulkan_compute) testbench/vulkan/vk_test.c,,-lvulkan -lcmocka -lpthread -lm)
vulkan_shaders := $(basename $(notdir $(wildcard testbench/vulkan/shaders/*.comp testbench/vulkan/shaders/*.spvasm)))
$(call obj,$(vulkan_compute)): $(patsubst %,$(BUILD)/gen/vulkan/%.h,$(vulkan_shaders))
