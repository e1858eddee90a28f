# The OpenCL API, as applications see it: through the system's ICD loader.
$(foreach t,platform context queue event buffer,$(call test,opencl,$(t),testbench/opencl/$(t).c,,-lOpenCL -lcmocka -lpthread -ldl))
