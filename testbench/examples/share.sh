#!/bin/sh
# examples/share.c as a user meets it: compiled away from the source tree with what pkg-config says; two contexts of OpenCL and a client of the
# driver on one device, in one process and against a server.
build=${GALENA_BUILD:-build}
build=$(cd "$build" && pwd)
. testbench/check.sh
source=$PWD/examples/share.c

check "it includes public headers alone" sh -c "! grep -n '#include \"' '$source'"
! ldd "$build/lib/libgalena-kmd.so" | grep -q libasan || SAN_FLAGS=-fsanitize=address
capture sh -c 'eval "$("$1/bin/galena" env)"; cd "$2" && ${CC:-cc} -std=gnu11 -Wall -Wextra -Werror '"${SAN_FLAGS:-}"' "$3" -o share \
	$(pkg-config --cflags --libs galena-kmd) -lOpenCL' user "$build" "$work" "$source"
check "it compiles with pkg-config's flags alone" [ "$status" = 0 ]

shares() {
	check "$1: it succeeds" [ "$status" = 0 ]
	check "$1: the client sees the dispatches of both contexts" has "$out" "counts them: 2"
	check "$1: every word is right" has "$out" "right: 1024"
}
for config in full mini mini,coherent=0; do
	capture env GALENA_CONFIG=$config "$build/bin/galena" run --check -- "$work/share"
	shares "$config"
done
"$build/bin/galena" serve --config mini --socket "$work/socket" >"$work/serve.out" 2>&1 &
server=$!
for i in 1 2 3 4 5 6 7 8 9 10; do
	grep -q serving "$work/serve.out" && break
	sleep 0.2
done
capture env GALENA_DEVICE=remote GALENA_SOCKET="$work/socket" "$build/bin/galena" run -- "$work/share"
shares "a server"
kill "$server"
wait "$server"
check "the server ends well" [ $? = 0 ]
finish
