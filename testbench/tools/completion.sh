#!/bin/sh
# bash completion: it offers the commands and options that --help names, and values that the command takes.
build=${GALENA_BUILD:-build}
build=$(cd "$build" && pwd)
. testbench/check.sh
galena=$build/bin/galena

# completed WORD...: what is offered for the last of the words, sorted
completed() {
	bash -c '. tools/galena.bash; galena=$1; shift; COMP_WORDS=(galena "$@"); COMP_CWORD=$#; _galena "$galena"; printf "%s\n" "${COMPREPLY[@]}"' \
		bash "$galena" "$@" | LC_ALL=C sort -u
}
commands=$("$galena" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
check "there are commands" has "$commands" run
check "the commands are offered" [ "$(completed "" | grep -vx help)" = "$(printf '%s\n' $commands | LC_ALL=C sort)" ]
for command in $commands "trace draw"; do
	options=$("$galena" $command --help | grep -oE '(^|[ ,])--[a-z][a-z-]*' | tr -d ' ,' | LC_ALL=C sort -u)
	check "$command: the options of its help are offered" [ "$(completed $command -- | grep -vx -- --)" = "$options" ]
done
check "run has options" has "$(completed run --)" --config
check "trace has its own commands" [ "$(completed trace "" | tr '\n' ' ')" = "draw dump info replay " ]
for option in config speed device devices fail-on log; do
	values=$(completed run --$option "")
	check "--$option has values" [ -n "$values" ]
	for value in $values; do
		capture "$galena" run --$option=$value -- true
		check "--$option=$value is taken" [ "$status" = 0 ]
	done
done
for name in $(completed run --inject "" | grep -vx list); do
	check "--inject $name is in the table" grep -q "^INJECTION($name," abi/injections.def
done
check "faults are offered" has "$(completed run --inject "")" IRQ_LOST
finish
