# Tests: testbench/AREA/rules.mk names them. testbench/run.c runs them.
RUN := $(BUILD)/testbench/run
$(eval $(call program_rule,testbench/run,testbench/run.c))
include $(wildcard testbench/*/rules.mk)
