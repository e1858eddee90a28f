#!/bin/sh
# PyOpenCL's own examples and tests, as Debian ships them, on the device: they compare with NumPy. At functional speed.
#   PYOPENCL_ALL=1    the long ones (arrays, scans and sorts, math), too
set -u
. "$(dirname "$0")/tap.sh"
python=/usr/bin/python3 examples=/usr/share/doc/python-pyopencl-doc/examples
wants /usr/lib/python3/dist-packages/pyopencl python3-pyopencl
wants $examples/demo.py python-pyopencl-doc
wants /usr/lib/python3/dist-packages/pytest python3-pytest
export OCL_ICD_VENDORS=$device_vendors GALENA_SPEED=functional GALENA_DEVICES=1 PYOPENCL_CTX=0 HOME="$work" XDG_CACHE_HOME="$work/cache"
# tests write beside themselves
cp $examples/*.py $examples/*.h $examples/*.spv .

for name in demo demo_array demo_elementwise demo_elementwise_complex demo-struct-reduce demo_meta_template narray dump-properties; do
	client timeout 200 $python $name.py >errors 2>&1
	result $? "$name.py" "$(wc -l <errors) lines"
done
# the difference from what NumPy says is the last line of these
for name in demo demo_array demo_elementwise; do
	[ "$(client timeout 200 $python $name.py 2>errors | tail -n 1)" = 0.0 ]
	result $? "$name.py: what NumPy computes" ''
done
client $python dump-properties.py >errors 2>&1
grep -q 'Galena' errors
result $? 'they ran on the device' ''

for name in arrays_in_structs enqueue_copy clrandom wrapper ${PYOPENCL_ALL:+array algorithm clmath}; do
	client timeout "${PYOPENCL_TIMEOUT:-280}" $python -m pytest -q -p no:cacheprovider test_$name.py >errors 2>&1
	status=$?
	grep -qE '[0-9]+ passed' errors && [ $status = 0 ]
	result $? "test_$name.py" "$(tail -n 1 errors)"
done
finish
