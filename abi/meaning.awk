# What the abi tables mean, a line a row, for the hash of the contract: names, values, layouts, access and limits, but no descriptions,
# comments or white space. awk -f abi/rows.awk -f abi/meaning.awk abi/*.def
BEGIN { WORDLESS = " HOLDS RELATION PACKET_END RECORD_END " } # rows whose last argument is no description
match($0, /^[A-Z][A-Z_]*\(/) {
	macro = substr($0, 1, RLENGTH - 1)
	n = row($0, macro, args)
	if (!index(WORDLESS, " " macro " ")) n--
	line = macro
	for (i = 1; i <= n; i++) { gsub(/[ \t]+/, "", args[i]); line = line "|" args[i] }
	print line
}
