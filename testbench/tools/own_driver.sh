#!/bin/sh
# Programs that bring their own driver (testbench/rules/own_driver.c) have every instrument: injected faults, counters, rules,
# traces, events, waveforms.
build=${GALENA_BUILD:-build}
build=$(cd "$build" && pwd)
. testbench/check.sh
galena=$build/bin/galena
own=$build/test/tools/own_driver_program
export GALENA_CONFIG=mini GALENA_WATCHDOG=1000000

# ---- injection ----
capture "$galena" run -- "$own"
check "without faults it works" [ "$out" = "kernel: NONE
copy: NONE
kernel again: NONE" ]
check "and nothing is said of faults" [ -z "$err" ]
# faults FAULT...: that are armed; what becomes of them stands in $err
faults() {
	options=
	for f in "$@"; do options="$options --inject $f"; done
	capture "$galena" run $options -- "$own"
}
faults KERNEL_HANG
check "a kernel that hangs is ended by the watchdog" has "$out" "kernel: WATCHDOG
fault record: WATCHDOG, queue 0
copy: NONE"
check "it is said when, and of which queue" sh -c "printf %s \"\$1\" | grep -qx 'galena: inject: device 0: KERNEL_HANG: happened at cycle [0-9]*, queue 0, address 0x[0-9a-f]*'" sh "$err"
faults DMA_STALL
check "so is a transfer that stands still" has "$out" "copy: WATCHDOG"
check "of which it is said, too" has "$err" "DMA_STALL: happened at cycle "
check "the kernels are well" has "$out" "kernel again: NONE"
faults KERNEL_HANG,nth=2 ECC_SINGLE BUS_ERROR,unit=8 IRQ_LOST,device=3
check "the second kernel hangs" has "$out" "kernel: NONE
copy: BUS_ERROR"
check "that one, and no other" has "$out" "kernel again: WATCHDOG"
check "what has happened is said" has "$err" "device 0: KERNEL_HANG,nth=2: happened at cycle "
check "where it was, by its unit" has "$err" "device 0: BUS_ERROR,unit=8: happened at cycle "
check "what has not" sh -c "printf %s \"\$1\" | grep -qx 'galena: inject: device 0: ECC_SINGLE: did not happen; it was armed at cycle [0-9]*'" sh "$err"
check "and what could not" has "$err" "device 3: IRQ_LOST,device=3: was not armed: the program opened no such device"
check "each once" [ "$(printf '%s\n' "$err" | grep -c 'galena: inject: ')" = 4 ]
capture "$galena" run --inject IRQ_LOST --inject BUS_ERROR,nth=1000000 -- "$own" die
check "a program that dies: by its signal" [ $status = 134 ]
check "what happened is said" has "$err" "IRQ_LOST: happened at cycle "
check "and what did not" has "$err" "BUS_ERROR,nth=1000000: did not happen"
capture "$galena" run --inject DMA_STALL -- "$build/examples/vector_add"
check "the kit's own driver: the same line" has "$err" "galena: inject: device 0: DMA_STALL: happened at cycle "
capture "$galena" run --inject KERNEL_HANG --trace "$work/t.bus" --hash="$work/hash" -- "$own"
capture "$galena" trace replay "$work/t.bus"
check "a trace has what armed the faults: it replays" [ $status = 0 ]
check "with the hash of the run" has "$out" "$(cut -d' ' -f3 "$work/hash")"
capture env GALENA_INJECT=IRQ_DUPLICATE "$galena" trace replay "$work/t.bus"
check "and with nothing besides" [ $status = 0 ]
capture "$galena" trace dump "$work/t.bus"
check "which the dump names" has "$out" "HOST.INJECT = KERNEL_HANG"
capture env GALENA_INJECT=NONSENSE "$own"
check "a fault that there is not is one clear line" has "$out$err" "GALENA_INJECT=NONSENSE: "

# ---- counters ----
capture "$galena" run --counters -- "$own"
check "counters of a driver of one's own" has "$err" "  kernels             2"
check "of the device that it opened" has "$err" "device 0"
capture "$galena" run --counters="$work/c.json" -- "$own" leave
check "of one that is still open at the end, as JSON" grep -q '"DMA_BYTES": 256, ' "$work/c.json"
check "with every counter register" sh -c \
	"for c in \$(sed -n 's/^REG(HOST, CNT_\([A-Z0-9_]*\),.*/\1/p' abi/registers.def); do grep -q \"\\\"\$c\\\": \" '$work/c.json' || exit 1; done"
check "and no kernels" grep -q '"kernels": \[\]' "$work/c.json"
capture "$galena" run --counters="$work/d.json" -- "$own"
check "the same when it was closed" cmp -s "$work/c.json" "$work/d.json"
capture "$galena" run --counters -- "$own" die
check "of a program that dies: how it ended" has "$err" "program ended by signal 6 (Aborted)"
check "and what it has done before" has "$err" "  kernels             2"
capture "$galena" run --hash="$work/hash1" -- "$own"
capture "$galena" run --hash="$work/hash2" --counters="$work/e.json" -- "$own"
check "nothing crosses the bus for it" cmp -s "$work/hash1" "$work/hash2"

# ---- rules ----
for config in mini mini,coherent=0; do
	for what in nothing halves; do
		capture env GALENA_CONFIG=$config "$galena" run --check -- "$own" $what
		check "$config, $what: no rule is broken" [ $status = 0 ]
		check "$config, $what: of those that were checked" has "$err" ": 0 broken"
	done
	for rule in TLB_OLD DMA_BUFFER RING_OVERRUN QUEUE_SPACE PIN_ACCESS MMIO_SIZE; do
		check "$config: $rule had something to look at" sh -c "! printf %s \"\$1\" | grep 'not exercised' | grep -qw $rule" sh "$err"
	done
done
check "HOST_DIRTY, too" sh -c "! printf %s \"\$1\" | grep 'not exercised' | grep -qw HOST_DIRTY" sh "$err"
# breaks WHAT RULE CONFIG
breaks() {
	capture env GALENA_CONFIG="$3" "$galena" run --check -- "$own" "$1"
	check "$1: status 3" [ $status = 3 ]
	check "$1 breaks $2" has "$err" "galena: check: $2: device 0 cycle "
	check "$1 breaks nothing else" has "$err" ": 1 broken"
}
breaks no-register MMIO_NOWHERE mini
breaks read-only MMIO_READ_ONLY mini
breaks wrong-size MMIO_SIZE mini
breaks misaligned MMIO_SIZE mini
breaks not-maintained HOST_DIRTY mini,coherent=0
breaks out-of-the-buffer DMA_BUFFER mini
breaks not-invalidated TLB_OLD mini
breaks bell-backwards RING_BACKWARDS mini
capture "$own" bad-notes
check "notes that make no sense are refused" [ "$(printf '%s\n' "$out" | grep -c '^bad note [0-6]: -3$')" = 7 ]

# ---- files ----
capture "$galena" run --hash="$work/hash1" -- "$own"
capture "$galena" run --hash="$work/hash2" --trace "$work/t2.bus" --events "$work/e.events" --wave "$work/w.fst" --check -- "$own"
check "all of them together" [ $status = 0 ]
check "change nothing on the bus" cmp -s "$work/hash1" "$work/hash2"
check "a waveform" [ -s "$work/w.fst" ]
capture "$galena" trace replay "$work/t2.bus"
check "a trace that replays" [ $status = 0 ]
capture "$galena" trace dump --block driver "$work/e.events"
check "events of the device and notes of the driver" has "$out" "driver host-write"
check "of a queue" grep -q ' driver queue-bind  *HOST  *q0  *as1 .* packets 16' "$work/out"
finish
