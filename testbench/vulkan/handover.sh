#!/bin/sh
# OpenCL and Vulkan hand memory to each other without the host. The case of external.c submits 20 rounds of both while a kernel holds the
# device back, and lets it go. From there the host rings no doorbell: what the device does, in which order, it has by semaphores alone.
build=${GALENA_BUILD:-build}
build=$(cd "$build" && pwd)
. testbench/check.sh
export TEST_FILTER=handover GALENA_DEVICES=1
for speed in timed functional; do
	capture env GALENA_SPEED=$speed GALENA_EVENTS="$work/events" "$build/test/vulkan/external"
	check "$speed: all rounds are right" [ "$status" = 0 ]
	"$build/bin/galena" trace dump "$work/events" >"$work/dump"
	# d: a doorbell, k: a kernel has ended, c: a copy has ended, in the order of the device's cycles
	order=$(awk '$4 == "doorbell" { printf "d" } $4 == "dispatch-end" { printf "k" } $4 == "dma-end" { printf "c" }' "$work/dump")
	check "$speed: the host submits while the kernel holds the device back" has "$order" dddddddddddddddddd
	check "$speed: then OpenCL and Vulkan take turns 19 times, and the host submits nothing" \
		sh -c "printf %s \"\$1\" | grep -qE '^d*cd*k(kc){19}d*\$'" order "$order"
	[ $failed = 0 ] || echo "# $order"
done
finish
