#!/bin/sh
# CLBlast's own test programs on the device, for a routine of each level: axpy, gemv, gemm, in every precision that the device
# has. They compare with a CBLAS on the CPU and try wrong arguments. At functional speed.
set -u
. "$(dirname "$0")/tap.sh"
wants clblast_test_xaxpy clblast-tests
export OCL_ICD_VENDORS=$device_vendors GALENA_SPEED=functional GALENA_DEVICES=1

# routine NAME LEAST: its tests, of which at least so many pass
routine() {
	client timeout "${CLBLAST_TIMEOUT:-280}" "clblast_test_x$1" -platform 0 -device 0 </dev/null >coloured 2>&1
	status=$?
	sed "s/$(printf '\033')\[[0-9]*m//g" coloured >listing
	grep -iE 'fail|error|incorrect|X' listing | grep -v 'Legend\|->\| 0 failed\|^   0 test' | tail -n 12 >errors
	[ $status = 0 ]
	result $? "$1 ends well" "exit status $status"
	grep -q "^\* Running on OpenCL device 'Galena" listing
	result $? "$1 runs on the device" "$(grep -m1 '^\* Running' listing)"
	[ "$(grep -c 'test(s) failed' listing)" -ge 4 ] && ! grep 'test(s) failed' listing | grep -qv '^   0 '
	result $? "$1: no test fails" "$(grep -c 'test(s) failed' listing) precisions"
	passed=$(awk '/test\(s\) passed/ { n += $1 } END { print n + 0 }' listing)
	[ "$passed" -ge "$2" ]
	result $? "$1: tests pass" "$passed"
}

routine axpy 144
routine gemv 500
routine gemm 1000
finish
