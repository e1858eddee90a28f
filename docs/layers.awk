# awk -f docs/layers.awk docs/layers.txt: the picture of the layers, as SVG. A text that does not fit its box, a row that is not full
# or a side box without rows is an error.
function fail(text) { print FILENAME ":" FNR ": " text > "/dev/stderr"; failed = 1; exit 1 }
function escape(text) { gsub(/&/, "\\&amp;", text); gsub(/</, "\\&lt;", text); gsub(/>/, "\\&gt;", text); return text }
function text(class, x, y, words) { return sprintf("<text class=\"%s\" x=\"%g\" y=\"%g\">%s</text>\n", class, x, y, escape(words)) }
# DejaVu Sans, the widest of the usual fonts, has about 0.58 of the size a letter when bold, 0.52 else
function fits(words, width, bold) { if (length(words) * (bold ? 13 * 0.62 : 12 * 0.55) > width - 10) fail("\"" words "\" does not fit its box") }
function draw(x, y, width, height, kind, words, lines, n, i, top) {
	n = split(words, lines, / *\| */)
	if (n * LINE + 8 > height) fail("\"" lines[1] "\" has more lines than its box")
	top = y + (height - n * LINE) / 2 + 13
	out = out sprintf("<rect class=\"%s\" x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" rx=\"5\"/>\n", kind, x, y, width, height)
	for (i = 1; i <= n; i++) {
		fits(lines[i], width, i == 1)
		if (lines[i] != "") out = out text(i == 1 ? "name" : "line", x + width / 2, top + (i - 1) * LINE, lines[i])
	}
}
function words_from(field, i, rest) { # of the line, from that field on
	rest = $0
	for (i = 1; i < field; i++) sub(/^[^ ]+ +/, "", rest)
	return rest
}
function arrow(x1, y1, x2, y2, both) {
	out = out sprintf("<line class=\"arrow\" x1=\"%g\" y1=\"%g\" x2=\"%g\" y2=\"%g\" marker-end=\"url(#head)\"%s/>\n", x1, y1, x2, y2,
		both ? " marker-start=\"url(#head)\"" : "")
}
function row_ends() { # boxes of the row so far, which are as high as the one with the most lines
	if (!boxes) return
	if (used != 12) fail("the row before has " used " twelfths")
	place(most * LINE + 14)
}
function place(height, i, x) {
	for (i = 1; i <= boxes; i++) {
		x = LEFT + at[i] * WIDTH / 12
		draw(x + (at[i] ? 4 : 0), y, width[i] * WIDTH / 12 - (at[i] ? 4 : 0) - (at[i] + width[i] < 12 ? 4 : 0), height, kind[i], said[i])
	}
	top[rows] = y; bottom[rows] = y + height
	if (heading != "") out = out text("heading", 12, y + 18, heading)
	y += height
	boxes = used = most = 0
}
function lines_of(words, parts) { return split(words, parts, /\|/) }
BEGIN { LEFT = 112; WIDTH = 620; SIDE = 752; SIDEWIDTH = 196; LINE = 17; GAP = 34; y = 16 }
/^#/ || /^ *$/ { next }
$1 == "row" { row_ends(); if (rows && !gap) y += 8; gap = 0; rows++; heading = words_from(2); if (NF == 1) heading = ""; next }
$1 == "box" {
	boxes++
	at[boxes] = used; width[boxes] = $2; kind[boxes] = $3; said[boxes] = words_from(4)
	used += $2
	if (lines_of(said[boxes]) > most) most = lines_of(said[boxes])
	next
}
$1 == "wide" {
	boxes = 0
	top[rows] = y; bottom[rows] = y + 48
	draw(LEFT, y, SIDE + SIDEWIDTH - LEFT, 48, $2, words_from(3))
	if (heading != "") out = out text("heading", 12, y + 18, heading)
	y += 48
	next
}
$1 == "gap" {
	row_ends()
	arrow(LEFT + 30, y + 3, LEFT + 30, y + GAP - 3, 1)
	out = out text("gap", LEFT + 44, y + 21, words_from(2))
	if (length(words_from(2)) * 12 * 0.55 > WIDTH - 50) fail("the text of the gap is too long")
	y += GAP; gap = 1
	next
}
$1 == "side" {
	row_ends()
	if (!($2 in top) || !($3 in bottom) || $2 > $3) fail("there are no rows " $2 " to " $3)
	sides++
	from[sides] = top[$2]; to[sides] = bottom[$3]
	draw(SIDE, top[$2], SIDEWIDTH, bottom[$3] - top[$2], $4, words_from(5))
	next
}
$1 == "beam" {
	if (!($2 in from) || !($3 in top) || top[$3] < from[$2] || bottom[$3] > to[$2]) fail("side box " $2 " is not beside row " $3)
	arrow(LEFT + WIDTH + 3, (top[$3] + bottom[$3]) / 2, SIDE - 3, (top[$3] + bottom[$3]) / 2)
	next
}
$1 == "above" || $1 == "below" {
	if (!($2 in from)) fail("there is no side box " $2)
	if ($1 == "below") arrow(SIDE + 30, to[$2] + 3, SIDE + 30, to[$2] + GAP - 3, 1)
	else arrow(SIDE + 30, from[$2] - GAP + 3, SIDE + 30, from[$2] - 3)
	next
}
{ fail("what is \"" $1 "\"?") }
END {
	if (failed) exit 1
	row_ends()
	if (failed) exit 1
	w = SIDE + SIDEWIDTH + 16; h = y + 16
	printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n", w, h, w, h
	print "<style>text { font: 12px Helvetica, Arial, \"DejaVu Sans\", sans-serif; fill: #222 } .name { font-size: 13px; font-weight: bold }"
	print ".name, .line { text-anchor: middle } .heading { font-weight: bold; fill: #555 } .gap { font-style: italic; fill: #444 }"
	print "rect { stroke: #5b6470; stroke-width: 1 } .back { fill: #fff; stroke: none } .arrow { stroke: #5b6470; stroke-width: 1.4 }"
	print ".outside { fill: #f3f3f1 } .api { fill: #dcebf9 } .kmd { fill: #d7efe0 } .bus { fill: #fbe3b5 } .hw { fill: #f8dcd6 }"
	print ".fw { fill: #efe2f7 } .host { fill: #fdf1ee; stroke-dasharray: 4 3 } .see { fill: #eef3d4 }</style>"
	print "<defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto-start-reverse\"><path d=\"M0 0L8 4L0 8Z\" fill=\"#5b6470\"/></marker></defs>"
	printf "<rect class=\"back\" width=\"%d\" height=\"%d\"/>\n%s</svg>\n", w, h, out
}
