#!/bin/sh
# A few programs, in every way of running them; `make modes` does it with all.
build=${GALENA_BUILD:-build}
clbench="$build/bench/clbench --kernels bench/kernels --small --runs 1 --budget 1"
exec testbench/modes/modes.sh "$build" "$build/test/opencl/kernel" "$build/test/opencl/image" "$clbench histogram" \
	"$clbench reduction" "$clbench mandelbrot"
