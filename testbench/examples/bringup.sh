#!/bin/sh
# examples/bringup.c as a user meets it: compiled away from the source tree with what pkg-config says, in the build
# tree and in an installed one; and what it prints.
build=${GALENA_BUILD:-build}
build=$(cd "$build" && pwd)
. testbench/check.sh
source=$PWD/examples/bringup.c

check "it is less than 400 lines" [ "$(wc -l <"$source")" -lt 400 ]
sed -n 's/^#include [<"]\(.*\)[>"]$/\1/p' "$source" | grep -E '/|elf' >"$work/includes"
check "it includes of the kit and of libelf what is public alone" \
	[ "$(tr '\n' ' ' <"$work/includes")" = "galena/contract.h galena/device.h gelf.h " ]
check "no header of the source tree" sh -c "! grep -n '#include \"' '$source'"

# a library built with AddressSanitizer wants the program to be, too
! ldd "$build/lib/libgalena-device.so" | grep -q libasan || SAN_FLAGS=-fsanitize=address

# compiled with what the tree below $1 says of itself, run as NAME
user_build() {
	sh -c 'eval "$("$1/bin/galena" env)"; cd "$2" &&
		${CC:-cc} -std=gnu11 -Wall -Wextra -Werror '"${SAN_FLAGS:-}"' "$3" -o "$4" $(pkg-config --cflags --libs galena-device) -lelf' \
		user "$1" "$work" "$source" "$2"
}
capture user_build "$build" built
check "it compiles with pkg-config's flags alone" [ $status = 0 ]

run_on() { # CONFIG: in the environment that galena env sets, with the kit's firmware
	sh -c 'eval "$("$1/bin/galena" env)"; GALENA_CONFIG=$2 "$3"' run "$build" "$1" "$work/built"
}
for config in full mini full,coherent=0 mini,coherent=0 full,num_cu=2; do
	capture run_on $config
	check "$config: it succeeds" [ $status = 0 ]
	check "$config: the firmware boots" has "$out" "boot: firmware interface"
	check "$config: the kernel's results are right" has "$out" "
kernel: 64 work-items, 0 wrong"
	check "$config: the fault is shown by name" has "$out" "fault 1: PAGE_NOT_PRESENT (no valid translation for the virtual address)"
	check "$config: with where it happened" has "$out" "write of 0x10001000"
	check "$config: and who it was" has "$out" " by compute unit 0, queue 0, address space 1, packet "
	check "$config: and the lane" has "$out" "kernel 0x1000000000, pc +0x38, work-group "
	check "$config: its command fails" has "$out" "faulty kernel: ended with PAGE_NOT_PRESENT"
	check "$config: the next works" has "$out" "next kernel: 64 work-items, 0 wrong"
	check "$config: a fault that can be mended is shown" has "$out" "  its queue stands there until it is told to go on"
	check "$config: and the kernel goes on once its page is there" has "$out" "kernel with a late page: 64 work-items, 0 wrong"
	check "$config: and so does a copy by DMA" has "$out" "copy with a late page: 2 pages, right"
	check "$config: three faults are counted" has "$out" "packets consumed, 3 faults counted"
done
capture run_on full
first=$out
capture run_on full
check "it prints the same each time" [ "$out" = "$first" ]
capture run_on nonsense
check "a configuration that there is not is one clear line" [ "$status" = 1 ]
check "which names it" has "$err" nonsense
capture sh -c "'$build/examples/bringup' /bin/sh"
check "a foreign firmware is refused" has "$err" "/bin/sh"
capture sh -c "GALENA_SPEED=slow '$build/examples/bringup'"
check "an unknown speed is one clear line" has "$err" "GALENA_SPEED=slow: must be timed or functional"

for config in full mini,coherent=0; do
	capture sh -c "GALENA_CONFIG=$config '$build/bin/galena' run --check --fail-on rule -- '$build/examples/bringup'"
	check "$config: it breaks no rule" [ $status = 0 ]
	check "$config: of which many were looked at" has "$err" "0 broken"
done
capture sh -c "GALENA_TRACE='$work/t.bus' '$build/examples/bringup' && '$build/bin/galena' trace replay '$work/t.bus'"
check "its bus can be recorded and replayed" [ $status = 0 ]

mkdir "$work/root"
capture tools/install "$build" "$work/root/opt/galena" "$work/root/opt/galena"
capture user_build "$work/root/opt/galena" installed
check "it compiles against an installed tree" [ $status = 0 ]
capture sh -c "eval \"\$('$work/root/opt/galena/bin/galena' env)\"; '$work/installed'"
check "and runs there" [ "$out" = "$first" ]
check "with the firmware that pkg-config names" test -f \
	"$(PKG_CONFIG_PATH=$work/root/opt/galena/lib/pkgconfig pkg-config --variable=firmware galena-device)"
check "the example is installed" cmp -s examples/bringup.c "$work/root/opt/galena/share/galena/examples/bringup.c"
check "the manifest of Vulkan names the installed library" grep -q "\"library_path\": \"$work/root/opt/galena/lib/libgalena-vulkan.so\"" "$work/root/opt/galena/share/vulkan/icd.d/galena.json"
check "the manual page is installed" test -s "$work/root/opt/galena/share/man/man3/galena-device.3"
for f in $(sed -n 's/.*\(galena_[a-z0-9_]*\)(.*/\1/p' include/galena/device.h | sort -u); do
	check "and describes $f" grep -q "$f" docs/man/galena-device.3
done
finish
