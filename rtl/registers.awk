# Reads abi/registers.def for the generators: registers 1 to n_regs in the table's order, and the fields of each.
#   reg_bank reg_name reg_offset reg_bits reg_count reg_sw reg_hw reg_effects reg_reset reg_doc of [r]; reg_index[bank, name] = r
#   reg_fields[r]; field_name field_lsb field_width field_sw field_reset field_doc of [r, f]
# Rules that a row may break are told with its line: words that are not known, what overlaps, does not fit or is not aligned, and
# what the block cannot do.
BEGIN {
	split("RO RW RW1C RW1S WO", sw_words, " ")
	for (i in sw_words) sw_known[sw_words[i]]
	split("NONE RO WO RW", hw_words, " ")
	for (i in hw_words) hw_known[hw_words[i]]
	split("NONE WE RE EXT HWSET HWCLR INCR SHADOW LOCK", effect_words, " ")
	for (i in effect_words) effect_known[effect_words[i]]
}
function registers_read(    args, r) {
	file_read = abi "/config.def"
	while (next_line(file_read)) if (row(line, "PARAM", args)) parameter[args[1]]
	file_read = abi "/registers.def"
	while (next_line(file_read)) {
		if (row(line, "REG", args)) register_row(args)
		else if (row(line, "FIELD", args)) field_row(args)
	}
	if (!n_regs) fail(file_read ": no row of REG")
	for (r = 1; r <= n_regs; r++) register_check(r, reg_bank[r] "." reg_name[r])
}
function broken(id, rule) { fail(here(file_read) id ": " rule) }
function register_row(args,    r, i, n, w, from, id, part) {
	r = ++n_regs
	id = args[1] "." args[2]
	if (args[1] != "HOST" && args[1] != "CP") broken(id, "unknown bank " args[1] "; there are HOST and CP")
	if ((args[1], args[2]) in reg_index) broken(id, "is there twice")
	reg_index[args[1], args[2]] = r
	reg_line[r] = line_number[file_read]
	reg_bank[r] = args[1]; reg_name[r] = args[2]; reg_offset[r] = number(args[3]); reg_bits[r] = number(args[4])
	reg_count[r] = number(args[5]); reg_sw[r] = args[6]; reg_hw[r] = args[7]; reg_effects[r] = args[8]; reg_reset[r] = args[9]
	reg_doc[r] = args[10]
	if (reg_bits[r] != 32 && reg_bits[r] != 64) broken(id, reg_bits[r] " bits; a register has 32 or 64")
	if (!reg_count[r]) broken(id, "no element")
	if (reg_offset[r] % (reg_bits[r] / 8)) broken(id, "offset " args[3] " is not a multiple of its " reg_bits[r] / 8 " bytes")
	if (!(reg_sw[r] in sw_known)) broken(id, "unknown access of software \"" reg_sw[r] "\"; there are RO, RW, RW1C, RW1S, WO")
	if (!(reg_hw[r] in hw_known)) broken(id, "unknown access of the hardware \"" reg_hw[r] "\"; there are NONE, RO, WO, RW")
	n = split(args[8], part, "|")
	for (i = 1; i <= n; i++) {
		part[i] = cell(part[i])
		if (!(part[i] in effect_known)) broken(id, "unknown effect \"" part[i] "\"; there are NONE, WE, RE, EXT, HWSET, HWCLR, INCR, SHADOW, LOCK")
		effect_of[r, part[i]]
	}
	from = reg_offset[r] / 4
	for (i = 0; i < reg_count[r] * reg_bits[r] / 32; i++) {
		w = args[1] SUBSEP from + i
		if (w in reg_at) broken(id, "overlaps " reg_name[reg_at[w]])
		reg_at[w] = r
		if ((from + i) * 4 >= 65536) broken(id, "ends beyond its bank of 64 KiB")
	}
	reg_signal[r] = tolower(args[1] "_" args[2])
	reg_camel[r] = camel(args[1]) camel(args[2])
}
function field_row(args,    r, f, i, id) {
	id = args[1] "." args[2] "." args[3]
	if (!((args[1], args[2]) in reg_index)) broken(id, "there is no register " args[1] "." args[2] " above it")
	r = reg_index[args[1], args[2]]
	f = ++reg_fields[r]
	field_name[r, f] = args[3]; field_lsb[r, f] = number(args[4]); field_width[r, f] = number(args[5])
	field_sw[r, f] = args[6] == "SAME" ? reg_sw[r] : args[6]; field_reset[r, f] = args[7]; field_doc[r, f] = args[8]
	if (!(field_sw[r, f] in sw_known)) broken(id, "unknown access of software \"" args[6] "\"; there are SAME, RO, RW, RW1C, RW1S, WO")
	if (!field_width[r, f]) broken(id, "no bit")
	if (field_lsb[r, f] + field_width[r, f] > reg_bits[r])
		broken(id, "ends at bit " field_lsb[r, f] + field_width[r, f] - 1 ", beyond the register's " reg_bits[r] " bits")
	for (i = 1; i < f; i++) {
		if (field_name[r, i] == args[3]) broken(id, "is there twice")
		if (field_lsb[r, i] < field_lsb[r, f] + field_width[r, f] && field_lsb[r, f] < field_lsb[r, i] + field_width[r, i])
			broken(id, "overlaps " field_name[r, i])
	}
}
# What concerns a register with its fields, or its columns together.
function register_check(r, id,    f) {
	line_number[file_read] = reg_line[r]
	if ((reg_reset[r] == "FIELDS") != (reg_fields[r] > 0)) broken(id, reg_fields[r] ? "has fields; its reset is FIELDS" : "reset FIELDS, but no field")
	if ((has(r, "WE") || has(r, "RE")) && !hw_reads(r) && !has(r, "EXT")) broken(id, "tells of accesses a block that does not read it: hw " reg_hw[r])
	if ((has(r, "EXT") || has(r, "HWSET") || has(r, "HWCLR") || has(r, "INCR")) && !hw_writes(r)) broken(id, "is changed by a block that does not write it: hw " reg_hw[r])
	if (has(r, "EXT") && (has(r, "HWSET") || has(r, "HWCLR") || has(r, "INCR"))) broken(id, "EXT: the value lives in the block, which changes none here")
	if (has(r, "NONE") && reg_effects[r] != "NONE") broken(id, "NONE goes with no other effect")
	if (has(r, "EXT") && has(r, "RE") && reg_bits[r] == 32) broken(id, "EXT and RE: a read that waits needs the 8 bytes of a row for itself")
	if (has(r, "LOCK") && !(("HOST", "PROT_CTRL") in reg_index)) broken(id, "LOCK: there is no HOST.PROT_CTRL")
	if (reg_reset[r] == "INDEX" && !constant(r)) broken(id, "INDEX is of registers that do not change")
	if (reg_sw[r] == "WO" && !hw_reads(r)) broken(id, "is written for a block that does not read it: hw " reg_hw[r])
	for (f = 1; f <= reg_fields[r]; f++) reset_term(r, field_reset[r, f])
	if (!reg_fields[r]) reset_term(r, reg_reset[r])
}
function has(r, effect) { return (r, effect) in effect_of }
function hw_reads(r) { return reg_hw[r] ~ /^R/ }
function hw_writes(r) { return reg_hw[r] ~ /W/ }
# Software may change a bit of it.
function writable(r,    f) {
	for (f = 1; f <= reg_fields[r]; f++) if (field_sw[r, f] != "RO") return 1
	return !reg_fields[r] && reg_sw[r] != "RO"
}
function constant(r) { return !writable(r) && !hw_writes(r) }
function stored(r) { return !constant(r) && (writable(r) || !has(r, "EXT")) }
# ---- resets ----
function reset_term(r, s,    name, out) {
	if (s ~ /^[0-9]/) return literal(s, reg_bits[r])
	if (s == "HASH") return reg_bits[r] "'(AbiHash)"
	if (s == "INDEX") return reg_bits[r] "'(device_index_i)"
	while (match(s, /CONFIG\([a-z0-9_]*\)/)) {
		name = substr(s, RSTART + 7, RLENGTH - 8)
		if (!(name in parameter)) broken(reg_name[r], "reset: config.def has no parameter " name)
		out = out substr(s, 1, RSTART - 1) reg_bits[r] "'(Config." snake(name) ")"
		s = substr(s, RSTART + RLENGTH)
	}
	if (out == "" || s ~ /[^0-9 <>+*()|-]/) broken(reg_name[r], "unknown reset \"" s "\"; there are numbers, expressions of CONFIG(parameter), HASH, INDEX, FIELDS")
	return out s
}
function reset_of(r,    f, out, term) {
	if (!reg_fields[r]) return reset_term(r, reg_reset[r])
	for (f = 1; f <= reg_fields[r]; f++)
		if (field_reset[r, f] != "0") {
			term = reset_term(r, field_reset[r, f])
			out = out (out == "" ? "" : " | ") (field_lsb[r, f] ? "(" term " << " field_lsb[r, f] ")" : term)
		}
	return out == "" ? reg_bits[r] "'h0" : out
}
# Mask of the bits that software accesses so, of all with "".
function mask_of(r, sw,    i, k, f, on, v, out) {
	for (f = 1; f <= reg_fields[r]; f++)
		if (sw == "" || field_sw[r, f] == sw) for (i = 0; i < field_width[r, f]; i++) on[field_lsb[r, f] + i]
	for (i = reg_bits[r] - 4; i >= 0; i -= 4) {
		v = 0
		for (k = 3; k >= 0; k--) v = v * 2 + (i + k in on || (!reg_fields[r] && (sw == "" || reg_sw[r] == sw)))
		out = out substr("0123456789abcdef", v + 1, 1)
	}
	sub(/^0+/, "", out)
	return reg_bits[r] "'h" (out == "" ? "0" : out)
}
function value_type(r) { return reg_fields[r] ? reg_signal[r] "_t" : vector(reg_bits[r]) }
# ---- what the structures of the hardware's side have of an element; docs/rtl.md tells of it, the lowest bits first ----
function out_members(r, m,    n) {
	if (hw_reads(r)) m[++n] = "q"
	if (has(r, "WE")) m[++n] = "qe"
	if (has(r, "RE")) m[++n] = "re"
	return n
}
function in_members(r, m,    n) {
	if (!hw_writes(r)) return 0
	if (has(r, "HWSET")) m[++n] = "hwset"
	if (has(r, "HWCLR")) m[++n] = "hwclr"
	if (has(r, "INCR")) m[++n] = "incr"
	if (n) return n
	m[++n] = "d"
	if (stored(r)) m[++n] = "de"
	if (has(r, "EXT") && has(r, "RE")) m[++n] = "ack"
	return n
}
