# The program's side of recording, in the device library, and the process that makes the files.
$(call archive,traces,$(patsubst %,traces/%.c,recorder shadow page_delta event_bus inject_bus counter_bus profile_share sender ring exit_status))
$(call archive,files,$(patsubst %,traces/%.c,stream_writer trace_writer trace_file event_writer event_file wave program_end))
$(call program,libexec/galena-recorder,traces/galena_recorder.c traces/inject_report.c traces/counter_file.c traces/counter_report.c model/profile/profile_file.c traces/program_watch.c traces/ring.c,files checkers fst abi,-lzstd -lxxhash -lz -lpthread)
$(call archive,replay,$(patsubst %,traces/%.c,stream_writer stream_reader trace_reader trace_writer page_delta event_writer event_reader replay program_end \
	replay_call replay_memory replay_registers replay_times replay_results))
$(BUILD)/obj/traces/stream_writer.o $(BUILD)/obj/traces/stream_reader.o: $(BUILD)/gen/abi_hash.h
# What a program and its recorder have to agree about: one of another build is refused.
$(BUILD)/gen/recording_hash.h: traces/messages.h traces/ring.h model/profile/profile_data.h abi/bus.h abi/counters.h abi/events.h $(wildcard abi/*.def)
	@mkdir -p $(@D)
	$(Q)cat $^ | sha256sum | awk '{ printf "#define GALENA_RECORDING_HASH \"%s\"\n", substr($$1, 1, 16) }' > $@
$(BUILD)/obj/traces/sender.o $(BUILD)/obj/traces/galena_recorder.o: $(BUILD)/gen/recording_hash.h
# Waveforms: the FST writer of GTKWave, from the sources that Verilator's package brings.
FST_SOURCES := /usr/share/verilator/include/gtkwave
$(BUILD)/obj/fst/%.o: $(FST_SOURCES)/%.c
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) -O2 -fPIC -fvisibility=hidden -w -DFST_CONFIG_INCLUDE='<fst_config.h>' -I$(FST_SOURCES) -c -o $@ $<
$(BUILD)/ar/libfst.a: $(patsubst %,$(BUILD)/obj/fst/%.o,fstapi fastlz lz4)
	$(call say,AR,$@)
	@mkdir -p $(@D) && rm -f $@
	$(Q)ar rcs $@ $^
CFLAGS_traces_wave := -isystem $(FST_SOURCES)
CFLAGS_tools_trace_draw := -isystem $(FST_SOURCES)
