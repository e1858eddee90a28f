# Locks: a checker that is preloaded, and tests of all libraries under it.
$(BUILD)/test/locks/watch.so: $(BUILD)/obj/testbench/locks/watch.o
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -shared -o $@ $< $(ALL_LDFLAGS) -ldl
$(BUILD)/test/locks/libgalena-planted.so: $(BUILD)/obj/testbench/locks/planted.o $(call ar,umd heap abi base) $(LIBDIR)/libgalena-device.so $(LIBDIR)/libgalena-kmd.so
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -shared -o $@ $< -Wl,--start-group $(call ar,umd heap abi base) -Wl,--end-group -L$(LIBDIR) -Wl,-rpath,$(abspath $(LIBDIR)) \
		$(ALL_LDFLAGS) -lgalena-kmd -lgalena-device -lelf -lcmocka -lpthread
$(BUILD)/test/locks/planted: $(BUILD)/obj/testbench/locks/planted_main.o $(BUILD)/test/locks/libgalena-planted.so
	$(call say,LD,$@)
	$(Q)$(CC) -o $@ $< -L$(@D) -lgalena-planted '-Wl,-rpath,$$ORIGIN' $(ALL_LDFLAGS)
$(call script,locks,locks,testbench/locks/locks.sh)
$(BUILD)/test/locks/locks: | $(BUILD)/test/locks/watch.so $(BUILD)/test/locks/planted \
	$(addprefix $(BUILD)/test/,$(shell sed -n 's/^tests="\(.*\)"/\1/p' testbench/locks/locks.sh))
