# awk -f bench/figures.awk TABLE DOCUMENT: the document with TABLE in place of what stands between its lines
# "<!-- figures -->" and "<!-- end of figures -->".
FNR == NR { table = table (/./ ? "    " $0 : "") "\n"; next }
/^<!-- end of figures -->$/ { inside = 0; found++ }
!inside
/^<!-- figures -->$/ { inside = 1; found++; printf "\n%s\n", table }
END {
	if (found != 2 || table == "") {
		print "figures: no table, or no lines in the document to put it between" > "/dev/stderr"
		exit 1
	}
}
