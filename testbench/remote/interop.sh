#!/bin/sh
# examples/cl_vk_interop.c in two processes on the devices of `galena serve`: Vulkan's side and OpenCL's, which share an image and two
# semaphores by descriptors over a socket. Then one of the two is killed at a random moment, again and again: the other says so and ends, the
# server keeps nothing of the dead, and the devices go on.
#   SEED=N    the moments (1)
#   COUNT=N   how many are killed (6)
build=${GALENA_BUILD:-build}
build=$(cd "$build" && pwd)
. testbench/check.sh
seed=${SEED:-1} count=${COUNT:-6}
echo "# seed $seed"
export GALENA_DEVICE=remote GALENA_SOCKET="$work/socket"
example=$build/examples/cl_vk_interop
await() { # await COMMAND...: until it succeeds, a minute at most
	for _ in $(seq 1200); do
		"$@" && return 0
		sleep 0.05
	done
	return 1
}
gone() { ! kill -0 "$1" 2>/dev/null; }
entries() { ls "/proc/$server/$1" | wc -l; }
no_more() { [ "$(entries fd)" -le "$descriptors" ] && [ "$(entries task)" -le "$threads" ]; }
# both FRAMES: starts the two sides
both() {
	rm -f "$work/meet"
	"$build/bin/galena" run -- "$example" -v "$work/meet" -n "$1" >"$work/vulkan" 2>&1 &
	vulkan=$!
	await test -S "$work/meet"
	"$build/bin/galena" run -- "$example" -c "$work/meet" >"$work/opencl" 2>&1 &
	opencl=$!
	await test ! -S "$work/meet" # they have met
}
# frames NAME: a run of both that nothing disturbs
frames() {
	both 60
	wait $vulkan && wait $opencl
	check "$1: both processes succeed" [ $? = 0 ]
	check "$1: Vulkan read what OpenCL painted" has "$(cat "$work/vulkan")" "60 frames that OpenCL painted and Vulkan read are right"
	check "$1: OpenCL painted" has "$(cat "$work/opencl")" "60 frames painted"
}

env -u GALENA_CHECK "$build/bin/galena" serve --config mini --speed functional >/dev/null 2>"$work/serve" &
server=$!
check "the server is there" await test -S "$GALENA_SOCKET"
frames "before"
descriptors=$(entries fd) threads=$(entries task)

ends=0 tells=0
for at in $(awk -v seed="$seed" -v n="$count" 'BEGIN { srand(seed); for (i = 0; i < n; i++) printf "%.3f\n", rand() * (i % 2 ? 1.2 : 0.4) }'); do
	both 1000000
	case $ends in *[13579]) victim=$vulkan survivor=$opencl said=opencl ;; *) victim=$opencl survivor=$vulkan said=vulkan ;; esac
	sleep "$at"
	kill -9 $victim
	wait $victim
	await gone $survivor || kill -9 $survivor
	wait $survivor
	status=$?
	[ $status = 1 ] || [ $status = 2 ] && ends=$((ends + 1)) || echo "# after $at s the side of $said ended with $status"
	# the end of the other, or the call of which it has kept the device
	grep -qE '^cl_vk_interop: (the other process has ended|.* failed with -?[0-9]+)$' "$work/$said" && tells=$((tells + 1)) || sed 's/^/# /' "$work/$said"
done
check "a process whose other is killed ends" [ $ends = "$count" ]
check "and says why" [ $tells = "$count" ]
check "the server keeps nothing of the dead" await no_more
frames "after"
check "the server keeps nothing of those that ended" await no_more
kill $server
wait $server
check "the server ends well" [ $? = 0 ]
finish
