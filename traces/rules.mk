$(call archive,traces,traces/trace_writer.c traces/recorder.c)
$(call archive,replay,traces/trace_reader.c traces/trace_writer.c traces/replay.c)
$(BUILD)/obj/traces/trace_writer.o $(BUILD)/obj/traces/trace_reader.o: $(BUILD)/gen/abi_hash.h
