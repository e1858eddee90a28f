#!/bin/sh
# The rules of the OpenCL API: testbench/rules/opencl.tsv names them, comments in the runtime say which check is which
# rule's (/* CL_ENTRYPOINT_WHAT: ... */, * for any part of the id), and the programs in build/test/spec provoke each and
# say so. spec.sh [PROGRAM...]: runs these programs, or all, and compares the three; exit status 1 unless each rule has
# its check and its test.
build=${GALENA_BUILD:-build}
build=$(cd "$build" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GALENA_SPEED="${GALENA_SPEED:-functional}" GALENA_DEVICES="${GALENA_DEVICES:-2}"
failed=0
[ $# -gt 0 ] || set -- "$build"/test/spec/*
: >"$work/ran"
for program in "$@"; do
	name=spec_$(basename "$program")
	if ! GALENA_BUILD=$build "$program" >"$work/out" 2>&1; then
		failed=1
		echo "[  FAILED  ] $name"
		grep -v '^# rule\|OK \]\|RUN  ' "$work/out" | tail -n 30
	fi
	grep '^# skip' "$work/out"
	sed -n "s/^# rule /$name /p" "$work/out" | sort -u >>"$work/ran"
done
# a check's rules stand at the beginning of its comment, with commas between them (over several lines, if they are many)
# and a colon behind them
awk '
	!open && /^[[:space:]]*\/\* CL_[A-Z0-9_*]+[,:]/ { open = 1; at = FILENAME ":" FNR; text = "" }
	open {
		text = text " " $0
		if (!/:/ && !/\*\//)
			next
		open = 0
		if (!sub(/:.*/, "", text))
			next
		gsub(/\/\*|,| \* /, " ", text)
		n = split(text, ids, " ")
		for (i = 1; i <= n; i++)
			print at, ids[i]
	}' runtime/opencl/*.[ch] icd/*.[ch] >"$work/marks"
# the numbers behind the names of codes
grep -hE '^#define CL_[A-Z0-9_]+ +-[0-9]+' /usr/include/CL/cl.h /usr/include/CL/cl_ext.h /usr/include/CL/cl_va_api_media_sharing_intel.h | awk '{ print $2, $3 }' >"$work/codes"
awk -f testbench/rules/spec.awk kind=catalogue testbench/rules/opencl.tsv kind=codes "$work/codes" kind=marks "$work/marks" \
	kind=ran "$work/ran" || failed=1
exit $failed
