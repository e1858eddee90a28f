#!/bin/sh
# No lock of any library is held where completions may run, and all are taken in one order: tests of every library, under a checker of locks
# (watch.c).
build=${GALENA_BUILD:-build}
build=$(cd "$build" && pwd)
. testbench/check.sh
# testbench/locks/rules.mk reads them here, too
tests="android/hardware_buffer heap/heap driver/queues driver/memory driver/dmabuf opencl/buffer opencl/context opencl/event opencl/graph opencl/image opencl/import opencl/import_hardware_buffer opencl/import_memory opencl/import_protected opencl/kernel opencl/map opencl/ndrange opencl/printf opencl/program opencl/queue opencl/svm opencl/svm_commands opencl/threads openvx/asynchrony openvx/pipelining openvx/streaming openvx/interop_data openvx/ix_data openvx/kernels_on_device vulkan/transfer vulkan/sync vulkan/external vaapi/picture vaapi/jpeg"
seen=$work/seen
# before it, what a library with a sanitizer needs
watch="$(ldd "$build/lib/libgalena-kmd.so" | awk '/lib[at]san/ { print $3 }') $build/test/locks/watch.so"
# those that take longest; each of their calls is in another, too
long=" opencl/import_protected opencl/graph opencl/threads "
[ -n "${CHECK_LONG:-}" ] && long= || echo "# without$long(make check-long has them)"
for t in $tests; do
	case $long in *" $t "*) continue ;; esac
	case $t in */ix_*|*/import_protected) unchecked="-u GALENA_CHECK" ;; *) unchecked= ;; esac
	# shellcheck disable=SC2086
	capture env $unchecked LD_PRELOAD="$watch" GALENA_LOCK_WATCH="$seen" GALENA_SPEED=functional "$build/test/$t"
	check "$t" [ "$status" = 0 ]
done
check "the checker was there" [ "$(grep -c watched "$seen")" -gt 20 ]
# and it would find one: a program whose library holds a lock
capture env LD_PRELOAD="$watch" "$build/test/locks/planted"
check "a lock that is held is found" has "$err" "may run completions, and its caller holds a mutex"
check "and ends the program" [ "$status" = 134 ]
capture env LD_PRELOAD="$watch" "$build/test/locks/planted" order
check "two orders are found" has "$err" "and the second is taken elsewhere"
check "and end the program" [ "$status" = 134 ]
finish
