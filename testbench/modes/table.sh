# For modes.sh: what the runs in $work/runs say, as a table, and what is behind it.

speeds_agree=0 # programs

base_of() { sed -n "s/^$1 \([^ ]*\) .*/\1/p" "$work/modes"; }

# Whether a mode's first run leaves what it left when it is run again; asked when another mode differs, too: two
# equal runs of threads that race are luck.
steady() { # N BASE
	[ -e "$work/runs/$1.$2.races" ] && return 1
	[ -e "$work/runs/$1.$2-again.hash" ] && cmp -s "$work/runs/$1.$2.hash" "$work/runs/$1.$2-again.hash" && return 0
	[ -e "$work/runs/$1.$2-again.hash" ] && : >"$work/runs/$1.$2.races" && return 1
	steady_again "$1" "$2" 3
}
steady_again() { # N BASE TURNS
	for turn in $(seq "$3"); do
		$here/one.sh "$work" "$1" "$2" proof
		cmp -s "$work/runs/$1.$2.hash" "$work/runs/$1.proof.hash" && continue
		: >"$work/runs/$1.$2.races"
		return 1
	done
}

# In $cell: what a run says. same, race: its hash is not its own, DIFF, FAIL; -: it is not run in that mode
judge() { # N MODE
	run=$work/runs/$1.$2 base=$(base_of "$2")
	cell=-
	[ -e "$run.end" ] || return 0
	cell=same
	if [ "$(cut -d' ' -f1 "$run.end")" != 0 ]; then
		cell=FAIL
	elif [ "$base" != - ] && ! steady "$1" "$base"; then
		cell=race
	elif [ "$base" != - ] && ! cmp -s "$run.hash" "$work/runs/$1.$base.hash"; then
		cell=DIFF
		steady_again "$1" "$base" 12 || cell=race
	fi
	case $cell in
	same) passed=$((passed + 1)) ;;
	FAIL) failed=$((failed + 1)) && complain "$1" "$2" "exit status $(cut -d' ' -f1 "$run.end")" "$run.out" ;;
	DIFF)
		failed=$((failed + 1))
		diff "$work/runs/$1.$base.hash" "$run.hash" >"$run.diff"
		complain "$1" "$2" "other memory or cycle than $base" "$run.diff"
		;;
	esac
}

complain() { # N MODE WHAT FILE
	{
		echo "[  FAILED  ] $(label_of "$1"), $2: $3"
		tail -n 15 "$4" | sed 's/^/      /'
	} >>"$work/complaints"
}

share_text() { # TRANSLATED ALL
	echo "$1 $2" | awk '{ if ($2) printf "%.1f%%", 100 * $1 / $2; else printf "-" }'
}

short() {
	case $1 in
	timed | functional) echo first ;;
	*-again) echo again ;;
	*-threads) echo 2thr ;;
	*-portable) echo port ;;
	*-asking) echo ask ;;
	translated) echo 1thr ;;
	*-checked) echo check ;;
	*-*) echo "${1##*-}" ;;
	esac
}

table() {
	columns=$(cut -d" " -f1 "$work/modes")
	printf "%-22s" ""
	for group in $(echo "$columns" | cut -d- -f1 | uniq); do
		printf " %-$((7 * $(echo "$columns" | grep -c "^$group") - 1))s" "$group"
	done
	printf "\n%-22s" program
	for m in $columns; do printf ' %-6.6s' "$(short "$m")"; done
	echo "      share seconds"
	while read -r n; do
		label=$(label_of "$n")
		printf '%-22s' "$label"
		for m in $columns; do
			judge "$n" "$m"
			printf ' %-6s' "$cell"
		done
		share=-
		if [ -e "$work/runs/$n.translated.share" ]; then
			read -r some all <"$work/runs/$n.translated.share"
			share=$(share_text "$some" "$all")
			[ "$all" = 0 ] && share="no kernels"
			[ "$all" != 0 ] && [ "$some" = 0 ] && echo "$label" >>"$work/untranslated"
			[ "$all" = 0 ] || echo "$some $all" >>"$work/shares"
		fi
		order_note "$n" "$label"
		printf ' %10s %7s\n' "$share" "$(cat "$work"/runs/"$n".*.end | awk '{ s += $2 } END { printf "%.1f", s }')"
	done <"$work/numbers"
}

