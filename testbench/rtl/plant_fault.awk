# A module with the faults that a table like testbench/rtl/fpu_planted.def has for it, each chosen by its number, which a package tells,
# or, without one, the module itself:
# awk -f abi/rows.awk -f plant_fault.awk -v module=NAME [-v package=PACKAGE] fpu_planted.def NAME.sv
FILENAME ~ /\.def$/ {
	if (row($0, "PLANT", args)) {
		rows++
		if (args[1] == module) { number[++n] = rows; original[n] = args[2]; fault[n] = args[3] }
	}
	next
}
{ text = text $0 "\n" }
END {
	scope = package == "" ? "" : package "::"
	for (i = 1; i <= n; i++) {
		at = index(text, original[i])
		after = substr(text, at + length(original[i]))
		if (!at || index(after, original[i])) {
			print "plant_fault.awk: " module ": \"" original[i] "\" is not there once" > "/dev/stderr"
			exit 1
		}
		text = substr(text, 1, at - 1) "(" scope "planted_fault() == " number[i] " ? (" fault[i] ") : (" original[i] "))" after
	}
	if (package == "" || module == package) sub(/end(module|package)/, "  import \"DPI-C\" function int planted_fault();\n&", text)
	printf "%s", text
}
