#!/bin/sh
# vulkaninfo lists the devices, without an error or a warning of the driver's or of the validation layer.
build=${GALENA_BUILD:-$(cd "$(dirname "$0")/../.." && pwd)}
command -v vulkaninfo >/dev/null || { echo "1..0 # skip: no vulkaninfo"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export VK_DRIVER_FILES="$build/share/vulkan/icd.d/galena.json" XDG_RUNTIME_DIR="$work"
failures=0
check() { # NAME COMMAND...
	name=$1
	shift
	if "$@"; then echo "ok $name"; else echo "not ok $name"; failures=$((failures + 1)); fi
}
# what a library with a sanitizer needs
sanitizer=$(ldd "$build/lib/libgalena-vulkan.so" | awk '/lib[at]san/ { print $3 }')
export ASAN_OPTIONS="detect_leaks=0:${ASAN_OPTIONS:-}"
# What the program says of its own: there is no display, and it asks each device for a swapchain that this one does not offer.
own='DISPLAY.*environment variable not set|VK_KHR_swapchain not supported|vkCreateDevice: Failed to validate extensions|VK_INSTANCE_LAYERS.*defined'
quiet() { # ARGUMENT...: exit 0, and nothing but that on standard error
	env LD_PRELOAD="$sanitizer" vulkaninfo "$@" >"$work/out" 2>"$work/err" || { sed 's/^/# /' "$work/err"; return 1; }
	! grep -vE "$own" "$work/err" | grep . | sed 's/^/# /' | grep .
}
check "vulkaninfo --summary" quiet --summary
check "it names the device" grep -q 'deviceName *= Galena' "$work/out"
check "and says nothing on standard error" sh -c "! grep -v DISPLAY '$work/err' | grep ."
check "vulkaninfo" quiet
check "it shows a compute queue" grep -q 'queueFlags *= QUEUE_COMPUTE | QUEUE_TRANSFER' "$work/out"
export VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation
check "vulkaninfo below the validation layer" quiet
check "which reports nothing" sh -c "! grep -h -E 'VUID|Validation (Error|Warning)' '$work/out' '$work/err'"
exit $failures
