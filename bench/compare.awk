# What is faster, slower, or within the noise: awk -f statistics.awk -f compare.awk ROWS, ROWS being side (base or
# this), round, name, value, unit, tabs between; less is better.
#
# The ratio this / base is the median over all pairs of runs; the interval around it comes from the ranks of the
# runs (statistics.awk), without any assumption on how noise is distributed. Many rows are judged at once, so
# each gets its part of the 5 % of error: that no row is called faster or slower by chance holds for
# the whole table with 95 %. Exit status 1: something is slower; 2: there is nothing to compare.
BEGIN { error = 0.05 }
{
	if (!($3 in unit)) {
		name[++names] = $3
		unit[$3] = $5
	}
	n = ++runs[$1, $3]
	value[$1, $3, n] = $4
}
END {
	if (!names) {
		print "compare: no rows" > "/dev/stderr"
		exit 2
	}
	printf "\n%-24s %12s %12s %-3s %8s %19s  %s\n", "workload", "base", "this", "", "ratio", "interval", "verdict"
	for (k = 1; k <= names; k++) {
		w = name[k]
		n = runs["base", w] + 0
		m = runs["this", w] + 0
		if (!n || !m) {
			printf "%-24s no runs of %s\n", w, n ? "this tree" : m ? "the base" : "either"
			missing++
			continue
		}
		for (i = 1; i <= n; i++)
			base[i] = value["base", w, i]
		for (i = 1; i <= m; i++)
			this[i] = value["this", w, i]
		known = ratio_interval(base, n, this, m, error / names, result)
		if (!known) {
			verdict = "too few rounds to tell"
			few++
		} else if (result["low"] > 1) {
			verdict = "SLOWER"
			slower = slower " " w
			slow++
		} else if (result["high"] < 1) {
			verdict = "faster"
			fast++
		} else {
			verdict = "within the noise"
			same++
		}
		printf "%-24s %12.4f %12.4f %-3s %8.4f %19s  %s\n", w, median(base, n), median(this, m), unit[w], result["ratio"], \
		       known ? sprintf("%.4f to %.4f", result["low"], result["high"]) : "-", verdict
		sum += log(result["ratio"])
		ratios++
	}
	if (ratios)
		printf "\nthis / base, geometric mean: %.4f. %d faster, %d slower, %d within the noise.\n", exp(sum / ratios), fast, \
		       slow, same
	if (few) {
		for (n = 2; !rank_limit(n, n, error / names / 2); n++)
			;
		printf "%d rows: too few rounds to tell, %d rows need %d at least\n", few, names, n
	}
	if (slow)
		printf "slower outside the noise:%s\n", slower
	exit slow ? 1 : few || missing ? 2 : 0
}
