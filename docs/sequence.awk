# awk -f docs/sequence.awk docs/launch.txt: the picture of who calls whom, as SVG: a column for each lane, time from top to bottom.
# A text that meets another lane's or leaves the picture is an error.
function fail(text) { print FILENAME ":" FNR ": " text > "/dev/stderr"; failed = 1; exit 1 }
function escape(text) { gsub(/&/, "\\&amp;", text); gsub(/</, "\\&lt;", text); gsub(/>/, "\\&gt;", text); return text }
function text(class, x, y, words) { return sprintf("<text class=\"%s\" x=\"%g\" y=\"%g\">%s</text>\n", class, x, y, escape(words)) }
function words_from(field, i, rest) { # of the line, from that field on
	rest = $0
	for (i = 1; i < field; i++) sub(/^[^ ]+ +/, "", rest)
	return rest
}
# DejaVu Sans, the widest of the usual fonts, has about 0.58 of the size a letter when bold, 0.52 else
function fits(words, width, bold) { if (length(words) * (bold ? 13 * 0.62 : 11 * 0.55) > width) fail("\"" words "\" has no room") }
function lane_of(id) { if (!(id in lane)) fail("there is no lane " id); return lane[id] }
function middle(n) { return 12 + (n - 0.5) * WIDTH }
function step(height) { y += height; return y }
BEGIN { WIDTH = 164; LINE = 14; HEAD = 44; y = HEAD + 28 }
/^#/ || /^ *$/ { next }
$1 == "lane" { lane[$2] = ++lanes; kind[lanes] = $3; name[lanes] = words_from(4); next }
$1 == "wall" { wall[lane_of($2)] = words_from(3); next }
$1 == "line" {
	step(30)
	out = out sprintf("<line class=\"across\" x1=\"12\" y1=\"%g\" x2=\"%g\" y2=\"%g\"/>\n", y - 16, 12 + lanes * WIDTH, y - 16)
	out = out text("phase", 16, y, words_from(2))
	step(6)
	next
}
$1 == "send" || $1 == "back" {
	a = lane_of($2); b = lane_of($3); words = words_from(4)
	if (a == b) fail("a lane sends to itself: use self")
	step(28)
	fits(words, (a < b ? b - a : a - b) * WIDTH - 12)
	out = out text("over", (middle(a) + middle(b)) / 2, y - 6, words)
	out = out sprintf("<line class=\"%s\" x1=\"%g\" y1=\"%g\" x2=\"%g\" y2=\"%g\" marker-end=\"url(#head)\"/>\n", $1, middle(a) + (a < b ? 4 : -4), y,
		middle(b) + (a < b ? -4 : 4), y)
	next
}
$1 == "self" {
	a = lane_of($2)
	n = split(words_from(3), lines, / *\| */)
	step(10)
	out = out sprintf("<rect class=\"%s\" x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" rx=\"4\"/>\n", kind[a], middle(a) - WIDTH / 2 + 3, y, WIDTH - 6, n * LINE + 8)
	for (i = 1; i <= n; i++) {
		fits(lines[i], WIDTH - 10)
		out = out text("said", middle(a), y + 1 + i * LINE, lines[i])
	}
	step(n * LINE + 8)
	next
}
{ fail("what is \"" $1 "\"?") }
END {
	if (failed) exit 1
	w = 24 + lanes * WIDTH; h = y + 20
	printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n", w, h, w, h
	print "<style>text { font: 11px Helvetica, Arial, \"DejaVu Sans\", sans-serif; fill: #222; text-anchor: middle } .name { font-size: 13px; font-weight: bold }"
	print ".phase { text-anchor: start; font-style: italic; fill: #444 } rect { stroke: #5b6470; stroke-width: 1 } .back { stroke-dasharray: 5 3 }"
	print ".phase, .over { paint-order: stroke; stroke: #fff; stroke-width: 4px } .wall { stroke: #c98a12; stroke-width: 1.6; stroke-dasharray: 2 3 }"
	print ".paper { fill: #fff; stroke: none } .send, .back { stroke: #333; stroke-width: 1.3 } .life { stroke: #b8bec6; stroke-width: 1 }"
	print ".across { stroke: #d9d9d4; stroke-width: 1 } .outside { fill: #f3f3f1 } .api { fill: #dcebf9 } .kmd { fill: #d7efe0 } .fw { fill: #efe2f7 }"
	print ".hw { fill: #f8dcd6 }</style>"
	print "<defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0L8 4L0 8Z\" fill=\"#333\"/></marker></defs>"
	printf "<rect class=\"paper\" width=\"%d\" height=\"%d\"/>\n", w, h
	for (i = 1; i <= lanes; i++) {
		printf "<line class=\"life\" x1=\"%g\" y1=\"%g\" x2=\"%g\" y2=\"%g\"/>\n", middle(i), HEAD, middle(i), h - 10
		if (i in wall) {
			fits(wall[i], WIDTH)
			x = middle(i) + WIDTH / 2
			printf "<line class=\"wall\" x1=\"%g\" y1=\"%g\" x2=\"%g\" y2=\"%g\"/>\n", x, HEAD + 4, x, h - 10
			walls = walls text("over", x, HEAD + 20, wall[i])
		}
		printf "<rect class=\"%s\" x=\"%g\" y=\"8\" width=\"%g\" height=\"%g\" rx=\"5\"/>\n", kind[i], middle(i) - WIDTH / 2 + 6, WIDTH - 12, HEAD - 6
		n = split(name[i], lines, / *\| */)
		for (k = 1; k <= n; k++) {
			fits(lines[k], WIDTH - 16, k == 1)
			printf "%s", text(k == 1 ? "name" : "said", middle(i), n == 1 ? 31 : 10 + k * 16, lines[k])
		}
	}
	if (failed) exit 1
	printf "%s%s</svg>\n", walls, out
}
