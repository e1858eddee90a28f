#!/bin/sh
# Programs break no rule unless they test just that: run under GALENA_CHECK, what one breaks on purpose is told, and
# nothing else. Faults, which many provoke, are another matter (GALENA_FAIL_ON=rule).
# ordinary.sh [PROGRAM...]: the driver's and OpenCL's tests and two examples, or these; make check-rules-all gives it every
# test there is.
build=${GALENA_BUILD:-build}
build=$(cd "$build" && pwd)
. testbench/check.sh
export GALENA_CACHE_DIR="$work/cache"

# What a test breaks because it tests just that.
on_purpose() {
	case $1 in
	driver/memory) echo BUFFER_ENDED ;; # an address whose object was released faults
	driver/inject) echo SEM_PAYLOAD IRQ_CAUSE ;; # wake-ups for nothing, interrupts that come twice, on request
	driver/dmabuf) echo CACHE_STALE IMPORT_COPIED IMPORT_UNASKED ;; # maintains and copies as no runtime may, and leaves it
	driver/clients | driver/export) echo IMPORT_COPIED ;; # clients copy to and from the dma-buf that they share
	driver/bind) echo BUFFER_ENDED ;; # an address that was unbound faults
	driver/storm) echo MMIO_NOWHERE MMIO_READ_ONLY MMIO_SIZE ;; # accesses of any kind to any register
	driver/protection) echo PROT_ASKED MMIO_NOWHERE MMIO_SIZE ;; # and every word of the host bank is looked at
	driver/services | driver/memory_random | opencl/import_protected | opencl/protected_random)
		echo PROT_ASKED ;; # jobs ask for what the protection unit must not let them have
	opencl/import_unmapped) echo IMPORT_UNMAPPED ;; # which is what it does
	model/inject) echo SEM_PAYLOAD PROT_FLOW PROT_ASKED IRQ_CAUSE ;; # every fault there is, on request
	model/device) echo PROT_FLOW PROT_ASKED IRQ_CAUSE MMIO_NOWHERE MMIO_READ_ONLY MMIO_SIZE ;; # programs that do anything at all: on the command processor, and from the host
	tools/device) echo PIN_ACCESS MMIO_NOWHERE ;; # what pins are for: pages that are pinned for reading, or no more; and a place where no register is
	examples/sequences)
		echo PIN_ACCESS PROT_ASKED CACHE_STALE ;; # what the manual says of a payload that is not there, of jobs that are refused, of stale lines
	esac
}
# Rules that the report says were broken, in one line.
broken_rules() { sed -n 's/^galena: check: \([A-Z_]*\): broken .*/\1/p' "$1" | tr '\n' ' '; }
not_exercised() { sed -n 's/.*not exercised: //p' "$1" | tr ' ' '\n' | sort; }

# Scripts may start programs that do; others have to be linked with a device or a loader of them.
may_use_device() {
	[ "$(head -c 2 "$1")" = '#!' ] || ldd "$1" 2>/dev/null | grep -q 'libOpenCL\.\|libgalena-device\.'
}

# Programs about something else than what devices do, about arithmetic, or that start others of the set once more: make check leaves
# them out here.
elsewhere='opencl/(import_unmapped|engines|coherency|protected_leaks|layouts|limits|limits_client|ending|stress|watchdog|status|cancel|quiet|forked|determinism|spec_.*|subgroups|subgroup_votes|collectives|graph|half|image_formats|handles|threads|import_threads|worksize|icd|platform|printf)$|driver/determinism$'
if [ $# = 0 ]; then
	for program in "$build"/test/driver/* "$build"/test/opencl/* "$build"/examples/vector_add "$build"/examples/bringup; do
		[ -n "${CHECK_LONG:-}" ] || ! printf %s "$program" | grep -Eq "$elsewhere" || continue
		set -- "$@" "$program"
	done
	[ -n "${CHECK_LONG:-}" ] || echo "# without $elsewhere; make check-long has them, too"
fi
for program in "$@"; do
	[ -x "$program" ] && may_use_device "$program" || continue
	program=$(cd "$(dirname "$program")" && pwd)/$(basename "$program")
	test=${program#"$build"/}
	test=${test#test/}
	report=$work/report
	: >"$report"
	capture env GALENA_CHECK="$report" GALENA_FAIL_ON=rule "$build/bin/galena" run -- "$program"
	[ -s "$report" ] || continue # it opens no device
	wanted=$(on_purpose "$test")
	out=$(head -n 20 "$report")
	if [ -n "$wanted" ]; then
		check "$test breaks $wanted alone" [ "$(broken_rules "$report")" = "$wanted " ]
		check "$test, which succeeds, exits with 3" [ $status = 3 ]
	else
		check "$test breaks no rule" [ -z "$(broken_rules "$report")" ]
		check "$test succeeds" [ $status = 0 ]
	fi
	if [ -f "$work/idle" ]; then
		not_exercised "$report" | comm -12 "$work/idle" - >"$work/idle.next"
		mv "$work/idle.next" "$work/idle"
	else
		not_exercised "$report" >"$work/idle"
	fi
done
check "every rule had something to look at" [ ! -s "$work/idle" ]
# Memory that is pinned where malloc() put it shows its address on the bus: observers must not move it.
if ldd "$build/lib/libgalena-device.so" | grep -q san; then
	echo "# skip the hash: the sanitizer's heap stands in for the library's own"
else
	capture env GALENA_HASH="$work/alone" "$build/bin/galena" run -- "$build/test/opencl/buffer"
	check "a program has a hash" [ -s "$work/alone" ]
	capture env GALENA_HASH="$work/watched" GALENA_CHECK="$work/report" GALENA_EVENTS="$work/events" GALENA_TRACE="$work/trace" \
		"$build/bin/galena" run -- "$build/test/opencl/buffer"
	check "the same when it is watched" cmp -s "$work/alone" "$work/watched"
fi
finish
