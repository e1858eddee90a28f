#!/bin/sh
# The hardware manual: everything that the tables name is in it, its links lead somewhere, and what its prose says by
# number agrees with the tables.
build=${GALENA_BUILD:-build}
build=$(cd "$build" && pwd)
. testbench/check.sh
pages=$(echo docs/hardware.md docs/hardware/*.md)
manual=$work/manual.md
for page in $pages; do
	made=$build/share/doc/galena/${page#docs/}
	check "$page is made" [ -s "$made" ]
	cat "$made" >>"$manual"
	awk -v keep=1 -f abi/rows.awk -f docs/expand.awk "$page" >"$work/page.md"
	out=$(diff "$page" "$work/page.md")
	check "the tables of $page are those of abi/; if not: make docs" [ -z "$out" ]
done
check "every table is filled in" sh -c "! grep -n '{{' '$manual'"
# what is written by hand
source=$work/prose.md
sed '/^<!-- {{[^e]/,/^<!-- {{end}}/d' $pages >"$source"
# a count of rules is the number of rules that there are
rules=$(($(wc -l <checkers/device.tsv) - 1))
for count in $(grep -oh '[0-9]* rules over' README.md docs/*.md docs/man/* | cut -d' ' -f1); do
	check "the $count rules that a page tells of are all" [ "$count" = $rules ]
done

# rows TABLE MACRO ARGUMENT: that argument of each row
rows() { awk -f abi/rows.awk -f /dev/stdin "abi/$1" <<'AWK' | awk -F'\t' -v n="$3" -v m="$2" '$1 == m { print $(n + 1) }' | sort -u; }
{ if (match($0, /^[A-Z_]+\(/)) { macro = substr($0, 1, RLENGTH - 1); n = row($0, macro, args); out = macro; for (i = 1; i <= n; i++) out = out "\t" args[i]; print out } }
AWK
# every PLACE TABLE MACRO ARGUMENT BEFORE AFTER: a table row of the manual has BEFORE NAME AFTER
every() {
	what=$1 missing= count=0
	for name in $(rows "$2" "$3" "$4"); do
		count=$((count + 1))
		grep -qF -- "$5$name$6" "$manual" || missing="$missing $name"
	done
	out="$count rows, missing:$missing"
	check "every $what is in the manual ($count)" [ -z "$missing" -a "$count" -gt 0 ]
}
every register registers.def REG 2 '| `' ''
every "register field" registers.def FIELD 3 '`.' '`'
every packet packets.def PACKET_BEGIN 1 '**`' '`** (type '
every "packet field" packets.def PACKET_FIELD 3 '`' '` |'
every record records.def RECORD_BEGIN 1 '**`' '`** ('
every "record field" records.def RECORD_FIELD 3 '`' '` |'
every fault faults.def FAULT 1 '| ' ' | '
every injection injections.def INJECTION 1 '| ' ' | '
every event events.def EVENT 1 '| ' ' | '
every unit units.def UNIT 1 '| ' ' | '
every parameter config.def PARAM 1 '| ' ' | '
every relation config.def RELATION 1 '| ' ' | '
every "number of the architecture" constants.def CONSTANT 1 '| ' ' | '
every "value" values.def VALUE 2 '| ' ' | '
every "flag" values.def FLAG 2 '| ' ' | '
every "field of a word" words.def WORD_FIELD 2 '| ' ' | '
every "record of the media unit" media.def RECORD_BEGIN 1 '**`' '`** ('
every "field of one" media.def RECORD_FIELD 3 '`' '` |'
every window address_map.def WINDOW 1 '| ' ' | '
every CSR csr.def CSR 1 '| ' ' | '
every instruction isa.def INSN 1 '| ' ' | '
every "trace record" trace_records.def TRACE_RECORD 3 '| ' ' | '

# what is said by hand of each
section() { sed -n "/^## $1\$/,/^## /p" "$source"; }
for name in $(rows faults.def FAULT 1); do
	check "the manual says what a driver does about $name" sh -c "printf %s \"\$1\" | grep -Eq '^\\| ([A-Z_]+, )*$name(, [A-Z_]+)* \\| '" sh "$(section Faults)"
done
for name in $(rows injections.def INJECTION 1); do
	check "the manual says what a driver sees of $name" sh -c "printf %s \"\$1\" | grep -q '^| $name | '" sh "$(section 'Fault injection')"
done

# names in `code` that look like those of the tables are in one
for name in $(grep -o '`[A-Z][A-Z0-9_]*\(\[[a-z0-9]*\]\)*\(\.[A-Z_]*\)*`' "$source" | tr -d '`' | sed 's/\[[a-z0-9]*\]//; s/\..*//' | sort -u); do
	case $name in
	NAME | GALENA_) ;;
	GALENA_?*) check "$name, which the text names, is in galena/contract.h" grep -qw "$name" "$build/include/galena/contract.h" ;;
	*) check "$name, which the text names, is in a table" grep -qE "^[A-Z_]+\(([A-Za-z_]+, *)*(VA_)?$name[,)]" abi/*.def ;;
	esac
done
check "the interface version of the text is the firmware's" \
	grep -q "describes interface version $(sed -n 's/^CONSTANT(FW_INTERFACE_VERSION, *\([0-9]*\),.*/\1/p' abi/constants.def)\." "$source"

# every rule of the device names a section
awk -F'\t' 'NR > 1 && $2 == "hardware manual" { print $3 }' checkers/device.tsv | sort -u >"$work/clauses"
check "there are rules" [ -s "$work/clauses" ]
while read -r clause; do
	check "the section \"$clause\" that rules cite is there" grep -qE "^#+ $clause\$" "$source"
done <"$work/clauses"

# links: to files, and to sections of pages
anchors() { sed -n 's/^##* *//p' "$1" | tr 'A-Z' 'a-z' | sed 's/[^a-z0-9 _-]//g; s/ /-/g'; }
for page in docs/*.md docs/hardware/*.md README.md CONTRIBUTING.md; do
	grep -o '](\([^)]*\))' "$page" | sed 's/](\(.*\))/\1/' | grep -v '^https\?:' | sort -u >"$work/links"
	while read -r link; do
		case $link in
		\#*) file=$page ;;
		*) file=$(dirname "$page")/${link%%#*} ;;
		esac
		check "$page: $link is there" test -e "$file"
		case $link in
		*.md\#* | \#*) anchors "$file" >"$work/anchors" && check "$page: the section $link is there" grep -qx -- "${link##*#}" "$work/anchors" ;;
		esac
	done <"$work/links"
done
finish
