#!/bin/sh
# The compiler's tests once more, with a compiler that is started for each build.
. testbench/check.sh
build=${GALENA_BUILD:-build}
export GALENA_COMPILE_SERVER=0
[ -n "${CHECK_LONG:-}" ] && tests="build link limits" || { tests=build; echo "# without compiler/link and compiler/limits, which make check-long has"; }
for t in $tests; do
	capture "$build/test/compiler/$t"
	check "compiler/$t" [ "$status" = 0 ]
done
finish
