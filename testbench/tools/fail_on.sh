#!/bin/sh
# The exit status of programs whose commands fault, or that break a rule: galena run --check and --fail-on.
build=${GALENA_BUILD:-build}
build=$(cd "$build" && pwd)
. testbench/check.sh
galena=$build/bin/galena
export GALENA_CACHE_DIR="$work/cache" GALENA_CONFIG=mini GALENA_DEVICES=1
unset GALENA_CHECK GALENA_FAIL_ON
clean="$build/examples/vector_add"
fault="$build/test/opencl/faults --child absent"   # a fault, no rule
dependent="$build/test/opencl/faults --child dependent" # its event fails by the application's own word
both="$build/test/tools/device"                    # PIN_ACCESS, and crashes of the command processor
own="$build/examples/bringup"                      # a driver of its own, which provokes a fault

has_not() { ! has "$1" "$2"; }
# status WANTED PROGRAM OPTION...
status() {
	wanted=$1 program=$2
	shift 2
	# shellcheck disable=SC2086
	capture "$galena" run "$@" -- $program
	check "$(basename "${program%% *}") ${program#"${program%% *}"} $*: $wanted" [ "$status" = "$wanted" ]
}
status 0 "$clean" --check
check "no fault is told" has_not "$err" fault
status 4 "$fault" --check
check "the summary counts it" has "$err" ": 0 broken, 1 fault"
check "and the report tells it" has "$err" "packet 0: PAGE_NOT_PRESENT, no valid translation"
status 0 "$fault" --check --fail-on none
check "that is counted all the same" has "$err" ": 0 broken, 1 fault"
status 0 "$fault" --check --fail-on rule
status 4 "$fault" --check --fail-on fault
status 4 "$fault" --check --fail-on all
status 0 "$fault"
status 4 "$fault" --fail-on fault
status 4 "$fault" --fail-on all
status 0 "$fault" --fail-on rule
status 0 "$clean" --fail-on fault
status 0 "$dependent" --fail-on fault
status 0 "$dependent" --check
status 7 "$fault 7" --check
status 7 "$fault 7" --fail-on fault
status 3 "$both" --check
check "the summary counts both" has "$err" " broken, 5 faults"
status 3 "$both" --check --fail-on rule
status 4 "$both" --check --fail-on fault
status 0 "$both" --check --fail-on none
status 4 "$own" --check
status 4 "$own" --fail-on fault
status 0 "$own"
capture "$galena" run --fail-on sometimes -- "$clean"
check "another word is a usage error" [ "$status" = 2 ]
check "that names the words" has "$err" "none"
finish
