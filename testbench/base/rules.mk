# What every library uses.
$(call test,base,base,testbench/base/base.c,,-lcmocka -lpthread)
