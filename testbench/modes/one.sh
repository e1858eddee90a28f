#!/bin/sh
# one.sh WORK N MODE [NAME]: runs program N of WORK/programs in a mode of WORK/modes. WORK/runs/N.NAME.* (MODE) then hold its exit
# status and seconds (end), what its devices held (hash), and how much of its kernels was translated (share).
work=$1 run=$1/runs/$2.${4:-$3}
program=$(sed -n "$2p" "$work/programs")
variables=$(sed -n "s/^$3 [^ ]* //p" "$work/modes")
: >"$run.hash"
begin=$(date +%s.%N)
status=0
# shellcheck disable=SC2086
env GALENA_DRAM_HASH="$run.hash" GALENA_MODES_RUN="$1/runs/$2" $variables timeout -k 5 "${TEST_TIMEOUT:-1800}" $program >"$run.out" 2>&1 </dev/null || status=$?
echo "$status $begin $(date +%s.%N)" | awk '{ printf "%d %.2f\n", $1, $3 - $2 }' >"$run.seconds"
sed -n 's/^translated [0-9]*: \([0-9]*\) of \([0-9]*\) .*/\1 \2/p' "$run.hash" | awk '{ a += $1; b += $2 } END { print a + 0, b + 0 }' >"$run.share"
grep '^dram' "$run.hash" | sort >"$run.dram"
mv "$run.dram" "$run.hash"
[ "$status" != 0 ] || rm -f "$run.out"
mv "$run.seconds" "$run.end"
