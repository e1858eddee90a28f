# Compares the catalogue of API rules with what tests have provoked and with what the runtime names. Three inputs, each
# with -v-like assignments in front of it on the command line:
#
#	awk -f spec.awk kind=catalogue opencl.tsv kind=marks MARKS kind=ran RAN
#
# MARKS: "FILE:LINE PATTERN", a pattern being the id of a rule in which * stands for any part of the entry point's name,
# or for any word. RAN: "PROGRAM ID CODE", a line for each time that a rule was provoked and gave its code.
BEGIN {
	FS = "\t"
	value["NULL"] = 0 # what calls without a code return
}
function complain(text) { print text; wrong++ }

kind == "catalogue" && FNR == 1 {
	if ($0 != "id\tdocument\tclause\trule\tchecker\tcode\tnot provoked because")
		complain(FILENAME ": other columns")
	next
}
kind == "catalogue" {
	if (NF < 6 || $1 !~ /^CL_[A-Z0-9]+_[A-Z0-9_]+$/ || $6 !~ /^(CL_[A-Z0-9_]+|NULL)$/)
		complain(FILENAME ":" FNR ": not a rule: " $0)
	if ($1 in rule)
		complain(FILENAME ":" FNR ": " $1 " stands there twice")
	if (($7 == "") != ($5 ~ /^spec_/))
		complain(FILENAME ":" FNR ": " $1 " has either a test or a reason for having none")
	entry[++num] = $3; id[num] = $1; rule[$1] = $4; code[$1] = $6; test[$1] = $5; reason[$1] = $7
	if (!($3 in total))
		order[++entries] = $3
	total[$3]++
	next
}
kind == "marks" {
	split($0, m, " ")
	pattern = m[2]
	gsub(/\*/, "[A-Z0-9_]*", pattern)
	marks++
	where[marks] = m[1] " " m[2]
	regex[marks] = "^" pattern "$"
	next
}
kind == "ran" {
	split($0, r, " ")
	if (!(r[2] in rule)) {
		if (!told[r[2]]++)
			complain(r[1] ": " r[2] " is not in the catalogue")
		next
	}
	if (reason[r[2]] != "" && !told[r[2]]++)
		complain(r[1] ": " r[2] " was provoked; the catalogue has a reason why it cannot be: " reason[r[2]])
	if (test[r[2]] != r[1])
		elsewhere[r[2]] = r[1]
	else
		ran[r[2]]++
	if (r[3] != value[code[r[2]]] && !told[r[2] r[3]]++)
		complain(r[1] ": " r[2] " gave " r[3] ", the catalogue says " code[r[2]] " (" value[code[r[2]]] ")")
	next
}
kind == "codes" { split($0, c, " "); value[c[1]] = c[2]; next }

END {
	for (i = 1; i <= num; i++) {
		name = id[i]
		found = 0
		for (k = 1; k <= marks; k++)
			if (name ~ regex[k]) {
				found = 1
				used[k] = 1
			}
		if (reason[name] != "") {
			never++
			apart[entry[i]]++
			continue
		}
		if (!found)
			complain("no check in the runtime names " name ": " entry[i] ": " rule[name])
		if (ran[name]) {
			covered[entry[i]]++
			all++
		} else if (name in elsewhere)
			complain(name " is provoked by " elsewhere[name] "; the catalogue says " test[name])
		else
			complain("no test provokes " name ": " entry[i] ": " rule[name])
	}
	for (k = 1; k <= marks; k++)
		if (!used[k])
			complain(where[k] " is no rule of the catalogue")
	printf "%-40s %8s %8s %8s\n", "entry point", "rules", "covered", "apart"
	for (e = 1; e <= entries; e++)
		printf "%-40s %8d %8d %8d\n", order[e], total[order[e]], covered[order[e]], apart[order[e]]
	printf "%d rules of %d entry points: %d can be provoked, %d of them are covered; %d cannot, for the reasons that the catalogue gives\n",
		num, entries, num - never, all, never
	if (!num || wrong)
		exit 1
}
