#!/bin/sh
# Commands check their arguments: status 2 and one line with the option and the valid values, before the program starts. The
# driver says the same of its variables. Recordings of several processes go to several files.
build=${GALENA_BUILD:-build}
build=$(cd "$build" && pwd)
. testbench/check.sh
galena=$build/bin/galena
example=$build/examples/vector_add
bringup=$build/examples/bringup
export GALENA_CACHE_DIR="$work/cache"

# refused OPTION WORDS: WORDS are in the message, and nothing was started
refused() {
	rm -f "$work/started"
	capture "$galena" run "$1" -- touch "$work/started"
	check "$1 is a usage error" [ $status = 2 ]
	check "$1 is named" has "$err" "$1"
	check "$1: the message says '$2'" has "$err" "$2"
	check "$1: nothing was started" [ ! -e "$work/started" ]
}
refused --speed=fast "must be timed or functional"
refused --speed= "needs a value"
refused --config=huge "full, mini"
refused --config=mini,coherent=2 "coherent"
refused --devices=99 "must be a number from 1 to 16"
refused --devices=x "must be a number from 1 to 16"
refused --devices=0 "must be a number from 1 to 16"
refused --devices=1x "must be a number from 1 to 16"
refused --device=x "must be model"
refused --log=loud "must be none, error, info or debug"
refused --inject=NONSENSE "--inject list"
refused --inject=IRQ_LOST,nth=0 "nth is a number from 1 on"
mkdir "$work/sub"
for option in trace events wave check hash counters; do
	refused --$option=/nonexistent/x.y "the directory /nonexistent: No such file or directory"
	refused --$option="$work/sub" "is a directory"
	refused --$option=/proc/version/x "is no directory"
done
refused --profile=/nonexistent/p "No such file or directory"
capture "$galena" info --config huge
check "info --config huge is a usage error" [ $status = 2 ]
check "and says which there are" has "$err" "full, mini"
capture "$galena" conformance --speed=fast "$work/sub"
check "conformance --speed=fast is a usage error" [ $status = 2 ]
capture "$galena" conformance --device-type=toaster "$work/sub"
check "conformance --device-type=toaster is a usage error" [ $status = 2 ]
check "and says which there are" has "$err" "gpu, accelerator or cpu"
capture "$galena" run --inject list
check "--inject list" [ $status = 0 ]
for f in $(sed -n 's/^INJECTION(\([A-Z_]*\),.*/\1/p' abi/injections.def); do
	check "--inject list has $f" has "$out" "$f"
done

printf "kernel void k(global int *o) {\n  o[0] = x;\n}\n" > "$work/bad.cl"
capture "$galena" clc "$work/bad.cl" -o "$work/bad.gko"
check "the compiler names the file" has "$err" "$work/bad.cl:2:10: error"

# the driver, whoever starts the program
eval "$("$galena" env)"
for v in LOG=loud SPEED=fast DEVICES=99 ENGINE=slow SIMD=mmx TOP=yes HOST_THREADS=many WATCHDOG=never CACHE_SIZE=-1 \
	HASH=/nonexistent/hash COUNTERS="$work/sub" WAVE=/nonexistent/w.fst; do
	capture env "GALENA_$v" "$example"
	check "GALENA_$v: no program runs with it" [ $status != 0 ]
	check "GALENA_$v is named" has "$err" "GALENA_$v: "
	capture env "GALENA_$v" "$bringup"
	check "GALENA_$v: nor a driver of one's own" [ $status != 0 ]
	check "GALENA_$v is named to it" has "$err$out" "GALENA_$v: "
done
for v in LOG=info SPEED= ENGINE=interp TOP=0 WATCHDOG=0x100000000 HASH=0; do
	capture env "GALENA_$v" GALENA_SPEED=functional "$example"
	check "GALENA_$v is right" [ $status = 0 ]
done

# several processes, one name
count() { ls "$work/$1" | wc -l; }
mkdir "$work/rec"
capture "$galena" run --speed functional --trace "$work/rec/t.bus" --events "$work/rec/e.events" --hash="$work/rec/hash" \
	--counters="$work/rec/c.json" -- sh -c "'$example'; '$example' & '$example' & wait"
check "three processes record" [ $status = 0 ]
for f in 't*.bus' 'e*.events' 'hash*' 'c*.json'; do
	check "three files $f" [ "$(find "$work/rec" -name "$f" | wc -l)" = 3 ]
done
check "one has the name" [ -e "$work/rec/t.bus" ]
check "others have a PID before the ending" sh -c "ls '$work/rec' | grep -qx 't\\.[0-9]*\\.bus'"
check "which they say" has "$err" "is the recording of another process"
for f in "$work"/rec/*.bus "$work"/rec/*.events; do
	capture "$galena" trace info "$f"
	check "it is whole" [ $status = 0 ]
done
capture "$galena" run --speed functional --hash="$work/rec/hash" -- "$example"
check "another run takes the name over" [ -z "$err" ]
mkdir "$work/pid"
capture "$galena" run --speed functional --trace "$work/pid/t-%p.bus" --hash="$work/pid/100%%-%p" --check="$work/pid/check-%p" -- \
	sh -c "'$example' & '$example' & wait"
check "%p is the PID" sh -c "ls '$work/pid' | grep -qx 't-[0-9]*\\.bus'"
check "of each process" [ "$(find "$work/pid" -name 't-*.bus' | wc -l)" = 2 ]
check "%% is %" [ "$(find "$work/pid" -name '100%-[0-9]*' | wc -l)" = 2 ]
check "for reports, too" [ "$(find "$work/pid" -name 'check-[0-9]*' | wc -l)" = 2 ]
finish
