CFLAGS_testbench_zygote_zygote := -D_GNU_SOURCE
CFLAGS_testbench_zygote_job := -D_GNU_SOURCE
$(call program,test/zygote/job,testbench/zygote/job.c)
$(call test,zygote,zygote,testbench/zygote/zygote.c zygote/start.c zygote/client.c zygote/keep.c,,-lcmocka -lpthread)
$(BUILD)/test/zygote/zygote: | $(BUILD)/test/zygote/job $(BUILD)/libexec/galena-zygote.so
