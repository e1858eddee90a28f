# Prints the tables of `make bench` and writes bench.tsv: awk -f statistics.awk -f table.awk goals.tsv RAW, RAW
# being rows of clbench, paths and engine with configuration and round in front. The time of a
# workload is the best over all rounds: other load on the machine only ever adds to it.
function row(name, v, unit, note) {
	value[name] = v
	units[name] = unit
	printf "%s\t%.4g\t%s\t%s\n", name, v, unit, note > tsv
}

function on(config) { return platform[config] " on " host_threads[config] " host thread" (host_threads[config] == 1 ? "" : "s") }

# the median of the `n` samples under `key`
function median_row(name, key, n, unit, note,    i, list) {
	if (!n)
		return
	for (i = 1; i <= n; i++)
		list[i] = sample[key, i]
	row(name, median(list, n), unit, sprintf(note, n))
}

# ratio_rows(suffix, over, under, names): a row a workload of `names`, over / under, their geometric mean, and the
# worst; `worse` is 1 when that is the largest
function ratio_rows(suffix, over, under, names, mean, worst, worse, what,    i, w, list, sum, n, all, missing, far) {
	all = split(names, list, " ")
	for (i = 1; i <= all; i++) {
		w = list[i]
		if (best[over, w] && best[under, w]) {
			ratio[suffix, w] = best[over, w] / best[under, w]
			row(w "." suffix, ratio[suffix, w], "x", sprintf("%s: %.3f ms / %.3f ms, %s", what, \
			    best[over, w], best[under, w], size[over, w]))
			sum += log(ratio[suffix, w])
			n++
			if (far == "" || (ratio[suffix, w] > ratio[suffix, far]) == worse)
				far = w
		} else
			missing = missing " " w
	}
	if (!n)
		return
	if (n < all) {
		printf "%s left out: no figures for%s\n", mean, missing
		return
	}
	row(mean, exp(sum / n), "x", sprintf("%s, %d workloads; %s / %s", what, n, on(over), on(under)))
	row(worst, ratio[suffix, far], "x", what ", the worst: " far)
	told[worst] = far
}

# how much longer the model with events takes than the one without, in percent
function cost_row(name, metric, what,    n, r, key, bare, events, result, told_as) {
	for (r = 1; r <= turns; r++) {
		key = metric SUBSEP turn[r]
		if (!((("events" SUBSEP key) in cost_n) && (("bare" SUBSEP key) in cost_n)))
			continue
		n++
		events[n] = exp(cost_sum["events" SUBSEP key] / cost_n["events" SUBSEP key])
		bare[n] = exp(cost_sum["bare" SUBSEP key] / cost_n["bare" SUBSEP key])
	}
	if (!n)
		return
	told_as = n " turns each: too few to bound it"
	if (ratio_interval(bare, n, events, n, 0.05, result))
		told_as = sprintf("%.2f to %.2f with 95 %%, %d turns each", (result["low"] - 1) * 100, \
				  (result["high"] - 1) * 100, n)
	row(name, (result["ratio"] - 1) * 100, "%", "events compiled in and off, over a model without; " what "; " told_as)
	told[name] = told_as
}

# one run's part of a turn, `seconds` in any unit
function add_cost(config, metric, round,  seconds,    key) {
	key = config SUBSEP metric SUBSEP round
	cost_sum[key] += log(seconds)
	cost_n[key]++
	if (!(round in turn_known)) {
		turn_known[round] = 1
		turn[++turns] = round
	}
}

function cell(suffix, w) { return (suffix, w) in ratio ? sprintf("%.2f", ratio[suffix, w]) : "-" }
function cell_ms(config, w) { return best[config, w] ? sprintf("%.3f", best[config, w]) : "-" }
function cell_short(part, i) { part = "short." part "." short[i]; return part in value ? sprintf("%.2f", value[part]) : "-" }
function cell_path(name) { return name in value ? (value[name] >= 1e6 ? sprintf("%.0f", value[name]) : sprintf("%.4g", value[name])) : "-" }

