#!/bin/sh
# The galena command: help, exit codes, environment, determinism of the bus, record and replay.
build=${GALENA_BUILD:-build}
build=$(cd "$build" && pwd)
. testbench/check.sh
galena=$build/bin/galena
example=$build/examples/vector_add
export GALENA_CACHE_DIR="$work/cache"

capture "$galena" --help
check "help exits 0" [ $status = 0 ]
check "help shows examples" has "$out" "galena run"
capture "$galena"
check "no command is a usage error" [ $status = 2 ]
capture "$galena" frobnicate
check "an unknown command is a usage error" [ $status = 2 ]
check "and is named" has "$err" frobnicate
for c in run info trace; do
	capture "$galena" $c --help
	check "$c --help exits 0" [ $status = 0 ]
done

capture "$galena" info
check "info exits 0" [ $status = 0 ]
check "info names the compute units" has "$out" "compute units     4, each 16 warps of 32 lanes"
capture "$galena" info --config mini
check "info --config mini" has "$out" "compute units     1, each 4 warps of 4 lanes"
capture "$galena" info --config nonsense
check "an unknown configuration is a usage error" [ $status = 2 ]
check "the message lists the known ones" has "$err" mini
capture "$galena" info --env
for v in $(sed -n 's/^ENV("\([A-Z_]*\)".*/\1/p' abi/environment.def); do
	check "info --env lists $v" has "$out" "$v"
done

capture "$galena" env
check "env exits 0" [ $status = 0 ]
check "env can be evaluated" sh -c "unset OCL_ICD_VENDORS; eval \"\$('$galena' env)\"; [ -f \"\$OCL_ICD_VENDORS/galena.icd\" ]"
check "and names the manifest of the Vulkan driver" sh -c "unset VK_DRIVER_FILES; eval \"\$('$galena' env)\"; grep -q libgalena-vulkan.so \"\$VK_DRIVER_FILES\""
capture "$galena" run
check "run without a program is a usage error" [ $status = 2 ]
capture "$galena" run -- /nonexistent/program
check "run of a missing program exits 127" [ $status = 127 ]
capture "$galena" run -- sh -c 'exit 7'
check "run hands the exit status on" [ $status = 7 ]
capture "$galena" run --speed functional -- sh -c 'echo $GALENA_SPEED'
check "run sets the environment" [ "$out" = functional ]

capture "$galena" run -- "$example"
check "the example runs" [ $status = 0 ]
check "and computes" [ "$out" = "10000 sums, 0 wrong" ]
capture "$galena" run --counters -- "$example"
check "counters show device cycles" has "$err" "cycles"
capture "$galena" run --hash="$work/hash1" -- "$example"
check "hash is written" [ -s "$work/hash1" ]
for i in 1 2 3 4; do sh -c 'while :; do :; done' & loads="${loads:-} $!"; done
capture "$galena" run --hash="$work/hash2" -- "$example"
kill $loads
check "the bus traffic is the same on every run, at any load" cmp -s "$work/hash1" "$work/hash2"
capture env GALENA_SIMD=portable "$galena" run --hash="$work/hash3" -- "$example"
check "and with any vector code" cmp -s "$work/hash1" "$work/hash3"
capture "$galena" run --config mini --hash="$work/hash4" -- "$example"
check "but not on another device" sh -c "! cmp -s '$work/hash1' '$work/hash4'"

