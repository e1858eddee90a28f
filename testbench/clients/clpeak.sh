#!/bin/sh
# clpeak runs to its end on the device, through every test, and each figure that it announces is there and more than nothing.
# At functional speed, and with a device that says it is a CPU, for which clpeak takes its smaller sizes.
#   CLPEAK_TIMEOUT  seconds that it may take (280)
set -u
. "$(dirname "$0")/tap.sh"
needs clpeak clpeak
export OCL_ICD_VENDORS=$device_vendors GALENA_SPEED=${GALENA_SPEED:-functional} GALENA_DEVICE_TYPE=cpu

timeout "${CLPEAK_TIMEOUT:-280}" clpeak -p 0 -d 0 >report 2>errors
status=$?
cat report >>errors
[ $status -eq 0 ]
result $? 'clpeak ends well' "exit status $status"
grep -q "^Platform: $platform\$" report
result $? 'on the platform' "$(grep '^Platform' report)"
grep -iE 'error|fail|exception|unable|no double' report >errors
[ $? -eq 1 ]
result $? 'without a complaint' "$(wc -l <errors) lines"

# figures SECTION NAME...: the section has a positive figure under each name, in this order
figures() {
	section=$1
	shift
	awk -v section="$section" '
		index($0, section) && !/:/ { inside = 1; next }
		inside && /^$/ { exit }
		inside && match($0, / : /) {
			name = substr($0, 1, RSTART); gsub(/^ +| +$/, "", name)
			if ($NF + 0 > 0) printf "%s,", name
		}' report >found
	printf '%s,' "$@" >expected
	{ echo "found $(cat found)"; echo "expected $(cat expected)"; } >errors
	cmp -s found expected
	result $? "$section" "$# figures"
}
figures 'Global memory bandwidth' float float2 float4 float8 float16
figures 'Single-precision compute' float float2 float4 float8 float16
figures 'Double-precision compute' double double2 double4 double8 double16
figures 'Integer compute (' int int2 int4 int8 int16
figures 'Integer compute Fast 24bit' int int2 int4 int8 int16
figures 'Transfer bandwidth' enqueueWriteBuffer enqueueReadBuffer 'enqueueWriteBuffer non-blocking' \
	'enqueueReadBuffer non-blocking' 'enqueueMapBuffer(for read)' 'memcpy from mapped ptr' 'enqueueUnmap(after write)' \
	'memcpy to mapped ptr'
grep 'Kernel launch latency' report >errors
awk -F: '/Kernel launch latency/ && $2 + 0 > 0 { found = 1 } END { exit !found }' report
result $? 'Kernel launch latency' "$(sed 's/.*: //' errors)"
finish
