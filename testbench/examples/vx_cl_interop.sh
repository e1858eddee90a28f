#!/bin/sh
# examples/vx_cl_interop.c as a user meets it: compiled away from the source tree with what pkg-config says, its pictures, and what
# the trace says of them: nothing is copied but what the host reads in the end.
build=${GALENA_BUILD:-build}
build=$(cd "$build" && pwd)
. testbench/check.sh
source=$PWD/examples/vx_cl_interop.c
frames=$(sed -n 's/.*ROUNDS = \([0-9]*\).*/\1/p' "$source")

check "it includes public headers alone" sh -c "! grep -n '#include \"' '$source'"
# libraries built with AddressSanitizer want the program to be, too
! ldd "$build/lib/libopenvx.so" | grep -q libasan || SAN_FLAGS=-fsanitize=address
capture sh -c 'eval "$("$1/bin/galena" env)"; cd "$2" && ${CC:-cc} -std=gnu11 -Wall -Wextra -Werror '"${SAN_FLAGS:-}"' "$3" -o interop \
	$(pkg-config --cflags --libs openvx) -lOpenCL' user "$build" "$work" "$source"
check "it compiles with pkg-config's flags alone" [ "$status" = 0 ]

for config in full mini full,coherent=0; do
	mkdir -p "$work/$config"
	capture env GALENA_CONFIG=$config "$build/bin/galena" run --devices 2 --speed functional --check -- "$work/interop" "$work/$config"
	check "$config: it succeeds, and breaks no rule" [ "$status" = 0 ]
	check "$config: all frames are right" has "$out" "$frames frames, 0 wrong pixels"
	for p in camera sketch poster; do
		check "$config: $p.pgm is a picture" [ "$(head -c 15 "$work/$config/$p.pgm" | tr '\n' ' ')" = "P5 320 240 255 " ]
		check "$config: $p.pgm is whole" [ "$(wc -c <"$work/$config/$p.pgm")" = $((320 * 240 + 15)) ]
		[ $config = full ] || check "$config: $p.pgm is that of full" cmp -s "$work/full/$p.pgm" "$work/$config/$p.pgm"
	done
	check "$config: the pictures differ" sh -c "! cmp -s '$work/$config/sketch.pgm' '$work/$config/poster.pgm'"
done
check "the graph was imported" has "$out" "imported a graph of"

capture "$build/bin/galena" run --devices 2 --speed functional --events="$work/e.events" -- "$work/interop" "$work"
check "it runs while somebody looks" [ "$status" = 0 ]
"$build/bin/galena" trace dump --kind packet "$work/e.events" >"$work/packets"
"$build/bin/galena" trace dump --kind dispatch "$work/e.events" >"$work/dispatches"
check "two pictures of each frame are read, and nothing else is copied" [ "$(grep -c " type copy " "$work/packets")" = $((2 * frames)) ]
check "the second device has one kernel a frame" [ "$(grep -c ' dev1 ' "$work/dispatches")" = "$frames" ]
check "the first device has the others" [ "$(grep -c ' dev0 ' "$work/dispatches")" -ge $((2 * frames)) ]

capture "$build/bin/galena" run --devices 1 --speed functional -- "$work/interop" "$work"
check "with one device it says what it needs" has "$err" "two devices"
check "... and fails" [ "$status" = 1 ]
capture "$build/bin/galena" run --devices 2 --speed functional -- "$work/interop" "$work/nowhere"
check "a directory that is not there is one clear line" has "$err" "nowhere"
finish
