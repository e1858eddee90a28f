# galena-translate: host code for the hot superblocks of kernels. The model starts it; the model itself has no LLVM.
TRANSLATE_SOURCES := $(addprefix translate/,main.c request.c superblock.c continuation.c encodings.c divergent.c lower.c lower_int.c lower_fp.c lower_mem.c lower_window.c lower_mask.c emit.c)
$(foreach s,$(TRANSLATE_SOURCES),$(eval CFLAGS_$(subst /,_,$(basename $(s))) := -D_GNU_SOURCE -I$(LLVM)/include))
$(call obj,translate/main.c translate/request.c): $(BUILD)/gen/superblock_hash.h
$(call program,libexec/galena-translate,$(TRANSLATE_SOURCES) model/cu/decode.c $(COMPILE_SERVER_SERVE),,-L$(LLVM)/lib -lLLVM-19)
