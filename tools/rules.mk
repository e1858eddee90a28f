$(call program,bin/galena,tools/galena.c tools/command_run.c tools/command_info.c tools/command_trace.c tools/trace_events.c tools/command_top.c runtime/driver/top_file.c,replay abi,-lgalena-device -lzstd -lxxhash)

$(BUILD)/share/bash-completion/completions/galena: tools/galena.bash
	@mkdir -p $(@D)
	$(Q)cp $< $@
ALL += $(BUILD)/share/bash-completion/completions/galena
