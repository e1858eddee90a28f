# The rows of abi/registers.def with the differences of testbench/rtl/planted.def: awk -f abi/rows.awk -f plant.awk planted.def registers.def
FILENAME ~ /planted\.def$/ {
	if (row($0, "PLANT", args)) {
		name = args[1] SUBSEP args[2] SUBSEP args[3]
		column[name] = args[4]; value[name] = args[5]
	}
	next
}
row($0, "REG", args) { macro = "REG"; last = 10; name = args[1] SUBSEP args[2] SUBSEP "" }
row($0, "FIELD", args) { macro = "FIELD"; last = 8; name = args[1] SUBSEP args[2] SUBSEP args[3] }
macro {
	if (name in column) {
		args[column[name]] = value[name]
		delete column[name]
	}
	out = macro "("
	for (i = 1; i < last; i++) out = out args[i] ", "
	print out "\"" args[last] "\")"
	macro = ""
}
END { for (name in column) { gsub(SUBSEP, ".", name); print "plant.awk: no row " name > "/dev/stderr"; exit 1 } }
