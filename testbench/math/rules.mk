# The error of every math function on the device, against MPFR: functions.def is the list. A quick
# sample is a test; check-math is the table, with MATH_SAMPLES, MATH_EXHAUSTIVE, MATH_FUNCTION, MATH_TYPE.

MATH := testbench/math
CFLAGS_testbench_math_device := -DMATH_DIR='"$(abspath $(MATH))"'
CFLAGS_testbench_math_reference := -D_GNU_SOURCE
$(call test,math,sweep,$(addprefix $(MATH)/,sweep.c types.c samples.c reference.c device.c),,-lOpenCL -lmpfr -lgmp -lm)
$(BUILD)/test/math/sweep: $(MATH)/sweep.cl

$(call test,math,conversions,$(addprefix $(MATH)/,conversions.c types.c device.c),,-lOpenCL -lmpfr -lgmp -lm)

check-math: all $(BUILD)/test/math/sweep $(BUILD)/test/math/conversions ## the worst error of each math function (MATH_EXHAUSTIVE=1, MATH_FUNCTION=sin)
	$(Q)ok=0; MATH_SAMPLES=$${MATH_SAMPLES:-200000} MATH_WIDTHS=all $(BUILD)/test/math/sweep || ok=1; \
	MATH_WIDTHS=all $(BUILD)/test/math/conversions || ok=1; exit $$ok
.PHONY: check-math
