# Tests: testbench/AREA/rules.mk names them.
include $(wildcard testbench/*/rules.mk)
