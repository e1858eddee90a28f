# awk -f docs/cycles.awk PAGE DUMP PAGE: the page, with the events that it shows ("    CYCLE BLOCK EVENT WORD...") at the cycles that a
# dump of events has them at: of those with these words, in this order, the one nearest to the cycle that the page has. An event that
# the dump does not have stays, and is told on standard error: status 1.
function shown(line) { return line ~ /^    [0-9]+ +[a-z0-9]+ +[a-z]/ }
FNR == 1 { file++ }
file == 1 {
	if (shown($0)) {
		sub(/ \([^)]*\) *$/, "")
		n++
		cycle[n] = $1; count[n] = NF
		for (i = 2; i <= NF; i++) word[n, i] = $i
		at[$2, $3] = at[$2, $3] " " n
	}
	next
}
file == 2 {
	if (!(($3, $4) in at)) next
	line = $0 " "
	candidates = split(at[$3, $4], who, " ")
	for (c = 1; c <= candidates; c++) {
		e = who[c]; rest = line; found = 1
		for (i = 4; i <= count[e] && found; i++) {
			place = index(rest, " " word[e, i] " ")
			found = place > 0
			rest = substr(rest, place + length(word[e, i]) + 1)
		}
		far = $1 > cycle[e] ? $1 - cycle[e] : cycle[e] - $1
		if (found && (!(e in now) || far < distance[e])) { now[e] = $1; distance[e] = far }
	}
	next
}
!shown($0) { print; next }
{
	m++
	if (m in now) sub(/[0-9]+/, now[m])
	else { print "no such event: " $0 > "/dev/stderr"; failed = 1 }
	print
}
END { exit failed }
