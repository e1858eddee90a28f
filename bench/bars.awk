# Draws `make bench` as one SVG picture: awk -F'\t' -f bench/bars.awk goals.tsv bench.tsv > PICTURE.svg
# A panel a ratio, a bar a workload on a logarithmic axis, the geometric mean below, goals as dashed lines; and a
# last panel of what has a goal and no workload: how far on the good side of it (above 1) or on the bad.
function escape(s) { gsub(/&/, "\\&amp;", s); gsub(/</, "\\&lt;", s); return s }
function log10(v) { return log(v) / log(10) }
# x of a value on the panel's axis
function place(v) { return left + (log10(v) - low) / (high - low) * width }
function put(s) { body = body s "\n" }
function text(x, y, anchor, s, more) {
	put(sprintf("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"%s>%s</text>", x, y, anchor, more, escape(s)))
}
function line(x0, y0, x1, y1, style) {
	put(sprintf("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>", x0, y0, x1, y1, style))
}
function short(v) { return v >= 100 ? sprintf("%.0f", v) : v >= 10 ? sprintf("%.1f", v) : sprintf("%.2f", v) }
function bar_add(name, v, good) {
	if (v <= 0)
		return
	label[++bars] = name
	length_of[bars] = v
	fits[bars] = good
}
# Draws the bars that were added below `title`, with lines at goals "VALUE TEXT;VALUE TEXT".
function panel(title, lines,    i, n, v, part, y, x, one, at) {
	if (!bars)
		return
	low = high = 0
	for (i = 1; i <= bars; i++) {
		v = log10(length_of[i])
		if (v < low) low = v
		if (v > high) high = v
	}
	n = split(lines, part, ";")
	for (i = 1; i <= n; i++) {
		v = log10(part[i] + 0)
		if (v < low) low = v
		if (v > high) high = v
	}
	low = low < int(low) ? int(low) - 1 : int(low)
	high = high > int(high) ? int(high) + 1 : int(high)
	if (high == low)
		high++
	y = 42
	put(sprintf("<g transform=\"translate(0,%d)\">", top))
	text(left, 18, "start", title, " font-weight=\"bold\"")
	for (v = low; v <= high; v++) {
		x = place(10 ^ v)
		line(x, y, x, y + bars * step, "stroke=\"" (v == 0 ? "#888" : "#ddd") "\"")
		text(x, y + bars * step + 14, "middle", sprintf("%g", 10 ^ v), " fill=\"#555\"")
	}
	one = place(1)
	for (i = 1; i <= bars; i++) {
		at = y + (i - 1) * step
		x = place(length_of[i])
		text(left - 6, at + 12, "end", label[i], "")
		put(sprintf("<rect class=\"bar\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>", \
		       x < one ? x : one, at + 2, x < one ? one - x : x - one, step - 4, fits[i] ? "#26a" : "#c52"))
		text((x > one ? x : one) + 4, at + 12, "start", short(length_of[i]), "")
	}
	for (i = 1; i <= n; i++) {
		x = place(part[i] + 0)
		line(x, y - 4, x, y + bars * step, "class=\"goal\" stroke=\"#080\" stroke-width=\"1.5\" stroke-dasharray=\"5,3\"")
		text(x, y - 6, "middle", part[i], " fill=\"#080\" font-size=\"10\"")
	}
	put("</g>")
	top += bars * step + 78
	bars = 0
}
# The bars of one ratio, coloured by its goal for one workload, or for the mean.
function ratio_panel(suffix, title, each,    i, mean, name, larger) {
	mean = "geomean." suffix
	larger = relation[mean] == ">="
	for (i = 1; i <= names; i++) {
		name = order[i]
		if (name ~ ("\\." suffix "$") && name !~ /^(geomean|worst)\./)
			bar_add(substr(name, 1, length(name) - length(suffix) - 1), value[name], \
				larger ? value[name] >= limit[mean] : value[name] <= (each ? each : limit[mean]))
	}
	if (bars && mean in value)
		bar_add("geometric mean", value[mean], larger ? value[mean] >= limit[mean] : value[mean] <= limit[mean])
	panel(title, limit[mean] " mean" (each ? ";" each " each" : ""))
}

FNR == NR {
	if (FNR > 1) {
		goal[++goals] = $1
		relation[$1] = $2
		limit[$1] = $3
	}
	next
}
{
	order[++names] = $1
	value[$1] = $2
}
END {
	if (!names) {
		print "bars: no figures" > "/dev/stderr"
		exit 1
	}
	left = 260; width = 560; step = 18; top = 10
	for (i = 1; i <= names; i++)
		heading = heading (order[i] ~ /^host_threads\./ ? (heading ? ", " : "Host threads: ") substr(order[i], 14) " " value[order[i]] : "")
	text(left, 16, "start", heading, " fill=\"#555\"")
	top += 20
	ratio_panel("functional_vs_pocl", "functional / PoCL, time (left is faster)", limit["worst.functional_vs_pocl"])
	ratio_panel("timed_vs_pocl", "timed / PoCL, time (left is faster)", 0)
	ratio_panel("functional_vs_oclgrind", "times faster than Oclgrind, functional", 0)
	for (i = 1; i <= goals; i++) {
		name = goal[i]
		if (name !~ /^(geomean|worst)\./ && name in value && value[name] > 0)
			bar_add(name, relation[name] == ">=" ? value[name] / limit[name] : limit[name] / value[name], \
				relation[name] == ">=" ? value[name] >= limit[name] : value[name] <= limit[name])
	}
	panel("other figures against their goals (right of 1 is reached)", "1 goal")
	printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">\n", \
	       left + width + 80, top
	print "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>"
	print body "</svg>"
}
