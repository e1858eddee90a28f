#!/bin/sh
# The verdicts of make bench-compare, on figures that are made up: a slowdown of 10 % that is planted is found, noise is
# not, and the ranks are those of published tables. testbench/bench/compare.sh [SEED]
build=${GALENA_BUILD:-build}
build=$(cd "$build" && pwd)
. testbench/check.sh
seed=${1:-${GALENA_SEED:-1}}
echo "seed $seed"

# rows ROUNDS WORKLOADS NOISE SEED PLANTED FACTOR: rows of two revisions that differ in noise alone, up to NOISE of the
# time and now and then twice that, but for the workload PLANTED, whose times are multiplied
rows() {
	awk -v rounds="$1" -v count="$2" -v noise="$3" -v seed="$4" -v planted="$5" -v factor="$6" '
	function next_random() { state = (state * 69069 + 12345) % 4294967296; return state / 4294967296 }
	BEGIN {
		state = seed
		for (i = 0; i < 10; i++)
			next_random()
		for (r = 1; r <= rounds; r++)
			for (w = 1; w <= count; w++)
				for (s = 0; s < 2; s++) {
					t = w * (1 + noise * next_random() * (next_random() < 0.1 ? 2 : 1))
					if (s && w == planted)
						t *= factor
					printf "%s\t%d\tw%d.functional\t%.6g\tms\n", s ? "this" : "base", r, w, t
				}
	}'
}
judge() { awk -F '\t' -f bench/statistics.awk -f bench/compare.awk "$1"; }
verdict() { printf %s "$out" | awk -v w="$1.functional" '$1 == w { print $NF }'; }
# function of statistics.awk: evaluate EXPRESSION
evaluate() { echo "BEGIN { print $1 }" >"$work/expression"; awk -f bench/statistics.awk -f "$work/expression"; }

rows 10 44 0.05 "$seed" 7 1.1 >"$work/rows"
capture judge "$work/rows"
check "10 % slower is found in 5 % of noise" [ "$(verdict w7)" = SLOWER ]
check "and nothing else is" [ "$(printf %s "$out" | grep -c 'within the noise$')" = 43 ]
check "it is named" has "$out" "slower outside the noise: w7.functional"
check "the exit status tells" [ $status = 1 ]
rows 10 44 0.05 "$seed" 7 0.9 >"$work/rows"
capture judge "$work/rows"
check "10 % faster is found" [ "$(verdict w7)" = faster ]
check "which is no failure" [ $status = 0 ]
ratio=$(printf %s "$out" | awk '$1 == "w7.functional" { print ($5 > 0.88 && $5 < 0.92 && $6 <= $5 && $8 >= $5) }')
check "its ratio is the one planted, within the interval" [ "$ratio" = 1 ]

# 200 tables of 20 rows of noise alone: 5 % of them may have a verdict, and 25 of 200 is beyond chance
wrong=0 table=0
while [ $table -lt 200 ]; do
	rows 8 20 0.2 $((seed + table * 7919)) 0 1 >"$work/rows"
	judge "$work/rows" >"$work/out" || wrong=$((wrong + 1))
	grep -q 'faster$' "$work/out" && wrong=$((wrong + 1))
	table=$((table + 1))
done
echo "verdicts on noise alone: $wrong of $table tables"
check "noise is called noise" [ $wrong -lt 25 ]

rows 3 44 0.05 "$seed" 7 1.5 >"$work/rows"
capture judge "$work/rows"
check "too few rounds give no verdict" [ "$(printf %s "$out" | grep -c 'too few rounds to tell$')" = 44 ]
check "but how many it takes" has "$out" "44 rows need 7 at least"
check "which is no success" [ $status = 2 ]
rows 10 3 0.05 "$seed" 0 1 | grep -v '^base	[0-9]*	w2' >"$work/rows"
capture judge "$work/rows"
check "a workload that ran on one side only is told" has "$out" "w2.functional            no runs of the base"
check "and is no success" [ $status = 2 ]
: >"$work/rows"
capture judge "$work/rows"
check "no rows are no success" [ $status = 2 ]
check "and one line" [ "$err" = "compare: no rows" ]

# the largest U that is significant, from published tables of the two-sided test
for known in '4 4 0.05 0' '5 5 0.05 2' '8 8 0.05 13' '10 10 0.05 23' '20 20 0.05 127' '3 9 0.05 2' '5 5 0.01 0' '8 8 0.01 7' '20 20 0.01 105'; do
	set -- $known
	check "U of $1 and $2 runs at $3" [ "$(evaluate "rank_limit($1, $2, $3 / 2) - 1")" = "$4" ]
done
check "3 and 3 runs tell nothing at 0.05" [ "$(evaluate 'rank_limit(3, 3, 0.025)')" = 0 ]

capture bench/compare "$build" no-such-revision
check "a revision that is not there is told" has "$err" "bench-compare: git knows no revision no-such-revision"
check "with its own status" [ $status = 2 ]
capture bench/compare "$build" ''
check "so is none" has "$err" "which revision?"
finish
