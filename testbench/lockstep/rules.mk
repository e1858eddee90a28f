# Two devices side by side, compared event by event.
PAIR := $(addprefix testbench/,lockstep/pair.c lockstep/kernel.c model/rig.c model/assemble.c model/reference.c)
$(call test,lockstep,kernels,testbench/lockstep/kernels.c $(PAIR),lockstep model compile_server abi,-lcmocka -lm -lxxhash)
$(call test,lockstep,planted,testbench/lockstep/planted.c $(PAIR),lockstep model compile_server abi,-lcmocka -lm -lxxhash)
