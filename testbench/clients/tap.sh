# What the shell tests share: sourced, with the test's own path in $0. Sets build, work (empty, the current directory) and
# device_vendors; `result STATUS NAME TEXT` prints a line of TAP and, for a failure, the file `errors` below it; `finish`
# ends the program with the verdict. Kernels are compiled into a cache in work; shared_cache is the one of all tests.
build=${GALENA_BUILD:-$(dirname "$0")/../..}
build=$(cd "$build" && pwd) || exit 2
work=$build/test/scratch/$(basename "$0")
device_vendors=${DEVICE_VENDORS:-$build/etc/OpenCL/vendors}
platform=${DEVICE_NAME:-Galena}
count=0 failed=0
rm -rf "$work" && mkdir -p "$work/cache" && cd "$work" || exit 2
shared_cache=${GALENA_CACHE_DIR:-$work/cache}
export GALENA_CACHE_DIR="$work/cache"
: >errors
# A library built with AddressSanitizer wants the sanitizer's own first in a program that has none: `client COMMAND...` runs
# one. Leaks of programs that are not ours are none of ours.
sanitizer=$(ldd "$build/lib/libgalena-opencl.so" 2>/dev/null | awk '/libasan/ { print $3 }')
client() {
	if [ -n "$sanitizer" ]; then
		LD_PRELOAD=$sanitizer ASAN_OPTIONS=detect_leaks=0:${ASAN_OPTIONS:-} "$@"
	else
		"$@"
	fi
}

result() {
	count=$((count + 1))
	if [ "$1" -eq 0 ]; then
		printf 'ok %d - %s: %s\n' $count "$2" "$3"
	else
		failed=$((failed + 1))
		printf 'not ok %d - %s: %s\n' $count "$2" "$3"
		sed 's/^/#   /' errors | head -n 12
	fi
}

# wants PROGRAM PACKAGE: ends the test well, with the reason, when a program (or file) is missing that make deps leaves out
wants() {
	command -v "$1" >/dev/null && return 0
	[ -e "$1" ] && return 0
	echo "1..0 # skip: no $1; Debian's package $2 has it, which make deps leaves out for its size, and make deps-all installs"
	exit 0
}

# needs PROGRAM PACKAGE: ends the test when a program is missing
needs() {
	command -v "$1" >/dev/null && return 0
	echo "not ok 1 - no $1: make deps installs it ($2)"
	exit 1
}

finish() {
	echo "1..$count"
	echo "# $((count - failed)) of $count passed"
	[ $failed -eq 0 ] && [ $count -gt 0 ]
	exit
}
