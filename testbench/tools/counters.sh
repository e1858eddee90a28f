#!/bin/sh
# galena run --counters: totals, and what belongs to each kernel, exactly.
build=${GALENA_BUILD:-build}
build=$(cd "$build" && pwd)
. testbench/check.sh
galena=$build/bin/galena
export GALENA_CACHE_DIR="$work/cache" GALENA_DEVICES=1

steps() { printf 'light 5\nheavy 3\nlight 2\nheavy 1\n' | "$galena" run "$@" -- "$build/test/tools/steps"; }
# the value of COLUMN in the row of KERNEL of a table
column() { awk -v k="$2" -v c="$3" '$1 == k { print $c; exit }' "$1"; }
# number after "NAME": in the part of a JSON file that begins with PLACE
json() { awk -v place="$2" -v name="\"$3\": " '{ s = s $0 }
	END { i = index(s, place); if (i) { s = substr(s, i); i = index(s, name); if (i) { s = substr(s, i + length(name)); print s + 0 } } }' "$1"; }

capture steps --counters="$work/text"
check "it runs" [ $status = 0 ]
check "7 launches of light" [ "$(column "$work/text" light 2)" = 7 ]
check "4 launches of heavy" [ "$(column "$work/text" heavy 2)" = 4 ]
check "copies and fills are a row" grep -q '(copies and fills) *1 ' "$work/text"
check "the kernels' share of the time is all of it" \
	awk '/%/ { for (i = 1; i <= NF; i++) if ($i ~ /%$/) { sum += $i; break } } END { exit !(sum > 99.8 && sum < 100.2) }' "$work/text"
check "the longest comes first" awk '$1 == "heavy" { h = NR } $1 == "light" { l = NR } END { exit !(h && l && h < l) }' "$work/text"

capture steps --counters="$work/c.json"
for counter in LANE_INSNS WARP_INSNS DISPATCHES WORK_GROUPS L1_HIT L1_MISS DMA_BYTES; do
	total=$(json "$work/c.json" '[' $counter) sum=0
	for kernel in light heavy '(copies and fills)'; do
		sum=$((sum + $(json "$work/c.json" "\"name\": \"$kernel\"" $counter)))
	done
	check "what kernels did adds up to what the device did: $counter" [ "$sum" = "$total" ]
done
check "a launch of light is 16 work-groups" [ "$(json "$work/c.json" '"name": "light"' WORK_GROUPS)" = 112 ]
check "and nothing of it is DMA" [ "$(json "$work/c.json" '"name": "light"' DMA_BYTES)" = 0 ]
check "the fill wrote its bytes" [ "$(json "$work/c.json" '"name": "(copies and fills)"' DMA_BYTES)" = 1024 ]
check "calls are in JSON, too" [ "$(json "$work/c.json" '"name": "heavy"' calls)" = 4 ]
check "every counter register is there" sh -c \
	"for c in \$(sed -n 's/^REG(HOST, CNT_\([A-Z0-9_]*\),.*/\1/p' abi/registers.def); do grep -q \"\\\"\$c\\\": \" '$work/c.json' || exit 1; done"
mv "$work/c.json" "$work/first.json"
capture steps --counters="$work/c.json"
check "the same program has the same counts" cmp -s "$work/first.json" "$work/c.json"
lanes=$(json "$work/c.json" '"name": "heavy"' LANE_INSNS)
check "a second queue's kernel is counted for itself: as many a launch, however many" sh -c \
	"printf 'heavy 2\n' | '$galena' run --counters='$work/two.json' -- '$build/test/tools/steps' >'$work/out' && \
	 [ \"\$(grep -o 'heavy.*' '$work/two.json' | grep -o 'LANE_INSNS\": [0-9]*' | grep -o '[0-9]*')\" = $((lanes / 2)) ]"
capture steps --counters=/nonexistent/file
check "a file that cannot be written is one clear line" has "$err" "--counters=/nonexistent/file: the directory /nonexistent: No such file"
finish
