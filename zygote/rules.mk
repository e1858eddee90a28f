# Processes that fork instead of loading. The library that makes one of a program that is not ours goes into that program's process:
# no sanitizer and no coverage of ours in it.
$(foreach f,start client keep serve,$(eval CFLAGS_zygote_$(f) := -D_GNU_SOURCE))
# for those who ask
$(call archive,zygote,$(addprefix zygote/,start.c client.c keep.c))
$(BUILD)/libexec/galena-zygote.so: zygote/preload.c zygote/serve.c zygote/zygote.h zygote/request.h
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 $(WARN) -D_GNU_SOURCE -O2 -g -fPIC -fvisibility=hidden -I. -shared -o $@ $(filter %.c,$^)
ALL += $(BUILD)/libexec/galena-zygote.so
