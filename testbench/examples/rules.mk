$(call script,examples,bringup,testbench/examples/bringup.sh)
