#!/bin/sh
# galena top: a running program seen from outside; nothing is left behind.
build=${GALENA_BUILD:-build}
build=$(cd "$build" && pwd)
. testbench/check.sh
galena=$build/bin/galena
export GALENA_CACHE_DIR="$work/cache" GALENA_DEVICES=1 XDG_RUNTIME_DIR="$work/run"
mkdir -m 700 "$work/run"

capture "$galena" top --once
check "nothing runs" [ "$status $out" = "0 no process has a device open" ]
capture "$galena" top --frobnicate
check "an unknown option is a usage error" [ $status = 2 ]
capture "$galena" top --interval 0
check "an interval of nothing is, too" [ $status = 2 ]

# program NAME=VALUE...: starts it with these variables; it takes commands from descriptor 3, say waits for its answer
start() {
	mkfifo "$work/in" "$work/answers"
	env "$@" "$galena" run -- "$build/test/tools/steps" <"$work/in" >"$work/answers" &
	pid=$!
	exec 3>"$work/in" 4<"$work/answers"
	read -r answer <&4
}
say() { echo "$*" >&3; read -r answer <&4; }
# Looks until TEXT is shown: a busy machine may take a while to get there.
shows() {
	looks=0
	while capture "$galena" top --once; do
		has "$out" "$1" && return 0
		looks=$((looks + 1)); [ $looks -lt 100 ] || return 1
	done
}
stop() { exec 3>&- 4<&-; wait "$pid"; ended=$?; rm -f "$work/in" "$work/answers"; }

start GALENA_CONFIG=mini
check "the program is ready" [ "$answer" = "$pid ready" ]
say light 3
check "its counters are read" shows ", 3 kernels"
check "it is shown, with its configuration" has "$out" "$pid steps (mini)"
check "its queue is idle and has run a fill and three kernels" \
	sh -c 'echo "$1" | grep -Eq "queue 0 +idle +priority normal +address space [0-9]+ +0 waiting, 4 ended"' sh "$out"
check "rates are given" has "$out" "a second: DRAM "
check "and faults" has "$out" ", 0 faults"
say heavy 2
check "a second look shows more" shows ", 5 kernels"
say fork
check "a child that ends does not take it away" shows ", 5 kernels"
say long
check "a kernel that runs is seen running" shows " running "
check "with its command waited for" has "$out" "1 waiting"
say finish
check "and ended" shows ", 6 kernels"
stop
check "the program has ended well" [ "$ended" = 0 ]
capture "$galena" top --once
check "then it is no longer shown" [ "$out" = "no process has a device open" ]
check "and has left nothing" [ -z "$(ls "$work/run/galena")" ]

start GALENA_CONFIG=mini
kill -9 "$pid"
stop
check "a program that was killed leaves its file" [ -n "$(ls "$work/run/galena")" ]
capture "$galena" top --once
check "which is not shown" [ "$out" = "no process has a device open" ]
check "and is taken away" [ -z "$(ls "$work/run/galena")" ]

start GALENA_TOP=0
capture "$galena" top --once
check "GALENA_TOP=0 keeps a program from being shown" [ "$out" = "no process has a device open" ]
stop

start GALENA_HASH="$work/hash1"
say light 3
stop
start GALENA_HASH="$work/hash2"
capture "$galena" top --once
say light 3
capture "$galena" top --once
check "a program whose bus is recorded is shown" has "$out" "steps"
check "without its counters" has "$out" "not read yet, or its bus is being recorded"
stop
check "and watching it changes nothing on its bus" cmp -s "$work/hash1" "$work/hash2"
finish
