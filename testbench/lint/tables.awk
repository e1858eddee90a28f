# awk -f tables.awk tables.tsv FILE...: tables of two files that name the same things: FILE FILE, one line a pair. A table is a run of
# lines that each are a row: an initialiser, a designated one, or a macro with its arguments. Of a row's first three names those count
# that no other row of the table has. tables.tsv has the pairs that are meant to be two, with the reason.
function table_ends(i, k, n, names) {
	if (rows >= LEAST) {
		tables++
		file[tables] = path; first[tables] = begin; last[tables] = end
		for (i = 1; i <= rows; i++) {
			n = split(row[i], names, " ")
			for (k = 1; k <= n; k++)
				if (count[names[k]] == 1 && !((names[k], tables) in had)) {
					had[names[k], tables]
					at[names[k]] = at[names[k]] " " tables
				}
		}
	}
	rows = 0
	split("", count)
}
function names_of(line, most, out, word) {
	while (most && match(line, /[A-Za-z_][A-Za-z_0-9]*/)) {
		word = substr(line, RSTART, RLENGTH)
		line = substr(line, RSTART + RLENGTH)
		if (length(word) < 3) continue
		out = out " " word
		most--
	}
	return out
}
BEGIN { LEAST = 8 }
FILENAME ~ /tables\.tsv$/ { if ($0 !~ /^#/) { split($0, part, "\t"); known[part[1], part[2]] = part[3]; line_of[part[1], part[2]] = FNR }; next }
FNR == 1 { table_ends(); path = FILENAME }
{ line = $0; sub(/^[ \t]+/, "", line) }
line ~ /^(\{|\[|"|X\(|[A-Z_][A-Z_0-9]*\(|[A-Z_][A-Za-z_0-9]*( = [^;]*)?,)/ && line !~ /[^)];$/ {
	if (!rows) begin = FNR
	end = FNR
	row[++rows] = names_of(line, 3)
	n = split(row[rows], part, " ")
	for (k = 1; k <= n; k++) count[part[k]]++
	next
}
line != "" && line !~ /^(\/[*\/]|\*|#)/ { table_ends() }
END {
	table_ends()
	for (name in at) {
		n = split(at[name], of, " ")
		for (a = 1; a < n; a++)
			for (b = a + 1; b <= n; b++)
				if (file[of[a]] != file[of[b]]) shared[of[a], of[b]]++
	}
	for (pair in shared) {
		if (shared[pair] < LEAST) continue
		split(pair, of, SUBSEP)
		x = file[of[1]]; y = file[of[2]]
		if ((x, y) in known) {
			if (known[x, y] == "") print "testbench/lint/tables.tsv: " x " and " y ": no reason"
			delete line_of[x, y]
		} else
			print x ":" first[of[1]] "-" last[of[1]] " and " y ":" first[of[2]] "-" last[of[2]] ": " shared[pair] " rows name the same things"
	}
	for (pair in line_of) { split(pair, of, SUBSEP); print "testbench/lint/tables.tsv:" line_of[pair] ": " of[1] " and " of[2] " share no table" }
}
