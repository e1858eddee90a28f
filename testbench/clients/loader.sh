#!/bin/sh
# The OpenCL library under a loader: alone and beside another vendor's, loaded twice, unloaded, by a process that forks, with a
# layer in between, and without a loader. LOADER=DIR: the libOpenCL.so.1 there instead of the system's.
set -u
. "$(dirname "$0")/tap.sh"
programs=$build/test/clients
export OCL_ICD_VENDORS=$device_vendors GALENA_SPEED="${GALENA_SPEED:-functional}"
[ -z "${LOADER:-}" ] || export LD_LIBRARY_PATH="$LOADER"

# right N TEXT COMMAND...: the command ends well and prints N lines of results that are right
right() {
	lines=$1 text=$2
	shift 2
	client "$@" >output 2>errors
	status=$?
	[ $status = 0 ] && [ "$(grep -c ': right$' output)" = "$lines" ]
	result $? "$text" "status $status, $(grep -c ': right$' output) of $lines"
}

right 1 'a program loads the loader' "$programs/reload" once "$platform"
right 2 'unloads it and loads it again' "$programs/reload" twice "$platform"
right 5 'forks, and so does what it works with' "$programs/reload" forks "$platform"

library=$(cat "$device_vendors"/*.icd | head -n 1)
client "$programs/reload" vendor "$library" >output 2>errors
[ $? = 0 ] && [ "$(grep -c ': gone$' output)" = 2 ]
result $? 'the library is gone when nobody has it' "$(tr '\n' ' ' <output)"

mkdir by_name
basename "$library" >by_name/galena.icd
right 1 'a file names the library without its path' env OCL_ICD_VENDORS="$work/by_name" \
	LD_LIBRARY_PATH="$(dirname "$library")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" "$programs/reload" once "$platform"

right 1 'a layer is in between' env OPENCL_LAYERS="$programs/layer.so" "$programs/reload" once "$platform"
cp errors layered
[ "$(grep -c '^layer: clCreateBuffer$' layered)" = 1 ] && [ "$(grep -c '^layer: clEnqueueNDRangeKernel$' layered)" = 1 ]
result $? 'and sees the calls' "$(grep -c '^layer' layered) calls"
right 2 'and when the loader is loaded again' env OPENCL_LAYERS="$programs/layer.so" "$programs/reload" twice "$platform"

other=/etc/OpenCL/vendors/pocl.icd name='Portable Computing Language'
if [ -e $other ]; then
	mkdir both
	cp "$device_vendors"/*.icd $other both
	export OCL_ICD_VENDORS="$work/both" POCL_CACHE_DIR="$work/cache"
	right 1 'beside another vendor' "$programs/reload" once "$platform"
	right 2 'beside another vendor, twice' "$programs/reload" twice "$platform"
	right 5 'beside another vendor, forking' "$programs/reload" forks "$platform"
	right 1 "which works, too: $name" "$programs/reload" once "$name"
	right 1 'beside another vendor, with a layer' env OPENCL_LAYERS="$programs/layer.so" "$programs/reload" once "$platform"
else
	echo "# skip: no other vendor's $other; Debian's package pocl-opencl-icd has one"
fi
finish