BEGIN {
	count = split(workloads, order, " ")
	platform["pocl"] = "PoCL"
	platform["oclgrind"] = "Oclgrind"
	host_threads["pocl"] = host_threads["oclgrind"] = threads
	split("functional timed small", galena, " ")
	for (i in galena) {
		platform[galena[i]] = "Galena"
		host_threads[galena[i]] = threads
	}
	for (i = 1; i <= 2; i++) {
		platform["functional_" i] = platform["timed_" i] = "Galena"
		host_threads["functional_" i] = host_threads["timed_" i] = i
	}
	printf "" > tsv
	row("machine.load", load, "1", "load average of one minute at the start, " cpus " CPUs")
	row("galena.settings", settings != "", "1", settings ? settings : "defaults")
	row("host_threads.pocl", threads, "1", "POCL_MAX_PTHREAD_COUNT")
	row("host_threads.oclgrind", threads, "1", "--num-threads")
	row("host_threads.galena", threads, "1", "GALENA_HOST_THREADS, but for the scaling rows (1 and 2) and engine.* and events.* (1)")
}

FNR == NR { # goals
	if (FNR > 1) {
		goal[++goals] = $1
		relation[$1] = $2
		limit[$1] = $3
		goal_unit[$1] = $4
		meaning[$1] = $5
	}
	next
}
{
	config = $1; round = $2; value_now = $4
	split($3, part, ".")
}
# engine.KERNEL.VECTORS.SPEED
part[1] == "engine" {
	name = "engine." part[2] "." part[4]
	if (config != "alone")
		add_cost(config, part[4], round, 1 / value_now)
	else if (value_now > rate[name]) {
		rate[name] = value_now
		rate_note[name] = (part[4] == "exact" ? "cycles a second of the exact mini" : "lane-instructions a second") " on one core, " part[3] "; " $6
	}
	next
}
part[1] == "null" {
	add_cost(config, "launch", round, value_now)
	next
}
part[2] == "ms" {
	if (!best[config, part[1]] || value_now < best[config, part[1]]) {
		best[config, part[1]] = value_now
		split($6, words, ", best")
		size[config, part[1]] = words[1]
	}
	next
}
part[2] == "build_ms" {
	key = config (round == 1 ? " cold" : " cached")
	sample[key, ++samples[key]] = value_now
	next
}
part[2] == "first_ms" { next }
# short.CACHE.LAUNCHES.WORKLOAD
part[1] == "short" {
	row($3, value_now, $5, $6)
	if (split($3, part, ".") == 4) {
		if (part[4] != "geomean" && part[4] != "worst" && !(part[4] in short_known)) {
			short_known[part[4]] = 1
			short[++shorts] = part[4]
		}
	} else if (part[2] == "worst")
		told[$3] = $6
	next
}
# paths: GROUP.FIGURE
{
	row($3 "." config, value_now, $5, $6 "; " on(config))
	if (!($3 in path_unit)) {
		path[++paths] = $3
		path_unit[$3] = $5
	}
}

