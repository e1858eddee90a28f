# The error of every math function on the device, against MPFR: functions.def is the list. A quick
# sample is a test; check-math is the table, with MATH_SAMPLES, MATH_EXHAUSTIVE, MATH_FUNCTION, MATH_TYPE.

MATH := testbench/math
CFLAGS_testbench_math_device := -DMATH_DIR='"$(abspath $(MATH))"'
CFLAGS_testbench_math_reference := -D_GNU_SOURCE
$(call test,math,sweep,$(addprefix $(MATH)/,sweep.c types.c samples.c reference.c device.c),,-lOpenCL -lmpfr -lgmp -lm)
$(BUILD)/test/math/sweep: $(MATH)/sweep.cl

check-math: all $(BUILD)/test/math/sweep ## the worst error of each math function (MATH_EXHAUSTIVE=1, MATH_FUNCTION=sin)
	$(Q)MATH_SAMPLES=$${MATH_SAMPLES:-300000} $(BUILD)/test/math/sweep
.PHONY: check-math
