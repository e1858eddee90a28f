# Fills the tables of a manual page from the abi tables: what stands between <!-- {{...}} --> and <!-- {{end}} --> is made anew.
#   awk -f abi/rows.awk -f docs/expand.awk docs/hardware.md             the page
#   awk -v keep=1 -f abi/rows.awk -f docs/expand.awk docs/hardware.md   the page with these lines (make docs)
# {{table FILE MACRO COLUMNS [ARG=VALUE]}} becomes a table: COLUMNS is a comma-separated list of
#   heading:number, number counting the arguments of the row macro from 1; rows are kept only where
#   argument ARG is VALUE. '_' in a heading is a blank.
# {{registers BANK FIRST LAST}} becomes the table of the registers of a bank from offset FIRST to LAST,
#   each with its fields.
# {{words WORD}} becomes a table of the fields of a word of abi/words.def.
# {{values TYPE...}} becomes a table of the values of types of abi/values.def.
# {{tsv FILE COLUMNS}} becomes a table of a file of tab-separated columns, of which the first row is a heading.
# {{layout FILE MACRO}} becomes a table for each structure that MACRO_BEGIN ... MACRO_END describe.
# {{ports BLOCK}} becomes a table of the ports of a block, each with its fields.
function text(s) {
	while (match(s, /CONFIG\([a-z_0-9]*\)/)) s = substr(s, 1, RSTART - 1) "`" substr(s, RSTART + 7, RLENGTH - 8) "`" substr(s, RSTART + RLENGTH)
	gsub(/\|/, "\\|", s)
	return s
}
function fail(what) {
	print "expand.awk: " what > "/dev/stderr"
	failed = 1
	exit 1
}
# Never two blank lines in a row.
function emit(line) {
	if (line != "" || !blank) print line
	blank = line == ""
}
function head(columns,    n, i, h, cols, out, part) {
	emit("")
	n = split(columns, cols, ",")
	out = part = "|"
	for (i = 1; i <= n; i++) {
		split(cols[i], h, ":")
		gsub(/_/, " ", h[1])
		out = out " " h[1] " |"
		part = part " --- |"
	}
	emit(out); emit(part)
}
function table(file, macro, columns, filter,    line, args, cols, n, i, h, want, out, rows) {
	head(columns)
	n = split(columns, cols, ",")
	if (filter != "") split(filter, want, "=")
	rows = 0
	while ((getline line < file) > 0) {
		if (!row(line, macro, args)) continue
		if (filter != "" && args[want[1]] != want[2]) continue
		out = "|"
		for (i = 1; i <= n; i++) { split(cols[i], h, ":"); out = out " " text(args[h[2]]) " |" }
		emit(out)
		rows++
	}
	close(file)
	if (!rows) fail(file ": no row of " macro " " filter)
}
function tsv(file, columns,    line, cells, cols, n, i, h, out, rows) {
	head(columns)
	n = split(columns, cols, ",")
	while ((getline line < file) > 0) {
		if (!rows++) continue # its heading
		split(line, cells, "\t")
		out = "|"
		for (i = 1; i <= n; i++) { split(cols[i], h, ":"); out = out " " text(cells[h[2]]) " |" }
		emit(out)
	}
	close(file)
	if (rows < 2) fail(file ": no row")
}
function hex(s,    i, v) {
	if (s !~ /^0x/) return s + 0
	for (i = 3; i <= length(s); i++) v = v * 16 + index("0123456789abcdef", tolower(substr(s, i, 1))) - 1
	return v + 0
}
function bits(lsb, width) { return width == 1 ? lsb : (lsb + width - 1) ":" lsb }
# The reset value of a register or field: a number, or where it comes from.
function reset(s) {
	if (s == "FIELDS") return ""
	sub(/^HASH$/, "hash of the tables", s)
	sub(/^INDEX$/, "number of the device", s)
	return text(s)
}
function registers(bank, first, last,    file, line, args, shown, rows, at, effects) {
	file = "abi/registers.def"
	head("offset,register,bits,software,hardware,effects,reset,meaning")
	while ((getline line < file) > 0) {
		if (row(line, "REG", args)) {
			at = hex(args[3])
			shown = args[1] == bank && at >= hex(first) && at <= hex(last)
			if (!shown) continue
			effects = args[8] == "NONE" ? "" : args[8]
			gsub(/\|/, ", ", effects)
			emit("| " args[3] " | `" args[2] (args[5] > 1 ? "[" args[5] "]" : "") "` | " args[4] " | " args[6] " | " (args[7] == "NONE" ? "" : args[7]) " | " effects " | " reset(args[9]) " | " text(args[10]) " |")
			rows++
		} else if (shown && row(line, "FIELD", args)) {
			emit("| | \302\240\302\240`." args[3] "` | [" bits(args[4], args[5]) "] | " (args[6] == "SAME" ? "" : args[6]) " | | | " reset(args[7]) " | " text(args[8]) " |")
		}
	}
	close(file)
	if (!rows) fail("no register of " bank " from " first " to " last)
}
function words(word,    file, line, args, rows) {
	file = "abi/words.def"
	head("bits,field,meaning")
	while ((getline line < file) > 0)
		if (row(line, "WORD_FIELD", args) && args[1] == word) {
			emit("| " bits(args[3], args[4]) " | " args[2] " | " text(args[5]) " |")
			rows++
		}
	close(file)
	if (!rows) fail("no word " word)
}
function values(type,    file, line, args, rows) {
	file = "abi/values.def"
	while ((getline line < file) > 0)
		if ((row(line, "VALUE", args) || row(line, "FLAG", args)) && args[1] == type) {
			if (!rows++) head((line ~ /^FLAG/ ? "mask" : "value") "," type ",meaning")
			emit("| " args[3] " | " args[2] " | " text(args[4]) " |")
		}
	close(file)
	if (!rows) fail("no type " type)
}
function ports(block,    file, line, args, rows) {
	file = "abi/ports.def"
	head("port,direction,handshake,bits,meaning")
	while ((getline line < file) > 0) {
		if (row(line, "PORT_BEGIN", args) && args[1] == block)
			emit("| `" args[2] "` | " tolower(args[3] == "PART" ? "" : args[3]) " | " tolower(args[4] == "NONE" ? "" : args[4]) " | | " text(args[6]) " |")
		else if (row(line, "PORT_FIELD", args) && args[1] == block)
			emit("| \302\240\302\240`." args[4] "` | | | " (args[5] ? args[5] : "structure") " | " text(args[6]) " |")
		else if (row(line, "PORT_ARRAY", args) && args[1] == block)
			emit("| \302\240\302\240`." args[4] "[" args[5] "]` | | | " args[6] " | " text(args[7]) " |")
		else continue
		rows++
	}
	close(file)
	if (!rows) fail("no port of " block)
}
function layout(file, macro,    line, args, rows, fields) {
	while ((getline line < file) > 0) {
		if (row(line, macro "_BEGIN", args)) {
			if (rows++) emit("")
			emit("**`" args[1] "`** (" (macro == "RECORD" ? args[2] " bytes" : "type " args[2]) "): " args[3])
			fields = 0
		} else if (row(line, macro "_FIELD", args)) {
			if (!fields++) head("offset,field,type,meaning")
			emit("| " args[4] " | `" args[3] "` | " args[2] " | " text(args[5]) " |")
		} else if (row(line, macro "_TABLE", args)) {
			if (!fields++) head("offset,field,type,meaning")
			emit("| " args[6] " | `" args[3] "[" args[4] "][" args[5] "]` | " args[2] " | " text(args[7]) " |")
		} else if (row(line, macro "_ARRAY", args)) {
			if (!fields++) head("offset,field,type,meaning")
			emit("| " args[5] " | `" args[3] "[" args[4] "]` | " args[2] " | " text(args[6]) " |")
		}
	}
	close(file)
	if (!rows) fail(file ": no " macro "_BEGIN")
}
/^<!-- \{\{end\}\} -->$/ {
	if (!inside) fail("an end of no table")
	inside = 0
	if (keep) { emit(""); emit($0) }
	emit("")
	next
}
inside { next } # what was made before
/^<!-- \{\{.*\}\} -->$/ {
	if (keep) { emit($0); emit("") }
	inside = 1
	gsub(/<!-- \{\{|\}\} -->/, "")
	if ($1 == "table") table($2, $3, $4, $5)
	else if ($1 == "registers") registers($2, $3, $4)
	else if ($1 == "tsv") tsv($2, $3)
	else if ($1 == "words") words($2)
	else if ($1 == "values") for (i = 2; i <= NF; i++) values($i)
	else if ($1 == "layout") layout($2, $3)
	else if ($1 == "ports") ports($2)
	else fail("what is {{" $0 "}}?")
	next
}
{ emit($0) }
END {
	if (inside && !failed) fail("a table without its <!-- {{end}} -->")
	exit failed
}
