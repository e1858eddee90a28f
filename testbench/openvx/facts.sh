#!/bin/sh
# The public headers of OpenVX say what Khronos' say: facts.tsv has the names, values, texts, sizes, places of fields and types
# of functions; each must be in the header that it names, or not at all where it is left out, for the reason given. And
# the libraries have each function, and the headers declare none that is not in the table.
build=${GALENA_BUILD:-build}
build=$(cd "$build" && pwd)
. testbench/check.sh
facts=testbench/openvx/facts.tsv
compiler=${CC:-cc}
# header NAME: a program that uses every fact of it. The compiler names the line of the table that does not hold.
header() {
	echo "#include <VX/$1>"
	echo '#include <stddef.h>'
	echo '#include <stdint.h>'
	awk -F '\t' -v header="$1" -v file="$facts" '
		NR == 1 || $4 != header || $5 != "" { next }
		{ printf "#line %d \"%s\"\n", NR, file }
		$1 == "value" { printf "_Static_assert((long long)(int32_t)(%s) == (long long)(int32_t)(%sLL), \"%s is %s\");\n", $2, $3, $2, $3 }
		$1 == "text" { printf "_Static_assert(!__builtin_strcmp(%s, \"%s\"), \"%s is %s\");\n", $2, $3, $2, $3 }
		$1 == "type" { printf "_Static_assert(__builtin_types_compatible_p(%s, %s), \"%s is %s\");\n", $2, $3, $2, $3 }
		$1 == "size" { printf "_Static_assert(sizeof(%s) == %s, \"%s has %s bytes\");\n", $2, $3, $2, $3 }
		$1 == "field" {
			split($2, f, "."); split($3, is, ": ")
			printf "_Static_assert(offsetof(%s, %s) == %s && __builtin_types_compatible_p(__typeof__(((%s *)0)->%s), %s), \"%s is %s at %s\");\n",
				f[1], f[2], is[1], f[1], f[2], is[2], $2, is[2], is[1]
		}
		$1 == "function" {
			result = $3; sub(/ \(.*/, "", result)
			parameters = substr($3, length(result) + 2)
			printf "_Static_assert(__builtin_types_compatible_p(__typeof__(%s), %s %s), \"%s is %s\");\n", $2, result, parameters, $2, $3
		}' $facts
}
check "the table has its columns" [ "$(head -n 1 $facts)" = "$(printf 'fact\tname\tis\theader\tleft out')" ]
check "and nothing but facts of known kinds" [ "$(awk -F '\t' 'NR > 1 && ($1 !~ /^(value|text|type|size|field|function)$/ || NF != 5)' $facts | wc -l)" = 0 ]
for name in $(awk -F '\t' 'NR > 1 { print $4 }' $facts | sort -u); do
	header "$name" >"$work/facts.c"
	capture $compiler -std=gnu11 -w -Iinclude -fsyntax-only "$work/facts.c"
	err=$(grep 'error:' "$work/err")
	check "$name: $(grep -c _Static_assert "$work/facts.c") facts" [ $status = 0 ]
done
# what is left out is nowhere, neither half
for name in $(awk -F '\t' 'NR > 1 && $5 != "" { print $2 }' $facts); do
	check "$name, which is left out, is in no header" sh -c "! grep -qw $name include/VX/*.h"
done
# what the headers declare
grep -ho '\bvxu\?[A-Z][A-Za-z0-9]*(' include/VX/*.h | tr -d '(' | sort -u | grep -v '^vxFormatArrayPointer$\|^vxArrayItem$' >"$work/declared"
awk -F '\t' '$1 == "function" && $5 == "" { print $2 }' $facts | sort -u >"$work/named"
out=$(comm -23 "$work/declared" "$work/named")
check "each of the $(wc -l <"$work/declared") functions that headers declare is in the table" [ -z "$out" ]
# and every constant, apart from formats and initialisers
sed -n 's/^#define \(VX_[A-Z0-9_]*\|OPENVX_[A-Z0-9_]*\) .*/\1/p' include/VX/*.h | grep -v '^VX_FMT_\|^VX_API_\|_INIT$' | sort -u >"$work/declared"
awk -F '\t' '$1 == "value" || $1 == "text" { print $2 }' $facts | sort -u >"$work/values"
out=$(comm -23 "$work/declared" "$work/values")
check "each of the $(wc -l <"$work/declared") constants that headers define is in the table" [ -z "$out" ]
for library in libopenvx libvxu; do
	nm -D --defined-only "$build/lib/$library.so" | awk '{ print $3 }'
done | sort -u >"$work/exported"
out=$(comm -23 "$work/named" "$work/exported")
check "the libraries have each function" [ -z "$out" ]
finish
