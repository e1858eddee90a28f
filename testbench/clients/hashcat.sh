#!/bin/sh
# hashcat on the device: its self-test of each hash, which it makes before it starts, passes, and the password of a mask of
# three letters is found. At functional speed, with the smallest amount of work that hashcat takes, so that it need not tune
# itself.
set -u
. "$(dirname "$0")/tap.sh"
wants hashcat hashcat
export OCL_ICD_VENDORS=$device_vendors GALENA_SPEED=functional GALENA_DEVICES=1
# sessions and built kernels stay in here
export HOME="$work" XDG_CACHE_HOME="$work/cache" XDG_DATA_HOME="$work/data"
password=fox

# mode NUMBER NAME SUM: hashes with the program SUM
mode() {
	printf %s $password | $3 | cut -d' ' -f1 >hash
	client timeout "${HASHCAT_TIMEOUT:-280}" hashcat -m "$1" -a 3 -O -n 1 -u 1 -T 32 --force --potfile-disable --session "$2" \
		--outfile found.$1 --outfile-format 1,2 "$(cat hash)" '?l?l?l' </dev/null >listing 2>&1
	status=$?
	tail -n 12 listing >errors
	[ $status = 0 ]
	result $? "$2: hashcat ends with a password" "exit status $status"
	grep -q 'Galena' listing && grep -q '^Hash.Mode.*: '"$1 " listing
	result $? "$2: on the device" "$(sed -n 's/^\* Device //p' listing)"
	grep -q 'Finished self-test' listing && ! grep -qi 'self-test failed' listing
	result $? "$2: its self-test passes" ''
	[ "$(cat found.$1 2>/dev/null)" = "$(cat hash):$password" ]
	result $? "$2: which is the right one" "$(cat found.$1 2>&1)"
}

mode 0 MD5 md5sum
mode 100 SHA-1 sha1sum
mode 1400 SHA-256 sha256sum
finish