# The memory that a run left, without private memory and cycles.
shared_memory() { sed "s/ [0-9a-f]* at cycle .*memory//" "$1" | sort; }

# Whether what a program leaves depends on the order of its work-groups: latencies other than the device's own, with timing
# as before, make it leave other memory, too.
order_decides() { # N
	for change in dram_latency=301 l2_latency=90 l1_latency=20 dram_latency=200; do
		GALENA_CONFIG=${GALENA_CONFIG:-full},$change $here/one.sh "$work" "$1" timed latencies
		grep -q '^0 ' "$work/runs/$1.latencies.end" || continue
		shared_memory "$work/runs/$1.latencies.hash" >"$work/y"
		cmp -s "$work/x" "$work/y" || return 0
	done
	return 1
}

# The memory of both speeds: the same, or the order of work-groups decides it.
order_note() { # N LABEL
	run=$work/runs/$1
	[ -e "$run.timed.hash" ] || return 0
	shared_memory "$run.timed.hash" >"$work/x"
	shared_memory "$run.functional.hash" >"$work/y"
	if cmp -s "$work/x" "$work/y"; then
		speeds_agree=$((speeds_agree + 1))
	elif [ -e "$run.timed.races" ] || [ -e "$run.functional.races" ]; then
		return 0 # named as such
	elif [ "${SPEEDS_AGREE:-}" ] || ! order_decides "$1"; then
		failed=$((failed + 1))
		shared_memory "$run.functional.hash" | diff "$work/x" - >"$run.speeds.diff"
		complain "$1" timed "other memory than functional, private memory aside" "$run.speeds.diff"
	else
		passed=$((passed + 1))
		echo "$2" >>"$work/other-order"
	fi
}

list() { # FILE TEXT: the lines of a file in one
	[ -s "$1" ] && echo "# $2: $(tr '\n' ',' <"$1" | sed 's/,$//; s/,/, /g')"
}

# more files than a command line holds
count_done() { find "$work/asked" -name "*.done" -exec cat {} + | grep -c "^$1\$"; }

compare_all() {
	echo
	echo "same: the memory and the cycle of the first run of that speed. race: it is not its own in two runs of that mode, as its"
	echo "threads race; it only has to succeed. translated: how many of its warp instructions, on one thread, when it ran by what"
	echo "the first run had asked for. seconds: of all its runs."
	echo
	table
	echo
	[ -s "$work/complaints" ] && cat "$work/complaints"
	for n in $(cat "$work/numbers"); do
		[ -e "$work/runs/$n.timed.races" ] || [ -e "$work/runs/$n.functional.races" ] && label_of "$n"
	done >"$work/races"
	echo "# the same memory with timing and without, but for private memory: $speeds_agree of $(wc -l <"$work/numbers") programs"
	list "$work/races" "not compared, only to succeed (threads of theirs race)"
	list "$work/other-order" "other memory without timing, and with other latencies: the order of work-groups decides it"
	list "$work/no-device" "use no device of their own"
	[ -s "$work/left-out" ] && sed 's/^/# left out: /' "$work/left-out"
	if ls "$work/asked" | grep -q done; then
		list "$work/untranslated" "nothing of their kernels ran translated"
		late=$(count_done late) long=$(count_done long) refused=$(count_done refused)
		echo "# superblocks: $(count_done good) translated, $refused that the translator refuses, $long that take it too long, $late that there was no time for, $(ls "$work/asked" | grep -c '\.region$') asked for"
		set -- $(awk '{ a += $1; b += $2 } END { print a + 0, b + 0 }' "$work/shares")
		echo "# translated: $(share_text "$1" "$2") of the $2 warp instructions of all programs"
		check "kernels ran translated" [ "$1" -gt 0 ]
		find "$work/asked" -name "*.done" -exec grep -l '^broken$' {} + | sed 's/done$/err/' | xargs -r tail -n 5 >"$work/broken"
		check "no translator broke" [ ! -s "$work/broken" ]
		cat "$work/broken"
	fi
	echo "# $(($(date +%s) - started)) s"
}
