# Draws the curves of a file of measurements as one SVG picture, a panel a curve.
#   awk -F'\t' -f bench/plot.awk FILE > PICTURE.svg
# Lines "point<TAB>CURVE<TAB>x<TAB>y" are drawn, x and y on logarithmic axes of base 2; lines "roof" of a curve as the line that bounds it.
function log2(v) { return log(v) / log(2) }
function escape(s) { gsub(/&/, "\\&amp;", s); gsub(/</, "\\&lt;", s); return s }
# 1024 -> 1K, 1048576 -> 1M
function short(v) { return v >= 1048576 ? v / 1048576 "M" : v >= 1024 ? v / 1024 "K" : v "" }
$1 == "point" {
	if (!($2 in count)) names[++curves] = $2
	i = ++count[$2]
	x[$2, i] = $3; y[$2, i] = $4
}
$1 == "roof" { i = ++roofs[$2]; rx[$2, i] = $3; ry[$2, i] = $4 }
END {
	if (!curves) { print "plot: no points" > "/dev/stderr"; exit 1 }
	width = 640; height = 260; left = 60; bottom = 40; top = 36; right = 20
	printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">\n", width, height * curves
	print "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>"
	for (k = 1; k <= curves; k++) {
		name = names[k]; n = count[name]
		x0 = x1 = log2(x[name, 1]); y0 = 1e9; y1 = -1e9
		for (i = 1; i <= n; i++) {
			v = log2(x[name, i]); if (v < x0) x0 = v; if (v > x1) x1 = v
			v = log2(y[name, i] > 0 ? y[name, i] : 0.01); if (v < y0) y0 = v; if (v > y1) y1 = v
		}
		for (i = 1; i <= roofs[name]; i++) { v = log2(ry[name, i]); if (v < y0) y0 = v; if (v > y1) y1 = v }
		y0 = int(y0) - (y0 < int(y0)); y1 = int(y1) + (y1 > int(y1))
		if (x1 == x0) x1 = x0 + 1
		if (y1 == y0) y1 = y0 + 1
		base = (k - 1) * height; w = width - left - right; h = height - top - bottom
		printf "<g transform=\"translate(0,%d)\">\n<text x=\"%d\" y=\"20\" font-weight=\"bold\">%s</text>\n", base, left, escape(name)
		for (v = y0; v <= y1; v++) {
			py = top + h - (v - y0) / (y1 - y0) * h
			printf "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#ddd\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n", left, py, left + w, py, left - 6, py + 4, 2 ^ v
		}
		for (v = int(x0); v <= x1; v++) {
			if (v < x0) continue
			px = left + (v - x0) / (x1 - x0) * w
			printf "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"#eee\"/>\n", px, top, px, top + h
			printf "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", px, top + h + 18, short(2 ^ v)
		}
		path = ""
		for (i = 1; i <= roofs[name]; i++)
			path = path sprintf("%s%.1f,%.1f", i > 1 ? " " : "", left + (log2(rx[name, i]) - x0) / (x1 - x0) * w, top + h - (log2(ry[name, i]) - y0) / (y1 - y0) * h)
		if (path) printf "<polyline points=\"%s\" fill=\"none\" stroke=\"#c60\" stroke-width=\"1.5\" stroke-dasharray=\"6 3\"/>\n", path
		path = ""
		for (i = 1; i <= n; i++) {
			px = left + (log2(x[name, i]) - x0) / (x1 - x0) * w
			py = top + h - (log2(y[name, i] > 0 ? y[name, i] : 0.01) - y0) / (y1 - y0) * h
			path = path sprintf("%s%.1f,%.1f", i > 1 ? " " : "", px, py)
			printf "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"#26a\"/>\n", px, py
		}
		printf "<polyline points=\"%s\" fill=\"none\" stroke=\"#26a\" stroke-width=\"1.5\"/>\n</g>\n", path
	}
	print "</svg>"
}
