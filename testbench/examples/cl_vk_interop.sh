#!/bin/sh
# examples/cl_vk_interop.c as a user meets it: compiled away from the source tree; OpenCL and Vulkan take turns on one image, by semaphores alone.
build=${GALENA_BUILD:-build}
build=$(cd "$build" && pwd)
. testbench/check.sh
source=$PWD/examples/cl_vk_interop.c

check "it includes public headers alone" sh -c "! grep -n '#include \"' '$source'"
! ldd "$build/lib/libgalena-kmd.so" | grep -q libasan || SAN_FLAGS=-fsanitize=address
capture sh -c 'cd "$1" && ${CC:-cc} -std=gnu11 -Wall -Wextra -Werror '"${SAN_FLAGS:-}"' "$2" -o cl_vk_interop -lOpenCL -lvulkan' user "$work" "$source"
check "it compiles" [ "$status" = 0 ]

right() {
	check "$1: it succeeds" [ "$status" = 0 ]
	check "$1: every frame is right" has "$out" "$2 frames that OpenCL painted and Vulkan read are right"
	check "$1: the validation layer and the driver say nothing" [ -z "$err" ]
}
for config in full mini mini,coherent=0; do
	capture env GALENA_CONFIG=$config "$build/bin/galena" run --check="$work/rules" -- "$work/cl_vk_interop" -n 40
	right "$config" 40
	check "$config: no rule is broken" grep -q " 0 broken" "$work/rules"
done
capture "$build/bin/galena" run -- "$work/cl_vk_interop" -n 1000 -o "$work/animation.gif"
right "1,000 frames" 1000
check "the animation is a GIF" [ "$(head -c 6 "$work/animation.gif")" = GIF89a ]
check "it is whole" [ "$(tail -c 1 "$work/animation.gif")" = ";" ]
if ls /usr/share/vulkan/explicit_layer.d/*khronos_validation* >/dev/null 2>&1; then
	capture env VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation "$build/bin/galena" run -- "$work/cl_vk_interop" -n 20
	right "below the validation layer" 20
	check "the validation layer says nothing" sh -c "! printf %s \"\$1\" | grep -q Validation" layer "$out"
else
	echo "# not run below the validation layer: it is not installed"
fi

# What a frame more costs: one dispatch, and one copy (the one that the host checks). Nothing is mapped, pinned or copied for the hand-over, and
# the semaphores are waited for and signalled by devices.
events() {
	"$build/bin/galena" run --events "$work/e$1" -- "$work/cl_vk_interop" -n "$1" >"$work/out" 2>&1
	"$build/bin/galena" trace dump --count "$work/e$1" >"$work/count$1"
}
count() { awk -v kind="$2" '$2 == kind { n = $3 } END { print n + 0 }' "$work/count$1"; }
more() { echo $(($(count 110 "$1") - $(count 10 "$1"))); }
events 10
events 110
check "a frame is one dispatch" [ "$(more dispatch)" = 100 ]
check "a frame is one copy" [ "$(more dma-start)" = 100 ]
check "a frame maps nothing" [ "$(more map)" = 0 ]
check "devices wait for semaphores" [ "$(more sem-wait)" -ge 200 ]
check "devices signal semaphores" [ "$(more sem-signal)" -ge 200 ]
finish
