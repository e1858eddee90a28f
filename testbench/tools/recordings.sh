#!/bin/sh
# What `galena run` leaves of a program that dies, with all recorders at once: every file is complete when it returns, opens, and says
# how the program ended.
build=${GALENA_BUILD:-build}
build=$(cd "$build" && pwd)
. testbench/check.sh
galena=$build/bin/galena
export GALENA_CACHE_DIR="$work/cache" GALENA_CONFIG=mini

# WAY NUMBER-OF-SIGNAL NAME-OF-SIGNAL
files_of() {
	check "$1: it ends as the program does" [ "$status" = $((128 + $2)) ]
	check "$1: the trace says how it ended" has "$("$galena" trace info t.bus)" "program ended by signal $2 ($3)"
	check "$1: so do the events" has "$("$galena" trace info e.events)" "program ended by signal $2 ($3)"
	replayed=$("$galena" trace replay t.bus)
	check "$1: the trace replays" has "$replayed" "every value, cycle, interrupt and byte as recorded"
	check "$1: the hash is that of the trace" has "$replayed" "$(cat hash.txt)"
	check "$1: the rules are reported" has "$(cat check.txt)" "rules over"
	check "$1: the report says how it ended" has "$(cat check.txt)" "program ended by signal $2"
	check "$1: the waveform is whole" [ "$(head -c 1 w.fst | od -An -tu1 | tr -d ' ')" = 0 ]
	check "$1: nothing is half done" [ -z "$(find . -name '*.hier' -o -name '*.part' -o -name '*.live')" ]
	check "$1: the counters are there, and whole" sh -c "tr -d '\n' <c.json | grep -q '^\\[.*\"name\": \"short_one\", \"calls\": 1, .*\\]\$'"
	check "$1: so is the profile" grep -q 'short_one  *1 ' p/profile.txt
}
run_all() { # WAY
	rm -rf "${work:?}/$1" && mkdir "$work/$1" && cd "$work/$1" || exit 1
	set -- --trace t.bus --events e.events --wave w.fst --check=check.txt --hash=hash.txt --counters=c.json --profile=p -- \
		"$build/test/tools/dies" "$1"
	capture "$galena" run "$@"
}

run_all abort
files_of abort 6 Aborted
run_all kill
files_of kill 9 Killed

# Ctrl-C goes to all processes of the terminal's group. A shell without job control makes no group, and lets what runs in the background
# ignore it: setsid and env set both right.
mkdir "$work/wait" && cd "$work/wait" || exit 1
setsid env --default-signal=INT "$galena" run --trace t.bus --events e.events --wave w.fst --check=check.txt --hash=hash.txt --counters=c.json \
	--profile=p -- "$build/test/tools/dies" wait >out 2>err &
group=$!
tries=0
while ! grep -q ran out && [ $tries -lt 600 ]; do sleep 0.1; tries=$((tries + 1)); done
sleep 0.5
kill -s INT -- -$group
(sleep 60; kill -s KILL -- -$group) >/dev/null 2>&1 &
guard=$!
status=0
wait $group || status=$?
kill $guard 2>/dev/null
files_of "Ctrl-C in an endless kernel" 2 Interrupt
check "the profile shows where it was" grep -q 'endless' p/profile.txt

# counters that go to the terminal
capture "$galena" run --counters -- "$build/test/tools/dies" abort
check "counters are printed, how it ended first" has "$err" "program ended by signal 6 (Aborted)
device "
check "with the kernels" has "$err" "short_one"
eval "$("$galena" env)"
GALENA_COUNTERS=1 "$build/test/tools/dies" kill >out 2>late
tries=0
while ! grep -q short_one late && [ $tries -lt 600 ]; do sleep 0.1; tries=$((tries + 1)); done
check "of a program that was started otherwise, too" grep -q 'short_one  *1 ' late
mkdir q
GALENA_PROFILE=q "$build/test/tools/dies" abort >out 2>late
capture "$galena" profile q
check "the profile of one: what reads it waits for it" grep -q 'short_one  *1 ' q/profile.txt
check "and finds all of it" sh -c \
	"awk '\$1 == \"counter\" && \$2 == \"WARP_INSNS\" { c += \$3 } \$1 == \"at\" { n += \$5 } END { exit !(n && n == c) }' q/*-device0.counts"
# a recorder of another build is refused, at once
capture "$build/libexec/galena-recorder" 3 4 5 $$ 0123456789abcdef
check "a recorder says that it is of another build" sh -c '[ "$1" = 1 ] && grep -q "another build" "$2"' sh "$status" "$work/err"
finish
