#!/bin/sh
# The sentences of the documents that are implemented to the last one: testbench/rules/documents.tsv has a row for each, in our own
# words, and what keeps it: rules (opencl.tsv, device.tsv), cases of tests (PROGRAM:CASE; PROGRAM is one of testbench/opencl,
# or AREA/NAME), whole tests (AREA/NAME), or "-: " and why it asks nothing of the library. The programs are run, and what they do
# not say is there. Exit status 1 unless every sentence is kept. documents.sh --tests: prints the tests that rows name, below BUILD/test.
rows=testbench/rules/documents.tsv
names() { awk -F '\t' 'NR > 1 && $5 !~ /^-: / { n = split($5, t, " "); for (i = 1; i <= n; i++) print t[i] }' $rows | sort -u; }
test_of() {
	case $1 in
	*/*) echo "$1" ;;
	spec_*) echo "spec/${1#spec_}" ;;
	*) echo "opencl/$1" ;;
	esac
}
if [ "${1:-}" = --tests ]; then
	for name in $(names | sed -n 's/:.*//p; /\//p' | sort -u); do
		test_of "${name%%:*}"
	done | sort -u
	exit
fi
build=${GALENA_BUILD:-build}
build=$(cd "$build" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GALENA_SPEED="${GALENA_SPEED:-functional}" GALENA_DEVICES="${GALENA_DEVICES:-2}"
failed=0
program_of() { echo "$build/test/$(test_of "$1")"; }
names >"$work/named"
: >"$work/there"
for name in $(sed -n 's/:.*//p' "$work/named" | sort -u); do
	if ! GALENA_BUILD=$build "$(program_of "$name")" >"$work/out" 2>&1; then
		failed=1
		echo "[  FAILED  ] $name"
		grep -v 'OK \]\|RUN  ' "$work/out" | tail -n 30
	fi
	sed -n "s|^\[ *OK \] |$name:|p" "$work/out" >>"$work/there"
done
for name in $(grep / "$work/named" | grep -v :); do
	[ -x "$(program_of "$name")" ] && echo "$name" >>"$work/there"
done
awk -F '\t' 'FNR > 1 { print $1 }' testbench/rules/opencl.tsv checkers/device.tsv >>"$work/there"
awk -F '\t' '
	function complain(text) { print text; wrong++ }
	FNR == NR { there[$0]; next }
	FNR == 1 {
		if ($0 != "document\tsection\tnumber\tsays\tkept by")
			complain(FILENAME ": other columns")
		next
	}
	{
		at = FILENAME ":" FNR ": "
		if (NF != 5 || $4 == "" || $3 != last[$1] + 1)
			complain(at "not the next sentence of its document: " $0)
		last[$1] = $3
		part = $1 ": " $2
		if (!(part in rows))
			order[++parts] = part
		rows[part]++
		all++
		if ($5 ~ /^-: ./) {
			asks_nothing[part]++
			nothing++
			next
		}
		n = split($5, names, " ")
		good = n > 0
		for (i = 1; i <= n; i++)
			if (!(names[i] in there)) {
				good = 0
				complain(at "no rule, test or case that passes is called " names[i])
			}
		kept += good
		kept_in[part] += good
	}
	END {
		printf "%-48s %9s %6s %13s\n", "document: section", "sentences", "kept", "asks nothing"
		for (i = 1; i <= parts; i++)
			printf "%-48s %9d %6d %13d\n", order[i], rows[order[i]], kept_in[order[i]], asks_nothing[order[i]]
		for (d in last)
			documents++
		printf "%d sentences of %d documents: %d ask something of the library, %d of them are kept (%.4g %%); %d do not, for the reasons given\n",
			all, documents, all - nothing, kept, (all > nothing ? 100 * kept / (all - nothing) : 0), nothing
		exit !all || wrong || kept + nothing != all
	}' "$work/there" $rows || failed=1
exit $failed
