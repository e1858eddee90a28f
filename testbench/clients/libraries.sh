#!/bin/sh
# What the OpenCL library is made of: an application that loads it never gets LLVM into its process, and it holds no code of
# the device model: what the kernel-mode driver takes from the device's library is bus_open alone. Beside it that library exports what
# galena/device.h declares, and nothing else.
set -u
. "$(dirname "$0")/tap.sh"
needs nm binutils
opencl=$build/lib/libgalena-opencl.so
device=$build/lib/libgalena-device.so
kmd=$build/lib/libgalena-kmd.so

ldd "$opencl" >linked 2>errors
result $? 'ldd reads the OpenCL library' "$(wc -l <linked) libraries"
cp linked errors
! grep -qiE 'llvm|clang' linked
result $? 'it is not linked with LLVM' "$(awk '{ printf "%s ", $1 }' linked)"
! grep -q 'not found' linked
result $? 'all it is linked with is there' ''

nm -D --defined-only "$device" | awk '{ print $3 }' | sort >exported
cp exported errors
{ echo bus_open; sed -n "s/^GALENA_API .*\\(galena_[a-z0-9_]*\\)(.*/\\1/p" "$build/include/galena/device.h"; } | sort >declared
cmp declared exported >errors 2>&1
result $? 'the device library exports bus_open and what galena/device.h declares' "$(tr '\n' ' ' <exported)"
nm -D -u "$opencl" | awk '{ print $2 }' | sed 's/@.*//' | sort >imported
[ -z "$(comm -12 exported imported)" ]
result $? 'of which the OpenCL library imports nothing' "$(wc -l <imported) imports"
nm -D -u "$kmd" | awk '{ print $2 }' | sed 's/@.*//' | sort >driver
[ "$(comm -12 exported driver)" = bus_open ]
result $? 'and the kernel-mode driver bus_open' "$(wc -l <driver) imports"
# runtime/opencl/va_display.c asks for libva where the process has it (RTLD_NOLOAD), which opens nothing
for folder in icd base runtime/opencl runtime/umd runtime/heap runtime/compiler; do
	nm -A -u "$build/obj/$folder"/*.o
done | sed -n 's/^\([^:]*\):.* dlm\{0,1\}open$/\1/p' | grep -v '/runtime/opencl/va_display\.o$' >errors
[ $? -eq 1 ]
result $? 'and opens no library by itself' "$(tr '\n' ' ' <errors)"

# names with external linkage in the model's objects; hidden ones stay visible in .symtab of what they are linked into
nm -g --defined-only "$build/ar/libmodel.a" 2>errors | awk 'NF == 3 && $2 ~ /[TDBRC]/ { print $3 }' | sort -u >model
nm --defined-only "$opencl" | awk 'NF == 3 { print $3 }' | sort -u >opencl
nm --defined-only "$device" | awk 'NF == 3 { print $3 }' | sort -u >device
[ "$(wc -l <model)" -ge 50 ] && [ "$(wc -l <opencl)" -ge 200 ]
result $? 'both have their symbols' "$(wc -l <model) in the model, $(wc -l <opencl) in the OpenCL library"
comm -12 model device | wc -l >errors
[ "$(cat errors)" -ge 50 ]
result $? 'the device library holds the model' "$(cat errors) of its symbols"
comm -12 model opencl >errors
[ ! -s errors ]
result $? 'the OpenCL library holds none of it' "$(wc -l <errors) of its symbols"

# at run time; the dynamic linker logs each process apart, so that the compiler's own process shows LLVM
export OCL_ICD_VENDORS=$device_vendors
LD_DEBUG=files LD_DEBUG_OUTPUT=$work/loaded "$build/test/clients/mapped_files" "$platform" >maps 2>errors
result $? 'a process builds a program and runs it' "$(grep -c '\.so' maps) mappings of libraries"
grep -q "$opencl" maps
result $? 'the OpenCL library is mapped' ''
grep -iE 'llvm|clang' maps >errors
[ $? -eq 1 ]
result $? 'LLVM is not' "$(wc -l <errors) mappings"
grep -lE 'libgalena-opencl' loaded.* >users
grep -liE 'libLLVM|libclang' $(cat users) >errors
[ $? -eq 1 ] && [ -s users ]
result $? 'and never was' "$(wc -l <users) processes with the OpenCL library"
grep -l 'libLLVM' loaded.* >errors
[ -s errors ]
result $? 'the compiler, a process of its own, has it' "$(wc -l <errors) processes"
finish
