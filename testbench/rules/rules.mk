# Tests of the rules: each broken on purpose, in a stream of events and, where a driver can, on the bus.
$(call test,rules,streams,testbench/rules/streams.c,checkers abi,-lcmocka -lpthread)
$(BUILD)/obj/testbench/rules/streams.o: $(BUILD)/gen/device_rules.def
$(call test,rules,programs,testbench/rules/programs.c,umd kmd heap abi,-lgalena-device -lelf -lcmocka -lpthread)
$(BUILD)/test/rules/programs: $(SHAREDIR)/firmware.elf
$(call script,rules,ordinary,testbench/rules/ordinary.sh)
$(BUILD)/test/rules/ordinary: | $(filter $(BUILD)/test/driver/% $(BUILD)/test/opencl/%,$(TESTS))

# the kit's firmware with an error in it
$(BUILD)/obj/testbench/rules/impatient.o: testbench/rules/impatient.c
	$(call say,FWCC,$<)
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(FW_CFLAGS) -MMD -MP -c -o $@ $<
$(BUILD)/test/rules/impatient.elf: $(FW_OBJS) $(BUILD)/obj/testbench/rules/impatient.o firmware/link.ld
	$(call say,FWLD,$@)
	@mkdir -p $(@D)
	$(Q)ld.lld-19 -T firmware/link.ld --no-relax --wrap=queue_pick -o $@ $(filter %.o,$^)
$(BUILD)/test/rules/programs: | $(BUILD)/test/rules/impatient.elf

# all tests but those of testbench/rules, which break the rules on purpose and look at the report themselves;
# events of every access of every unit take their time
check-rules-all: export CLPEAK_TIMEOUT ?= 7200
check-rules-all: build-tests ## run every test that uses a device under the rule checkers: none fires, but those that a test breaks on purpose
	$(Q)GALENA_BUILD=$(BUILD) nice testbench/rules/ordinary.sh $(filter-out $(BUILD)/test/rules/%,$(TESTS)) \
		$(BUILD)/examples/vector_add $(BUILD)/examples/bringup
.PHONY: check-rules-all

# the rules of the OpenCL API: each has its check and its test
$(call script,rules,spec,testbench/rules/spec.sh)
$(BUILD)/test/rules/spec: | $(SPEC_TESTS)
# the sentences of the documents that are implemented to the last one: each has what keeps it
$(call script,rules,documents,testbench/rules/documents.sh)
DOCUMENT_TESTS := $(addprefix $(BUILD)/test/,$(shell testbench/rules/documents.sh --tests))
$(BUILD)/test/rules/documents: | $(DOCUMENT_TESTS)
check-spec: all $(SPEC_TESTS) $(DOCUMENT_TESTS) ## every rule of the OpenCL API and every sentence of the documents: how many there are, how many tests hold them (all)
	$(Q)GALENA_BUILD=$(BUILD) nice testbench/rules/spec.sh $(SPEC_TESTS)
	$(Q)GALENA_BUILD=$(BUILD) nice testbench/rules/documents.sh
.PHONY: check-spec