capture "$galena" run --trace "$work/t.bus" --hash="$work/hash5" -- "$example"
check "a trace is recorded" [ -s "$work/t.bus" ]
check "recording changes nothing" cmp -s "$work/hash1" "$work/hash5"
capture "$galena" trace replay "$work/t.bus"
check "it replays without the runtime" [ $status = 0 ]
check "and has the hash of the run" has "$out" "$(cut -d' ' -f3 "$work/hash1")"
capture "$galena" trace replay --config full,exact=1,l1_bytes=4096,l2_bytes=65536 "$work/t.bus"
check "it replays on other caches" [ $status = 0 ]
check "and says what was compared" has "$out" "every result as recorded"
capture "$galena" trace replay --config mini "$work/t.bus"
check "what software would see is refused" [ $status = 3 ]
check "with the name of the parameter" has "$err" "num_cu=4"
capture "$galena" trace dump --config full "$work/t.bus"
check "a configuration is for replay" [ $status = 2 ]
capture "$galena" trace info "$work/t.bus"
check "trace info counts" has "$out" "mem-write"
capture "$galena" trace dump "$work/t.bus"
check "trace dump names registers" has "$out" "HOST.DOORBELL[0] = 0x"
check "fields" has "$out" "HOST.CTRL = 0x2 [CP_RUN]"
check "and what is read" sh -c "grep -A 40 ' read32 .* HOST.FW_STATE\$' '$work/out' | grep -q ' return .* READY at cycle [0-9]'"
check "a wait returns why" grep -q " return .* irq at cycle [0-9]" "$work/out"
capture "$galena" run --events "$work/e.events" --check="$work/report" --hash="$work/hash6" -- "$example"
check "events are recorded and checked" [ $status = 0 ]
check "which changes nothing on the bus" cmp -s "$work/hash1" "$work/hash6"
check "the report says what was checked" has "$(cat "$work/report")" "rules over"
check "and that nothing was broken" has "$(cat "$work/report")" ": 0 broken"
capture "$galena" trace info "$work/e.events"
check "trace info knows an event file" has "$out" "queue-bind"
capture "$galena" trace dump "$work/e.events"
check "trace dump prints events by name" has "$out" "dev0 driver queue-bind     HOST  q0"
check "registers and their fields" has "$out" "offset HOST.CTRL value 0x2 [CP_RUN] bytes 4"
check "types and flags of packets" grep -q " packet .* type dispatch flags " "$work/out"
check "states" has "$out" "state RUNNING"
check "fault codes" has "$out" "status NONE"
check "interrupts" has "$out" "bits 0x1 [COMPLETE]"
capture "$galena" trace dump --block host --kind doorbell "$work/e.events"
check "of one kind" has "$out" "index "
check "and of that alone" sh -c "! printf %s '$out' | grep -v '^#' | grep -qv doorbell"
capture "$galena" trace dump --kind nonsense "$work/e.events"
check "no such event is a usage error" [ $status = 2 ]
capture "$galena" trace dump --count --to 0 "$work/e.events"
check "trace dump counts by kind, up to a cycle" has "$out" "driver pin"
check "and nothing later" sh -c "! printf %s '$out' | grep -q doorbell"
capture "$galena" trace dump --count "$work/t.bus"
check "filters are for events" [ $status = 2 ]
capture "$galena" trace replay "$work/e.events"
check "an event file is not replayed" [ $status = 2 ]
head -c 500 "$work/e.events" > "$work/cut.events"
capture "$galena" trace dump "$work/cut.events"
check "a cut event file is refused" [ $status = 3 ]
check "with its reason" has "$err" "cut off"
capture env GALENA_CHECK=/nonexistent/report "$galena" run -- "$example"
check "a report that cannot be written is one clear line" has "$err" "/nonexistent/report"
head -c 5000 "$work/t.bus" > "$work/cut.bus"
capture "$galena" trace replay "$work/cut.bus"
check "a cut trace is refused" [ $status = 3 ]
check "with a reason" has "$err" "cut off"
capture "$galena" trace replay /bin/sh
check "a foreign file is refused" [ $status = 3 ]
capture "$galena" trace frobnicate "$work/t.bus"
check "an unknown verb is a usage error" [ $status = 2 ]

capture env GALENA_FIRMWARE=/nonexistent/fw.elf "$galena" run -- "$example"
check "missing firmware is one clear line" has "$err" "/nonexistent/fw.elf"
capture env GALENA_CONFIG=nonsense "$galena" run -- "$example"
check "an unknown configuration is one clear line" has "$err" "nonsense"
capture env GALENA_CLANG=/nonexistent/clang GALENA_CACHE=0 "$galena" run -- "$example"
check "missing clang fails the build" [ $status = 1 ]

mkdir "$work/root"
capture tools/install "$build" "$work/root/opt/galena" "$work/root/opt/galena"
check "install" [ $status = 0 ]
capture "$work/root/opt/galena/bin/galena" run -- "$example"
check "the installed kit works" [ "$out" = "10000 sums, 0 wrong" ]
finish
