# Tests of galena-translate, against the interpreter.
BED := testbench/translate/bed.c testbench/model/rig.c testbench/model/assemble.c testbench/model/reference.c
$(call test,translate,random,testbench/translate/random.c $(BED),model compile_server abi,-lcmocka -lm)
$(call obj,testbench/translate/bed.c): $(BUILD)/gen/superblock_hash.h
$(BUILD)/test/translate/random: | $(BUILD)/libexec/galena-translate
