# Reads clbench's rows with configuration and round in front; prints a table and writes bench.tsv.
# A time is the best over all rounds: other load on the machine only ever adds to it.
function row(name, value, unit, note) {
	printf "%s\t%.4g\t%s\t%s\n", name, value, unit, note > tsv
}

function median(list, n,    i, j, t) {
	for (i = 2; i <= n; i++)
		for (j = i; j > 1 && list[j] < list[j - 1]; j--) {
			t = list[j]; list[j] = list[j - 1]; list[j - 1] = t
		}
	return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
}

# the median of the samples that build_sample() has kept under `key`
function build_row(name, key, note,    i, list) {
	if (!builds[key])
		return
	for (i = 1; i <= builds[key]; i++)
		list[i] = build[key, i]
	row(name, median(list, builds[key]), "ms", sprintf(note ", median of %d programs", builds[key]))
	value[name] = median(list, builds[key])
}

function null_row(name, config, note,    i, list) {
	if (!nulls[config])
		return
	for (i = 1; i <= nulls[config]; i++)
		list[i] = null_us[config, i]
	value[name] = median(list, nulls[config])
	row(name, value[name], "us", sprintf("%s, enqueue to clFinish, median of %d runs of 1000", note, nulls[config]))
}

# ratio_rows(suffix, over, under): a row a workload and the geometric mean, over / under
function ratio_rows(suffix, over, under, what,    i, w, sum, n, missing) {
	for (i = 1; i <= count; i++) {
		w = order[i]
		if (best[over, w] && best[under, w]) {
			ratio[suffix, w] = best[over, w] / best[under, w]
			row(w "." suffix, ratio[suffix, w], "x", sprintf("%s: %.3f ms / %.3f ms, %s", what, \
			    best[over, w], best[under, w], size[over, w]))
			sum += log(ratio[suffix, w])
			n++
		} else
			missing = missing " " w
	}
	if (n == count) {
		value["geomean." suffix] = exp(sum / n)
		row("geomean." suffix, value["geomean." suffix], "x", sprintf("%s, %d workloads; %s", what, n, threads[over] \
		    ", " threads[under]))
	} else
		printf "geomean.%s left out: no figures for%s\n", suffix, missing
}

function cell(suffix, w) {
	return (suffix, w) in ratio ? sprintf("%.2f", ratio[suffix, w]) : "-"
}

function cell_ms(config, w) {
	return best[config, w] ? sprintf("%.3f", best[config, w]) : "-"
}

function goal(name, unit, limit, larger,    met) {
	if (!(name in value)) {
		printf "%-32s %10s\n", name, "no figure"
		return
	}
	met = larger ? value[name] >= limit : value[name] <= limit
	printf "%-32s %10.2f %-3s goal: %s %g  %s\n", name, value[name], unit, larger ? ">=" : "<=", limit, \
	       met ? "reached" : "MISSED"
}

BEGIN {
	count = split(workloads, order, " ")
	threads["pocl"] = sprintf("PoCL on %d threads", cpus)
	threads["oclgrind"] = sprintf("Oclgrind on %d threads", cpus)
	threads["functional"] = threads["functional_small"] = threads["timed"] = \
		sprintf("Galena on %d host thread%s", host_threads, host_threads == 1 ? "" : "s")
	printf "" > tsv
	row("machine.load", load, "1", "load average of one minute at the start, " cpus " CPUs")
}

{
	config = $1; round = $2; value_now = $4
	split($3, part, ".")
}
part[1] == "null" {
	null_us[config, ++nulls[config]] = value_now
	next
}
part[2] == "ms" && (!best[config, part[1]] || value_now < best[config, part[1]]) {
	best[config, part[1]] = value_now
	split($6, words, ", best")
	size[config, part[1]] = words[1]
}
part[2] == "build_ms" {
	key = config (round == 1 ? " cold" : " cached")
	build[key, ++builds[key]] = value_now
}

END {
	for (i = 1; i <= count; i++)
		for (j = split("pocl functional timed functional_small oclgrind", configs, " "); j > 0; j--)
			if (best[configs[j], order[i]])
				row(order[i] "." configs[j] "_ms", best[configs[j], order[i]], "ms", \
				    size[configs[j], order[i]] "; " threads[configs[j]])
	ratio_rows("functional_vs_pocl", "functional", "pocl", "time, Galena functional / PoCL")
	ratio_rows("timed_vs_pocl", "timed", "pocl", "time, Galena timed / PoCL")
	ratio_rows("functional_vs_oclgrind", "oclgrind", "functional_small", "times faster than Oclgrind")
	build_row("build.cold_ms", "functional cold", "clBuildProgram, empty cache")
	build_row("build.cached_ms", "functional cached", "clBuildProgram, cached by another process")
	build_row("build.pocl_cold_ms", "pocl cold", "PoCL's clBuildProgram, empty cache (it compiles the rest at the first launch)")
	build_row("build.pocl_cached_ms", "pocl cached", "PoCL's clBuildProgram, cached by another process")
	null_row("launch.null_us", "functional", "Galena functional")
	null_row("launch.timed_null_us", "timed", "Galena timed")
	null_row("launch.pocl_null_us", "pocl", "PoCL")

	printf "\n%-12s %11s %11s %11s %11s %11s %13s\n", "kernel", "PoCL ms", "funct. ms", "timed ms", \
	       "funct./PoCL", "timed/PoCL", "Oclgrind/fu."
	for (i = 1; i <= count; i++) {
		w = order[i]
		printf "%-12s %11s %11s %11s %11s %11s %13s\n", w, cell_ms("pocl", w), cell_ms("functional", w), \
		       cell_ms("timed", w), cell("functional_vs_pocl", w), cell("timed_vs_pocl", w), \
		       cell("functional_vs_oclgrind", w)
	}
	print ""
	goal("geomean.functional_vs_pocl", "x", 8, 0)
	goal("geomean.timed_vs_pocl", "x", 20, 0)
	goal("geomean.functional_vs_oclgrind", "x", 50, 1)
	goal("build.cold_ms", "ms", 200, 0)
	goal("build.cached_ms", "ms", 2, 0)
	goal("launch.null_us", "us", 60, 0)
	if ("launch.pocl_null_us" in value)
		printf "%-32s %10.2f us\n", "launch.pocl_null_us", value["launch.pocl_null_us"]
}
