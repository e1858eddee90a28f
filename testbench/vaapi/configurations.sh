#!/bin/sh
# Programs on other devices than the ordinary ones: caches that are not coherent, and few units; and on those of a server. They are tests of
# their own.
build=${GALENA_BUILD:-build}
build=$(cd "$build" && pwd)
. testbench/check.sh
# testbench/vaapi/rules.mk reads them here, too
tests="vaapi/surface vaapi/process vaapi/picture vaapi/jpeg"
for config in full,coherent=0 mini,coherent=0; do
	for t in $tests; do
		capture env GALENA_CONFIG=$config "$build/test/$t"
		check "$t with $config" [ "$status" = 0 ]
	done
done
# devices of another process
export GALENA_SOCKET="$work/socket"
"$build/bin/galena" serve >/dev/null 2>"$work/serve" &
server=$!
for i in $(seq 100); do [ -S "$GALENA_SOCKET" ] && break; sleep 0.05; done
for t in $tests; do
	capture env -u GALENA_CHECK GALENA_DEVICE=remote "$build/test/$t"
	check "$t on devices of a server" [ "$status" = 0 ]
done
kill $server
wait $server
# a program of one thread has the same traffic on the bus on every run
for t in process jpeg; do
	for run in 1 2; do
		capture env GALENA_HASH="$work/$t.$run" GALENA_DEVICES=1 "$build/test/vaapi/$t"
	done
	check "$t: the bus traffic is the same on every run" cmp -s "$work/$t.1" "$work/$t.2"
	check "$t: and there is some" [ -s "$work/$t.1" ]
done
finish
