#!/bin/sh
# Kernels by translated code: GALENA_ENGINE=check compares each run of it with the interpreter, registers and stores,
# and ends the program at a difference; with translate and no patience all that can be is translated from the start.
# clbench compares every result with a reference of its own.
build=${GALENA_BUILD:-build}
build=$(cd "$build" && pwd)
. testbench/check.sh
cache=$work/cache
eval "$("$build/bin/galena" env)"
export GALENA_SPEED=functional GALENA_CACHE_DIR="$cache" GALENA_TRANSLATE_HOT=0
workloads=$("$build/bench/clbench" --help | sed -n "s/^Workloads: null //p")
long=" blur fft nbody options scan sgemm sort "
for engine in check translate; do
	# the first runs both engines and compares
	[ $engine = check -o -n "${CHECK_LONG:-}" ] && tests="kernel buffer event image subgroup_votes" || tests=kernel
	for t in $tests; do
		skip=
		if [ $t = subgroup_votes -a -z "${CHECK_LONG:-}" ]; then # a hundred small superblocks; oracle/lanes has their instructions
			skip=votes
			echo "# without the case $skip of opencl/$t with $engine; make check-long has it, too"
		fi
		capture env GALENA_ENGINE=$engine TEST_SKIP=$skip "$build/test/opencl/$t"
		check "opencl/$t with $engine" [ "$status" = 0 ]
	done
	these=$workloads
	if [ $engine = translate -a -z "${CHECK_LONG:-}" ]; then # half of the time of all is that of translating these once more
		echo "# without${long}with $engine; make check-long has them, too"
		these=$(for w in $workloads; do case $long in *" $w "*) ;; *) echo "$w" ;; esac; done)
	fi
	# shellcheck disable=SC2086
	capture env GALENA_ENGINE=$engine GALENA_LOG=debug "$build/bench/clbench" --platform Galena --small --runs 1 $these
	check "every workload's result with $engine" [ "$status" = 0 ]
	if [ -n "${GALENA_CHECK:-}" ]; then
		echo "# skip whether translated code has run: under the rule checkers every access is an event, so all is interpreted"
		continue
	fi
	check "translated code has run with $engine" [ "$(printf '%s\n' "$err" | grep -c 'galena: superblock .* entered')" -gt 20 ]
done

# The same instructions have run, by warps and by lanes, whoever ran them: lanes that part take turns and join as interpreted.
executed() { printf '%s\n%s\n' "$out" "$err" | awk '/(lane|warp)-instructions/ { print $1, $2 }'; }
for w in spmv collatz mandelbrot hash; do
	capture env GALENA_ENGINE=interp "$build/bin/galena" run --counters -- "$build/bench/clbench" --platform Galena --small --runs 1 $w
	interpreted=$(executed)
	capture env GALENA_ENGINE=translate "$build/bin/galena" run --counters -- "$build/bench/clbench" --platform Galena --small --runs 1 $w
	check "$w: as many instructions interpreted as translated" [ -n "$interpreted" -a "$(executed)" = "$interpreted" ]
done
finish
