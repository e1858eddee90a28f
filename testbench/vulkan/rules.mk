# The Vulkan driver as applications see it: through the system's loader, below the validation layer.
vulkan = $(call test,vulkan,$(1),testbench/vulkan/$(1).c testbench/vulkan/vk_test.c,,-lvulkan $(2) -lcmocka -lpthread -lm)
$(call vulkan,device,-lOpenCL)
$(call vulkan,transfer)
$(call vulkan,sync)
$(call vulkan,external,-lgalena-heap -lOpenCL)
# what vulkaninfo says
$(call script,vulkan,vulkaninfo,testbench/vulkan/vulkaninfo.sh)
