# Checks the abi tables before anything is made from them: awk -f abi/rows.awk -f abi/check.awk abi/*.def. Every finding is a line with
# file, line, row and the rule that the row breaks.
function wrong(what) { wrong_at(FILENAME ":" FNR, what) }
function wrong_at(place, what) { print place ": " what > "/dev/stderr"; failed = 1 }
function number(s,    i, v) {
	if (s !~ /^0x/) return s + 0
	for (i = 3; i <= length(s); i++) v = v * 16 + index("0123456789abcdef", tolower(substr(s, i, 1))) - 1
	return v + 0
}
# What a row has to say: a number, one of several words.
function numeric(name, what, s) {
	if (s !~ /^(0x[0-9a-fA-F]+|[0-9]+)$/) wrong(name ": the " what " " s " is no number")
	return number(s)
}
function word(name, what, s, words) {
	if (index(" " words " ", " " s " ") == 0) wrong(name ": the " what " " s " is none of: " words)
}
# Of an enumeration: no two names, and no two values.
function value(type, name, v) {
	v = numeric(type " " name, "value", v)
	unique(type, name)
	if ((type, v) in value_of) wrong(type " " name ": has the value of " value_of[type, v] ": values of an enumeration differ")
	value_of[type, v] = name
}
function unique(type, name) {
	if ((type, name) in named) wrong(type " " name ": a second row with this name: the first is at " named[type, name])
	named[type, name] = FILENAME ":" FNR
}
# A span from first to last of a set, in the words of unit. Spans of a set do not meet and lie from least to most.
function span(set, name, first, last, least, most, unit,    i) {
	if (first < least || last > most)
		wrong(name ": " unit " " first " to " last " lie outside of " set ", which has " least " to " most)
	for (i = 1; i <= spans[set]; i++)
		if (first <= span_last[set, i] && span_first[set, i] <= last)
			wrong(name ": overlaps " span_name[set, i] ": no two of " set " share " unit)
	i = ++spans[set]
	span_first[set, i] = first; span_last[set, i] = last; span_name[set, i] = name
}
# Parameters that an expression names, for the end: all tables have to be read.
function expression(name, s,    p) {
	while (match(s, /CONFIG\([^)]*\)/)) {
		p = substr(s, RSTART + 7, RLENGTH - 8)
		asked[++asks] = p; asked_by[asks] = name; asked_at[asks] = FILENAME ":" FNR
		s = substr(s, 1, RSTART - 1) "0" substr(s, RSTART + RLENGTH)
	}
	return s
}
function reset(name, s, width,    rest) {
	rest = expression(name, s)
	if (s ~ /^(HASH|INDEX)$/) return
	if (rest !~ /^[0-9a-fA-Fx<>|+ ]+$/) wrong(name ": the reset value " s " is no number and no expression of CONFIG(parameter)")
	else if (rest == s && number(s) >= 2 ^ width) wrong(name ": the reset value " s " has more than " width " bits")
}
function bytes_of(type,    s) {
	if (type ~ /^u?int(8|16|32|64)_t$/) { s = type; gsub(/[^0-9]/, "", s); return s / 8 }
	sub(/^struct /, "", type)
	if (type in size) return size[type]
	wrong("the type " type " is no integer and no record above")
	return 1
}
function member(structure, name, type, count, at, least, most) {
	at = numeric(structure "." name, "offset", at)
	span(structure, structure "." name, at, at + bytes_of(type) * count - 1, least, most - 1, "bytes")
	unique(structure, name)
}
function port_field(of, type, name, width) {
	if (of != port) wrong(of "." name ": stands in port " port)
	unique(of, name)
	width = numeric(of "." name, "width", width)
	if (!width && type !~ /^(struct|union) /) wrong(of "." name ": the type " type " has no width, which only a structure may leave out")
	if (type == "bool" && width != 1) wrong(of "." name ": a bool of " width " bits")
}
function nibble(s, k) { return index("0123456789abcdef", tolower(substr(s, 2 + k, 1))) - 1 }
function both(a, b,    i, v) { for (i = 8; i; i = int(i / 2)) if (int(a / i) % 2 && int(b / i) % 2) v += i; return v + 0 }
function instruction(name, mask, match_,    i, k, meet) {
	unique("instruction", name)
	if (mask !~ /^0x[0-9a-f]+$/ || length(mask) != 10 || match_ !~ /^0x[0-9a-f]+$/ || length(match_) != 10) {
		wrong("instruction " name ": mask and match have eight hexadecimal digits each")
		return
	}
	for (k = 1; k <= 8; k++) {
		m[insns, k] = nibble(mask, k); w[insns, k] = nibble(match_, k)
		if (AND[15 - m[insns, k], w[insns, k]]) { wrong("instruction " name ": match has bits that mask does not have"); break }
	}
	insn[insns] = name
	for (i = 0; i < insns; i++) {
		meet = 1
		for (k = 8; k && meet; k--) # bits that both masks have and in which the words differ
			meet = AND[m[i, k], m[insns, k]] == 0 || AND[AND[m[i, k], m[insns, k]], w[i, k]] == AND[AND[m[i, k], m[insns, k]], w[insns, k]]
		if (meet) wrong("instruction " name ": a word can be this one and " insn[i] ": encodings do not overlap")
	}
	insns++
}
BEGIN {
	for (a = 0; a < 16; a++) for (b = 0; b < 16; b++) AND[a, b] = both(a, b)
	SW = "RO RW RW1C RW1S WO"
	bank_size = 65536; insns = 0
}
row($0, "REG", args) {
	name = args[1] "." args[2]
	unique("register", name)
	word(name, "bank", args[1], "HOST CP")
	word(name, "width", args[4], "32 64")
	word(name, "access", args[6], SW)
	word(name, "hardware access", args[7], "NONE RO WO RW")
	n = split(args[8], effect, "|")
	for (i = 1; i <= n; i++) word(name, "effect", effect[i], "NONE WE RE EXT HWSET HWCLR INCR SHADOW LOCK")
	at = numeric(name, "offset", args[3])
	if (at % (args[4] / 8)) wrong(name ": the offset " args[3] " is no multiple of its " args[4] / 8 " bytes")
	span("bank " args[1], name, at, at + args[4] / 8 * numeric(name, "count", args[5]) - 1, 0, bank_size - 1, "bytes")
	bits[name] = args[4]; access[name] = args[6]; place[name] = FILENAME ":" FNR
	if (args[9] == "FIELDS") by_fields[name] = place[name]
	else reset(name, args[9], args[4])
	host[args[1], args[2]]
	next
}
row($0, "FIELD", args) {
	name = args[1] "." args[2]; field = name "." args[3]
	if (!(name in bits)) { wrong(field ": there is no register " name " above"); next }
	unique("field", field)
	lsb = numeric(field, "lsb", args[4]); width = numeric(field, "width", args[5])
	span(name, field, lsb, lsb + width - 1, 0, bits[name] - 1, "bits")
	word(field, "access", args[6], SW " SAME")
	reset(field, args[7], width)
	fields[name]++
	host[args[1], args[2], args[3]]
	next
}
row($0, "VALUE", args) { value(args[1], args[2], args[3]); next }
row($0, "FLAG", args) {
	v = numeric(args[1] " " args[2], "value", args[3])
	for (i = 1; v > i; i *= 2) ;
	if (v != i) wrong(args[1] " " args[2] ": the flag " args[3] " is not one bit")
	value(args[1], args[2], args[3])
	next
}
row($0, "HOLDS", args) { hold[++holds] = args[1] SUBSEP args[2] SUBSEP args[3]; hold_at[holds] = FILENAME ":" FNR; next }
row($0, "FAULT", args) { value("fault", args[1], args[2]); next }
row($0, "UNIT", args) { value("unit", args[1], args[2]); next }
row($0, "CSR", args) { value("csr", args[1], args[2]); next }
row($0, "INJECTION", args) { value("injection", args[1], args[2]); next }
row($0, "EVENT", args) { value("event", args[1], args[2]); next }
row($0, "TRACE_RECORD", args) { value("trace record", args[1], args[2]); next }
row($0, "CONSTANT", args) { unique("constant", args[1]); numeric(args[1], "value", args[2]); next }
row($0, "WINDOW", args) { unique("window", args[1]); next }
row($0, "INSN", args) { instruction(args[1], args[2], args[3]); next }
row($0, "WORD_FIELD", args) {
	unique(args[1], args[2])
	lsb = numeric(args[1] "." args[2], "lsb", args[3])
	span("word " args[1], args[1] "." args[2], lsb, lsb + numeric(args[1] "." args[2], "width", args[4]) - 1, 0, 63, "bits")
	next
}
row($0, "PACKET_BEGIN", args) { value("packet", args[1], args[2]); next }
row($0, "PACKET_FIELD", args) { member("packet " args[1], args[3], args[2], 1, args[4], 16, 64); next }
row($0, "PACKET_ARRAY", args) { member("packet " args[1], args[3], args[2], numeric(args[3], "count", args[4]), args[5], 16, 64); next }
row($0, "PORT_BEGIN", args) {
	port = args[1] "." args[2]
	unique("port", port)
	word(port, "direction", args[3], "IN OUT PART")
	word(port, "flow", args[4], args[3] == "PART" ? "NONE" : "PULSE READY LEVEL")
	word(port, "kind in the model", args[5], "CALL BACK ANSWER")
	next
}
row($0, "PORT_FIELD", args) { port_field(args[1] "." args[2], args[3], args[4], args[5]); next }
row($0, "PORT_ARRAY", args) { numeric(args[4], "count", args[5]); port_field(args[1] "." args[2], args[3], args[4], args[6]); next }
row($0, "PORT_END", args) {
	if (args[1] "." args[2] != port) wrong(args[1] "." args[2] ": ends where " port " began")
	port = ""
	next
}
row($0, "RECORD_BEGIN", args) { unique("record", args[1]); most = numeric(args[1], "size", args[2]); next }
row($0, "RECORD_FIELD", args) { member(args[1], args[3], args[2], 1, args[4], 0, most); next }
row($0, "RECORD_ARRAY", args) { member(args[1], args[3], args[2], numeric(args[3], "count", args[4]), args[5], 0, most); next }
row($0, "RECORD_TABLE", args) { member(args[1], args[3], args[2], numeric(args[3], "rows", args[4]) * numeric(args[3], "columns", args[5]), args[6], 0, most); next }
row($0, "RECORD_END", args) {
	size[args[1]] = most
	if (numeric(args[1], "size", args[2]) != most) wrong(args[1] ": ends with " args[2] " bytes and begins with " most)
	next
}
row($0, "PARAM", args) {
	unique("parameter", args[1])
	least = numeric(args[1], "least", args[4]); greatest = numeric(args[1], "most", args[5])
	word(args[1], "rule", args[6], "ANY POWER")
	for (i = 2; i <= 3; i++) {
		v = numeric(args[1], i == 2 ? "value of full" : "value of mini", args[i])
		for (k = 1; v > k; k *= 2) ;
		if (v < least || v > greatest) wrong(args[1] ": " v " is not from " least " to " greatest)
		else if (args[6] == "POWER" && v != k) wrong(args[1] ": " v " is no power of two")
	}
	parameter[args[1]]
	next
}
row($0, "RELATION", args) {
	expression(args[1], args[2])
	if (args[2] !~ "CONFIG\\(" args[1] "\\)") wrong(args[1] ": its relation " args[2] " does not name it")
	next
}
END {
	for (name in by_fields) if (!fields[name]) wrong_at(by_fields[name], name ": its reset value is FIELDS, and it has none")
	for (name in fields) if (!(name in by_fields)) wrong_at(place[name], name ": has fields: its reset value is FIELDS")
	for (i = 1; i <= asks; i++)
		if (!(asked[i] in parameter)) wrong_at(asked_at[i], asked_by[i] ": CONFIG(" asked[i] ") is no parameter of config.def")
	for (i = 1; i <= holds; i++) {
		split(hold[i], part, SUBSEP)
		known = part[3] ~ /^(fault|unit|injection|packet)$/ || (("HOST", part[3]) in host)
		for (key in named) { split(key, type, SUBSEP); if (type[1] == part[3]) known = 1 }
		if (!known) wrong_at(hold_at[i], part[1] ": holds " part[3] ", which is no type")
		if (part[2] == "" ? !(("HOST", part[1]) in host) : !(("HOST", part[1], part[2]) in host))
			wrong_at(hold_at[i], part[1] (part[2] == "" ? "" : "." part[2]) ": there is no such register or field")
	}
	exit failed
}
