#!/bin/sh
# examples/import.c as a user meets it: compiled away from the source tree with what pkg-config says, and the pictures that
# it leaves; and that no byte of a frame was copied.
build=${GALENA_BUILD:-build}
build=$(cd "$build" && pwd)
. testbench/check.sh
source=$PWD/examples/import.c

check "it includes public headers alone" sh -c "! grep -n '#include \"' '$source'"
# libraries built with AddressSanitizer want the program to be, too
! ldd "$build/lib/libgalena-heap.so" | grep -q libasan || SAN_FLAGS=-fsanitize=address
capture sh -c 'eval "$("$1/bin/galena" env)"; cd "$2" && ${CC:-cc} -std=gnu11 -Wall -Wextra -Werror '"${SAN_FLAGS:-}"' "$3" -o import \
	$(pkg-config --cflags --libs galena-heap galena-android) -lOpenCL' user "$build" "$work" "$source"
check "it compiles with pkg-config's flags alone" [ "$status" = 0 ]

for config in full mini full,coherent=0 mini,coherent=0; do
	mkdir -p "$work/$config"
	capture env GALENA_CONFIG=$config "$build/bin/galena" run --check -- "$work/import" "$work/$config"
	check "$config: it succeeds, and breaks no rule" [ "$status" = 0 ]
	check "$config: it names four pictures" [ "$(printf '%s\n' "$out" | grep -c '\.ppm$')" = 4 ]
	for p in before after-host after-dma-buf after-planes; do
		check "$config: $p.ppm is a picture" [ "$(head -c 15 "$work/$config/$p.ppm" | tr '\n' ' ')" = "P6 640 360 255 " ]
		check "$config: $p.ppm is whole" [ "$(wc -c <"$work/$config/$p.ppm")" = $((640 * 360 * 3 + 15)) ]
		check "$config: $p.ppm is that of a coherent device" cmp -s "$work/full/$p.ppm" "$work/$config/$p.ppm"
	done
	check "$config: the dma-buf was filtered as the host's memory was" cmp -s "$work/$config/after-host.ppm" "$work/$config/after-dma-buf.ppm"
	check "$config: the filter has done something" sh -c "! cmp -s '$work/$config/before.ppm' '$work/$config/after-host.ppm'"
done

# what the device moved by DMA while PROGRAM ran
moved() {
	"$build/bin/galena" run --events="$work/e.events" -- "$@" >/dev/null && "$build/bin/galena" trace dump --kind dma-start "$work/e.events"
}
capture moved "$build/examples/vector_add"
check "a copy is seen" has "$out" "dma-start"
capture moved "$work/import" "$work"
check "it runs while somebody looks" [ "$status" = 0 ]
check "no byte is copied between the frames and the kernels" sh -c "! printf '%s' '$out' | grep -q dma-start"
capture "$build/bin/galena" run -- "$work/import" "$work/nowhere"
check "a directory that is not there is one clear line" has "$err" "nowhere"
capture env OCL_ICD_VENDORS=/dev/null LD_LIBRARY_PATH="$build/lib" "$work/import"
check "without a device it says how to get one" has "$err" "galena run"

for f in $(sed -n 's/.*\(galena_[a-z0-9_]*\)(.*/\1/p' include/galena/heap.h | sort -u); do
	check "the manual page describes $f" grep -q "$f" docs/man/galena-heap.3
done
for f in $(sed -n 's/.*\(AHardwareBuffer_[a-zA-Z]*\)(.*/\1/p' include/android/hardware_buffer.h | sort -u); do
	check "the manual page describes $f" grep -q "$f" docs/man/galena-android.3
done
finish
