# Rows of the abi tables, for what is made from them: awk -f abi/rows.awk -f PROGRAM.
function cell(s) {
	gsub(/^[ \t]+|[ \t]+$/, "", s)
	if (s ~ /^"/) {
		s = substr(s, 2, length(s) - 2)
		gsub(/\\"/, "\"", s)
	}
	return s
}
# Splits the arguments of a row into args[]; commas inside quotes and brackets do not count. Returns their number.
function row_split(s, args,    n, i, c, quoted, word, depth) {
	n = depth = 0; quoted = 0; word = ""
	for (i = 1; i <= length(s); i++) {
		c = substr(s, i, 1)
		if (c == "\\" && quoted) { word = word c substr(s, ++i, 1); continue }
		if (c == "\"") quoted = !quoted
		if (!quoted && !depth && c == ",") { args[++n] = cell(word); word = ""; continue }
		if (!quoted && c == "(") depth++
		if (!quoted && c == ")" && !depth--) break
		word = word c
	}
	args[++n] = cell(word)
	return n
}
# If the line is a row of the macro, splits its arguments into args[] and returns their number.
function row(line, macro, args) {
	if (index(line, macro "(") != 1) return 0
	delete args
	return row_split(substr(line, length(macro) + 2), args)
}
