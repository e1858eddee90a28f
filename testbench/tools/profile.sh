#!/bin/sh
# Profiles: every instruction and cycle that the device counts is some instruction's of some kernel, and a device
# that is profiled does what it does otherwise.
build=${GALENA_BUILD:-build}
build=$(cd "$build" && pwd)
. testbench/check.sh
galena=$build/bin/galena
export GALENA_CACHE_DIR="$work/cache" GALENA_DEVICES=1

steps() { printf 'light 5\nheavy 3\nlight 2\nheavy 1\n' | "$galena" run "$@" -- "$build/test/tools/steps"; }
# sum of the counts whose names match PATTERN in the files of a profile
sum() { awk -v p="$1" '$1 == "counts" { for (i = 2; i <= NF; i++) key[i - 1] = $i }
	$1 == "at" { for (i = 5; i <= NF; i++) if (key[i - 4] ~ p) n += $i }
	$1 == "sum" { for (i = 3; i <= NF; i++) if (key[i - 2] ~ p) n += $i }
	END { print n + 0 }' "$work"/raw/*.counts; }
counter() { awk -v c="$1" '$1 == "counter" && $2 == c { print $3 }' "$work"/raw/*.counts; }

for speed in timed functional; do
	rm -rf "$work/raw"
	mkdir "$work/raw"
	capture steps --speed $speed --hash="$work/plain.hash"
	check "$speed: it runs" [ $status = 0 ]
	export GALENA_PROFILE="$work/raw"
	capture steps --speed $speed --hash="$work/profiled.hash"
	unset GALENA_PROFILE
	check "$speed: it runs while it is profiled" [ $status = 0 ]
	check "$speed: nothing on the bus is different, no cycle either" cmp -s "$work/plain.hash" "$work/profiled.hash"
	check "$speed: one file for the device" [ "$(ls "$work/raw" | grep -c 'device0.counts$')" = 1 ]
	check "$speed: every warp instruction" [ "$(sum '^insns$')" = "$(counter WARP_INSNS)" ]
	check "$speed: there were some" [ "$(counter WARP_INSNS)" -gt 1000 ]
	check "$speed: every lane's" [ "$(sum '^lane_insns$')" = "$(counter LANE_INSNS)" ]
	check "$speed: launches" [ "$(awk '$1 == "kernel" { n += $5 } END { print n }' "$work"/raw/*.counts)" = 11 ]
	if [ $speed = timed ]; then
		check "every cycle of the units" [ "$(sum '^cu_')" = "$(counter CU_BUSY)" ]
		check "every cycle of the warps" [ "$(sum '^warp_')" = "$(counter WARP_CYCLES)" ]
		check "an instruction issues in a cycle" [ "$(sum '^cu_issue$')" = "$(counter WARP_INSNS)" ]
		check "every look-up in the L1" [ "$(sum '^l1_hit$') $(sum '^l1_miss$')" = "$(counter L1_HIT) $(counter L1_MISS)" ]
	else
		check "no time without timing" [ "$(sum '^warp_')" = 0 ]
	fi
done
finish
