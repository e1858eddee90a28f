#!/bin/sh
# one.sh WORK N MODE [NAME]: runs program N of WORK/programs in a mode of WORK/modes. WORK/runs/N.NAME.* (MODE) then hold its exit
# status and seconds (end), what its devices held (hash), and how much of its kernels was translated (share).
# The shell does nearly all of it by itself: to start sed, awk and date takes as long as many of the programs.
run=$1/runs/$2.${4:-$3} n=$2
while read -r program && [ $((n -= 1)) -gt 0 ]; do :; done <"$1/programs"
while read -r name _ variables && [ "$name" != "$3" ]; do :; done <"$1/modes"
for variable in $variables; do
	export "${variable?}"
done
export GALENA_DRAM_HASH="$run.hash" GALENA_MODES_RUN="$1/runs/$2"
# in centiseconds
clock() {
	read -r up _ </proc/uptime
	clock=${up%.*}${up#*.}
}
: >"$run.hash"
status=0
clock
begin=$clock
# shellcheck disable=SC2086
timeout -k 5 "${TEST_TIMEOUT:-1800}" $program >"$run.out" 2>&1 </dev/null || status=$?
clock
took=$((clock - begin)) translated=0 all=0 drams=
while read -r line; do
	case $line in
	dram*) drams="$drams${drams:+
}$line" ;;
	translated*)
		counts=${line#*: }
		translated=$((translated + ${counts%% *})) counts=${counts#* of }
		all=$((all + ${counts%% *}))
		;;
	esac
done <"$run.hash"
echo "$translated $all" >"$run.share"
case $drams in
'') : ;;
*"
"*) printf '%s\n' "$drams" | sort ;;
*) printf '%s\n' "$drams" ;;
esac >"$run.hash"
[ "$status" != 0 ] || rm -f "$run.out"
printf '%d %d.%02d\n' "$status" $((took / 100)) $((took % 100)) >"$run.end"
