#!/bin/sh
# vainfo finds the driver, on the kit's render node and on a display of X, and has no error or warning to tell.
build=${GALENA_BUILD:-$(cd "$(dirname "$0")/../.." && pwd)}
command -v vainfo >/dev/null || { echo "1..0 # skip: no vainfo"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LIBVA_DRIVERS_PATH="$build/lib"
failures=0
check() { # NAME COMMAND...
	name=$1
	shift
	if "$@"; then echo "ok $name"; else echo "not ok $name"; sed 's/^/# /' "$work/out"; failures=$((failures + 1)); fi
}
# what a library with a sanitizer needs
sanitizer=$(ldd "$build/lib/galena_drv_video.so" | awk '/lib[at]san/ { print $3 }')
export ASAN_OPTIONS="detect_leaks=0:${ASAN_OPTIONS:-}"
on_node() { LD_PRELOAD="$sanitizer $build/lib/libgalena-drm.so" vainfo -a --display drm --device "$build/share/galena/renderD128" >"$work/out" 2>&1; }
on_x() { LIBVA_DRIVER_NAME=galena xvfb-run -a env LD_PRELOAD="$sanitizer" vainfo --display x11 >"$work/out" 2>&1; }
said() { grep -q "$1" "$work/out"; }
quiet() { ! grep -iE 'error|warning|fail' "$work/out" | grep -v XDG_RUNTIME_DIR; }
check "vainfo on the render node" on_node
check "it names the driver" said 'Driver version: Galena'
check "it shows video processing" said 'VAProfileNone/VAEntrypointVideoProc'
check "and JPEG" said 'VAProfileJPEGBaseline/VAEntrypointVLD'
check "without an error or a warning" quiet
if command -v xvfb-run >/dev/null; then
	check "vainfo on a display of X" on_x
	check "it names the driver" said 'Driver version: Galena'
	check "without an error or a warning" quiet
else
	echo "# skip: no xvfb-run"
fi
exit $failures
