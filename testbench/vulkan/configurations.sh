#!/bin/sh
# Programs on other devices than the ordinary ones: caches that are not coherent, and few units; and on those of a server. They are tests of
# their own.
build=${GALENA_BUILD:-build}
build=$(cd "$build" && pwd)
. testbench/check.sh
# testbench/vulkan/rules.mk reads them here, too
tests="vulkan/compute vulkan/transfer vulkan/sync vulkan/schedule vulkan/external vulkan/host_memory"
for config in full,coherent=0 mini,coherent=0; do
	for t in $tests; do
		# one unmaps memory that it has imported, on purpose: the rules of the device are not checked there
		case $t in */host_memory) unchecked="-u GALENA_CHECK" ;; *) unchecked= ;; esac
		# shellcheck disable=SC2086
		capture env $unchecked GALENA_CONFIG=$config "$build/test/$t"
		check "$t with $config" [ "$status" = 0 ]
	done
done
# devices of another process
export GALENA_SOCKET="$work/socket"
GALENA_WATCHDOG=0 "$build/bin/galena" serve >/dev/null 2>"$work/serve" &
server=$!
for i in $(seq 100); do [ -S "$GALENA_SOCKET" ] && break; sleep 0.05; done
for t in $tests; do
	case $t in */host_memory) continue ;; esac # the memory of another process
	capture env -u GALENA_CHECK GALENA_DEVICE=remote "$build/test/$t"
	check "$t on devices of a server" [ "$status" = 0 ]
done
kill $server
wait $server
# a program that waits for each thing before it does the next has the same traffic on the bus on every run
capture env GALENA_HASH="$work/hash1" GALENA_DEVICES=1 "$build/test/vulkan/transfer"
capture env GALENA_HASH="$work/hash2" GALENA_DEVICES=1 "$build/test/vulkan/transfer"
check "the bus traffic is the same on every run" cmp -s "$work/hash1" "$work/hash2"
check "and there is some" [ -s "$work/hash1" ]
finish
