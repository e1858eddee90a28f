#!/bin/sh
# clinfo under ocl-icd: lists the platform and its two devices, and every query that it makes is answered. clinfo writes a
# failed query as "<function:line: what : error number>" in place of the value.
set -u
. "$(dirname "$0")/tap.sh"
needs clinfo clinfo
export OCL_ICD_VENDORS=$device_vendors

forms="--human --raw"
if [ -n "$sanitizer" ]; then
	echo '# skip clinfo --raw: it writes past a buffer of its own, whatever the platform'
	forms=--human
fi
for form in $forms; do
	client clinfo $form >listing 2>errors
	result $? "clinfo $form ends well" "$(wc -l <listing) lines"
	[ ! -s errors ]
	result $? "clinfo $form says nothing on stderr" "$(wc -l <errors) lines"
	grep -inE 'error [0-9-]+|<[^>]*:[0-9]+:' listing >errors
	[ $? -eq 1 ]
	result $? "clinfo $form: every query is answered" "$(wc -l <errors) failed"
done

client clinfo >listing 2>&1
cp listing errors
loader=$(sed -n 's/^ *ICD loader Vendor *//p' listing)
[ "$loader" = 'OCL Icd free software' ]
result $? 'the loader is ocl-icd' "$loader"
platforms=$(sed -n 's/^Number of platforms *//p' listing)
[ "$platforms" = 1 ]
result $? 'one platform' "$platforms"
grep -q "^  Platform Name  *$platform\$" listing
result $? "its name is $platform" "$(sed -n 's/^  Platform Name *//p' listing | head -n 1)"
devices=$(sed -n 's/^Number of devices *//p' listing)
[ "$devices" = 2 ]
result $? 'two devices' "$devices"
types=$(sed -n 's/^  Device Type *//p' listing | sort | uniq -c | tr -s ' \n' ' ')
[ "$(grep -c '^  Device Type  *GPU' listing)" = 2 ]
result $? 'of type GPU' "$types"
# two devices that clinfo can tell apart, or their order is the only difference
[ "$(client clinfo -l 2>/dev/null | grep -c 'Device #[01]:')" = 2 ]
result $? 'clinfo -l lists both' "$(client clinfo -l 2>&1 | tr -s '\n ' ' ')"
finish