END {
	for (i = 1; i <= count; i++)
		for (j = split("oclgrind small timed functional pocl", configs, " "); j > 0; j--)
			if (best[configs[j], order[i]])
				row(order[i] "." (configs[j] == "small" ? "functional_small" : configs[j]) "_ms", \
				    best[configs[j], order[i]], "ms", size[configs[j], order[i]] "; " on(configs[j]))
	ratio_rows("functional_vs_pocl", "functional", "pocl", workloads, "geomean.functional_vs_pocl", \
		   "worst.functional_vs_pocl", 1, "time, Galena functional / PoCL")
	ratio_rows("timed_vs_pocl", "timed", "pocl", workloads, "geomean.timed_vs_pocl", "worst.timed_vs_pocl", 1, \
		   "time, Galena timed / PoCL")
	ratio_rows("functional_vs_oclgrind", "oclgrind", "small", workloads, "geomean.functional_vs_oclgrind", \
		   "worst.functional_vs_oclgrind", 0, "times faster than Oclgrind")
	ratio_rows("scaling_functional", "functional_1", "functional_2", compute_bound, "scaling.functional", \
		   "scaling.functional_worst", 0, "1 host thread / 2, functional")
	ratio_rows("scaling_timed", "timed_1", "timed_2", compute_bound, "scaling.timed", "scaling.timed_worst", 0, \
		   "1 host thread / 2, timed")
	for (name in rate)
		row(name, rate[name], name ~ /exact$/ ? "M/s" : "G/s", rate_note[name])
	cost_row("events.cost_functional", "functional", "bench/engine, functional")
	cost_row("events.cost_timed", "timed", "bench/engine, timed")
	cost_row("events.cost_launch", "launch", "enqueue to clFinish of a launch that does nothing")
	median_row("build.cold_ms", "functional cold", samples["functional cold"], "ms", \
		   "clBuildProgram, empty cache, median of %d programs")
	median_row("build.cached_ms", "functional cached", samples["functional cached"], "ms", \
		   "clBuildProgram, cached by another process, median of %d programs")
	median_row("build.pocl_cold_ms", "pocl cold", samples["pocl cold"], "ms", \
		   "PoCL's clBuildProgram, empty cache (it compiles the rest at the first launch), median of %d programs")
	median_row("build.pocl_cached_ms", "pocl cached", samples["pocl cached"], "ms", \
		   "PoCL's clBuildProgram, cached by another process, median of %d programs")

	printf "Host threads: PoCL %d, Galena %d, Oclgrind %d. Best of %d rounds. %s, %d CPUs, load at the start %s. Galena's settings: %s.\n\n", \
	       threads, threads, threads, rounds, cpu, cpus, load, settings ? settings : "defaults"
	if (load > 0.5)
		print "The machine was busy with other work: sides with more threads lose more by it, and scaling says little.\n"
	printf "%-12s %10s %10s %10s %12s %11s %12s %17s\n", "kernel", "PoCL ms", "funct. ms", "timed ms", \
	       "funct./PoCL", "timed/PoCL", "Oclgrind/fu.", "2 threads fu./ti."
	for (i = 1; i <= count; i++) {
		w = order[i]
		printf "%-12s %10s %10s %10s %12s %11s %12s %17s\n", w, cell_ms("pocl", w), cell_ms("functional", w), \
		       cell_ms("timed", w), cell("functional_vs_pocl", w), cell("timed_vs_pocl", w), \
		       cell("functional_vs_oclgrind", w), cell("scaling_functional", w) " / " cell("scaling_timed", w)
	}
	if (paths)
		printf "\n%-34s %-5s %12s %12s %12s\n", "around the kernel", "", "PoCL", "functional", "timed"
	for (i = 1; i <= paths; i++)
		printf "%-34s %-5s %12s %12s %12s\n", path[i], path_unit[path[i]], cell_path(path[i] ".pocl"), \
		       cell_path(path[i] ".functional"), cell_path(path[i] ".timed")
	if (shorts) {
		short[++shorts] = "geomean"
		printf "\n%-12s %12s %12s %12s %12s %12s %12s %12s %12s %12s\n", "short, /int.", "1 empty", "1 warm", "1 interp", "5 empty", "5 warm", "5 interp", "50 empty", "50 warm", "50 interp"
	}
	for (i = 1; i <= shorts; i++)
		printf "%-12s %12s %12s %12s %12s %12s %12s %12s %12s %12s\n", short[i], cell_short("empty.1", i), cell_short("warm.1", i), cell_short("again.1", i), \
		       cell_short("empty.5", i), cell_short("warm.5", i), cell_short("again.5", i), \
		       cell_short("empty.50", i), cell_short("warm.50", i), cell_short("again.50", i)
	print ""
	for (i = 1; i <= goals; i++) {
		name = goal[i]
		if (!(name in value)) {
			printf "%-36s %10s     goal: %s %s\n", name, "no figure", relation[name], limit[name]
			continue
		}
		met = relation[name] == ">=" ? value[name] >= limit[name] : value[name] <= limit[name]
		reached += met
		printf "%-36s %10.4g %-4s goal: %s %-7s %s%s\n", name, value[name], goal_unit[name], relation[name], \
		       limit[name], met ? "reached" : "MISSED", name in told ? "  (" told[name] ")" : ""
	}
	printf "%d of %d goals reached\n", reached, goals
}
