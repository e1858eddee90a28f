# Fills the tables of a manual page from the abi tables.
#   awk -f docs/expand.awk docs/hardware.md
# A line {{table FILE MACRO COLUMNS [ARG=VALUE]}} becomes a table: COLUMNS is a comma-separated list
# of heading:number, number counting the arguments of the row macro from 1; rows are kept only where
# argument ARG is VALUE.
function cell(s) {
	gsub(/^[ \t]+|[ \t]+$/, "", s)
	if (s ~ /^"/) {
		s = substr(s, 2, length(s) - 2)
		gsub(/\\"/, "\"", s)
	}
	gsub(/\|/, "\\|", s)
	return s
}
# Splits the arguments of a row into args[]; commas inside quotes do not count.
function row_split(s, args,    n, i, c, quoted, word) {
	n = 0; quoted = 0; word = ""
	for (i = 1; i <= length(s); i++) {
		c = substr(s, i, 1)
		if (c == "\\" && quoted) { word = word c substr(s, ++i, 1); continue }
		if (c == "\"") quoted = !quoted
		if (c == "," && !quoted) { args[++n] = cell(word); word = ""; continue }
		if (c == ")" && !quoted) break
		word = word c
	}
	args[++n] = cell(word)
	return n
}
function table(file, macro, columns, filter,    line, args, cols, n, i, h, want, part, out, rows) {
	n = split(columns, cols, ",")
	out = "|"
	for (i = 1; i <= n; i++) { split(cols[i], h, ":"); out = out " " h[1] " |"; part = part " --- |" }
	print out; print "|" part
	if (filter != "") split(filter, want, "=")
	rows = 0
	while ((getline line < file) > 0) {
		if (index(line, macro "(") != 1) continue
		delete args
		row_split(substr(line, length(macro) + 2), args)
		if (filter != "" && args[want[1]] != want[2]) continue
		out = "|"
		for (i = 1; i <= n; i++) { split(cols[i], h, ":"); out = out " " args[h[2]] " |" }
		print out
		rows++
	}
	close(file)
	if (!rows) {
		print "expand.awk: " file ": no row of " macro " " filter > "/dev/stderr"
		exit 1
	}
}
/^\{\{table / {
	gsub(/\{\{|\}\}/, "")
	table($2, $3, $4, $5)
	next
}
{ print }
