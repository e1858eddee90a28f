# Programs that know nothing of Galena: ffmpeg, clinfo, clpeak; and what the libraries are made of.
# The checks are shell scripts; copied, so that each test is a program below BUILD/test.
$(call program,test/clients/frame_compare,testbench/clients/frame_compare.c)

clients_script = $(eval $(call clients_script_rule,$(1),$(2)))
define clients_script_rule
$(BUILD)/test/clients/$(1): testbench/clients/$(1).sh $(2)
	$$(call say,COPY,$$@)
	@mkdir -p $$(@D)
	$$(Q)install -m 755 $$< $$@
TESTS += $(BUILD)/test/clients/$(1)
endef

$(BUILD)/test/clients/filters.cl: testbench/clients/filters.cl
	@mkdir -p $(@D)
	$(Q)install -m 644 $< $@

$(call clients_script,ffmpeg,$(BUILD)/test/clients/frame_compare $(BUILD)/test/clients/filters.cl)
