#!/bin/sh
# The numbered requirements of the hardware manual: each chapter counts its own without gaps, and each has the tests that show it, which are there.
. testbench/check.sh
# numbers CHAPTER: of its requirements, in the order of the page
numbers() { sed -n 's/^- \*\*\([A-Z]*-[0-9]*\)\*\* ..*/\1/p' "$1"; }
# there PROGRAM:CASE: a test of that name, which has the case
there() {
	path=testbench/${1%%:*}
	for file in "$path.sh" "$path.c" "${path}"_*.c; do
		[ -e "$file" ] && grep -qF -- "${1#*:}" "$file" && return
	done
	return 1
}
for chapter in docs/hardware/*.md; do
	name=$(basename "$chapter" .md)
	rows=docs/hardware/$name.tsv
	numbers "$chapter" >"$work/numbers"
	prefix=$(sed -n '1s/-.*//p' "$work/numbers")
	check "$chapter has requirements" [ -s "$work/numbers" ]
	seq -f "$prefix-%.0f" "$(wc -l <"$work/numbers")" >"$work/counted"
	out=$(diff "$work/numbers" "$work/counted")
	check "$chapter counts them from 1 on" [ -z "$out" ]
	sed 1d "$rows" | cut -f1 >"$work/rows"
	out=$(diff "$work/numbers" "$work/rows")
	check "$rows has a row for each" [ -z "$out" ]
	out=$(awk -F '\t' 'NR > 1 && ($2 == "" || $2 == "-")' "$rows")
	check "$rows says a test for each" [ -z "$out" ]
	out=$(sed 1d "$rows" | cut -f2 | sed 's/; */\n/g' | sort -u | while read -r test; do there "$test" || echo "$test"; done)
	check "the tests of $rows are there" [ -z "$out" ]
done
echo "requirements: $(cat docs/hardware/*.md | grep -c '^- \*\*[A-Z]*-[0-9]*\*\* ')"
finish
