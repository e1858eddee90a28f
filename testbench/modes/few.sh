#!/bin/sh
# A few programs, in most ways of running them; `make modes` does it with all.
build=$(cd "${GALENA_BUILD:-build}" && pwd) || exit 2
clbench="$build/bench/clbench --kernels bench/kernels --small --runs 1 --budget 1"
MODES="timed-again functional-again timed-threads timed-avx2 timed-portable functional-threads functional-portable translated-asking translated translated-threads"
SPEEDS_AGREE=yes # none of these hands out places with atomics
export MODES SPEEDS_AGREE
exec testbench/modes/modes.sh "$build" "$build/test/opencl/kernel" "$build/test/opencl/image" "$clbench histogram" \
	"$clbench reduction" "$clbench mandelbrot" "$clbench sha256"
