# What generators of SystemVerilog share: awk -f abi/rows.awk -f rtl/sv.awk -f rtl/GENERATOR.awk.
# The tables are read from the folder `abi` (-v abi=DIR). A row that breaks a rule ends the generator with table, row and rule.
BEGIN {
	if (abi == "") abi = "abi"
	n_words = split("accept_on alias always always_comb always_ff always_latch and assert assign assume automatic before begin bind bins binsof bit break buf bufif0 bufif1 byte case casex casez cell chandle checker class clocking cmos config const constraint context continue cover covergroup coverpoint cross deassign default defparam design disable dist do edge else end endcase endchecker endclass endclocking endconfig endfunction endgenerate endgroup endinterface endmodule endpackage endprimitive endprogram endproperty endspecify endsequence endtable endtask enum event eventually expect export extends extern final first_match for force foreach forever fork forkjoin function generate genvar global highz0 highz1 if iff ifnone ignore_bins illegal_bins implements implies import incdir include initial inout input inside instance int integer interconnect interface intersect join join_any join_none large let liblist library local localparam logic longint macromodule mailbox matches medium modport module nand negedge nettype new nexttime nmos nor noshowcancelled not notif0 notif1 null or output package packed parameter pmos posedge primitive priority process program property protected pull0 pull1 pulldown pullup pulsestyle_ondetect pulsestyle_onevent pure rand randc randcase randsequence rcmos real realtime ref reg reject_on release repeat restrict return rnmos rpmos rtran rtranif0 rtranif1 s_always s_eventually s_nexttime s_until s_until_with scalared semaphore sequence shortint shortreal showcancelled signed small soft solve specify specparam static string strong strong0 strong1 struct super supply0 supply1 sync_accept_on sync_reject_on table tagged task this throughout time timeprecision timeunit tran tranif0 tranif1 tri tri0 tri1 triand trior trireg type typedef union unique unique0 unsigned until until_with untyped use uwire var vectored virtual void wait wait_order wand weak weak0 weak1 while wildcard wire with within wor xnor xor", words, " ")
	while (n_words) keyword[words[n_words--]]
	# words that Verilator warns of, because its C++ has them
	n_words = split("list map queue set vector", words, " ")
	while (n_words) keyword[words[n_words--]]
	type_bytes["uint8_t"] = 1; type_bytes["uint16_t"] = 2; type_bytes["uint32_t"] = 4; type_bytes["uint64_t"] = 8
	type_bytes["int32_t"] = 4; type_bytes["int64_t"] = 8
}
function fail(what) {
	print generator ": " what > "/dev/stderr"
	failed = 1
	exit 1
}
# The next line of a table, with its number counted; 0 at the end.
function next_line(file,    got) {
	got = (getline line < file)
	if (got < 0) fail(file ": cannot be read")
	if (got > 0) line_number[file]++
	else { close(file); line_number[file] = 0 }
	return got > 0
}
function here(file) { return file ":" line_number[file] ": " }
# page_not_present, PAGE_NOT_PRESENT -> PageNotPresent
function camel(name,    part, n, i, out) {
	n = split(tolower(name), part, "_")
	for (i = 1; i <= n; i++) {
		# two numbers that meet would be another one
		if (i > 1 && out ~ /[0-9]$/ && part[i] ~ /^[0-9]/) out = out "_"
		out = out toupper(substr(part[i], 1, 1)) substr(part[i], 2)
	}
	return out
}
# A name as of a signal or a member; a word of the language gets a _ behind it.
function snake(name) {
	name = tolower(name)
	return name in keyword ? name "_" : name
}
function number(s,    i, v, digit) {
	sub(/[uUlL]+$/, "", s)
	if (s !~ /^0[xX]/) {
		if (s !~ /^[0-9]+$/) fail(here(file_read) "\"" s "\" is not a number")
		return s + 0
	}
	for (i = 3; i <= length(s); i++) {
		digit = index("0123456789abcdef", tolower(substr(s, i, 1)))
		if (!digit) fail(here(file_read) "\"" s "\" is not a number")
		v = v * 16 + digit - 1
	}
	return v + 0
}
# Bits that a number needs, at least 1.
function bits_of(v,    n) {
	for (n = 1; v >= 2; n++) v = int(v / 2)
	return n
}
# A literal of that width; hexadecimal digits stay as they are: a number of 64 bits is more than awk can hold.
function literal(s, width,    hex) {
	sub(/[uUlL]+$/, "", s)
	if (s ~ /^0[xX]/) {
		hex = tolower(substr(s, 3))
		sub(/^0+/, "", hex)
		if (length(hex) * 4 - 3 > width && (length(hex) - 1) * 4 + bits_of(index("0123456789abcdef", substr(hex, 1, 1)) - 1) > width)
			fail(here(file_read) s " does not fit into " width " bits")
		return width "'h" (hex == "" ? "0" : hex)
	}
	if (bits_of(number(s)) > width) fail(here(file_read) s " does not fit into " width " bits")
	return width "'d" number(s)
}
# logic [31:0], and of one bit logic
function vector(width) { return width == 1 ? "logic" : "logic [" width - 1 ":0]" }
function says(doc, indent) { if (doc != "") print indent "// " doc }
function title(what) { print ""; print "  // ---- " what " ----" }
# ---- a structure that lies in memory or in a register, little endian: the first byte is the last member ----
function struct_begin() { members = 0 }
function struct_add(name, type, lsb, width, doc) {
	members++
	member_name[members] = name; member_type[members] = type; member_lsb[members] = lsb; member_width[members] = width
	member_doc[members] = doc
}
# Members in any order; bits that are of none become reserved.
function struct_end(type, width, doc, what,    i, j, at, order, n, gap) {
	for (i = 1; i <= members; i++) {
		for (j = i - 1; j && member_lsb[order[j]] > member_lsb[i]; j--) order[j + 1] = order[j]
		order[j + 1] = i
	}
	at = 0
	for (i = 1; i <= members; i++) {
		j = order[i]
		if (member_lsb[j] < at)
			fail(what ": " member_name[j] " and " member_name[order[i - 1]] " overlap")
		at = member_lsb[j] + member_width[j]
		if (at > width) fail(what ": " member_name[j] " ends at bit " at - 1 ", beyond its " width " bits")
	}
	says(doc, "  ")
	print "  typedef struct packed {"
	at = width
	for (i = members; i >= 0; i--) {
		j = i ? order[i] : 0
		gap = at - (i ? member_lsb[j] + member_width[j] : 0)
		if (gap) print "    " vector(gap) " unused" (gap == width ? "" : n++) ";"
		if (!i) break
		says(member_doc[j], "    ")
		print "    " member_type[j] " " snake(member_name[j]) ";"
		at = member_lsb[j]
	}
	print "  } " type "_t;"
}
