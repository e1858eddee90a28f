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
# what vulkaninfo says
$(call script,vulkan,vulkaninfo,testbench/vulkan/vulkaninfo.sh)
# the same on other devices: it runs others
$(call script,vulkan,configurations,testbench/vulkan/configurations.sh)
$(BUILD)/test/vulkan/configurations: | $(addprefix $(BUILD)/test/,$(shell sed -n 's/^tests="\(.*\)"/\1/p' testbench/vulkan/configurations.sh))
