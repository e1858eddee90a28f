# awk -f contract.awk contract.tsv abi/*.h abi/*.def FILE...: what the contract defines stands in abi/ alone. The headers of abi/ say which
# prefixes the names of its tables have (FAULT_##name). In the other files no number gets a name with such a prefix, or one of
# constants.def; a name there may stand for another name of the contract. And no structure there is laid out for memory that is shared
# (packed). Of a header of abi/ that is named ./abi/ no number has a name that is in no table. contract.tsv has the names that are
# none of this, with the reason.
function is_number(s) { return s ~ /^[-( \t]*(0x[0-9a-fA-F]+|[0-9]+)[uUlL) \t]*(<<[ \t]*[0-9]+)?[) \t]*$/ }
function define(name, value,    p) {
	if (!is_number(value)) return
	if (name in constant) print FILENAME ":" FNR ": " name " is a row of abi/constants.def"
	if (FILENAME ~ /^\.\/abi\//) { # a header of abi/, once more
		if ((FILENAME, "*") in reason) delete unused[FILENAME, "*"]
		else if ((FILENAME, name) in reason) delete unused[FILENAME, name]
		else print FILENAME ":" FNR ": " name " is a number that no table of abi/ has"
		return
	}
	for (p in prefix)
		if (index(name, p) == 1) {
			if ((FILENAME, name) in reason) delete unused[FILENAME, name]
			else print FILENAME ":" FNR ": " name " gives a number a name that begins as those of a table of abi/ (" p "): make it a row there"
			return
		}
}
FILENAME ~ /contract\.tsv$/ { if (!/^#/) { split($0, part, "\t"); reason[part[1], part[2]] = part[3]; unused[part[1], part[2]] = FNR }; next }
FILENAME ~ /^abi\/.*\.h$/ {
	for (line = $0; match(line, /[A-Z][A-Z_]*_##/); line = substr(line, RSTART + RLENGTH))
		prefix[substr(line, RSTART, RLENGTH - 2)]
	next
}
FILENAME ~ /^abi\// {
	if (/^WORD_FIELD\(/) { split($0, part, /[(,]/); prefix[part[2] "_"] }
	if (/^CONSTANT\(/) { split($0, part, /[(,]/); constant[part[2]] }
	delete prefix["REG_"] # REG_HOST_ and REG_CP_ are those of the table
	prefix["REG_HOST_"]; prefix["REG_CP_"]
	next
}
FNR == 1 { inside = 0 }
/__attribute__\(\(.*packed/ && FILENAME !~ /^\.\/abi\// { print FILENAME ":" FNR ": a packed structure: records that are shared stand in abi/" }
{
	line = $0
	gsub(/\/\*.*|"[^"]*"/, "", line)
	if (line ~ /^[ \t]*#[ \t]*define[ \t]/) {
		name = $2
		sub(/^[ \t]*#[ \t]*define[ \t]+[A-Za-z_0-9]+/, "", line)
		if (line !~ /^\(/) define(name, line)
		next
	}
	if (match(line, /(^|[^a-z_])enum[ a-z_]*\{/)) { inside = 1; line = substr(line, RSTART + RLENGTH) }
	if (!inside) next
	end = index(line, "}")
	if (end) line = substr(line, 1, end - 1)
	n = split(line, part, ",")
	for (i = 1; i <= n; i++) {
		equals = index(part[i], "=")
		name = substr(part[i], 1, equals - 1)
		gsub(/[ \t]/, "", name)
		if (equals) define(name, substr(part[i], equals + 1))
	}
	if (end) inside = 0
}
END { for (key in unused) { split(key, part, SUBSEP); print "testbench/lint/contract.tsv: " part[1] " gives no number the name " part[2] } }
