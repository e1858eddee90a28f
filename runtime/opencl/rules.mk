$(call archive,opencl,$(sort $(wildcard runtime/opencl/*.c)))
