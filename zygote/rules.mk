# Processes that fork instead of loading. The library that makes one of a program that is not ours goes into that program's process:
# no sanitizer and no coverage of ours in it.
ZYGOTE_ASK := $(addprefix zygote/,start.c client.c keep.c)
ZYGOTE_SERVE := zygote/serve.c zygote/text.c
$(foreach f,$(basename $(notdir $(ZYGOTE_ASK) $(ZYGOTE_SERVE))),$(eval CFLAGS_zygote_$(f) := -D_GNU_SOURCE))
# ThreadSanitizer takes clone() for a fork, whose child is to see nothing, and would see nothing of the parent either: they share memory.
$(if $(findstring thread,$(SAN)),$(eval CFLAGS_zygote_start += -Dclone=__clone))
$(call archive,zygote,$(ZYGOTE_ASK))
$(BUILD)/libexec/galena-zygote.so: zygote/preload.c $(ZYGOTE_SERVE) $(wildcard zygote/*.h)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 $(WARN) -D_GNU_SOURCE -O2 -g -fPIC -fvisibility=hidden -I. -shared -o $@ $(filter %.c,$^)
ALL += $(BUILD)/libexec/galena-zygote.so
