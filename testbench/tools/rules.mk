$(call script,tools,galena,testbench/tools/galena.sh)
