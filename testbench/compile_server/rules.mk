CFLAGS_testbench_compile_server_jobs := -D_GNU_SOURCE
CFLAGS_testbench_compile_server_job := -D_GNU_SOURCE
$(call test,compile_server,jobs,testbench/compile_server/jobs.c,compile_server,-lcmocka -lpthread)
$(BUILD)/test/compile_server/jobs: | $(BUILD)/test/compile_server/job
$(call program,test/compile_server/job,testbench/compile_server/job.c $(COMPILE_SERVER_SERVE))
