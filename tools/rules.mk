$(call program,bin/galena,tools/galena.c tools/command_run.c tools/program_run.c tools/command_info.c tools/command_trace.c tools/trace_events.c tools/trace_names.c tools/trace_draw.c tools/trace_draw_svg.c tools/command_serve.c tools/command_top.c tools/command_profile.c tools/profile_read.c tools/profile_lines.c tools/profile_table.c tools/profile_flame.c tools/command_conformance.c tools/conformance_plan.c tools/conformance_run.c tools/conformance_judge.c tools/conformance_state.c tools/conformance_report.c runtime/kmd/top_file.c runtime/compiler/kernel_object.c runtime/compiler/line_table.c,replay fst abi,-lgalena-kmd -lgalena-device -lelf -lzstd -lxxhash -ljansson -lz -lpthread)
# reads line tables; a profile does without when it is not there
CFLAGS_tools_profile_lines := -DSYMBOLIZER='"$(LLVM)/bin/llvm-symbolizer"'

$(BUILD)/share/bash-completion/completions/galena: tools/galena.bash
	@mkdir -p $(@D)
	$(Q)cp $< $@
ALL += $(BUILD)/share/bash-completion/completions/galena
