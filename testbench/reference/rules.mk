# Blocks of the device written once more from docs/hardware/ alone, to be compared with it: nothing of the model is in them.
$(call test,reference,lanes,$(addprefix testbench/reference/,lanes_test.c lanes.c),,-lcmocka)
$(call test,reference,private_address,$(addprefix testbench/reference/,private_address_test.c private_address.c),,-lcmocka)
$(call test,reference,tlb,$(addprefix testbench/reference/,tlb_test.c tlb.c),,-lcmocka)
$(call test,reference,semaphores,$(addprefix testbench/reference/,semaphores_test.c semaphores.c),,-lcmocka)

# each of them beside the model
$(call test,reference,semaphores_model,$(addprefix testbench/reference/,semaphores_model.c semaphores.c),model compile_server abi,-lcmocka -lm -lpthread -lxxhash)
$(call test,reference,tlb_model,$(addprefix testbench/reference/,tlb_model.c tlb.c),model compile_server abi,-lcmocka -lm)
$(call test,reference,private_model,$(addprefix testbench/reference/,private_model.c private_address.c) testbench/model/rig.c testbench/model/assemble.c,model compile_server abi,-lcmocka -lm)
$(call test,reference,lanes_model,$(addprefix testbench/,reference/lanes_model.c reference/lanes.c lockstep/kernel.c model/rig.c model/assemble.c model/reference.c),model compile_server abi,-lcmocka -lm -lxxhash)
