#!/bin/sh
# modes.sh BUILD [PROGRAM...]: the test programs that use a device leave the same memory behind, at the same cycle, in every way
# of running them: with timing and without, whatever the host's vectors, threads and engine are. Memory is
# each device's DRAM when it ends, with the cycle (GALENA_DRAM_HASH); a program's own checks look at what it read besides.
# Compared are ways of the same speed. With timing and without, work-groups run in another order, so what
# depends on the order of atomics, and the stacks that work-items leave behind, may differ: that is told. A
# program whose hash is not its own from run to run, because its threads race for addresses, only has to succeed.
# MODES: which ways beside the first, names of modes() below (all). Exit status 1: a program failed or differs.
build=${1:-${GALENA_BUILD:-build}}
build=$(cd "$build" && pwd) || exit 2
[ $# -gt 0 ] && shift
. testbench/check.sh
export GALENA_CACHE_DIR="$work/cache" GALENA_SEED=${GALENA_SEED:-1} GALENA_TOP=0 OCL_ICD_VENDORS="$build/etc/OpenCL/vendors"
export GALENA_BUILD="$build"

# NAME VARIABLES...; timed and functional are what those after them are compared with
modes() {
	cat <<-END
	timed GALENA_SPEED=timed GALENA_SIMD=auto GALENA_HOST_THREADS=1
	threads GALENA_SPEED=timed GALENA_SIMD=auto GALENA_HOST_THREADS=2
	avx2 GALENA_SPEED=timed GALENA_SIMD=avx2 GALENA_HOST_THREADS=2
	portable GALENA_SPEED=timed GALENA_SIMD=portable GALENA_HOST_THREADS=1
	functional GALENA_SPEED=functional GALENA_SIMD=auto GALENA_HOST_THREADS=1 GALENA_ENGINE=interp
	functional-threads GALENA_SPEED=functional GALENA_SIMD=auto GALENA_HOST_THREADS=2 GALENA_ENGINE=interp
	functional-portable GALENA_SPEED=functional GALENA_SIMD=portable GALENA_HOST_THREADS=2 GALENA_ENGINE=interp
	translated GALENA_SPEED=functional GALENA_SIMD=auto GALENA_HOST_THREADS=1 GALENA_ENGINE=translate GALENA_TRANSLATE_HOT=0
	translated-threads GALENA_SPEED=functional GALENA_SIMD=auto GALENA_HOST_THREADS=2 GALENA_ENGINE=translate GALENA_TRANSLATE_HOT=0
	END
}

# hash_of VARIABLES... -- COMMAND...: in $hash; $status is the program's
hash_of() {
	: >"$work/hash"
	capture env GALENA_DRAM_HASH="$work/hash" "$@"
	hash=$(sort "$work/hash")
}

programs() {
	ls "$build"/test/opencl/* "$build"/test/builtins/* "$build"/test/compiler/* "$build"/examples/* | while read -r p; do
		case $p in
		*/determinism | */coherency | */engines | *.sh) ;; # they run others
		*) [ -x "$p" ] && [ -f "$p" ] && echo "$p" ;;
		esac
	done
	for w in $("$build/bench/clbench" --help | sed -n "s/^Workloads: //p"); do
		echo "$build/bench/clbench --kernels bench/kernels --small --runs 1 --budget 1 $w"
	done
}

# run_mode MODE VARIABLES...: one way of running $program; $base is the hash of its speed's first
run_mode() {
	mode=$1
	shift
	hash_of "$@" $program
	check "$label succeeds: $mode" [ $status = 0 ]
	case $mode in
	timed | functional)
		[ "$mode" = functional ] && [ "${hash%% at*}" != "${base%% at*}" ] && echo "# note: $label leaves other bytes without timing"
		base=$hash steady=true
		hash_of "$@" $program
		[ "$hash" = "$base" ] && return
		steady=false
		echo "# skip comparing $label: two runs of mode $mode differ" ;;
	*)
		if $steady; then check "$label leaves the same memory: $mode" [ "$hash" = "$base" ]; fi ;;
	esac
}

run_all() {
	modes >"$work/modes"
	while read -r program; do
		label=${program#"$build"/}
		hash_of GALENA_SPEED=functional $program
		[ -n "$hash" ] || continue # it uses no device
		while read -r mode variables; do
			case " timed functional ${MODES:-$mode} " in *" $mode "*) run_mode $mode $variables ;; esac
		done <"$work/modes"
	done
}

if [ $# -gt 0 ]; then printf '%s\n' "$@"; else programs; fi >"$work/programs"
run_all <"$work/programs"
finish
