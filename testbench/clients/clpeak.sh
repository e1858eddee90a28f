#!/bin/sh
# clpeak runs to its end on the device, and each figure that it announces is there and more than nothing. All at functional
# speed, with a device that says it is a CPU, for which clpeak takes its smaller sizes; its work
# grows with the compute units, the largest work-group and the memory: the arithmetic runs on the small configuration, global
# bandwidth on the full one, both with less of what makes for work.
#   CLPEAK_ALL=1    every test on the full configuration with all of its memory instead, in one run
#   CLPEAK_TIMEOUT  seconds that a run may take (550)
set -u
. "$(dirname "$0")/tap.sh"
needs clpeak clpeak
export OCL_ICD_VENDORS=$device_vendors GALENA_SPEED=${GALENA_SPEED:-functional} GALENA_DEVICE_TYPE=cpu

# run CONFIGURATION OPTIONS: clpeak's report in report.CONFIGURATION, its status in status.CONFIGURATION
run() {
	GALENA_CONFIG=$1 client timeout "${CLPEAK_TIMEOUT:-550}" clpeak -p 0 -d 0 ${2:-} >"report.$1" 2>"stderr.$1"
	echo $? >"status.$1"
}

# ran CONFIGURATION: judges the run as a whole
ran() {
	cat "stderr.$1" "report.$1" >errors
	[ "$(cat "status.$1")" = 0 ]
	result $? "clpeak ends well on $1" "exit status $(cat "status.$1")"
	grep -q "^Platform: $platform\$" "report.$1"
	result $? 'on the platform' "$(grep '^Platform' "report.$1")"
	grep -iE 'error|fail|exception|unable|no double' "report.$1" "stderr.$1" >errors
	[ $? -eq 1 ]
	result $? 'without a complaint' "$(wc -l <errors) lines"
}

# figures CONFIGURATION SECTION NAME...: the section has a positive figure under each name, in this order
figures() {
	report=report.$1 section=$2
	shift 2
	awk -v section="$section" '
		index($0, section) && !/:/ { inside = 1; next }
		inside && /^$/ { exit }
		inside && match($0, / : /) {
			name = substr($0, 1, RSTART); gsub(/^ +| +$/, "", name)
			if ($NF + 0 > 0) printf "%s,", name
		}' "$report" >found
	printf '%s,' "$@" >expected
	{ echo "found $(cat found)"; echo "expected $(cat expected)"; } >errors
	cmp -s found expected
	result $? "$section" "$# figures"
}

small=mini,max_wg_size=4,dram_mib=64 large=full,dram_mib=64
if [ -n "${CLPEAK_ALL:-}" ]; then
	small=full large=full
	run full
else
	run $large --global-bandwidth &
	run $small '--compute-sp --compute-dp --compute-integer --compute-intfast --transfer-bandwidth --kernel-latency'
	wait
	ran $small
fi
ran $large
figures $large 'Global memory bandwidth' float float2 float4 float8 float16
figures $small 'Single-precision compute' float float2 float4 float8 float16
figures $small 'Double-precision compute' double double2 double4 double8 double16
figures $small 'Integer compute (' int int2 int4 int8 int16
figures $small 'Integer compute Fast 24bit' int int2 int4 int8 int16
figures $small 'Transfer bandwidth' enqueueWriteBuffer enqueueReadBuffer 'enqueueWriteBuffer non-blocking' \
	'enqueueReadBuffer non-blocking' 'enqueueMapBuffer(for read)' 'memcpy from mapped ptr' 'enqueueUnmap(after write)' \
	'memcpy to mapped ptr'
grep 'Kernel launch latency' report.$small >errors
awk -F: '/Kernel launch latency/ && $2 + 0 > 0 { found = 1 } END { exit !found }' report.$small
result $? 'Kernel launch latency' "$(sed 's/.*: //' errors)"
finish
