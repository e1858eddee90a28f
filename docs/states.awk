# awk -f docs/states.awk docs/hardware/CHAPTER.md: the picture of a chapter's table of states, as SVG: a column for each state, a row for each event,
# with a dot where it may be met and an arrow's head where it leads. A state is what the table has in both of its columns; what else it
# says stands behind the event. A row that leads nowhere is an error.
function fail(text) { print FILENAME ":" FNR ": " text > "/dev/stderr"; failed = 1; exit 1 }
function escape(text) { gsub(/&/, "\\&amp;", text); gsub(/</, "\\&lt;", text); gsub(/>/, "\\&gt;", text); return text }
function trim(text) { gsub(/^ +| +$/, "", text); return text }
# The names in a cell: without numbers of states, and what is set beside them.
function names(cell, list) {
	gsub(/ *\([0-9]+\)/, "", cell)
	gsub(/, until .*/, "", cell)
	return split(cell, list, / *, or *| *, *| +or +/)
}
/^\| *state.*\| *event *\| *next state/ { inside = 1; next }
inside && /^\| *---/ { next }
inside && !/^\|/ { inside = 0 }
inside {
	n = split($0, cell, / *\| */)
	rows++; line[rows] = FNR; from[rows] = trim(cell[2]); event[rows] = trim(cell[3]); to[rows] = trim(cell[4])
	for (i = names(from[rows], list); i; i--) left[list[i]] = 1
	for (i = names(to[rows], list); i; i--) right[list[i]] = 1
}
function column_add(name) { if (name in left && name in right && !(name in column)) { column[name] = ++columns; heading[columns] = name } }
function x_of(c) { return TEXT + (c - 0.5) * WIDTH }
function mark(row, where, c) { at[row, where, c] = 1; low = c < low ? c : low; high = c > high ? c : high }
# Columns of the cell; what is no state goes behind the event.
function places(row, where, cell, n, i, c, other) {
	n = names(cell, list)
	other = list[1] ~ /^any but /
	if (other) sub(/^any but /, "", list[1])
	if (other || list[1] == "any") for (c = 1; c <= columns; c++) at[row, where, c] = 1
	for (i = 1; i <= n; i++) {
		if (list[i] in column) at[row, where, column[list[i]]] = !other
		else if (list[i] == "the same") for (c = 1; c <= columns; c++) { if (at[row, "from", c]) at[row, where, c] = 1 }
		else if (list[i] != "any") note[row] = note[row] (note[row] ? ", " : "") list[i]
	}
}
END {
	if (failed) exit 1
	if (!rows) fail("there is no table of states")
	TEXT = 520; WIDTH = 84; LINE = 24; HEAD = 56
	for (r = 1; r <= rows; r++) for (k = 1; k <= names(from[r], list); k++) column_add(list[k])
	for (r = 1; r <= rows; r++) for (k = 1; k <= names(to[r], list); k++) column_add(list[k])
	w = TEXT + columns * WIDTH + 12; h = HEAD + rows * LINE + 16
	printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n", w, h, w, h
	print "<style>text { font: 11px Helvetica, Arial, \"DejaVu Sans\", sans-serif; fill: #222 } .name { font-weight: bold; text-anchor: middle } .paper { fill: #fff }"
	print ".note { fill: #667 } .state { fill: #dcebf9; stroke: #5b6470 } .life { stroke: #b8bec6 } .go { stroke: #333; stroke-width: 1.3 } .row { fill: #f6f6f4 }</style>"
	printf "<rect class=\"paper\" width=\"%d\" height=\"%d\"/>\n", w, h
	for (r = 2; r <= rows; r += 2) printf "<rect class=\"row\" x=\"6\" y=\"%g\" width=\"%g\" height=\"%g\"/>\n", HEAD + (r - 1) * LINE, w - 12, LINE
	for (c = 1; c <= columns; c++) {
		printf "<line class=\"life\" x1=\"%g\" y1=\"40\" x2=\"%g\" y2=\"%g\"/>\n<rect class=\"state\" x=\"%g\" y=\"8\" width=\"%g\" height=\"34\" rx=\"6\"/>\n",
			x_of(c), x_of(c), h - 10, x_of(c) - WIDTH / 2 + 3, WIDTH - 6
		n = split(heading[c], word, / and | /)
		for (k = 1; k <= n; k++) printf "<text class=\"name\" x=\"%g\" y=\"%g\">%s</text>\n", x_of(c), (n == 1 ? 29 : 10 + k * 13), escape(word[k])
	}
	for (r = 1; r <= rows; r++) {
		y = HEAD + (r - 0.5) * LINE
		places(r, "from", from[r])
		places(r, "to", to[r])
		low = first = columns + 1; high = heads = dots = 0
		for (c = columns; c; c--) {
			if (at[r, "from", c]) first = c
			dots += at[r, "from", c]
			heads += at[r, "to", c]
			if (at[r, "from", c] || at[r, "to", c]) mark(r, "any", c)
		}
		if (!dots || !heads) { FNR = line[r]; fail("\"" from[r] "\" to \"" to[r] "\": no state of the table") }
		words = event[r] (note[r] ? "  (" note[r] ")" : "")
		gsub(/`/, "", words)
		if (length(words) * 5.6 > TEXT - 16) words = substr(words, 1, int((TEXT - 16) / 5.6) - 3) "..."
		printf "<text x=\"10\" y=\"%g\">%s</text>\n", y + 4, escape(words)
		if (high > low) printf "<line class=\"go\" x1=\"%g\" y1=\"%g\" x2=\"%g\" y2=\"%g\"/>\n", x_of(low), y, x_of(high), y
		for (c = 1; c <= columns; c++) {
			x = x_of(c)
			if (at[r, "from", c] && at[r, "to", c]) printf "<circle cx=\"%g\" cy=\"%g\" r=\"6\" fill=\"#fff\" stroke=\"#333\"/>", x, y
			if (at[r, "from", c]) printf "<circle cx=\"%g\" cy=\"%g\" r=\"3.5\" fill=\"#333\"/>\n", x, y
			else if (at[r, "to", c] && first < c) printf "<path d=\"M%g %gl-10 -5v10z\" fill=\"#333\"/>\n", x, y
			else if (at[r, "to", c]) printf "<path d=\"M%g %gl10 -5v10z\" fill=\"#333\"/>\n", x, y
		}
	}
	print "</svg>"
}
