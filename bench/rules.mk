# clbench runs on any OpenCL; bench/run puts the platforms side by side
$(call program,bench/clbench,bench/clbench.c bench/dense.c bench/pixels.c bench/arrays.c bench/lists.c \
	bench/fields.c,,-lOpenCL -lm)

# the model without events, beside it: what they cost while nobody looks
bench-no-events:
	$(Q)$(MAKE) --no-print-directory BUILD=$(BUILD)/no-events OPT='$(OPT) -DGALENA_NO_EVENTS' \
		$(BUILD)/no-events/bench/engine $(BUILD)/no-events/lib/libgalena-device.so

bench: all bench-no-events ## measure against PoCL and Oclgrind, write build/bench.tsv and build/bench.svg
	$(Q)bench/run $(BUILD)

bench-compare: all ## compare with another revision (BASE=rev), in turns: what is faster or slower outside the noise
	$(Q)bench/compare $(BUILD) '$(BASE)'

bench-figures: ## put the table of the last make bench into docs/performance.md
	$(Q)awk -f bench/figures.awk $(BUILD)/bench.txt docs/performance.md >$(BUILD)/performance.md && cp $(BUILD)/performance.md docs/performance.md
.PHONY: bench bench-no-events bench-compare bench-figures

# the timing parameters, measured from outside
$(call program,bench/timing,bench/timing.c bench/timing_code.c bench/timing_media.c bench/timing_roofline.c,umd heap abi,-lgalena-kmd -lgalena-device -lelf -lm -lpthread)

bench-timing: all $(BUILD)/bench/timing ## measure the device's timing parameters, write build/timing.tsv and build/timing.svg
	$(Q)$(BUILD)/bench/timing $(BUILD)/timing.tsv; status=$$?; \
		awk -F'\t' -f bench/plot.awk $(BUILD)/timing.tsv >$(BUILD)/timing.svg && \
		echo "table: $(BUILD)/timing.tsv, plot: $(BUILD)/timing.svg" && exit $$status
.PHONY: bench-timing

# speed of the execution engines alone
$(call program,bench/engine,bench/engine.c testbench/model/rig.c testbench/model/assemble.c,model compile_server abi,-lm)

# programs that run for a moment, with translation and interpreted
$(call program,bench/short,bench/short.c,,-lOpenCL -lm)

# what surrounds kernels, on any OpenCL
$(call program,bench/paths,bench/paths.c bench/paths_launch.c bench/paths_transfer.c bench/paths_import.c bench/paths_process.c bench/paths_sharing.c,,-lOpenCL -lvulkan)
