#!/bin/sh
# Every builtin that clang declares for the device's OpenCL C has a definition in the kernel
# library: calls of all of them are generated from clang's own header, compiled, and their symbols
# looked up. The build fills in the names between @.
llvm=@LLVM@ library=@LIBRARY@ awk=@AWK@ extensions=@EXTENSIONS@
features=+__opencl_c_atomic_scope_device,+__opencl_c_atomic_scope_all_devices,+__opencl_c_read_write_images
# what the library has beyond what the device reports; clang takes these from macros
more="-Dcl_khr_extended_bit_ops=1 -Dcl_khr_integer_dot_product=1 -D__opencl_c_integer_dot_product_input_4x8bit=1
	-D__opencl_c_integer_dot_product_input_4x8bit_packed=1"
subgroups="-Xclang -cl-ext=+cl_khr_subgroups,+__opencl_c_subgroups -D__opencl_c_work_group_collective_functions=1"
for e in extended_types non_uniform_vote ballot non_uniform_arithmetic shuffle shuffle_relative clustered_reduce rotate; do
	subgroups="$subgroups -Dcl_khr_subgroup_$e=1"
done
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
"$llvm/bin/llvm-nm" --defined-only --format=just-symbols "$library" | sort -u > "$dir/have" || exit 2
[ "$(wc -l < "$dir/have")" -gt 9000 ] || { echo "not ok 1 - the library has few symbols"; exit 1; }
echo 1..2
n=0 failed=0
for std in CL1.2 CL3.0; do
	n=$((n + 1))
	: > "$dir/empty.cl"
	flags="--target=spir64 -U__SPIR__ -U__SPIR64__ $more -cl-std=$std -Xclang -cl-ext=$extensions"
	[ $std = CL3.0 ] && flags="--target=spir64 -U__SPIR__ -U__SPIR64__ $more -cl-std=$std -Xclang -cl-ext=$extensions,$features $subgroups"
	"$llvm/bin/clang" $flags -w -E -P -x cl -include opencl-c.h "$dir/empty.cl" -o "$dir/header" &&
		{ echo "#pragma OPENCL EXTENSION cl_khr_fp16 : enable"; awk -f "$awk" "$dir/header"; } > "$dir/calls.cl" &&
		"$llvm/bin/clang" $flags -w -O0 -Xclang -fdeclare-opencl-builtins -Xclang -finclude-default-header -emit-llvm \
			-c "$dir/calls.cl" -o "$dir/calls.bc" || { echo "not ok $n - $std: the calls do not compile"; failed=1; continue; }
	"$llvm/bin/llvm-nm" --undefined-only --format=just-symbols "$dir/calls.bc" | sort -u > "$dir/need"
	comm -23 "$dir/need" "$dir/have" > "$dir/missing"
	need=$(wc -l < "$dir/need")
	if [ -s "$dir/missing" ] || [ "$need" -lt 11000 ]; then
		echo "not ok $n - $std: $(wc -l < "$dir/missing") of $need builtins missing"
		sed 's/^/# /' "$dir/missing"
		failed=1
	else
		echo "ok $n - $std: all of $need builtins are there"
	fi
done
exit $failed
