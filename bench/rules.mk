# clbench runs on any OpenCL; bench/run puts the platforms side by side
$(call program,bench/clbench,bench/clbench.c bench/dense.c bench/pixels.c bench/arrays.c,,-lOpenCL -lm)

bench: all ## measure against PoCL and Oclgrind, write build/bench.tsv
	$(Q)bench/run $(BUILD)
.PHONY: bench
# speed of the execution engines alone
$(call program,bench/engine,bench/engine.c testbench/model/rig.c,model abi,-lm)
