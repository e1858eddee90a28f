# Makes galena_pkg.sv, the contract in SystemVerilog, from the abi tables.
#   awk -v abi_hash=0x... -f abi/rows.awk -f rtl/sv.awk -f rtl/registers.awk -f rtl/pkg.awk
# Names are those of the tables in the style of lowRISC: types in snake_case with _t or _e, parameters and enumerators in UpperCamelCase.
# ---- enumerations ----
function enum_begin() { enumerators = 0; enum_most = 0 }
function enum_add(name, value, doc,    i) {
	for (i = 1; i <= enumerators; i++) {
		if (enum_name[i] == name) fail(here(file_read) "a second row \"" name "\"")
		if (enum_value[i] == number(value)) fail(here(file_read) name " has the value of " enum_name[i])
	}
	enumerators++
	enum_name[enumerators] = name; enum_value[enumerators] = number(value); enum_doc[enumerators] = doc
	if (number(value) > enum_most) enum_most = number(value)
}
function enum_end(type, width, prefix,    i, least) {
	if (!enumerators) fail(file_read ": no row for " type)
	if (!width) width = bits_of(enum_most)
	print "  typedef enum " vector(width) " {"
	for (i = 1; i <= enumerators; i++) {
		says(enum_doc[i], "    ")
		print "    " prefix camel(enum_name[i]) " = " literal(enum_value[i] "", width) (i < enumerators ? "," : "")
	}
	print "  } " type "_e;"
	print ""
}
# Values that others may be made of: a type and its constants.
function constants_end(type, width, prefix,    i) {
	if (!enumerators) fail(file_read ": no row for " type)
	if (!width) width = bits_of(enum_most)
	print "  typedef " vector(width) " " type "_t;"
	for (i = 1; i <= enumerators; i++) {
		says(enum_doc[i], "  ")
		print "  parameter " type "_t " prefix camel(enum_name[i]) " = " literal(enum_value[i] "", width) ";"
	}
	print ""
}
# One enumerator a row of the macro.
function enumeration(table, macro, name, value, doc, type, width, prefix,    args) {
	file_read = abi "/" table
	enum_begin()
	while (next_line(file_read)) if (row(line, macro, args)) enum_add(args[name], args[value], args[doc])
	enum_end(type, width, prefix)
}
# ---- tables ----
function configurations(    args, n, i, name, value) {
	file_read = abi "/config.def"
	title("configurations: a module of the device takes one as its parameter")
	print "  typedef struct packed {"
	while (next_line(file_read))
		if (row(line, "PARAM", args)) {
			name[++n] = snake(args[1]); value["Full", n] = args[2]; value["Mini", n] = args[3]
			says(args[7], "    ")
			print "    logic [31:0] " name[n] ";"
		}
	if (!n) fail(file_read ": no row of PARAM")
	print "  } config_t;"
	limits()
	configuration("Full", n, name, value)
	configuration("Mini", n, name, value)
	print "  // What a module is built for unless it is told: mini, or with the define GALENA_CONFIG_FULL full."
	print "`ifdef GALENA_CONFIG_FULL"
	print "  parameter config_t ConfigDefault = ConfigFull;"
	print "`else"
	print "  parameter config_t ConfigDefault = ConfigMini;"
	print "`endif"
}
# Whether a configuration is one that a device can have.
function limits(    args, n) {
	print "  function automatic logic config_valid(config_t c);"
	print "    return"
	while (next_line(file_read)) {
		if (row(line, "PARAM", args)) {
			if (args[4] != "0") print "        c." snake(args[1]) " >= " literal(args[4], 32) " &&"
			print "        c." snake(args[1]) " <= " literal(args[5], 32) " &&"
			if (args[6] == "POWER") print "        $onehot(c." snake(args[1]) ") &&"
		} else if (row(line, "RELATION", args)) {
			gsub(/CONFIG\(/, "c.", args[2])
			gsub(/\)/, "", args[2])
			print "        " args[2] " &&"
		}
	}
	print "        1'b1;"
	print "  endfunction"
}
function configuration(which, n, name, value,    i) {
	print "  parameter config_t Config" which " = '{"
	for (i = 1; i <= n; i++) print "    " name[i] ": " literal(value[which, i], 32) (i < n ? "," : "")
	print "  };"
}
function windows(    args, name) {
	file_read = abi "/address_map.def"
	title("address map")
	while (next_line(file_read))
		if (row(line, "WINDOW", args)) {
			name = "Window" camel(args[1])
			says(args[5], "  ")
			print "  parameter logic [63:0] " name "Base = " literal(args[3], 64) ";"
			print "  parameter logic [63:0] " name "Size = " literal(args[4], 64) ";"
		}
}
function units(    args) {
	file_read = abi "/units.def"
	title("units")
	enum_begin()
	while (next_line(file_read)) if (row(line, "UNIT", args)) enum_add(args[1], args[2], args[3])
	constants_end("unit", 16, "Unit")
}
# The types of values.def: of VALUE rows an enumeration, of FLAG rows constants.
function values(    args, types, n, i, type, is_flag) {
	file_read = abi "/values.def"
	title("what words, registers and fields hold")
	while (next_line(file_read))
		if (row(line, "VALUE", args) || row(line, "FLAG", args)) {
			if (!(args[1] in is_flag)) types[++n] = args[1]
			else if (is_flag[args[1]] != (line ~ /^FLAG/)) fail(here(file_read) args[1] " has rows of VALUE and of FLAG")
			is_flag[args[1]] = line ~ /^FLAG/
		}
	for (i = 1; i <= n; i++) {
		enum_begin()
		while (next_line(file_read))
			if ((row(line, "VALUE", args) || row(line, "FLAG", args)) && args[1] == types[i]) enum_add(args[2], args[3], args[4])
		if (is_flag[types[i]]) constants_end(types[i], 0, camel(types[i]))
		else enum_end(types[i], 0, camel(types[i]))
	}
}
# Structures in memory: RECORD_BEGIN ... RECORD_END, PACKET_BEGIN ... PACKET_END.
function structures(table, macro, prefix, bytes_of, head, head_bytes,    args, name, doc, bytes, unit) {
	file_read = abi "/" table
	while (next_line(file_read)) {
		if (row(line, macro "_BEGIN", args)) {
			name = args[1]; doc = args[3]; bytes = bytes_of ? bytes_of : number(args[2])
			struct_begin()
			if (head != "") struct_add("head", head, 0, head_bytes * 8, "")
		} else if (row(line, macro "_FIELD", args)) {
			member(args[1] == name, args[2], args[3], 0, 0, args[4], args[5])
		} else if (row(line, macro "_ARRAY", args)) {
			member(args[1] == name, args[2], args[3], number(args[4]), 0, args[5], args[6])
		} else if (row(line, macro "_TABLE", args)) {
			member(args[1] == name, args[2], args[3], number(args[4]), number(args[5]), args[6], args[7])
		} else if (row(line, macro "_END", args)) {
			struct_end(prefix name, bytes * 8, doc, here(file_read) name)
			if (prefix == "") record_bits[name] = bytes * 8
			print ""
		}
	}
}
# A member of the structure in hand; rows and columns are 0 where it is no array.
function member(ours, type, name, rows, columns, offset, doc,    unit, record) {
	if (!ours) fail(here(file_read) name " stands in another structure")
	record = type
	if (sub(/^struct /, "", record)) {
		if (!(record in record_bits)) fail(here(file_read) "unknown record " record)
		unit = record_bits[record]; type = record "_t"
	} else {
		if (!(type in type_bytes)) fail(here(file_read) "unknown type " type)
		unit = type_bytes[type] * 8
		type = (type ~ /^int/ ? "logic signed" : "logic")
		if (rows && type ~ /signed/) type = "logic" # a dimension more: the bits alone
	}
	struct_add(name, type (rows ? " [" rows - 1 ":0]" : "") (columns ? "[" columns - 1 ":0]" : "") (type ~ /^logic/ ? (rows ? "" : " ") "[" unit - 1 ":0]" : ""), number(offset) * 8, unit * (rows ? rows : 1) * (columns ? columns : 1), doc)
}
function packets(    args, n, name, i) {
	title("packets, little endian: byte 0 is in bits 7:0")
	enumeration("packets.def", "PACKET_BEGIN", 1, 2, 3, "packet_type", 8, "Packet")
	structures("packets.def", "PACKET", "packet_", 64, "packet_head_t", 16)
	file_read = abi "/packets.def"
	print "  typedef union packed {"
	print "    logic [7:0][63:0] words;"
	while (next_line(file_read)) if (row(line, "PACKET_BEGIN", args)) print "    packet_" args[1] "_t " snake(args[1]) ";"
	print "  } packet_t;"
}
function csrs(    args, n, lanes) {
	title("control and status registers of a lane")
	enumeration("csr.def", "CSR", 1, 2, 4, "csr", 12, "Csr")
	print "  // Whether lanes of a warp read different values."
	print "  function automatic logic csr_per_lane(logic [11:0] csr);"
	print "    unique case (csr)"
	file_read = abi "/csr.def"
	while (next_line(file_read))
		if (row(line, "CSR", args) && args[3] == 1) lanes = lanes (n++ ? ", " : "") "Csr" camel(args[1])
	print "      " lanes ": return 1'b1;"
	print "      default: return 1'b0;"
	print "    endcase"
	print "  endfunction"
}
function events() {
	title("events")
	enumeration("events.def", "EVENT", 1, 2, 8, "event_kind", 16, "Event")
	print "  typedef struct packed {"
	print "    logic [63:0] c;"
	print "    logic [63:0] b;"
	print "    logic [63:0] a;"
	print "    logic [15:0] asid;"
	print "    logic [15:0] queue_;"
	print "    unit_t       unit;"
	print "    event_kind_e kind;"
	print "    logic [63:0] cycle;"
	print "  } event_t;"
}
# Words of 64 bits in memory, and numbers of the architecture.
function words_of_memory(    args, n, i, word, seen) {
	file_read = abi "/words.def"
	title("words in memory")
	while (next_line(file_read)) if (row(line, "WORD_FIELD", args) && !(args[1] in seen)) { seen[args[1]]; word[++n] = args[1] }
	for (i = 1; i <= n; i++) {
		struct_begin()
		while (next_line(file_read))
			if (row(line, "WORD_FIELD", args) && args[1] == word[i])
				struct_add(args[2], vector(number(args[4])), number(args[3]), number(args[4]), args[5])
		struct_end(tolower(word[i]), 64, "", file_read ": " word[i])
		print ""
	}
}
function numbers(    args) {
	file_read = abi "/constants.def"
	title("numbers of the architecture")
	while (next_line(file_read))
		if (row(line, "CONSTANT", args)) {
			says(args[3], "  ")
			print "  parameter int unsigned " camel(args[1]) " = " literal(args[2], 32) ";"
		}
}
# What goes through the ports of the blocks: of each a structure, the first field in the highest bits.
function ports(    args, type, last) {
	file_read = abi "/ports.def"
	title("ports: a module BLOCK takes what stands at PORT_i, of type BLOCK_PORT_t, or gives PORT_o")
	while (next_line(file_read)) {
		if (row(line, "PORT_BEGIN", args)) {
			says(args[6], "  ")
			print "  typedef struct packed {"
		} else if (row(line, "PORT_FIELD", args)) {
			says(args[6], "    ")
			print "    " port_type(args[3], number(args[5])) " " snake(args[4]) ";"
		} else if (row(line, "PORT_ARRAY", args)) {
			says(args[7], "    ")
			print "    logic [" number(args[5]) - 1 ":0][" number(args[6]) - 1 ":0] " snake(args[4]) ";"
		} else if (row(line, "PORT_END", args)) {
			print "  } " args[1] "_" args[2] "_t;"
		}
	}
	print ""
}
function port_type(type, bits) {
	if (bits) return vector(bits)
	if (!sub(/^(struct|union) /, "", type)) fail(here(file_read) "the type " type " has no width: only a structure may have 0 bits")
	return type "_t"
}
# ---- instructions ----
# The bits of a word that mask and match fix: 32 of 0, 1 and ?, the highest first.
function pattern(mask, match_,    i, b, m, v, out) {
	m = number(mask); v = number(match_)
	for (i = 0; i < 32; i++) {
		b = m % 2 ? v % 2 : "?"
		if (b == "?" && v % 2) fail(here(file_read) "match " match_ " has bits that mask " mask " leaves open")
		out = b out
		m = int(m / 2); v = int(v / 2)
	}
	return out
}
function meet(p, q,    i, a, b) {
	for (i = 32; i; i--) {
		a = substr(p, i, 1); b = substr(q, i, 1)
		if (a != b && a != "?" && b != "?") return 0
	}
	return 1
}
function grouped(p) { return substr(p, 1, 7) "_" substr(p, 8, 5) "_" substr(p, 13, 5) "_" substr(p, 18, 3) "_" substr(p, 21, 5) "_" substr(p, 26) }
function list_add(list, what) { if (!((list, what) in listed)) { listed[list, what]; lists[list, ++lists[list, 0]] = what } }
function list_enum(list, type, prefix,    i) {
	enum_begin()
	for (i = 1; i <= lists[list, 0]; i++) enum_add(lists[list, i], i - 1 "", "")
	enum_end(type, 0, prefix)
}
function op_function(name, type, prefix, n, of,    i) {
	print "  function automatic " type " " name "(op_e op);"
	print "    unique case (op)"
	for (i = 1; i <= n; i++) print "      Op" camel(op[i]) ": return " prefix camel(of[i]) ";"
	print "      default: return " type "'(0);"
	print "    endcase"
	print "  endfunction"
}
function instructions(    args, n, i, j, p, format, class_) {
	file_read = abi "/isa.def"
	title("instructions: a word w is one when (w & Mask) == Match")
	while (next_line(file_read))
		if (row(line, "INSN", args)) {
			n++
			op[n] = args[1]; sub(/_$/, "", op[n])
			p[n] = pattern(args[2], args[3])
			for (i = 1; i < n; i++)
				if (meet(p[i], p[n])) fail(here(file_read) "the encodings of " op[i] " and " op[n] " meet")
			format[n] = args[4]; class_[n] = args[5]
			list_add("format", args[4]); list_add("class", args[5])
			says(args[6], "  ")
			print "  parameter logic [31:0] Insn" camel(op[n]) "Mask = " literal(args[2], 32) ";"
			print "  parameter logic [31:0] Insn" camel(op[n]) "Match = " literal(args[3], 32) ";"
		}
	if (!n) fail(file_read ": no row of INSN")
	print ""
	print "  typedef enum " vector(bits_of(n)) " {"
	print "    OpIllegal = " literal("0", bits_of(n)) ","
	for (i = 1; i <= n; i++) print "    Op" camel(op[i]) " = " literal(i "", bits_of(n)) (i < n ? "," : "")
	print "  } op_e;"
	print ""
	list_enum("format", "insn_format", "Format")
	list_enum("class", "insn_class", "Class")
	print "  function automatic op_e decode(logic [31:0] insn);"
	print "    unique casez (insn)"
	for (i = 1; i <= n; i++) print "      32'b" grouped(p[i]) ": return Op" camel(op[i]) ";"
	print "      default: return OpIllegal;"
	print "    endcase"
	print "  endfunction"
	print "  // Of OpIllegal these two say the first of their type."
	op_function("op_format", "insn_format_e", "Format", n, format)
	op_function("op_class", "insn_class_e", "Class", n, class_)
}
# ---- registers ----
function side(which, dir,    r, n, i, m) {
	for (r = 1; r <= n_regs; r++) {
		delete m
		n = which == "out" ? out_members(r, m) : in_members(r, m)
		if (!n) continue
		print "  typedef struct packed {"
		for (i = n; i; i--) print "    " (m[i] ~ /e$|^ack$/ ? "logic" : value_type(r)) " " m[i] ";"
		print "  } " dir "_" reg_signal[r] "_t;"
	}
	print ""
}
function registers(    r, f) {
	title("registers: offset in the bank, bits that there are, fields")
	print "  parameter logic [63:0] AbiHash = " literal(abi_hash, 64) ";"
	for (r = 1; r <= n_regs; r++) {
		says(reg_doc[r], "  ")
		print "  parameter logic [15:0] Reg" reg_camel[r] "Offset = " literal(sprintf("0x%x", reg_offset[r]), 16) ";"
		if (reg_count[r] > 1) print "  parameter int unsigned Reg" reg_camel[r] "Count = " reg_count[r] ";"
		print "  parameter " vector(reg_bits[r]) " Reg" reg_camel[r] "Mask = " mask_of(r, "") ";"
		if (!reg_fields[r]) continue
		struct_begin()
		for (f = 1; f <= reg_fields[r]; f++)
			struct_add(field_name[r, f], vector(field_width[r, f]), field_lsb[r, f], field_width[r, f], field_doc[r, f])
		struct_end(reg_signal[r], reg_bits[r], "", reg_bank[r] "." reg_name[r])
	}
	title("registers: ports of the register block for the hardware")
	side("out", "regs2hw")
	side("in", "hw2regs")
}
BEGIN {
	generator = "pkg.awk"
	if (abi_hash == "") fail("no hash of the tables: -v abi_hash=0x...")
	registers_read()
	print "// Galena's contract, made from abi/*.def."
	print "package galena_pkg;"
	print "  // The parameters of a package are for the modules that take it in, each of which needs a few."
	print "  /* verilator lint_off UNUSEDPARAM */"
	configurations()
	numbers()
	windows()
	title("faults, units, and faults that the device injects into itself")
	enumeration("faults.def", "FAULT", 1, 2, 3, "fault", 0, "Fault")
	enumeration("injections.def", "INJECTION", 1, 2, 5, "injection", 0, "Inject")
	units()
	values()
	registers()
	title("records in memory, little endian: byte 0 is in bits 7:0")
	structures("records.def", "RECORD", "", 0, "", 0)
	structures("media.def", "RECORD", "", 0, "", 0)
	packets()
	ports()
	words_of_memory()
	csrs()
	events()
	instructions()
	print "endpackage"
}
