#!/bin/sh
# Whether opencl/protected_random would notice: a device whose protection unit lets one access through that it has to refuse (the
# injected fault PROT_OPEN) shows a protected word to the host in some of these runs, and that is found.
build=${GALENA_BUILD:-build}
build=$(cd "$build" && pwd)
. testbench/check.sh
export GALENA_SPEED="${GALENA_SPEED:-functional}"
unset GALENA_CHECK # these break rules of the device on purpose: nobody checks them here
found=0
for nth in 2 5 8 11 14 17 20 23 26 29 32 35 38 41 44 47 50 53 56 59; do
	capture env GALENA_INJECT="PROT_OPEN,nth=$nth" "$build/test/opencl/protected_random" "$nth" 150
	case $err in *"sequence "*" has 0x5ec"* | *"sequence "*"has printed 5ec"*) found=$((found + 1)) ;; esac
done
check "words that were let out are found, in some of 20 runs: $found" [ "$found" -gt 0 ]
capture "$build/test/opencl/protected_random" 1 150
check "none is where nothing was let out" [ "$status" = 0 ]
finish
