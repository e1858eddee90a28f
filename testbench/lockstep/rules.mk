# Two devices side by side, compared event by event.
PAIR := $(addprefix testbench/,lockstep/pair.c lockstep/kernel.c model/rig.c model/assemble.c model/reference.c)
$(call test,lockstep,kernels,testbench/lockstep/kernels.c $(PAIR),lockstep model compile_server abi,-lcmocka -lm -lxxhash)
$(call test,lockstep,planted,testbench/lockstep/planted.c $(PAIR),lockstep model compile_server abi,-lcmocka -lm -lxxhash)
# with the firmware, on a board
$(call test,lockstep,streams,$(addprefix testbench/,lockstep/streams.c lockstep/kernel.c model/reference.c driver/board.c) model/cu/decode.c model/cu/softfloat.c,lockstep abi,-lgalena-device -lcmocka -lm -lxxhash)
$(BUILD)/test/lockstep/streams: $(SHAREDIR)/firmware.elf
$(call test,lockstep,compare,testbench/lockstep/compare.c,lockstep model compile_server abi,-lcmocka -lm -lxxhash)
$(call test,lockstep,follow,testbench/lockstep/follow.c $(PAIR),lockstep model compile_server abi,-lcmocka -lm -lxxhash)
