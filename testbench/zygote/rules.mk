CFLAGS_testbench_zygote_zygote := -D_GNU_SOURCE
$(call test,zygote,zygote,testbench/zygote/zygote.c,zygote,-lcmocka -lpthread)
$(BUILD)/test/zygote/zygote: | $(BUILD)/test/zygote/job $(BUILD)/libexec/galena-zygote.so
# a program that is not ours: no sanitizer, which would want to be loaded before everything else
$(BUILD)/test/zygote/job: testbench/zygote/job.c
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 $(WARN) -D_GNU_SOURCE -O2 -o $@ $<
ALL += $(BUILD)/test/zygote/job
