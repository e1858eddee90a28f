# Makes galena/contract.h, the public header of the contract, from the abi tables.
#   awk -f abi/rows.awk -f include/contract.awk
# Names are those of the tables with GALENA_ (galena_ for structures) in front.
function fail(what) {
	print "contract.awk: " what > "/dev/stderr"
	failed = 1
	exit 1
}
function section(title) { print "\n/* ---- " title " ---- */" }
# One enumerator or definition a row: argument NAME, argument VALUE, argument DOC; of rows whose argument ONLY is IS.
function constants(file, macro, before, name, value, doc, only, is,    line, args, n) {
	while ((getline line < file) > 0)
		if (row(line, macro, args) && (!only || args[only] == is)) {
			printf "\t%s%s = %s, /* %s */\n", before, toupper(args[name]), args[value], args[doc]
			n++
		}
	close(file)
	if (!n) fail(file ": no row of " macro)
}
function enumeration(type, file, macro, before, name, value, doc, only, is) {
	print "enum galena_" type " {"
	constants(file, macro, before, name, value, doc, only, is)
	print "};"
}
# A type of values.def.
function values(type, macro, before) { enumeration(type, "abi/values.def", macro, before, 2, 3, 4, 1, type) }
function windows(    line, args, file) {
	file = "abi/address_map.def"
	while ((getline line < file) > 0)
		if (row(line, "WINDOW", args)) {
			print "/* " (args[2] == "PHYS" ? "physical: " : "virtual: ") args[5] " */"
			print "#define GALENA_" args[1] "_BASE " args[3] "ull"
			print "#define GALENA_" args[1] "_SIZE " args[4] "ull"
		}
	close(file)
}
function registers(    line, args, file, before) {
	file = "abi/registers.def"
	while ((getline line < file) > 0) {
		if (row(line, "REG", args)) {
			before = args[1] == "HOST" ? "GALENA_REG_" : "GALENA_CP_REG_"
			print "/* " args[4] " bits, " args[6] (args[9] == "0" || args[9] == "FIELDS" ? "" : ", reset " args[9]) ": " args[10] " */"
			if (args[5] > 1)
				print "#define " before args[2] "(n) (" args[3] "u + " args[4] / 8 "u * (unsigned)(n)) /* 0 to " args[5] - 1 " */"
			else
				print "#define " before args[2] " " args[3] "u"
		} else if (row(line, "FIELD", args)) {
			before = (args[1] == "HOST" ? "GALENA_REG_" : "GALENA_CP_REG_") args[2] "_" args[3]
			print "#define " before " " "(((1u" (args[4] + args[5] > 31 ? "ll" : "") " << " args[5] ") - 1) << " args[4] ") /* " args[8] " */"
			print "#define " before "_LSB " args[4]
		}
	}
	close(file)
}
function type(s) { sub(/^struct /, "struct galena_", s); return s }
# As in memory: packed, but for structures of which pointers to members are used.
function structures(file, macro, tag, first, natural,    line, args) {
	while ((getline line < file) > 0) {
		if (row(line, macro "_BEGIN", args)) {
			print "/* " args[3] " */"
			print "struct galena_" tag args[1] " {"
			if (first != "") print "\t" first
		} else if (row(line, macro "_FIELD", args)) {
			print "\t" type(args[2]) " " args[3] "; /* " args[5] " */"
		} else if (row(line, macro "_ARRAY", args)) {
			print "\t" type(args[2]) " " args[3] "[" args[4] "]; /* " args[6] " */"
		} else if (row(line, macro "_TABLE", args)) {
			print "\t" type(args[2]) " " args[3] "[" args[4] "][" args[5] "]; /* " args[7] " */"
		} else if (row(line, macro "_END", args)) {
			print "}" (natural ? "" : " __attribute__((packed, aligned(8)))") ";"
			print "_Static_assert(sizeof(struct galena_" tag args[1] ") " (args[2] == "" ? "<= 64" : "== " args[2]) ", \"" args[1] "\");"
		}
	}
	close(file)
}
# Events of the driver. Pins are the library's to tell.
function notes(    line, args, i, words, file) {
	file = "abi/events.def"
	print "enum galena_note {"
	while ((getline line < file) > 0)
		if (row(line, "EVENT", args) && args[3] == "driver" && args[1] !~ /PIN$/) {
			words = ""
			for (i = 5; i <= 7 && args[i] != ""; i++) { sub(/:.*/, "", args[i]); words = words (i > 5 ? ", " : "") args[i] }
			print "\tGALENA_NOTE_" args[1] " = " args[2] ", /* (" words "): " args[8] " */"
		}
	print "};"
	close(file)
}
# Every packet as one 64-byte word of a ring.
function union_of_packets(    line, args, file) {
	file = "abi/packets.def"
	print "union galena_packet {\n\tstruct galena_packet_head head;"
	while ((getline line < file) > 0)
		if (row(line, "PACKET_BEGIN", args))
			print "\tstruct galena_packet_" args[1] " " args[1] ";"
	close(file)
	print "\tuint64_t words[8];\n};"
}
# Masks of the fields of words in memory.
function words(    line, args, file, name) {
	file = "abi/words.def"
	while ((getline line < file) > 0)
		if (row(line, "WORD_FIELD", args)) {
			name = "GALENA_" args[1] "_" args[2]
			print "#define " name " (((1ull << " args[4] ") - 1) << " args[3] ") /* " args[5] " */"
			print "#define " name "_LSB " args[3]
		}
	close(file)
}
BEGIN {
	print "/* The contract between a Galena device and its driver: registers, packets, records, page-table"
	print " * entries, fault codes. Made from the tables that the device itself is built from; docs/hardware.md is"
	print " * its manual. Everything is little endian. */"
	print "#ifndef GALENA_CONTRACT_H"
	print "#define GALENA_CONTRACT_H"
	print "#include <stdint.h>"
	section("address windows")
	windows()
	section("numbers of the architecture")
	enumeration("constant", "abi/constants.def", "CONSTANT", "GALENA_", 1, 2, 3)
	print "#define GALENA_PAGE_SIZE (1ull << GALENA_PT_PAGE_SHIFT)"
	section("registers of the host bank: offsets, masks of fields in place, lowest bit of fields; then, GALENA_CP_REG_, those that the command processor alone sees")
	registers()
	section("what registers hold")
	values("fw_state", "VALUE", "GALENA_FW_")
	values("queue_state", "VALUE", "GALENA_QUEUE_")
	values("queue_priority", "VALUE", "GALENA_PRIORITY_")
	values("queue_flags", "FLAG", "GALENA_QUEUE_FLAG_")
	values("queue_ctrl", "VALUE", "GALENA_QUEUE_CTRL_")
	values("tlb_scope", "VALUE", "GALENA_TLB_")
	values("cache_op", "FLAG", "GALENA_CACHE_")
	section("fault codes; a completion status is 0 or minus one of them")
	enumeration("fault", "abi/faults.def", "FAULT", "GALENA_FAULT_", 1, 2, 3)
	values("access", "VALUE", "GALENA_ACCESS_")
	section("units: who made an access")
	enumeration("unit", "abi/units.def", "UNIT", "GALENA_UNIT_", 1, 2, 3)
	section("faults that a device injects into itself, for INJECT")
	enumeration("injection", "abi/injections.def", "INJECTION", "GALENA_INJECT_", 1, 2, 5)
	section("CSRs of a lane")
	enumeration("csr", "abi/csr.def", "CSR", "GALENA_CSR_", 1, 2, 4)
	section("words in memory: page-table entries, words of the context table, fault_record.progress")
	words()
	print "#define GALENA_PT_INDEX(va, level) (((va) >> (GALENA_PT_PAGE_SHIFT + GALENA_PT_INDEX_BITS * (level))) & ((1u << GALENA_PT_INDEX_BITS) - 1))"
	print "static inline uint64_t galena_pte_address(uint64_t pte) { return (pte & GALENA_PTE_PPN) >> GALENA_PTE_PPN_LSB << GALENA_PT_PAGE_SHIFT; }"
	print "static inline uint64_t galena_pte_make(uint64_t pa, uint64_t bits) { return (pa >> GALENA_PT_PAGE_SHIFT) << GALENA_PTE_PPN_LSB | bits; }"
	section("types and flags of packets")
	print "enum galena_packet_type {"
	constants("abi/packets.def", "PACKET_BEGIN", "GALENA_PACKET_", 1, 2, 3)
	print "};"
	values("packet_flags", "FLAG", "GALENA_PACKET_FLAG_")
	section("records in memory")
	structures("abi/records.def", "RECORD", "", "")
	section("packets: 64 bytes each, with a packet_head before the body")
	structures("abi/packets.def", "PACKET", "packet_", "struct galena_packet_head head;")
	union_of_packets()
	section("what a driver says that it has done, for galena_device_note; an address* is virtual where it is called va, else physical")
	notes()
	values("buffer_flags", "FLAG", "GALENA_BUFFER_")
	section("jobs of the media unit")
	values("media_flags", "FLAG", "GALENA_MEDIA_")
	structures("abi/media.def", "RECORD", "", "", 1)
	print "\n#endif"
}
END { exit failed }
