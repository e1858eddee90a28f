#!/bin/sh
# The table, the file and the picture of make bench, on figures that are made up.
build=${GALENA_BUILD:-build}
build=$(cd "$build" && pwd)
. testbench/check.sh
tab=$(printf '\t')
tsv=$work/bench.tsv

# row CONFIGURATION ROUND NAME VALUE UNIT NOTE
row() { printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$@" >>"$work/raw"; }
table() {
	awk -F '\t' -v workloads="sgemm triad" -v compute_bound="sgemm" -v tsv="$tsv" -v cpus=2 -v cpu=X -v load=0.1 -v threads=2 \
		-v rounds=2 -f bench/statistics.awk -f bench/table.awk bench/goals.tsv "$work/raw"
}
value() { awk -F '\t' -v n="$1" '$1 == n { print $2 }' "$tsv"; }
# the line of the table that begins with a name
line() { printf '%s\n' "$out" | grep "^$1 "; }

figures() {
	: >"$work/raw"
	row short 1 short.empty.1.scan 0.96 x '1 ms / 1 ms'
	row short 1 short.warm.50.scan 0.43 x '4 ms / 9 ms'
	row short 1 short.warm.50.geomean 0.43 x '12 workloads'
	row short 1 short.worst 1.25 x scan
	for round in 1 2; do
		row pocl $round sgemm.ms $((10 + round)) ms '64x64, best of 10, median 12.000 ms'
		row pocl $round triad.ms 1 ms 'small, best of 10, median 1.000 ms'
		row functional $round sgemm.ms $((24 - round)) ms '64x64, best of 10, median 24.000 ms'
		row functional $round triad.ms 18 ms 'small, best of 10, median 18.000 ms'
		row timed $round sgemm.ms 33 ms '64x64, best of 10, median 33.000 ms'
		row timed $round triad.ms 12 ms 'small, best of 10, median 12.000 ms'
		row functional_1 $round sgemm.ms 40 ms '64x64, best of 5, median 40.000 ms'
		row functional_2 $round sgemm.ms 20 ms '64x64, best of 5, median 20.000 ms'
		row functional $round sgemm.build_ms $((90 - 80 * (round - 1))) ms clBuildProgram
		row functional $round triad.build_ms $((70 - 60 * (round - 1))) ms clBuildProgram
		row alone $round engine.fp32.avx512.functional $((3 + round)) 'G lane-insn/s' cycles
		for turn in 1 2 3 4; do
			row events $round.$turn null.us 2.0$turn us median
			row bare $round.$turn null.us 1.00$turn us median
			row events $round.$turn engine.copy.avx512.functional 4 'G lane-insn/s' cycles
			row bare $round.$turn engine.copy.avx512.functional 4 'G lane-insn/s' cycles
			row events $round.$turn engine.gather.avx512.functional 1 'G lane-insn/s' cycles
			row bare $round.$turn engine.gather.avx512.functional 1.0201 'G lane-insn/s' cycles
		done
	done
	row functional 1 launch.null_us 31 us 'median of 1000'
	row timed 1 launch.null_us 29 us 'median of 1000'
}

figures
capture table
cp "$work/out" "$work/table"
check "it ends well" [ $status = 0 ]
check "a time is the best of all rounds" [ "$(value sgemm.functional_ms)" = 22 ]
check "a ratio is one of best times" [ "$(value sgemm.functional_vs_pocl)" = 2 ]
check "the mean is geometric: of 2 and 18" [ "$(value geomean.functional_vs_pocl)" = 6 ]
check "the worst is told by name" [ "$(line worst.functional_vs_pocl | grep -c '18 x .* MISSED  (triad)')" = 1 ]
check "of 3 and 12 it is 6: the goal is reached" [ "$(line geomean.timed_vs_pocl | grep -c '6 x .* reached')" = 1 ]
check "two threads over one" [ "$(value scaling.functional)" = 2 ]
check "a missing figure is told, not passed" [ "$(line scaling.timed | grep -c 'no figure')" = 1 ]
check "builds are cold in the first round" [ "$(value build.cold_ms)" = 80 ]
check "and cached later" [ "$(value build.cached_ms)" = 10 ]
check "a rate is the best of all rounds" [ "$(value engine.fp32.functional)" = 5 ]
check "events cost 1 % where one of two kernels takes 2.01 % longer" [ "$(value events.cost_functional)" = 1 ]
check "a launch that takes twice as long costs 100 %" awk -v c="$(value events.cost_launch)" 'BEGIN { exit !(c > 98 && c < 106) }'
check "with an interval" [ "$(line events.cost_launch | grep -c 'MISSED  (.* to .* with 95 %, 8 turns each)')" = 1 ]
check "31 us miss the goal of 30" [ "$(line launch.null_us.functional | grep -c MISSED)" = 1 ]
check "29 reach it" [ "$(line launch.null_us.timed | grep -c reached)" = 1 ]
check "the header has everybody's host threads" has "$out" "Host threads: PoCL 2, Galena 2, Oclgrind 2."
check "so has the file" [ "$(value host_threads.pocl)$(value host_threads.galena)$(value host_threads.oclgrind)" = 222 ]
check "and each time of it" grep -q "^sgemm.pocl_ms$tab.*PoCL on 2 host threads$" "$tsv"
check "every name is in the file once" [ -z "$(cut -f 1 "$tsv" | sort | uniq -d)" ]
check "every row has four columns" awk -F '\t' 'NF != 4 { exit 1 }' "$tsv"
check "short programs have a line each" [ "$(line scan | tr -s ' ')" = "scan 0.96 - - - - - - 0.43 -" ]
check "and a goal that names the slowest" [ "$(line short.worst | grep -c 'MISSED.*scan')" = 1 ]
check "every goal is in the table" sh -c 'cut -f 1 bench/goals.tsv | sed 1d | while read -r g; do grep -q "^$g " "$0" || exit 1; done' "$work/out"

capture awk -F '\t' -f bench/bars.awk bench/goals.tsv "$tsv"
check "the picture is made" [ $status = 0 ]
printf '%s\n' "$out" >"$work/bars.svg"
# 2 ratios of 2 workloads and their mean, and what else has a goal and a figure
check "a bar a workload and a mean, and one for each other goal" [ "$(grep -c 'class="bar"' "$work/bars.svg")" = 15 ]
check "lines at the goals" [ "$(grep -c 'class="goal"' "$work/bars.svg")" = 4 ]
# a workload's bar is as long as its ratio, on the logarithmic axis: 18 times is log 18 / log 2 of twice
check "lengths are logarithms" awk -F '"' '/class="bar"/ && ++n <= 2 { len[n] = $8 } END { r = len[2] / len[1]; exit !(r > 4.1 && r < 4.24) }' \
	"$work/bars.svg"
check "every element is closed" awk '{ o += gsub(/<(g|svg|text)[ >]/, ""); c += gsub(/<\/(g|svg|text)>/, "") } END { exit !(o == c && o) }' "$work/bars.svg"

# the page of documentation
printf "before\n<!-- figures -->\nold\n<!-- end of figures -->\nafter\n" >"$work/document"
capture awk -f bench/figures.awk "$work/table" "$work/document"
check "a document gets the table" [ $status = 0 ]
check "in place of the old one, between its lines" [ "$(printf "%s\n" "$out" | sed "s/^ *//" | grep -c "^before$\|^sgemm \|^after$\|^old$")" = 3 ]
printf "%s\n" "$out" >"$work/again"
capture awk -f bench/figures.awk "$work/table" "$work/again"
check "again and again" [ "$out" = "$(cat "$work/again")" ]
echo nothing >"$work/document"
capture awk -f bench/figures.awk "$work/table" "$work/document"
check "a document without the lines is an error" [ $status = 1 ]

grep -v '^pocl' "$work/raw" >"$work/raw.without" && mv "$work/raw.without" "$work/raw"
capture table
check "without a platform its figures are missing" [ "$(line geomean.functional_vs_pocl | grep -c 'no figure')" = 1 ]
check "and others stay" [ "$(value scaling.functional)" = 2 ]
finish
