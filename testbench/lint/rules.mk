# The order of the code base itself.
$(call script,lint,lint,testbench/lint/lint.sh)
