#!/bin/sh
# The order of the code base: which folder includes from which (includes.tsv), how long files and functions are (functions.tsv), tables
# that are kept in two places (tables.tsv), numbers of the contract outside of abi/ (contract.tsv), words of its own that are not used (words.tsv), and what the pages say of folders and
# decisions. Run at the top of the tree; every finding is a line with file and reason.
failures=0
files=$(find abi base bench checkers compile_server coverage examples firmware icd include model rtl runtime tools traces translate \
	-name '*.[ch]' | sort)
result() { # NAME: standard input is the findings
	findings=$(cat)
	if [ -z "$findings" ]; then
		echo "ok $1"
	else
		failures=$((failures + 1))
		echo "not ok $1"
		echo "$findings" | sed 's/^/# /'
	fi
}
# FILE INCLUDED for each include of our own, by folders
included() {
	awk '
	function area(path, part) {
		split(path, part, "/")
		return part[1] == "runtime" ? part[1] "/" part[2] : part[1]
	}
	/^#include "[^"]*\// {
		split($2, name, "\"")
		if (name[2] !~ /^\.\./ && area(FILENAME) != area(name[2]))
			print FILENAME, area(FILENAME), area(name[2])
	}' $files
}
included | awk -F '[ \t]+' '
	NR == FNR {
		if ($0 ~ /^#/) next
		known[$1]
		may[$1, "base"]; may[$1, "abi"]
		for (i = 2; i <= NF; i++) if ($i != "") may[$1, $i]
		next
	}
	!($2 in known) { print $1 ": the folder " $2 " is not in testbench/lint/includes.tsv"; next }
	!(($2, $3) in may) { print $1 ": includes from " $3 ", which testbench/lint/includes.tsv does not let " $2 " do" }
' testbench/lint/includes.tsv - | result "includes go the way that the table says"
awk -F '[ \t]+' '!/^#/ { print $1 }' testbench/lint/includes.tsv | while read -r folder; do
	[ -d "$folder" ] || echo "$folder: there is no such folder"
done | result "the table names folders that there are"
# a file is read from top to bottom: what is longer has a part that stands for itself
MOST=750
wc -l $files | awk -v most=$MOST '$2 != "total" && $1 > most { print $2 ": " $1 " lines, more than " most }' | result "no file has more than $MOST lines"
# a function fits a screen or two; functions.tsv has those that do not
LONGEST=70
awk -F '\t' -v most=$LONGEST '
	FILENAME ~ /functions.tsv$/ { if ($0 !~ /^#/) { may[$1, $2] = $3; row[$1, $2] = FNR; why[$1, $2] = $4 }; next }
	FNR == 1 || /^[};\/# ]/ && !/^};?$/ { if (!/^\t/) head = "" }
	/^[A-Za-z_].*\(/ && head == "" { head = $0; sub(/ *\(.*/, "", head); sub(/.*[ *]/, "", head) }
	/^{$/ { from = FNR }
	/^}/ && from {
		lines = FNR - from + 1; from = 0
		if ((FILENAME, head) in may) {
			if (lines <= most || lines < may[FILENAME, head]) print "testbench/lint/functions.tsv: " FILENAME ": " head " has " lines " lines now"
			if (why[FILENAME, head] == "") print "testbench/lint/functions.tsv: " head ": no reason"
			limit = may[FILENAME, head] + 0
			delete row[FILENAME, head]
		} else
			limit = most
		if (lines > limit) print FILENAME ":" FNR - lines + 1 ": the function " head " has " lines " lines, more than " limit
	}
	/^}|^[^\t].*;$/ { head = "" }
	END { for (name in row) { split(name, part, SUBSEP); print "testbench/lint/functions.tsv: " part[1] " has no function " part[2] } }
' testbench/lint/functions.tsv $files | result "no function has more than $LONGEST lines, but for those of testbench/lint/functions.tsv"
defs=$(find abi base checkers compile_server icd model runtime tools traces translate -name '*.def' | sort)
awk -f testbench/lint/tables.awk testbench/lint/tables.tsv $(printf '%s\n' $files $defs | grep -v '^include/' | LC_ALL=C sort) |
	result "no table is kept in two places, but for those of testbench/lint/tables.tsv"
awk -f testbench/lint/contract.awk testbench/lint/contract.tsv abi/*.h abi/*.def ./abi/*.h $(find checkers firmware lockstep model runtime/kmd tools traces translate \
	-name '*.[ch]' -o -name '*.inc' | LC_ALL=C sort) | result "the contract stands in abi/ alone, but for the names of testbench/lint/contract.tsv"
folders=$(awk -F '\t' '$1 == "done" { print $2 }' testbench/lint/words.tsv)
words=$(awk -F '\t' '!/^#/ && $1 != "done" { printf "%s%s", n++ ? "|" : "", $1 }' testbench/lint/words.tsv)
grep -rnowiE --include='*.[ch]' --include='*.md' "$words" $folders | awk -F : '
	NR == FNR { if ($0 !~ /^#/) { split($0, row, "\t"); instead[row[1]] = row[2] }; next }
	{ print $1 ":" $2 ": \"" $3 "\": say " instead[tolower($3)] }
' testbench/lint/words.tsv - | result "words of testbench/lint/words.tsv are not used where they are gone"
# the folders of docs/architecture.md, which are those of the table's first cells, and of its picture
page=docs/architecture.md
told=$(sed -n 's/^| \(`[^|]*\/`\) |.*/\1/p' $page | grep -o '`[^`]*`' | tr -d '`')
[ -n "$told" ] || told="(none)"
for folder in $told; do
	[ -d "$folder" ] || echo "$page: $folder: there is no such folder"
done | result "$page names folders that there are"
for folder in */ runtime/*/ model/*/; do
	case $folder in build*/ | runtime/) continue ;; esac
	case " $(echo $told) " in *" $folder "*) ;; *) echo "$folder: $page has no row for it" ;; esac
done | result "$page has every folder"
echo $told | tr ' ' '\n' | sort | uniq -d | sed "s|\$|: two rows of $page|" | result "$page has no folder twice"
for drawing in docs/layers.txt docs/launch.txt; do
	for folder in $(sed '/^#/d' $drawing | grep -oE '[a-z_]+/([a-z_]+/)*([^a-z]|$)' | sed 's|/[^/]*$|/|' | sort -u); do
		[ -d "$folder" ] || echo "$drawing: $folder: there is no such folder"
	done
done | result "the drawings name folders that there are"
# a record of a decision: a date that is not before the one above, a title, and its three paragraphs
awk '
	function complain(what) { print FILENAME ":" FNR ": " what }
	function ends() { if (parts && parts != 3) complain("the record before has not context, decision and consequence, in this order") }
	/^## / {
		ends()
		if ($0 !~ /^## 20[0-9][0-9]-[01][0-9]-[0-3][0-9]: ./) complain("no date and title: " $0)
		if ($2 < last) complain("older than the record before")
		last = $2; parts = 0; records++; inside = 1
		next
	}
	inside && NF && !/^\*\*/ { complain("a paragraph that is not context, decision or consequence") }
	/^\*\*Context\.\*\* ./ { parts = parts == 0 ? 1 : 9 }
	/^\*\*Decision\.\*\* ./ { parts = parts == 1 ? 2 : 9 }
	/^\*\*Consequence\.\*\* ./ { parts = parts == 2 ? 3 : 9 }
	inside && length > 700 { complain("a paragraph of " length " characters, more than 700") }
	END { ends(); if (!records) complain("no records") }
' docs/decisions.md | result "docs/decisions.md has dated records of context, decision and consequence"
[ $failures = 0 ]
